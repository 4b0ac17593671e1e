// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A debugger of the cards' TPCs; see debugger.h. */
#include "../../qemu-device/chip/gaudi_chip.h"
#include "../host/options.h"
#include "../host/slots.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "debugger.h"

static struct gaudi_tpc_gdb *debugger;
static pthread_t thread;

static void *serve(void *arg)
{
	gaudi_tpc_gdb_run(arg);
	return NULL;
}

void sim_debugger_begin(void)
{
	const char *where = sim_option("GAUDI_SIM_TPC_GDB");
	struct gaudi_chip *chips[SIM_MAX_CARDS];
	unsigned int n = 0;
	char why[256];

	if (!where)
		return;
	while (n < SIM_MAX_CARDS && sim_card_chip(n)) {
		chips[n] = sim_card_chip(n);
		n++;
	}
	debugger = gaudi_tpc_gdb_new(chips, n, where, why, sizeof(why));
	/* Another process of the same command may have it: this one goes without. */
	if (!debugger) {
		sim_log(NULL, SIM_ERR, "GAUDI_SIM_TPC_GDB: no debugger: %s\n",
			why);
		return;
	}
	sim_log(NULL, SIM_ERR,
		"the first TPC kernel waits for: gdb -ex \"target remote %s\"\n",
		gaudi_tpc_gdb_where(debugger));
	thread = sim_thread_start(serve, debugger);
}

void sim_debugger_end(void)
{
	if (!debugger)
		return;
	gaudi_tpc_gdb_end(debugger);
	pthread_join(thread, NULL);
}
