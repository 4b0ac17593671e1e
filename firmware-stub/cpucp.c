// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The command queue (CPUCP): set-up, fetching, acknowledging. The commands
 * themselves are in commands.c.
 *
 * A buffer descriptor points to a packet in host memory. The reply is written
 * over the packet; its fence word is written last, after everything else that
 * the command writes.
 */
#include <stddef.h>
#include <string.h>

#include "fw.h"

#define CPU_ADDR_HOST		BIT_ULL(39)
#define CPU_ADDR_MASK		GENMASK_ULL(38, 0)

/*
 * Commands served in one go. The card waits meanwhile, and the longest command
 * reads ten thousand registers; drivers have one command under way at a time.
 */
#define FW_COMMANDS_AT_ONCE	16
#define FW_QUEUE_PAUSE_NS	10000

/* The driver's largest are arrays of a few hundred events. */
#define FW_MAX_COMMAND		8192u

/* A day: enough to be never, and its nanoseconds fit. */
#define FW_MAX_LATE_MS		86400000u

struct fw_bd {
	uint64_t ptr;
	uint32_t len;
	uint32_t ctl;			/* index after this entry */
};

/*
 * The CPU reaches the host through a window of 512 GiB; CPU_MSB_ADDR holds the
 * device address bits above it. Bit 39 tells the window from the card's own
 * addresses, which no driver has reason to name here.
 */
uint64_t fw_cpu_to_device(struct gaudi_fw *fw, uint64_t addr)
{
	uint64_t msb = fw_cpu_if_read(fw, CPU_IF_CPU_MSB_ADDR) & 0x7ff;
	uint64_t device;

	if (!(addr & CPU_ADDR_HOST) || addr >> 40)
		return 0;
	device = (addr & CPU_ADDR_MASK) | msb << 39;
	if (device < GAUDI_HOST_BASE ||
	    device >= GAUDI_HOST_BASE + GAUDI_HOST_SIZE)
		return 0;
	return device;
}

void fw_cpucp_reset(struct gaudi_fw *fw)
{
	memset(&fw->pq, 0, sizeof(fw->pq));
	fw->queue_deadline = UINT64_MAX;
}

static uint64_t queue_addr(struct gaudi_fw *fw, uint32_t lo, uint32_t hi)
{
	uint64_t addr = (uint64_t)fw_cpu_if_read(fw, hi) << 32 |
			fw_cpu_if_read(fw, lo);

	return fw_cpu_to_device(fw, addr);
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* What the driver is told: READY_FOR_HOST, or what is wrong. */
static uint32_t queue_setup(struct gaudi_fw *fw)
{
	uint32_t pq_len = fw_cpu_if_read(fw, CPU_IF_PQ_LENGTH);
	uint32_t eq_len = fw_cpu_if_read(fw, CPU_IF_EQ_LENGTH);
	uint64_t pq = queue_addr(fw, CPU_IF_PQ_BASE_ADDR_LOW,
				 CPU_IF_PQ_BASE_ADDR_HIGH);
	uint64_t eq = queue_addr(fw, CPU_IF_EQ_BASE_ADDR_LOW,
				 CPU_IF_EQ_BASE_ADDR_HIGH);

	if (!power_of_two(pq_len) || pq_len < sizeof(struct fw_bd) ||
	    pq_len > GAUDI_CPU_PQ_ENTRIES * sizeof(struct fw_bd) ||
	    !power_of_two(eq_len) ||
	    eq_len < 2 * sizeof(struct gaudi_eq_entry) ||
	    eq_len > GAUDI_CPU_EQ_ENTRIES * sizeof(struct gaudi_eq_entry))
		return GAUDI_QUEUE_INIT_LEN_NOT_POWER_OF_TWO;
	if (!pq || pq % sizeof(struct fw_bd) || !eq || eq % 8)
		return GAUDI_QUEUE_INIT_ILLEGAL_Q_ADDR;

	fw->pq.base = pq;
	fw->pq.entries = pq_len / sizeof(struct fw_bd);
	fw->pq.ci = 0;
	fw->pq.ready = true;
	fw_events_reset(fw);
	fw->events.base = eq;
	fw->events.entries = eq_len / sizeof(struct gaudi_eq_entry);
	fw->events.queue_ready = true;
	return GAUDI_QUEUE_INIT_READY_FOR_HOST;
}

void fw_cpucp_queue_init(struct gaudi_fw *fw, uint32_t value)
{
	uint32_t answer;

	if (fw->boot != FW_BOOT_RUNNING ||
	    (value != GAUDI_QUEUE_INIT_READY_FOR_CP &&
	     value != GAUDI_QUEUE_INIT_READY_FOR_CP_SINGLE_MSI))
		return;
	if (value == GAUDI_QUEUE_INIT_READY_FOR_CP)
		fw->bus.used(fw->opaque, "READY_FOR_CP (several MSIs)",
			     GAUDI_FW_MISSING);
	answer = queue_setup(fw);
	if (answer != GAUDI_QUEUE_INIT_READY_FOR_HOST)
		fw_log(fw, true, "CPU queues refused: %s",
		       answer == GAUDI_QUEUE_INIT_ILLEGAL_Q_ADDR ?
		       "illegal address" : "illegal length");
	fw->bus.reg_write(fw->opaque, GAUDI_CPU_IF_BASE + CPU_IF_QUEUE_INIT,
			  answer);
}

static void set_rc(struct fw_command *cmd, unsigned int rc)
{
	cmd->pkt.ctl &= ~(uint32_t)GAUDI_CPUCP_CTL_RC;
	cmd->pkt.ctl |= FIELD_PREP(GAUDI_CPUCP_CTL_RC, (uint32_t)rc);
}

/* Run one command; the packet's ctl and result hold the answer then. */
static void command_run(struct gaudi_fw *fw, struct fw_command *cmd,
			size_t len)
{
	unsigned int opcode = FIELD_GET(GAUDI_CPUCP_CTL_OPCODE, cmd->pkt.ctl);
	const struct fw_command_desc *desc = fw_command_find(opcode);
	int rc;

	if (!desc) {
		fw->bus.used(fw->opaque, "unknown command", GAUDI_FW_MISSING);
		fw_log(fw, true, "unknown command 0x%x", opcode);
		rc = GAUDI_CPUCP_RC_INVALID_PKT;
	} else {
		fw->bus.used(fw->opaque, desc->name, desc->how);
		if (!desc->handler)
			rc = GAUDI_CPUCP_RC_INVALID_PKT;
		else if (len < desc->min_len)
			rc = GAUDI_CPUCP_RC_INVALID_PARAMS;
		else
			rc = desc->handler(fw, cmd);
	}
	set_rc(cmd, (unsigned int)rc);
}

/* --- faults on demand ----------------------------------------------------- */

/* Everything but the fence, which the driver could not take for an answer. */
static void garbage(struct gaudi_cpucp_packet *pkt, uint64_t seed)
{
	uint32_t words[sizeof(*pkt) / 4];

	seed = seed * 0x9e3779b97f4a7c15ull + 1;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		words[i] = (uint32_t)(seed >> 16);
	}
	memcpy(pkt, words, sizeof(*pkt));
}

/* Before a command is run. true: it is not run. */
static bool fault_before(struct gaudi_fw *fw, struct fw_command *cmd,
			 unsigned int opcode)
{
	uint64_t rc;

	if (!fw_fault_command(fw, GAUDI_FW_FAULT_CMD_RC, opcode, &rc))
		return false;
	set_rc(cmd, rc & 0xf);
	return true;
}

/* What becomes of the answer. */
static void fault_after(struct gaudi_fw *fw, struct fw_command *cmd,
			unsigned int opcode)
{
	uint64_t value;

	if (fw_fault_command(fw, GAUDI_FW_FAULT_CMD_RESULT, opcode, &value))
		cmd->pkt.result = value;
	if (fw_fault_command(fw, GAUDI_FW_FAULT_CMD_GARBAGE, opcode, &value))
		garbage(&cmd->pkt, value);
}

/* true: the reply has to wait, and the commands behind it. */
static bool fault_late(struct gaudi_fw *fw, const struct fw_command *cmd,
		       uint64_t addr, unsigned int opcode)
{
	uint64_t ms;

	if (!fw_fault_command(fw, GAUDI_FW_FAULT_CMD_LATE, opcode, &ms) || !ms)
		return false;
	if (ms > FW_MAX_LATE_MS)
		ms = FW_MAX_LATE_MS;
	fw->pq.late = true;
	fw->pq.late_addr = addr;
	fw->pq.late_reply = cmd->pkt;
	fw->queue_deadline = fw->bus.now_ns(fw->opaque) + ms * NSEC_PER_MSEC;
	return true;
}

/* --- replies -------------------------------------------------------------- */

/* The whole reply but the fence, then the fence alone. */
static void command_reply(struct gaudi_fw *fw, uint64_t addr,
			  const struct gaudi_cpucp_packet *pkt)
{
	uint32_t fence = GAUDI_CPUCP_FENCE_VAL;

	/* The CPU does one thing at a time: it is the last one taken. */
	if (fw->sts0 & GAUDI_BOOT_STS0_PKT_PI_ACK_EN)
		fence = fw->pq.ci;
	if (fw->bus.mem_write(fw->opaque, addr, pkt,
			      offsetof(struct gaudi_cpucp_packet, fence)) ||
	    fw->bus.mem_write(fw->opaque,
			      addr + offsetof(struct gaudi_cpucp_packet, fence),
			      &fence, sizeof(fence)))
		fw_log(fw, true, "cannot write a command's reply");
}

static void command_serve(struct gaudi_fw *fw, const struct fw_bd *bd)
{
	uint64_t addr = fw_cpu_to_device(fw, bd->ptr);
	uint8_t buf[FW_MAX_COMMAND];
	struct fw_command cmd;
	size_t len = bd->len;
	unsigned int opcode;

	if (!addr || len < sizeof(cmd.pkt) || len > sizeof(buf)) {
		fw_log(fw, true, "command at 0x%llx with %zu bytes ignored",
		       (unsigned long long)bd->ptr, len);
		return;
	}
	if (fw->bus.mem_read(fw->opaque, addr, buf, len)) {
		fw_log(fw, true, "cannot read the command at 0x%llx",
		       (unsigned long long)addr);
		return;
	}
	memcpy(&cmd.pkt, buf, sizeof(cmd.pkt));
	cmd.extra = buf + sizeof(cmd.pkt);
	cmd.extra_len = len - sizeof(cmd.pkt);
	opcode = FIELD_GET(GAUDI_CPUCP_CTL_OPCODE, cmd.pkt.ctl);
	if (fw_fault_command(fw, GAUDI_FW_FAULT_CMD_SILENT, opcode, NULL))
		return;
	if (!fault_before(fw, &cmd, opcode))
		command_run(fw, &cmd, len);
	fault_after(fw, &cmd, opcode);
	if (!fault_late(fw, &cmd, addr, opcode))
		command_reply(fw, addr, &cmd.pkt);
}

/* Tell the driver that its index makes no sense; it resets the card. */
static void queue_out_of_sync(struct gaudi_fw *fw, uint32_t pi)
{
	const uint64_t payload = (uint64_t)fw->pq.ci << 32 | pi;

	fw_log(fw, true, "command queue out of sync: PI %u, CI %u", pi,
	       fw->pq.ci);
	gaudi_fw_post_event(fw, 647, &payload, 1);
}

void fw_cpucp_serve(struct gaudi_fw *fw)
{
	struct fw_queue *q = &fw->pq;
	unsigned int served = 0;
	uint32_t pi, pending;

	/* A doorbell does not end the pause: the timer will come. */
	if (fw->bus.now_ns(fw->opaque) < fw->queue_deadline &&
	    fw->queue_deadline != UINT64_MAX)
		return;
	fw->queue_deadline = UINT64_MAX;
	if (fw->boot != FW_BOOT_RUNNING)
		return;
	if (q->late) {
		q->late = false;
		command_reply(fw, q->late_addr, &q->late_reply);
	}
	if (!q->ready) {
		fw_cpucp_queue_init(fw,
				    fw_cpu_if_read(fw, CPU_IF_QUEUE_INIT));
		return;
	}
	pi = fw_cpu_if_read(fw, CPU_IF_PF_PQ_PI);
	pending = (pi - q->ci) & (2 * q->entries - 1);
	if (pi >= 2 * q->entries || pending > q->entries) {
		queue_out_of_sync(fw, pi);
		return;
	}
	while (pending--) {
		uint32_t next = (q->ci + 1) & (2 * q->entries - 1);
		uint32_t slot = q->ci & (q->entries - 1);
		struct fw_bd bd;

		if (served++ == FW_COMMANDS_AT_ONCE) {
			fw->queue_deadline = fw->bus.now_ns(fw->opaque) +
					     FW_QUEUE_PAUSE_NS;
			return;
		}
		if (fw->bus.mem_read(fw->opaque, q->base + slot * sizeof(bd),
				     &bd, sizeof(bd))) {
			fw_log(fw, true, "cannot read the command queue");
			break;
		}
		if (bd.ctl != next)
			fw_log(fw, true, "command entry %u says %u, not %u",
			       slot, bd.ctl, next);
		q->ci = next;
		command_serve(fw, &bd);
		/* A command can have halted or reset this CPU, or last long. */
		if (fw->boot != FW_BOOT_RUNNING || !q->ready || q->late)
			return;
	}
}
