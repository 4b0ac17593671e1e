// SPDX-License-Identifier: GPL-2.0-only
/*
 * collective_dump PORTS: what collective waits consist of, as the card sees them, for
 * a comparison of drivers (tests/suites.d/nic). PORTS is the mask of ports in use.
 *
 * Each wait is held by a signal that does not come. Then the slaves' command buffers
 * are read through the user's address space, where both drivers have them; of the
 * master's, which only the kernel reads, the monitors show what it has done. When the
 * signal has come the sync objects are printed. A line begins with engine and master.
 * TPC 7 comes last, is not let go, and its monitors are not looked at: the stock
 * driver's wait with it never arms them.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/gaudi_test.h"
#include "lib/nic.h"

#define NUM_MASTERS	8
#define NUM_MONITORS	64
#define NUM_SOBS	144
/* The first of a user's addresses. */
#define SLAVE_CBS	0x1000000000000ull
#define CB_STRIDE	64
#define CB_WORDS	12
#define W_S		(CFG_BASE + 0x490000)
#define SOB(n)		(W_S + 0x2000 + 4 * (n))
#define MON_ADDRL(n)	(W_S + 0x4000 + 4 * (n))
#define MON_ADDRH(n)	(W_S + 0x4800 + 4 * (n))
#define MON_DATA(n)	(W_S + 0x5000 + 4 * (n))
#define MON_ARM(n)	(W_S + 0x5800 + 4 * (n))
#define MON_STATUS(n)	(W_S + 0x6000 + 4 * (n))

static struct end card;
static struct gt_cb hold;
static char addr_path[128], data_path[128];

static void check(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %d\n", what, ret);
	exit(1);
}

static void find(const char *name, char *path, size_t size)
{
	glob_t g;

	snprintf(path, size, "/sys/kernel/debug/accel/*/%s", name);
	check(glob(path, 0, NULL, &g) ? -1 : 0, path);
	snprintf(path, size, "%s", g.gl_pathv[0]);
	globfree(&g);
}

/* A file for each access: these cannot be rewound. */
static uint32_t reg(uint64_t addr)
{
	char text[32] = "";
	int len = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)addr);
	int fd = open(addr_path, O_WRONLY);

	check((int)write(fd, text, (size_t)len), addr_path);
	close(fd);
	fd = open(data_path, O_RDONLY);
	check((int)read(fd, text, sizeof(text) - 1), data_path);
	close(fd);
	return (uint32_t)strtoul(text, NULL, 16);
}

/* Queue of DMA 0 or 1, stream 1, that the master is not on. */
static uint32_t signal_queue(uint32_t master)
{
	return master == 1 ? 5 : 1;
}

static void submit(uint32_t master, uint32_t engine, uint64_t *sig, uint64_t *seq)
{
	struct hl_cs_chunk chunk = { .queue_index = signal_queue(master) };

	hold.len = gt_pkt_fence(hold.map, 0, 1, 1);
	check(gt_submit(card.fd, chunk.queue_index, &hold, seq), "hold");
	check(gt_submit_chunks(card.fd, &chunk, 1, HL_CS_FLAGS_SIGNAL, sig),
	      "signal");
	chunk = (struct hl_cs_chunk){
		.queue_index = master, .signal_seq_arr = (uintptr_t)sig,
		.num_signal_seq_arr = 1, .collective_engine_id = engine,
	};
	check(gt_submit_chunks(card.fd, &chunk, 1, HL_CS_FLAGS_COLLECTIVE_WAIT,
			       seq), "collective wait");
}

static void print_slaves(const char *engine, uint32_t master, unsigned int n)
{
	const uint32_t *word = (const uint32_t *)(card.mem + DST);
	unsigned int i, j;

	card.cb.len = gt_pkt_lin_dma(card.cb.map, SLAVE_CBS, card.va + DST,
				     n * CB_STRIDE, EB | MB);
	check(gt_run(card.fd, master == 7 ? 6 : 7, &card.cb), "read buffers");
	for (i = 0; i < n; i++, word += CB_STRIDE / 4) {
		printf("%s %u: slave %u:", engine, master, i);
		for (j = 0; j < CB_WORDS; j++)
			printf(" %08x", word[j]);
		printf("\n");
	}
}

static unsigned int num_armed(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < NUM_MONITORS; i++)
		n += reg(MON_STATUS(i)) & 1;
	return n;
}

/* Of the master's two monitors the second waits behind the first. */
static void print_monitors(const char *engine, uint32_t master, unsigned int want)
{
	unsigned int i;

	for (i = 0; num_armed() < want; i++)
		check(i < 1000 ? 0 : -1, "monitors are not armed");
	for (i = 0; i < NUM_MONITORS; i++)
		if (reg(MON_STATUS(i)) & 1)
			printf("%s %u: monitor %u: to %08x%08x, data %u, arm %08x, status %08x\n",
			       engine, master, i, reg(MON_ADDRH(i)),
			       reg(MON_ADDRL(i)), reg(MON_DATA(i)),
			       reg(MON_ARM(i)), reg(MON_STATUS(i)));
}

static void let_go(uint32_t master, uint64_t seq)
{
	uint32_t status, d = signal_queue(master) / 4;

	card.cb.len = gt_pkt_msg_long(card.cb.map, CFG_BASE + 0x50830c +
				      0x20000 * d, 1, MB);
	check(gt_run(card.fd, master == 7 ? 6 : 7, &card.cb), "let go");
	check(gt_wait(card.fd, seq, 10 * SECOND_US, &status), "wait");
	check(status == HL_WAIT_CS_STATUS_COMPLETED ? 0 : -1, "end");
}

static void print_rest(const char *engine, uint32_t master)
{
	unsigned int i;

	for (i = 0; i < NUM_SOBS; i++)
		if (reg(SOB(i)))
			printf("%s %u: sync object %u: %08x\n", engine, master, i,
			       reg(SOB(i)));
	/* What the second of its monitors was. */
	i = 2 * master + 1;
	printf("%s %u: monitor %u: to %08x%08x, data %u, arm %08x\n", engine,
	       master, i, reg(MON_ADDRH(i)), reg(MON_ADDRL(i)),
	       reg(MON_DATA(i)), reg(MON_ARM(i)));
}

int main(int argc, char **argv)
{
	unsigned long mask = argc == 2 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned int slaves = (unsigned int)__builtin_popcountl(mask) + 1;
	uint64_t sig, seq;
	uint32_t master;

	check(mask ? 0 : -1, "collective_dump PORTS");
	card.fd = card_open(0);
	check(card.fd, "open");
	card.mem = gt_alloc(END_SIZE);
	check(gt_map_host(card.fd, card.mem, END_SIZE, &card.va), "map");
	check(gt_cb_create(card.fd, 4096, &card.cb), "buffer");
	check(gt_cb_create(card.fd, 4096, &hold), "buffer");
	find("addr", addr_path, sizeof(addr_path));
	find("data32", data_path, sizeof(data_path));
	for (master = 0; master < NUM_MASTERS; master++) {
		submit(master, GAUDI_ENGINE_ID_DMA_5, &sig, &seq);
		print_slaves("DMA5", master, slaves);
		print_monitors("DMA5", master, slaves + 1);
		let_go(master, seq);
		print_rest("DMA5", master);
	}
	submit(6, GAUDI_ENGINE_ID_TPC_7, &sig, &seq);
	print_slaves("TPC7", 6, slaves);
	return 0;
}
