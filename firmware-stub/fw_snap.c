// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The firmware's state as a list of fields; see gaudi_fw_snap(). The board is a part of it:
 * the image that described it may not be in memory any more.
 */
#include <math.h>
#include <string.h>

#include "fw.h"

struct snap {
	const struct gaudi_fw_fields *f;
	void *opaque;
	bool load;
};

#define NUMBER(s, x)	((s)->f->number((s)->opaque, &(x), sizeof(x), 1))
#define NUMBERS(s, a) \
	((s)->f->number((s)->opaque, a, sizeof((a)[0]), ARRAY_SIZE(a)))
#define YES(s, x)	((s)->f->yes((s)->opaque, &(x)))
#define TIME(s, x)	((s)->f->time((s)->opaque, &(x)))
#define CHECK(s, good)	((s)->f->check((s)->opaque, good, "firmware that cannot be so"))

/* What is text ends within its place. */
static void text(struct snap *s, char *buf, size_t size)
{
	s->f->number(s->opaque, buf, 1, size);
	if (s->load)
		buf[size - 1] = 0;
}

#define TEXT(s, a)	text(s, a, sizeof(a))

/* How many of an array are in use. */
static bool number_of(struct snap *s, unsigned int *n, unsigned int max)
{
	NUMBER(s, *n);
	if (CHECK(s, *n <= max))
		return true;
	if (s->load)
		*n = 0;
	return false;
}

/* --- the board ------------------------------------------------------------ */

/* Far beyond what any board has; what is computed with them stays a number. */
#define LARGE	(1ll << 40)

static bool is_small(int64_t v)
{
	return v > -LARGE && v < LARGE;
}

static void sensor(struct snap *s, struct fw_sensor *sensor)
{
	bool good = true;
	unsigned int i;

	NUMBER(s, sensor->type);
	NUMBER(s, sensor->attrs);
	NUMBERS(s, sensor->limit);
	NUMBER(s, sensor->idle);
	NUMBER(s, sensor->load);
	NUMBER(s, sensor->tau_ms);
	NUMBER(s, sensor->exact);
	NUMBER(s, sensor->value);
	NUMBER(s, sensor->offset);
	NUMBER(s, sensor->highest);
	for (i = 0; i < FW_NUM_ATTRS; i++)
		good = good && is_small(sensor->limit[i]);
	CHECK(s, good && is_small(sensor->idle) && is_small(sensor->load) &&
	      is_small(sensor->value) && is_small(sensor->offset) &&
	      is_small(sensor->highest) && fabs(sensor->exact) < LARGE);
}

static void pll(struct snap *s, struct fw_pll *pll)
{
	NUMBERS(s, pll->output_mhz);
	NUMBER(s, pll->min_hz);
	NUMBER(s, pll->max_hz);
	NUMBER(s, pll->set_hz);
	CHECK(s, pll->min_hz < LARGE && pll->max_hz < LARGE &&
	      pll->set_hz < LARGE);
}

static void i2c(struct snap *s, struct fw_i2c_device *dev)
{
	NUMBER(s, dev->bus);
	NUMBER(s, dev->addr);
	YES(s, dev->read_only);
	NUMBERS(s, dev->regs);
}

static void rows_of(struct snap *s, struct fw_hbm_row *rows, unsigned int n)
{
	for (; n; n--, rows++)
		NUMBERS(s, rows->bytes);
}

static void names(struct snap *s, struct fw_board *b)
{
	TEXT(s, b->card_name);
	NUMBER(s, b->card_type);
	TEXT(s, b->serial);
	TEXT(s, b->kernel_version);
	TEXT(s, b->cpucp_version);
	TEXT(s, b->thermal_version);
	TEXT(s, b->fuse_version);
	TEXT(s, b->os_version);
	NUMBER(s, b->cpld_version);
	NUMBER(s, b->cpld_timestamp);
	NUMBER(s, b->infineon_version);
	NUMBER(s, b->infineon_second_stage_version);
	s->f->number(s->opaque, b->macs, 1, sizeof(b->macs));
	NUMBER(s, b->external_ports);
	NUMBERS(s, b->eeprom);
	number_of(s, &b->eeprom_len, FW_EEPROM_SIZE);
}

static void board(struct snap *s, struct fw_board *b)
{
	unsigned int i;

	names(s, b);
	NUMBER(s, b->max_power_mw);
	NUMBER(s, b->idle_power_mw);
	NUMBER(s, b->full_power_mw);
	CHECK(s, b->max_power_mw < LARGE && b->idle_power_mw < LARGE &&
	      b->full_power_mw < LARGE);
	if (number_of(s, &b->num_sensors, FW_MAX_SENSORS))
		for (i = 0; i < b->num_sensors; i++)
			sensor(s, &b->sensors[i]);
	for (i = 0; i < FW_NUM_PLLS; i++)
		pll(s, &b->plls[i]);
	if (number_of(s, &b->num_replaced_rows, FW_MAX_ROWS))
		rows_of(s, b->replaced_rows, b->num_replaced_rows);
	number_of(s, &b->num_pending_rows, FW_MAX_ROWS);
	if (number_of(s, &b->num_i2c, FW_MAX_I2C))
		for (i = 0; i < b->num_i2c; i++)
			i2c(s, &b->i2c[i]);
}

/* --- the rest ------------------------------------------------------------- */

static void boot(struct snap *s, struct gaudi_fw *fw)
{
	uint32_t state = s->load ? 0 : fw->boot;
	uint32_t action = s->load ? 0 : fw->comms.action;

	NUMBER(s, state);
	NUMBER(s, fw->comms.addr);
	NUMBER(s, fw->comms.size);
	YES(s, fw->comms.message);
	YES(s, fw->comms.loaded);
	NUMBER(s, fw->comms.answer);
	NUMBER(s, action);
	TEXT(s, fw->version);
	YES(s, fw->dead);
	NUMBER(s, fw->stuck_at);
	NUMBER(s, fw->err0);
	NUMBER(s, fw->fault_err0);
	TIME(s, fw->boot_deadline);
	if (!CHECK(s, state <= FW_BOOT_FAILED && action <= FW_COMMS_RESET))
		return;
	fw->boot = state;
	fw->comms.action = action;
}

static bool is_power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static void commands(struct snap *s, struct fw_queue *q)
{
	YES(s, q->ready);
	NUMBER(s, q->base);
	NUMBER(s, q->entries);
	NUMBER(s, q->ci);
	YES(s, q->late);
	NUMBER(s, q->late_addr);
	s->f->number(s->opaque, &q->late_reply, 1, sizeof(q->late_reply));
	if (!CHECK(s, !q->ready || (is_power_of_two(q->entries) &&
				    q->entries <= 1u << 30 &&
				    q->ci < 2 * q->entries)))
		q->ready = false;
}

static void events(struct snap *s, struct fw_events *e)
{
	struct fw_event *held;
	unsigned int i;

	YES(s, e->queue_ready);
	YES(s, e->enabled);
	NUMBER(s, e->base);
	NUMBER(s, e->entries);
	NUMBER(s, e->pi);
	NUMBER(s, e->index);
	TIME(s, e->grace_end_ns);
	NUMBER(s, e->dropped);
	NUMBERS(s, e->masked);
	NUMBERS(s, e->latched);
	if (!CHECK(s, !e->queue_ready || is_power_of_two(e->entries)))
		e->queue_ready = false;
	if (!number_of(s, &e->num_held, FW_MAX_HELD))
		return;
	for (i = 0; i < e->num_held; i++) {
		held = &e->held[i];
		NUMBER(s, held->id);
		NUMBER(s, held->words);
		NUMBERS(s, held->payload);
		CHECK(s, held->id < GAUDI_NUM_EVENTS &&
		      held->words <= ARRAY_SIZE(held->payload));
	}
}

static void meter(struct snap *s, struct fw_meter *m)
{
	unsigned int i;

	TIME(s, m->last_ns);
	NUMBER(s, m->last_busy_ns);
	NUMBER(s, m->load);
	NUMBER(s, m->energy_uj_rest);
	NUMBER(s, m->energy_mj);
	NUMBER(s, m->limit_mw);
	YES(s, m->power_throttled);
	YES(s, m->heat_throttled);
	TIME(s, m->deadline);
	for (i = 0; i < ARRAY_SIZE(m->pcie); i++) {
		TIME(s, m->pcie[i].last_ns);
		NUMBER(s, m->pcie[i].last_bytes);
		NUMBER(s, m->pcie[i].kbps);
	}
	CHECK(s, m->load <= 65536 && m->limit_mw < LARGE);
}

static void rows(struct snap *s, struct fw_rows *r)
{
	unsigned int i;

	if (number_of(s, &r->num_replaced, FW_MAX_ROWS))
		rows_of(s, r->replaced, r->num_replaced);
	if (number_of(s, &r->num_pending, FW_MAX_ROWS))
		rows_of(s, r->pending, r->num_pending);
	for (i = 0; i < FW_MAX_ROWS; i++) {
		NUMBERS(s, r->weak[i].row.bytes);
		NUMBER(s, r->weak[i].errors);
	}
	NUMBER(s, r->next_weak);
}

void gaudi_fw_snap(struct gaudi_fw *fw, bool load,
		   const struct gaudi_fw_fields *fields, void *opaque)
{
	struct snap s = { .f = fields, .opaque = opaque, .load = load };
	unsigned int i;

	for (i = 0; i < GAUDI_FW_NUM_FAULTS && !load; i++)
		if (fw->faults[i].armed)
			fields->refuse(opaque, "a fault in it is armed");
	if ((fw->meter.forced[0] || fw->meter.forced[1]) && !load)
		fields->refuse(opaque, "a fault makes it throttle");
	boot(&s, fw);
	TIME(&s, fw->events_deadline);
	TIME(&s, fw->queue_deadline);
	board(&s, &fw->board);
	commands(&s, &fw->pq);
	events(&s, &fw->events);
	meter(&s, &fw->meter);
	rows(&s, &fw->rows);
	if (load)
		fw_timer_update(fw);
}
