// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Sync managers: sync objects (SOBs) and monitors.
 *
 * A monitor watches up to eight SOBs of one group. When it is armed it is on
 * the list of its group; a write to an SOB looks only at that list. Payloads
 * are messages of the bus.
 *
 * Source: Linux 6.12 for layout, use and the errors that are told. Inferred,
 * for lack of a public text: additions stop at either end, a monitor looks at
 * all its SOBs at the same moment, and it is disarmed when it fires.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sync.h"
#include "../bus/bus.h"
#include "../snap/snap.h"
#include "../timing/timing.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_sync_mngr_regs.h"

#define SOB_MAX			((int32_t)SYNC_MNGR_SOB_OBJ_VAL)

#define SOB_BASE		SYNC_MNGR_SOB_OBJ(0)
#define SOB_END			SYNC_MNGR_SOB_OBJ(SYNC_MNGR_NUM_SOB)
#define MON_BASE		SYNC_MNGR_MON_PAY_ADDRL(0)
#define MON_END			SYNC_MNGR_MON_STATUS(SYNC_MNGR_NUM_MON)
/* The five registers of a monitor stand in arrays of this length. */
#define MON_ARRAY		(4 * SYNC_MNGR_NUM_MON)

#define SM_GROUPS		(SYNC_MNGR_NUM_SOB / 8)
#define SM_NONE			0xffff	/* end of a list */

struct monitor {
	uint64_t addr;
	uint32_t data;
	uint32_t arm;
	uint16_t next, prev;		/* the armed ones of a group */
	bool armed;
	bool secure;			/* the rights of what armed it */
	uint64_t arm_ps;
};

/* Of a card with a model of time: when objects became what they are. */
struct sob_times {
	struct gaudi_steps sob[SYNC_MNGR_NUM_SOB];
};

enum { SOB_OVERFLOW, SOB_DECREMENT };	/* in the report */

struct sync_mngr {
	uint16_t sob[SYNC_MNGR_NUM_SOB];
	struct monitor mon[SYNC_MNGR_NUM_MON];
	uint16_t first[SM_GROUPS];
	uint16_t last[SM_GROUPS];
};

#define MNGRS_SIZE	(GAUDI_NUM_SYNC_MNGR * sizeof(struct sync_mngr))

struct gaudi_sync {
	struct sync_mngr *mngr;		/* all of them */
	struct sob_times *times;	/* of each of them, or NULL */
	uint64_t *guesses[2];		/* in the report */
};

static const uint32_t inst_base[GAUDI_NUM_SYNC_MNGR] = {
	GAUDI_SYNC_MNGR_W_S_BASE, GAUDI_SYNC_MNGR_E_S_BASE,
	GAUDI_SYNC_MNGR_W_N_BASE, GAUDI_SYNC_MNGR_E_N_BASE,
};

/* --- errors ------------------------------------------------------------- */

/*
 * The first error's details stay until firmware has read and cleared them. An
 * error that is told already is not told again.
 */
static void sei(struct gaudi_chip *chip, unsigned int inst, uint32_t cause,
		uint32_t log)
{
	uint32_t base = inst_base[inst];
	uint32_t old = gaudi_store_read(chip, base + SYNC_MNGR_SM_SEI_CAUSE);

	if (old & cause)
		return;
	if (!old)
		old = FIELD_PREP(SYNC_MNGR_SM_SEI_CAUSE_LOG, log & 0xffff);
	gaudi_store_write(chip, base + SYNC_MNGR_SM_SEI_CAUSE, old | cause);
	/* The four managers share it. */
	if (cause & gaudi_store_read(chip, base + SYNC_MNGR_SM_SEI_MASK))
		gaudi_cpu_spi(chip, GAUDI_SPI_DMA_IF_SEI);
}

/* --- monitors --------------------------------------------------------- */

static void monitor_link(struct sync_mngr *sm, uint16_t m)
{
	struct monitor *mon = &sm->mon[m];
	unsigned int g = FIELD_GET(SYNC_MNGR_MON_ARM_SID, mon->arm);

	mon->prev = sm->last[g];
	mon->next = SM_NONE;
	if (mon->prev == SM_NONE)
		sm->first[g] = m;
	else
		sm->mon[mon->prev].next = m;
	sm->last[g] = m;
	mon->armed = true;
}

static void monitor_unlink(struct sync_mngr *sm, uint16_t m)
{
	struct monitor *mon = &sm->mon[m];
	unsigned int g = FIELD_GET(SYNC_MNGR_MON_ARM_SID, mon->arm);

	if (!mon->armed)
		return;
	if (mon->prev == SM_NONE)
		sm->first[g] = mon->next;
	else
		sm->mon[mon->prev].next = mon->next;
	if (mon->next == SM_NONE)
		sm->last[g] = mon->prev;
	else
		sm->mon[mon->next].prev = mon->prev;
	mon->armed = false;
}

/* The SOBs of its group, as bits, that still keep a monitor from firing. */
static uint32_t monitor_pending(const struct sync_mngr *sm,
				const struct monitor *mon)
{
	uint32_t mask = FIELD_GET(SYNC_MNGR_MON_ARM_MASK, mon->arm);
	uint32_t want = FIELD_GET(SYNC_MNGR_MON_ARM_SOD, mon->arm);
	bool equal = mon->arm & SYNC_MNGR_MON_ARM_SOP;
	const uint16_t *sob;
	uint32_t pending = 0;
	unsigned int i;

	sob = &sm->sob[8 * FIELD_GET(SYNC_MNGR_MON_ARM_SID, mon->arm)];
	for (i = 0; i < 8; i++) {
		if (mask & 1u << i)
			continue;
		if (equal ? sob[i] != want : sob[i] < want)
			pending |= 1u << i;
	}
	return pending;
}

/* The payload of monitor m, which has just been disarmed. */
static void monitor_fire(struct gaudi_chip *chip, unsigned int inst, uint16_t m)
{
	const struct monitor *mon = &chip->sync->mngr[inst].mon[m];
	struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_SYNC,
		.unit = inst,
		.secure = mon->secure,
		.bypass = true,
	};
	/* Its port leads to registers only, never to memory. */
	bool reg = mon->addr >= GAUDI_FLASH_BASE && mon->addr < GAUDI_HOST_BASE;

	gaudi_trace(chip, GAUDI_TRACE_FIRE, inst, m, mon->addr, mon->data);
	if (reg && !(mon->addr & 3)) {
		gaudi_post(chip, &txn, mon->addr, mon->data, m);
		return;
	}
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "monitor %u of sync manager %u: payload address 0x%llx is %s",
		  m, inst, (unsigned long long)mon->addr,
		  reg ? "not aligned" : "no register");
	if (reg)
		sei(chip, inst, SYNC_MNGR_SM_SEI_UNALIGN4B, mon->addr);
	else
		sei(chip, inst, SYNC_MNGR_SM_SEI_RSP_ERR, m);
}

/* When it was armed and all that it waits for had come. */
static uint64_t fire_ps(const struct gaudi_sync *sync, unsigned int inst,
			uint16_t m)
{
	const struct monitor *mon = &sync->mngr[inst].mon[m];
	uint32_t mask = FIELD_GET(SYNC_MNGR_MON_ARM_MASK, mon->arm);
	uint32_t want = FIELD_GET(SYNC_MNGR_MON_ARM_SOD, mon->arm);
	const struct gaudi_steps *s;
	uint64_t ps = mon->arm_ps, reached;
	unsigned int i;

	s = &sync->times[inst].sob[8 * FIELD_GET(SYNC_MNGR_MON_ARM_SID, mon->arm)];
	for (i = 0; i < 8; i++) {
		reached = mask & 1u << i ? 0 : gaudi_steps_reached(&s[i], want);
		if (ps < reached)
			ps = reached;
	}
	return ps;
}

static void monitor_check(struct gaudi_chip *chip, unsigned int inst,
			  uint16_t m)
{
	struct sync_mngr *sm = &chip->sync->mngr[inst];
	uint64_t at_ps = chip->clock.at_ps;

	if (monitor_pending(sm, &sm->mon[m]))
		return;
	monitor_unlink(sm, m);
	if (chip->sync->times)
		chip->clock.at_ps = fire_ps(chip->sync, inst, m);
	monitor_fire(chip, inst, m);
	chip->clock.at_ps = at_ps;
}

static void monitor_arm(struct gaudi_chip *chip, unsigned int inst, uint16_t m,
			uint32_t value, bool secure)
{
	struct sync_mngr *sm = &chip->sync->mngr[inst];

	monitor_unlink(sm, m);
	sm->mon[m].arm = value;
	sm->mon[m].secure = secure;
	sm->mon[m].arm_ps = chip->clock.at_ps;
	gaudi_trace(chip, GAUDI_TRACE_ARM, inst, m, value, 0);
	monitor_link(sm, m);
	monitor_check(chip, inst, m);
}

static uint32_t monitor_status(const struct sync_mngr *sm, uint16_t m)
{
	const struct monitor *mon = &sm->mon[m];

	if (!mon->armed)
		return 0;
	return SYNC_MNGR_MON_STATUS_VALID |
	       FIELD_PREP(SYNC_MNGR_MON_STATUS_PENDING,
			  monitor_pending(sm, mon)) |
	       (mon->secure ? SYNC_MNGR_MON_STATUS_PROT : 0);
}

/* --- sync objects ----------------------------------------------------- */

/* What no public text describes; programs may do it all the time. */
static void count_guess(struct gaudi_chip *chip, unsigned int which)
{
	static const char *const name[] = { "SOB_OVERFLOW", "SOB_DECREMENT" };
	uint64_t **uses = &chip->sync->guesses[which];

	if (!*uses)
		*uses = gaudi_report_counter(chip, "condition", name[which],
					     GAUDI_APPROXIMATE);
	++**uses;
}

/* An addition; beyond its range an SOB stops. */
static uint16_t sob_add(struct gaudi_chip *chip, unsigned int inst,
			unsigned int n, int32_t value)
{
	int32_t sum = chip->sync->mngr[inst].sob[n] + value;

	if (value < 0)
		count_guess(chip, SOB_DECREMENT);
	if (sum >= 0 && sum <= SOB_MAX)
		return sum;
	count_guess(chip, SOB_OVERFLOW);
	sei(chip, inst, SYNC_MNGR_SM_SEI_SO_OVERFLOW, n / 8);
	return sum < 0 ? 0 : SOB_MAX;
}

/* It is n now, by an addition or not. */
static void sob_time(struct gaudi_chip *chip, unsigned int inst, unsigned int n,
		     bool add, int32_t before)
{
	int32_t now = chip->sync->mngr[inst].sob[n];
	struct gaudi_steps *s = &chip->sync->times[inst].sob[n];

	if (add && now >= before)
		gaudi_steps_add(s, now - before, chip->clock.at_ps);
	else
		gaudi_steps_set(s, now, chip->clock.at_ps);
}

/* Of a TPC's message the value has 16 bits, of all others 15. */
static void sob_write(struct gaudi_chip *chip, unsigned int inst,
		      unsigned int n, uint32_t value, bool tpc_message)
{
	struct sync_mngr *sm = &chip->sync->mngr[inst];
	int32_t add = FIELD_GET(SYNC_MNGR_SOB_OBJ_VAL, value);
	int32_t before = sm->sob[n];
	uint16_t m, next;

	if (tpc_message)
		add = (int16_t)FIELD_GET(SYNC_MNGR_SOB_OBJ_TPC_ADD, value);
	if (value & SYNC_MNGR_SOB_OBJ_INC)
		sm->sob[n] = sob_add(chip, inst, n, add);
	else
		sm->sob[n] = FIELD_GET(SYNC_MNGR_SOB_OBJ_VAL, value);
	if (chip->sync->times)
		sob_time(chip, inst, n, value & SYNC_MNGR_SOB_OBJ_INC, before);
	gaudi_trace(chip, GAUDI_TRACE_SOB, inst, n, sm->sob[n], 0);
	for (m = sm->first[n / 8]; m != SM_NONE; m = next) {
		next = sm->mon[m].next;
		monitor_check(chip, inst, m);
	}
}

/* --- a snapshot --------------------------------------------------------- */

/* The armed ones of each group, in their order. */
static void snap_lists(struct gaudi_snap *s, struct sync_mngr *sm)
{
	uint16_t m = SM_NONE, count = 0, i;
	unsigned int g = 0;

	for (i = 0; !s->load && i < SYNC_MNGR_NUM_MON; i++)
		count += sm->mon[i].armed;
	GAUDI_SNAP(s, count);
	for (i = 0; i < count && !s->err; i++) {
		if (!s->load && m != SM_NONE)
			m = sm->mon[m].next;
		while (!s->load && m == SM_NONE)
			m = sm->first[g++];
		GAUDI_SNAP(s, m);
		if (!gaudi_snap_check(s, m < SYNC_MNGR_NUM_MON &&
				      !sm->mon[m].armed,
				      "a monitor that cannot be armed"))
			return;
		if (s->load)
			monitor_link(sm, m);
	}
}

static void snap_manager(struct gaudi_snap *s, struct sync_mngr *sm)
{
	struct monitor *mon;
	unsigned int i;

	GAUDI_SNAP_ARRAY(s, sm->sob);
	for (i = 0; i < SYNC_MNGR_NUM_SOB; i++)
		gaudi_snap_check(s, sm->sob[i] <= SOB_MAX, "an object above its end");
	for (i = 0; i < SYNC_MNGR_NUM_MON; i++) {
		mon = &sm->mon[i];
		GAUDI_SNAP(s, mon->addr);
		GAUDI_SNAP(s, mon->data);
		GAUDI_SNAP(s, mon->arm);
		gaudi_snap_bool(s, &mon->secure);
	}
	snap_lists(s, sm);
}

void gaudi_sync_snap(struct gaudi_snap *s)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_SYNC_MNGR; i++)
		snap_manager(s, &s->chip->sync->mngr[i]);
}

/* --- for a record ------------------------------------------------------ */

static void write_manager(const struct sync_mngr *sm, FILE *out)
{
	const struct monitor *mon = sm->mon;
	const char *comma = "";
	unsigned int i;

	fputs("{\"objects\": {", out);
	for (i = 0; i < SYNC_MNGR_NUM_SOB; i++) {
		if (!sm->sob[i])
			continue;
		fprintf(out, "%s\"%u\": %u", comma, i, sm->sob[i]);
		comma = ", ";
	}
	fputs("}, \"monitors\": [", out);
	for (comma = "", i = 0; i < SYNC_MNGR_NUM_MON; i++, mon++) {
		if (!mon->addr && !mon->armed)
			continue;
		fprintf(out, "%s[%u, %u, %" PRIu64 ", %" PRIu32 ", %" PRIu32 "]",
			comma, i, mon->armed, mon->addr, mon->data, mon->arm);
		comma = ", ";
	}
	fputs("]}", out);
}

void gaudi_sync_state(const struct gaudi_chip *chip, FILE *out)
{
	unsigned int i;

	fputs("\"sync\": [", out);
	for (i = 0; i < GAUDI_NUM_SYNC_MNGR; i++) {
		fputs(i ? ", " : "", out);
		write_manager(&chip->sync->mngr[i], out);
	}
	fputs("], ", out);
}

/* --- registers -------------------------------------------------------- */

static void sync_reset(struct gaudi_chip *chip, unsigned int inst)
{
	struct sync_mngr *sm = &chip->sync->mngr[inst];

	gaudi_zeros_clear(sm, offsetof(struct sync_mngr, first));
	memset(sm->first, 0xff, sizeof(sm->first));
	memset(sm->last, 0xff, sizeof(sm->last));
	if (chip->sync->times)
		memset(&chip->sync->times[inst], 0, sizeof(*chip->sync->times));
	gaudi_posts_drop(chip);
}

static uint32_t sync_read(struct gaudi_chip *chip, unsigned int inst,
			  uint32_t off)
{
	const struct sync_mngr *sm = &chip->sync->mngr[inst];
	const struct monitor *mon;

	if (off >= SOB_BASE && off < SOB_END)
		return sm->sob[(off - SOB_BASE) / 4];
	if (off < MON_BASE || off >= MON_END)
		return gaudi_store_read(chip, inst_base[inst] + off);
	off -= MON_BASE;
	mon = &sm->mon[off % MON_ARRAY / 4];
	switch (off / MON_ARRAY) {
	case 0:
		return mon->addr;
	case 1:
		return mon->addr >> 32;
	case 2:
		return mon->data;
	case 3:
		return mon->arm;
	default:
		return monitor_status(sm, off % MON_ARRAY / 4);
	}
}

static void monitor_write(struct gaudi_chip *chip, unsigned int inst,
			  uint32_t off, uint32_t value, bool secure)
{
	struct sync_mngr *sm = &chip->sync->mngr[inst];
	uint16_t m = off % MON_ARRAY / 4;
	struct monitor *mon = &sm->mon[m];

	switch (off / MON_ARRAY) {
	case 0:
		mon->addr = (mon->addr & ~0xffffffffull) | value;
		break;
	case 1:
		mon->addr = (mon->addr & 0xffffffffull) |
			    (uint64_t)value << 32;
		break;
	case 2:
		mon->data = value;
		break;
	case 3:
		monitor_arm(chip, inst, m, value, secure);
		break;
	default:
		if (!(value & SYNC_MNGR_MON_STATUS_VALID))
			monitor_unlink(sm, m);
	}
}

static int sync_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		      uint32_t value, const struct gaudi_txn *txn)
{
	if (off >= SOB_BASE && off < SOB_END)
		sob_write(chip, inst, (off - SOB_BASE) / 4, value,
			  txn->tpc_message);
	else if (off >= MON_BASE && off < MON_END)
		monitor_write(chip, inst, off - MON_BASE, value, txn->secure);
	else
		gaudi_store_write(chip, inst_base[inst] + off, value);
	gaudi_posts_drain(chip);
	return 0;
}

const struct gaudi_block_ops gaudi_sync_mngr_ops = {
	.name = "SYNC_MNGR",
	.reset = sync_reset,
	.read = sync_read,
	.write = sync_write,
};

/* The manager's payload, that of monitor m, was refused. */
static void payload_refused(struct gaudi_chip *chip, unsigned int inst,
			    uint16_t m)
{
	sei(chip, inst, SYNC_MNGR_SM_SEI_RSP_ERR, m);
}

int gaudi_sync_init(struct gaudi_chip *chip)
{
	chip->sync = calloc(1, sizeof(*chip->sync));
	if (!chip->sync)
		return -ENOMEM;
	chip->sync->mngr = gaudi_zeros_new(MNGRS_SIZE);
	if (!chip->sync->mngr)
		return -ENOMEM;
	if (chip->clock.on) {
		chip->sync->times = calloc(GAUDI_NUM_SYNC_MNGR,
					   sizeof(*chip->sync->times));
		if (!chip->sync->times)
			return -ENOMEM;
	}
	gaudi_posts_on_refused(chip, GAUDI_INIT_SYNC, payload_refused);
	return 0;
}

void gaudi_sync_fini(struct gaudi_chip *chip)
{
	if (chip->sync) {
		gaudi_zeros_free(chip->sync->mngr, MNGRS_SIZE);
		free(chip->sync->times);
	}
	free(chip->sync);
}
