// SPDX-License-Identifier: GPL-2.0-only
/* INFO: every opcode, with good and bad arguments, on both nodes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steps.h"

#define BUF_LEN		0x4000
#define NUM_OPS		44

/* Kinds of answers: what of them is the same in two runs. */
enum kind {
	EXACT,		/* all bytes */
	LENGTH,		/* how many bytes are written */
	ENGINES,	/* text: only whether there is any */
};

static const struct {
	const char *name;
	uint32_t size;
	enum kind kind;
} ops[NUM_OPS] = {
	[HL_INFO_HW_IP_INFO] = { "HW_IP_INFO",
		sizeof(struct hl_info_hw_ip_info), EXACT },
	[HL_INFO_HW_EVENTS] = { "HW_EVENTS", 0x1000, EXACT },
	[HL_INFO_DRAM_USAGE] = { "DRAM_USAGE", 16, EXACT },
	[HL_INFO_HW_IDLE] = { "HW_IDLE", sizeof(struct hl_info_hw_idle),
		EXACT },
	[HL_INFO_DEVICE_STATUS] = { "DEVICE_STATUS", 8, EXACT },
	[HL_INFO_DEVICE_UTILIZATION] = { "DEVICE_UTILIZATION", 8, LENGTH },
	[HL_INFO_HW_EVENTS_AGGREGATE] = { "HW_EVENTS_AGGREGATE", 0x1000,
		EXACT },
	[HL_INFO_CLK_RATE] = { "CLK_RATE", 8, EXACT },
	[HL_INFO_RESET_COUNT] = { "RESET_COUNT", 8, EXACT },
	[HL_INFO_TIME_SYNC] = { "TIME_SYNC", 24, LENGTH },
	[HL_INFO_CS_COUNTERS] = { "CS_COUNTERS", 96, EXACT },
	[HL_INFO_PCI_COUNTERS] = { "PCI_COUNTERS", 24, LENGTH },
	[HL_INFO_CLK_THROTTLE_REASON] = { "CLK_THROTTLE_REASON",
		sizeof(struct hl_info_clk_throttle), EXACT },
	[HL_INFO_SYNC_MANAGER] = { "SYNC_MANAGER", 16, EXACT },
	[HL_INFO_TOTAL_ENERGY] = { "TOTAL_ENERGY", 8, LENGTH },
	[HL_INFO_PLL_FREQUENCY] = { "PLL_FREQUENCY", 8, EXACT },
	[HL_INFO_POWER] = { "POWER", 8, LENGTH },
	[HL_INFO_OPEN_STATS] = { "OPEN_STATS", 24, LENGTH },
	[HL_INFO_DRAM_REPLACED_ROWS] = { "DRAM_REPLACED_ROWS", 8, EXACT },
	[HL_INFO_DRAM_PENDING_ROWS] = { "DRAM_PENDING_ROWS", 4, EXACT },
	[HL_INFO_LAST_ERR_OPEN_DEV_TIME] = { "LAST_ERR_OPEN_DEV_TIME", 8,
		LENGTH },
	[HL_INFO_CS_TIMEOUT_EVENT] = { "CS_TIMEOUT_EVENT", 16, EXACT },
	[HL_INFO_RAZWI_EVENT] = { "RAZWI_EVENT",
		sizeof(struct hl_info_razwi_event), EXACT },
	[HL_INFO_DEV_MEM_ALLOC_PAGE_SIZES] = { "DEV_MEM_ALLOC_PAGE_SIZES", 8,
		EXACT },
	[HL_INFO_SECURED_ATTESTATION] = { "SECURED_ATTESTATION",
		sizeof(struct hl_info_sec_attest), EXACT },
	[HL_INFO_REGISTER_EVENTFD] = { "REGISTER_EVENTFD", 0, LENGTH },
	[HL_INFO_UNREGISTER_EVENTFD] = { "UNREGISTER_EVENTFD", 0, LENGTH },
	[HL_INFO_GET_EVENTS] = { "GET_EVENTS", 8, EXACT },
	[HL_INFO_UNDEFINED_OPCODE_EVENT] = { "UNDEFINED_OPCODE_EVENT",
		sizeof(struct hl_info_undefined_opcode_event), EXACT },
	[HL_INFO_ENGINE_STATUS] = { "ENGINE_STATUS", BUF_LEN, ENGINES },
	[HL_INFO_PAGE_FAULT_EVENT] = { "PAGE_FAULT_EVENT",
		sizeof(struct hl_page_fault_info), EXACT },
	[HL_INFO_USER_MAPPINGS] = { "USER_MAPPINGS", 256, EXACT },
	[HL_INFO_FW_GENERIC_REQ] = { "FW_GENERIC_REQ", 256, EXACT },
	[HL_INFO_HW_ERR_EVENT] = { "HW_ERR_EVENT",
		sizeof(struct hl_info_hw_err_event), EXACT },
	[HL_INFO_FW_ERR_EVENT] = { "FW_ERR_EVENT",
		sizeof(struct hl_info_fw_err_event), EXACT },
	[HL_INFO_USER_ENGINE_ERR_EVENT] = { "USER_ENGINE_ERR_EVENT",
		sizeof(struct hl_info_engine_err_event), EXACT },
	[HL_INFO_DEV_SIGNED] = { "DEV_SIGNED", sizeof(struct hl_info_signed),
		EXACT },
};

static int node;
static unsigned char bufs[2][BUF_LEN] __attribute__((aligned(4096)));

static const char *op_name(uint32_t op)
{
	static char name[32];

	if (op < NUM_OPS && ops[op].name)
		return ops[op].name;
	snprintf(name, sizeof(name), "op %#x", op);
	return name;
}

/* One past the last byte that differs from what the buffers were filled with. */
static unsigned int written(void)
{
	unsigned int i = BUF_LEN;

	while (i && bufs[0][i - 1] == 0xa5 && bufs[1][i - 1] == 0x5a)
		i--;
	return i;
}

static void describe(char *out, size_t size, enum kind kind, unsigned int len)
{
	unsigned int i, n = 0;
	uint32_t sum = 0;

	switch (kind) {
	case LENGTH:
		snprintf(out, size, " %u bytes", len);
		return;
	case ENGINES:
		snprintf(out, size, " %s", len ? "text" : "no text");
		return;
	case EXACT:
		break;
	}
	n += snprintf(out, size, " %u bytes", len);
	if (len > 400) {
		for (i = 0; i < len; i++)
			sum = sum * 31 + bufs[0][i];
		snprintf(out + n, size - n, " sum %#x", sum);
		return;
	}
	if (len)
		out[n++] = ' ';
	for (i = 0; i < len; i++)
		n += snprintf(out + n, size - n, "%02x", bufs[0][i]);
}

/* A request into both buffers, which are filled in different ways. */
static void ask(const char *what, uint32_t op, uint32_t size, uint32_t param,
		enum kind kind)
{
	struct hl_info_args args[2];
	char name[128], text[2048];
	int i, rc[2];

	memset(bufs[0], 0xa5, BUF_LEN);
	memset(bufs[1], 0x5a, BUF_LEN);
	for (i = 0; i < 2; i++) {
		args[i] = (struct hl_info_args){
			.return_pointer = PTR(bufs[i]), .return_size = size,
			.op = op, .pll_index = param,
		};
		rc[i] = gt_ioctl(node, DRM_IOCTL_HL_INFO, &args[i]);
	}
	snprintf(name, sizeof(name), "%s, %s", op_name(op), what);
	describe(text, sizeof(text), kind, written());
	if (kind != ENGINES && args[0].pll_index != param)
		say(name, "%s%s param=%#x", errname(rc[0]), text,
		    args[0].pll_index);
	else
		say(name, "%s%s", errname(rc[0]), text);
	if (rc[0] != rc[1])
		say(name, "second: %s", errname(rc[1]));
}

static void bad(const char *what, uint32_t op, uint64_t ptr, uint32_t size,
		uint32_t pad)
{
	struct hl_info_args args = {
		.return_pointer = ptr, .return_size = size, .op = op,
		.pad = pad,
	};

	/* How long a text is does not matter. */
	hide_words(op == HL_INFO_ENGINE_STATUS ? 4 : 0);
	step_on(node, &args, DRM_IOCTL_HL_INFO, "%s, %s", op_name(op), what);
}

static bool sets_state(uint32_t op)
{
	return op == HL_INFO_REGISTER_EVENTFD ||
	       op == HL_INFO_UNREGISTER_EVENTFD;
}

static void one_op(uint32_t op)
{
	uint32_t size = op < NUM_OPS && ops[op].name ? ops[op].size : 64;
	enum kind kind = op < NUM_OPS ? ops[op].kind : LENGTH;
	uint32_t length = kind == EXACT ? EXACT : LENGTH;

	if (kind == ENGINES)
		length = ENGINES;
	/* Descriptor 0 is no eventfd. */
	ask("as meant", op, size, 0, kind);
	if (sets_state(op))
		return;
	ask("1 byte", op, 1, 0, length);
	ask("4 bytes", op, 4, 0, length);
	ask("a byte less", op, size - 1, 0, length);
	ask("a byte more", op, size + 1, 0, kind);
	bad("no pointer", op, 0, size, 0);
	bad("no size", op, PTR(bufs[0]), 0, 0);
	bad("no pointer, no size", op, 0, 0, 0);
	bad("pointer to nowhere", op, 0x1000, size, 0);
	bad("kernel's pointer", op, 0xffff888000000000ull, size, 0);
	bad("pad", op, PTR(bufs[0]), size, 1);
	bad("pad, no pointer", op, 0, size, 0x80000000);
	bad("to an odd address", op, PTR(bufs[0]) + 1, size, 0);
}

static void each_op(void)
{
	static const uint32_t strange[] = { 44, 64, 255, 256, 0x7fffffff,
					    0x80000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < NUM_OPS; i++)
		one_op(i);
	for (i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
		bad("strange", strange[i], PTR(bufs[0]), 64, 0);
}

static void parameters(void)
{
	static const uint32_t plls[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
					 12, 13, 31, 32, 255, 0xffffffff };
	char what[32];
	uint32_t i;

	for (i = 0; i < 10; i++) {
		snprintf(what, sizeof(what), "dcore %u", i);
		ask(what, HL_INFO_SYNC_MANAGER, 16, i, EXACT);
	}
	ask("dcore -1", HL_INFO_SYNC_MANAGER, 16, ~0u, EXACT);
	for (i = 0; i < sizeof(plls) / sizeof(plls[0]); i++) {
		snprintf(what, sizeof(what), "PLL %#x", plls[i]);
		ask(what, HL_INFO_PLL_FREQUENCY, 8, plls[i], EXACT);
	}
	ask("1023 bytes", HL_INFO_ENGINE_STATUS, 1023, 0, ENGINES);
	ask("1024 bytes", HL_INFO_ENGINE_STATUS, 1024, 0, ENGINES);
	bad("more than 1 MiB", HL_INFO_ENGINE_STATUS, PTR(bufs[0]),
	    0x100001, 0);
	for (i = 0; i < 4; i++) {
		snprintf(what, sizeof(what), "request %u", i);
		ask(what, HL_INFO_FW_GENERIC_REQ, 256, i, EXACT);
		snprintf(what, sizeof(what), "nonce %u", i);
		ask(what, HL_INFO_SECURED_ATTESTATION, 4096, i, EXACT);
		ask(what, HL_INFO_DEV_SIGNED, 4096, i, EXACT);
	}
	bad("more than 1 MiB", HL_INFO_FW_GENERIC_REQ, PTR(bufs[0]),
	    0x100001, 0);
	bad("huge", HL_INFO_FW_GENERIC_REQ, PTR(bufs[0]), 0xffffffff, 0);
	bad("huge", HL_INFO_HW_EVENTS, PTR(bufs[0]), 0xffffffff, 0);
	bad("huge", HL_INFO_USER_MAPPINGS, PTR(bufs[0]), 0xffffffff, 0);
}

/* DRM cuts and fills arguments of another size than the ioctl's. */
static void argument_sizes(void)
{
	static const unsigned int sizes[] = { 0, 1, 8, 12, 16, 20, 23, 25, 32,
					      64, 128 };
	struct hl_info_device_status status;
	char arg[256];
	struct hl_info_args args = {
		.return_pointer = PTR(&status), .op = HL_INFO_DEVICE_STATUS,
		.return_size = sizeof(status),
	};
	unsigned int i;
	int rc;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned long cmd = _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x40,
					 sizes[i]);
		char name[64];

		memset(arg, 0, sizeof(arg));
		memcpy(arg, &args, sizeof(args));
		status.status = 99;
		snprintf(name, sizeof(name), "argument of %u bytes", sizes[i]);
		rc = gt_ioctl(node, cmd, arg);
		say(name, "%s status %u", errname(rc), status.status);
	}
	say("read only ioctl", "%s", errname(gt_ioctl(node,
		_IOC(_IOC_READ, 'd', 0x40, sizeof(args)), &args)));
	say("write only ioctl", "%s", errname(gt_ioctl(node,
		_IOC(_IOC_WRITE, 'd', 0x40, sizeof(args)), &args)));
	say("no direction", "%s", errname(gt_ioctl(node,
		_IOC(_IOC_NONE, 'd', 0x40, sizeof(args)), &args)));
	say("no argument", "%s",
	    errname(gt_ioctl(node, DRM_IOCTL_HL_INFO, NULL)));
	say("argument nowhere", "%s",
	    errname(gt_ioctl(node, DRM_IOCTL_HL_INFO, (void *)0x1000)));
}

static void info_script(void)
{
	node = fd;
	each_op();
	parameters();
	argument_sizes();
}

static void ctl_script(void)
{
	node = gt_open_control();
	if (node < 0)
		give_up("no control node");
	each_op();
	parameters();
	argument_sizes();
}

/* While somebody has the card open and works. */
static void ctl_used_script(void)
{
	struct gt_cb cb = cb_block("a job that waits");
	uint64_t seq;
	unsigned int i;

	node = gt_open_control();
	seq = submit_one(0, &cb, 0, "submit it");
	for (i = 0; i < NUM_OPS; i++)
		if (!sets_state(i) && ops[i].name)
			ask("in use", i, ops[i].size, 0, ops[i].kind);
	node = fd;
	ask("in use, by the user", HL_INFO_HW_IDLE, 40, 0, EXACT);
	ask("in use, by the user", HL_INFO_OPEN_STATS, 24, 0, LENGTH);
	unblock(0, "let it go on");
	wait_for(seq, 5000000, "it ends");
	ask("idle again", HL_INFO_HW_IDLE, 40, 0, EXACT);
}

static void eventfd_op(uint32_t op, uint32_t file, const char *what)
{
	step(&(struct hl_info_args){ .op = op, .eventfd = file },
	     DRM_IOCTL_HL_INFO, "%s", what);
}

static void eventfd_script(void)
{
	int efd = eventfd(0, EFD_NONBLOCK), other = eventfd(0, 0), pipes[2];
	uint64_t count;

	node = fd;
	eventfd_op(HL_INFO_UNREGISTER_EVENTFD, 0, "none to unregister");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, 9999, "no file");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, ~0u, "-1");
	if (pipe(pipes))
		give_up("pipe");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, pipes[0], "a pipe");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, fd, "the card itself");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, efd, "an eventfd");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, efd, "the same again");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, other, "another");
	ask("none yet", HL_INFO_GET_EVENTS, 8, 0, EXACT);
	ask("7 bytes", HL_INFO_GET_EVENTS, 7, 0, EXACT);
	ask("9 bytes", HL_INFO_GET_EVENTS, 9, 0, EXACT);
	say("nothing to read", "%s",
	    errname(read(efd, &count, 8) < 0 ? -errno : 8));
	eventfd_op(HL_INFO_UNREGISTER_EVENTFD, 9999, "unregister, any number");
	eventfd_op(HL_INFO_UNREGISTER_EVENTFD, efd, "unregister again");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, other, "another now");
	close(other);
	close(efd);
	eventfd_op(HL_INFO_UNREGISTER_EVENTFD, 0, "after its close");
	eventfd_op(HL_INFO_REGISTER_EVENTFD, efd, "a closed one");
}

const struct script s_info[] = {
	{ "info", info_script, true },
	{ "info-control", ctl_script, false },
	{ "info-control-used", ctl_used_script, true },
	{ "eventfd", eventfd_script, true },
	{ .name = NULL },
};
