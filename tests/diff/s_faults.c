// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand (Documentation/faults.rst): what a user with an eventfd is
 * told of each, what INFO knows of it afterwards, and what becomes of the card.
 *
 * A fault is given by a port to the host; see scripts/gaudi-inject.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gaudi_inject.h"
#include "steps.h"

#define NUM_COUNTS	1024
/* Until a fault has happened, at the slowest. */
#define HAPPENS_MS	60000
/* Two events, of which users are not told. */
#define SENTINEL	"power-throttle,ms=1"

static int port = -1, efd = -1;
static uint32_t counts[NUM_COUNTS];
static bool sentinel[NUM_COUNTS];	/* these ids are the sentinel's */

static void ask(const char *what, const char *fault)
{
	char why[256];
	int rc = gt_port_ask(port, what, 0, fault, why, sizeof(why));

	if (rc == -EINVAL) {
		say(fault, "not injected: %s", why);
		give_up("no fault");
	} else if (rc) {
		give_up("no answer from the port");
	}
}

static void events_so_far(uint32_t *now)
{
	memset(now, 0, NUM_COUNTS * sizeof(*now));
	gt_info(fd, HL_INFO_HW_EVENTS, now, NUM_COUNTS * sizeof(*now));
}

/* All records, but the time; those that are not there are not shown. */
static void say_record(const char *fault, const char *what, uint32_t op,
		       unsigned int size)
{
	uint64_t words[64] = { 0 };
	char step[192], text[256] = "";
	size_t len = 0;
	unsigned int i;

	if (size > sizeof(words))
		give_up("a long record");
	gt_info(fd, op, words, size);
	if (!words[0])
		return;
	for (i = 1; i < size / 8; i++)
		if (words[i])
			len += snprintf(text + len, sizeof(text) - len,
					" w%u=%#llx", i,
					(unsigned long long)words[i]);
	snprintf(step, sizeof(step), "%s: %s", fault, what);
	say(step, "time%s", text);
}

static void say_records(const char *fault)
{
	struct hl_info_dram_replaced_rows_info { uint16_t n, pad[3]; } rows = { 0 };
	uint32_t pending = 0;
	uint64_t last = 0;
	char step[192];
	int rc[2];

	say_record(fault, "RAZWI", HL_INFO_RAZWI_EVENT,
		   sizeof(struct hl_info_razwi_event));
	say_record(fault, "PAGE_FAULT", HL_INFO_PAGE_FAULT_EVENT,
		   sizeof(struct hl_page_fault_info));
	say_record(fault, "HW_ERR", HL_INFO_HW_ERR_EVENT,
		   sizeof(struct hl_info_hw_err_event));
	say_record(fault, "FW_ERR", HL_INFO_FW_ERR_EVENT,
		   sizeof(struct hl_info_fw_err_event));
	say_record(fault, "ENGINE_ERR", HL_INFO_USER_ENGINE_ERR_EVENT,
		   sizeof(struct hl_info_engine_err_event));
	say_record(fault, "UNDEFINED_OPCODE", HL_INFO_UNDEFINED_OPCODE_EVENT,
		   sizeof(struct hl_info_undefined_opcode_event));
	rc[0] = gt_info(fd, HL_INFO_DRAM_REPLACED_ROWS, &rows, sizeof(rows));
	rc[1] = gt_info(fd, HL_INFO_DRAM_PENDING_ROWS, &pending,
			sizeof(pending));
	snprintf(step, sizeof(step), "%s: rows", fault);
	say(step, "replaced %s %u, pending %s %u", errname(rc[0]), rows.n,
	    errname(rc[1]), pending);
	rc[0] = gt_info(fd, HL_INFO_LAST_ERR_OPEN_DEV_TIME, &last, 8);
	snprintf(step, sizeof(step), "%s: opened before the error", fault);
	say(step, "%s %s", errname(rc[0]), last ? "yes" : "no");
}

/* Events since counts[], of the sentinel's ids or of all others. */
static uint32_t num_new(bool of_sentinel)
{
	uint32_t now[NUM_COUNTS], n = 0;
	unsigned int i;

	events_so_far(now);
	for (i = 0; i < NUM_COUNTS; i++)
		if (sentinel[i] == of_sentinel)
			n += now[i] - counts[i];
	return n;
}

static void await_new(bool of_sentinel, uint32_t num)
{
	unsigned int ms;

	for (ms = 0; ms < HAPPENS_MS && num_new(of_sentinel) < num; ms += 20)
		usleep(20000);
}

/*
 * Both drivers deal with one event after the other, so all is said of those
 * before it when this one, of which nobody is told, has been counted.
 */
static void await_sentinel(void)
{
	ask("inject", SENTINEL);
	await_new(true, 2);
}

static void await_reset(uint64_t *all)
{
	uint64_t mask = 0;
	unsigned int ms;

	for (ms = 0; ms < HAPPENS_MS; ms += 20) {
		gt_info(fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask));
		*all |= mask;
		if (*all & HL_NOTIFIER_EVENT_DEVICE_RESET)
			return;
		usleep(20000);
	}
}

/* What there is to say of a fault that has happened. */
static void say_fault(const char *fault, uint64_t all)
{
	uint32_t now[NUM_COUNTS];
	char step[192], text[512] = "";
	uint64_t mask = 0, n;
	size_t len = 0;
	unsigned int i;
	bool told;

	events_so_far(now);
	for (i = 0; i < NUM_COUNTS; i++)
		if (!sentinel[i] && now[i] != counts[i] &&
		    len < sizeof(text) - 32)
			len += snprintf(text + len, sizeof(text) - len,
					" %u (%u)", i, now[i] - counts[i]);
	memcpy(counts, now, sizeof(now));
	told = read(efd, &n, 8) == 8;
	gt_info(fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask));
	snprintf(step, sizeof(step), "%s: counted", fault);
	say(step, "events%s", text);
	snprintf(step, sizeof(step), "%s: told", fault);
	say(step, "%s events %#llx", told ? "eventfd" : "no eventfd",
	    (unsigned long long)(all | mask));
	say_records(fault);
}

static void begin(bool with_eventfd)
{
	port = gt_port_open();
	if (port < 0)
		give_up("no port to the host");
	ask("clear", "");
	if (with_eventfd) {
		struct hl_info_args args = { .op = HL_INFO_REGISTER_EVENTFD };

		efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		args.eventfd = efd;
		if (gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args))
			give_up("no eventfd");
	}
	events_so_far(counts);
}

static void learn_sentinel(void)
{
	uint32_t now[NUM_COUNTS];
	unsigned int i;

	ask("inject", SENTINEL);
	await_new(false, 2);
	events_so_far(now);
	for (i = 0; i < NUM_COUNTS; i++)
		sentinel[i] = now[i] != counts[i];
	memcpy(counts, now, sizeof(now));
}

static void provoke(const char *fault, unsigned int events)
{
	ask("inject", fault);
	await_new(false, events);
	await_sentinel();
	say_fault(fault, 0);
}

/* The card goes on. */
static void survived_script(void)
{
	static const struct {
		const char *fault;
		unsigned int events;
	} faults[] = {
		{ "hbm-ecc-single,unit=1,channel=5,report=0x1234", 1 },
		{ "sram-ecc-single,unit=5,report=0x7ff0001000,syndrome=7", 1 },
		{ "ecc-single,block=tpc,unit=3,report=0x40,syndrome=9", 1 },
		{ "ecc-single,block=mme-acc,unit=2", 1 },
		{ "ecc-single,block=mme-sbab,unit=1", 1 },
		{ "ecc-single,block=dma,unit=7", 1 },
		{ "ecc-single,block=dma-if,unit=1", 1 },
		{ "ecc-single,block=nic,unit=2", 1 },
		{ "ecc-single,block=hbm-mc,unit=3", 1 },
		{ "ecc-single,block=sram,unit=9", 1 },
		{ "ecc-single,block=cpu-if", 1 },
		{ "ecc-single,block=psoc", 1 },
		{ "ecc-single,block=mmu", 1 },
		{ "ecc-single,block=pcie-core", 1 },
		{ "ecc-single,block=pcie-if", 1 },
		{ "ecc-single,block=pcie-phy", 1 },
		{ "razwi,queue=dma5,addr=0x7ffc4a0000,write=1", 1 },
		{ "razwi,queue=tpc3,addr=0x1234000", 1 },
		{ "razwi,queue=mme2,addr=0x20000000", 1 },
		{ "qman-error,queue=dma2,stream=1,error=fence0-ovf", 1 },
		{ "qman-error,queue=tpc4,stream=4,error=cp-undef-cmd", 1 },
		{ "thermal-throttle,ms=200", 2 },
		{ "high-temperature,data=2", 1 },
	};
	struct gt_cb cb = { 0 };
	unsigned int i;

	begin(true);
	learn_sentinel();
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		provoke(faults[i].fault, faults[i].events);
	/* It is as good as before. */
	if (gt_cb_create(fd, 4096, &cb))
		give_up("no buffer");
	cb.len = gt_pkt_nop(cb.map, 0);
	say("a job", "%s", errname(gt_run(fd, 0, &cb)));
	/* The drivers write ten lines of a kind in five seconds: none is left. */
	sleep(6);
}

/* The name of the script is "fault-NAME": the card is reset after the close. */
static const struct {
	const char *name, *fault;
} fatal[] = {
	{ "fault-hbm", "hbm-ecc-double,unit=1,channel=5,report=0x1234" },
	{ "fault-sram", "sram-ecc-double,unit=5,report=0x7ff0001000" },
	{ "fault-tpc", "ecc-double,block=tpc,unit=3,report=0x40,syndrome=9" },
	{ "fault-mme-acc", "ecc-double,block=mme-acc,unit=2" },
	{ "fault-mme-sbab", "ecc-double,block=mme-sbab,unit=1" },
	{ "fault-dma", "ecc-double,block=dma,unit=7" },
	{ "fault-dma-if", "ecc-double,block=dma-if,unit=1" },
	{ "fault-nic", "ecc-double,block=nic,unit=2" },
	{ "fault-hbm-mc", "ecc-double,block=hbm-mc,unit=3" },
	{ "fault-cpu-if", "ecc-double,block=cpu-if" },
	{ "fault-psoc", "ecc-double,block=psoc" },
	{ "fault-mmu", "ecc-double,block=mmu" },
	{ "fault-pcie-core", "ecc-double,block=pcie-core" },
	{ "fault-pcie-if", "ecc-double,block=pcie-if" },
	{ "fault-pcie-phy", "ecc-double,block=pcie-phy" },
	{ "fault-pll", "pll-error,unit=3" },
	{ "fault-fw-alive", "fw-alive,error=critical" },
	{ "fault-fw-asks", "fw-reset-request" },
};

static void fatal_script(void)
{
	uint64_t told = 0;
	unsigned int i;

	for (i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		if (strcmp(script_name, fatal[i].name))
			continue;
		begin(true);
		ask("inject", fatal[i].fault);
		await_reset(&told);
		say_fault(fatal[i].fault, told);
		return;
	}
	give_up("no such fault");
}

/* Without an eventfd there is nobody to be told: he is killed. */
static void killed_script(void)
{
	begin(false);
	ask("inject", "hbm-ecc-double,unit=2");
	usleep(HAPPENS_MS * 1000);
	say("still here", "after %u ms", HAPPENS_MS);
}

/* A job meets it, with so many events. It may never end, so the user leaves. */
static void job_meets(const char *fault, unsigned int events)
{
	struct gt_cb cb = { 0 };
	void *buf = gt_alloc(4096);
	uint64_t va;

	begin(true);
	learn_sentinel();
	if (!buf || gt_map_host(fd, buf, 4096, &va) ||
	    gt_cb_create(fd, 4096, &cb))
		give_up("no memory");
	cb.len = gt_pkt_lin_dma(cb.map, va, 0x20000000, 4096, 0);
	ask("inject", fault);
	if (!submit_one(0, &cb, 0, fault))
		give_up("not submitted");
	await_new(false, events);
	await_sentinel();
	say_fault(fault, 0);
}

static void mmu_access_script(void)
{
	job_meets("mmu-access-error,queue=dma0", 1);
}

static void refused_script(void)
{
	job_meets("access-refused,queue=dma0", 1);
}

static void dma_error_script(void)
{
	job_meets("dma-error,queue=dma0,error=hbw-rd", 1);
}

/*
 * A TPC's queue is to write where the TPC has no register, and then what a job of an
 * external queue waits for. Who ends the submission?
 */
static void register_script(void)
{
	struct hl_cs_chunk chunks[2] = {
		{ .queue_index = GAUDI_QUEUE_ID_DMA_0_0 },
		{ .queue_index = GAUDI_QUEUE_ID_TPC_3_1 },
	};
	/* WREG_BULK of a quadword to 0x6a00 from TPC_CFG on */
	const uint32_t bulk[4] = { 1, 2u << 24 | 0x6a00 << 8, 1, 1 };
	struct gt_cb cb = { 0 };
	char *buf = gt_alloc(4096), *p;
	uint64_t va, seq;

	begin(true);
	learn_sentinel();
	if (!buf || gt_map_host(fd, buf, 4096, &va) ||
	    gt_cb_create(fd, 4096, &cb))
		give_up("no memory");
	memcpy(buf, bulk, sizeof(bulk));
	chunks[1].cb_handle = va;
	chunks[1].cb_size = sizeof(bulk) +
		gt_pkt_msg_long(buf + sizeof(bulk), SOB_E_N(70), 1, MB);
	p = cb.map;
	p += gt_pkt_monitor(p, 46, 70, 1, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	chunks[0].cb_handle = cb.handle;
	chunks[0].cb_size = (uint32_t)(p - (char *)cb.map);
	seq = submit(chunks, 2, 0, "a register that is none");
	await_new(false, 1);
	await_sentinel();
	say_fault("a register that is none", 0);
	wait_for(seq, 500000, "wait for it");
	submit(chunks, 2, 0, "once more");
}

#define FATAL(name)	{ name, fatal_script, true, true, true }

const struct script s_faults[] = {
	{ "faults-survived", survived_script, true, true },
	FATAL("fault-hbm"), FATAL("fault-sram"), FATAL("fault-tpc"),
	FATAL("fault-mme-acc"), FATAL("fault-mme-sbab"), FATAL("fault-dma"),
	FATAL("fault-dma-if"), FATAL("fault-nic"), FATAL("fault-hbm-mc"),
	FATAL("fault-cpu-if"), FATAL("fault-psoc"), FATAL("fault-mmu"),
	FATAL("fault-pcie-core"), FATAL("fault-pcie-if"),
	FATAL("fault-pcie-phy"), FATAL("fault-pll"), FATAL("fault-fw-alive"),
	FATAL("fault-fw-asks"),
	{ "fault-killed", killed_script, true, true, true },
	{ "fault-mmu-access", mmu_access_script, true, true, true },
	{ "fault-access-refused", refused_script, true, true, true },
	{ "fault-dma-core", dma_error_script, true, true, true },
	{ "fault-register", register_script, true, true, true },
	{ .name = NULL },
};
