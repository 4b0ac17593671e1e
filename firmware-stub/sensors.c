// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What moves on the board: load, power, energy, clocks and sensor readings.
 *
 * Each reader first calls fw_sensors_update(), which brings all values from the
 * last look to now; a timer does it once a second, so that throttling is noticed
 * when nobody asks. Energy is the exact integral of power over engine busy time,
 * readings follow the load of the interval as a first-order lag.
 *
 * What a card draws above its idle power is in proportion to the load and to the
 * compute clock; sensors move in proportion to that.
 */
#include <string.h>

#include "fw.h"

#define LOAD_ONE	65536u
#define LOOK_NS		NSEC_PER_SEC

#define PCIE_WINDOW_NS	(20 * NSEC_PER_MSEC)

/* Engines that compute or copy; busy_ns counts each one's time. */
#define LOAD_ENGINES	(GAUDI_NUM_DMA + GAUDI_NUM_TPC + GAUDI_NUM_MME)

/*
 * Attribute numbers of the firmware interface (cpucp_if.h). Without
 * MAP_HWMON_EN, the numbers are the kernel's, which are one higher since its
 * "enable" attributes came, except for PWM.
 */
static const int8_t attr_numbers[][FW_NUM_ATTRS] = {
	[GAUDI_SENSOR_TEMP] = {
		[FW_ATTR_INPUT] = 1 + 0, [FW_ATTR_MAX] = 1 + 6,
		[FW_ATTR_MAX_HYST] = 1 + 7, [FW_ATTR_CRIT] = 1 + 8,
		[FW_ATTR_CRIT_HYST] = 1 + 9, [FW_ATTR_OFFSET] = 1 + 19,
		[FW_ATTR_HIGHEST] = 1 + 22, [FW_ATTR_RESET_HISTORY] = 1 + 23,
	},
	[GAUDI_SENSOR_IN] = {
		[FW_ATTR_INPUT] = 1 + 0, [FW_ATTR_MIN] = 1 + 1,
		[FW_ATTR_MAX] = 1 + 2, [FW_ATTR_HIGHEST] = 1 + 7,
		[FW_ATTR_RESET_HISTORY] = 1 + 8,
	},
	[GAUDI_SENSOR_CURR] = {
		[FW_ATTR_INPUT] = 1 + 0, [FW_ATTR_MIN] = 1 + 1,
		[FW_ATTR_MAX] = 1 + 2, [FW_ATTR_HIGHEST] = 1 + 7,
		[FW_ATTR_RESET_HISTORY] = 1 + 8,
	},
	[GAUDI_SENSOR_POWER] = {
		[FW_ATTR_INPUT] = 1 + 8, [FW_ATTR_HIGHEST] = 1 + 9,
		[FW_ATTR_RESET_HISTORY] = 1 + 11,
	},
	[GAUDI_SENSOR_FAN] = {
		[FW_ATTR_INPUT] = 1 + 0, [FW_ATTR_MIN] = 1 + 2,
		[FW_ATTR_MAX] = 1 + 3,
	},
	[GAUDI_SENSOR_PWM] = {
		[FW_ATTR_INPUT] = 1 + 0, [FW_ATTR_ENABLE] = 1 + 1,
	},
};

/* Number of an attribute on the wire, -1: this type has no such attribute. */
static int sensor_number(struct gaudi_fw *fw, uint32_t type, enum fw_attr attr)
{
	int n = type < ARRAY_SIZE(attr_numbers) ? attr_numbers[type][attr] : 0;

	if (!n)
		return -1;
	if (!(fw->sts0 & GAUDI_BOOT_STS0_MAP_HWMON_EN) &&
	    type != GAUDI_SENSOR_PWM)
		return n;
	return n - 1;
}

int fw_sensor_attr(struct gaudi_fw *fw, uint32_t type, unsigned int number)
{
	for (unsigned int i = 0; i < FW_NUM_ATTRS; i++)
		if (sensor_number(fw, type, i) == (int)number)
			return (int)i;
	return -1;
}

uint32_t fw_sensor_flags(struct gaudi_fw *fw, const struct fw_sensor *sensor)
{
	uint32_t flags = 0;

	for (unsigned int i = 0; i < FW_NUM_ATTRS; i++) {
		int n = sensor_number(fw, sensor->type, i);

		if (n >= 0 && (sensor->attrs & BIT(i)))
			flags |= (uint32_t)1 << n;
	}
	return flags;
}

struct fw_sensor *fw_sensor_find(struct gaudi_fw *fw, uint32_t type,
				 unsigned int n)
{
	for (unsigned int i = 0; i < fw->board.num_sensors; i++)
		if (fw->board.sensors[i].type == type && !n--)
			return &fw->board.sensors[i];
	return NULL;
}

int fw_sensor_read(struct gaudi_fw *fw, const struct fw_sensor *sensor,
		   enum fw_attr attr, int64_t *value)
{
	(void)fw;
	if (!(sensor->attrs & BIT(attr)))
		return -EINVAL;
	switch (attr) {
	case FW_ATTR_INPUT:
		*value = sensor->value + sensor->offset;
		return 0;
	case FW_ATTR_HIGHEST:
		*value = sensor->highest + sensor->offset;
		return 0;
	case FW_ATTR_OFFSET:
		*value = sensor->offset;
		return 0;
	case FW_ATTR_RESET_HISTORY:
		return -EINVAL;
	default:
		*value = sensor->limit[attr];
		return 0;
	}
}

int fw_sensor_write(struct gaudi_fw *fw, struct fw_sensor *sensor,
		    enum fw_attr attr, int64_t value)
{
	(void)fw;
	if (!(sensor->attrs & BIT(attr)))
		return -EINVAL;
	switch (attr) {
	case FW_ATTR_OFFSET:
		if (value < -128000 || value > 127000)
			return -EINVAL;
		sensor->offset = value;
		return 0;
	case FW_ATTR_RESET_HISTORY:
		sensor->highest = sensor->value;
		return 0;
	case FW_ATTR_INPUT:
		if (sensor->type != GAUDI_SENSOR_PWM || value < 0 ||
		    value > 255)
			return -EINVAL;
		sensor->idle = value;
		sensor->exact = (double)value;
		sensor->value = value;
		return 0;
	case FW_ATTR_ENABLE:
		if (value < 0 || value > 2)
			return -EINVAL;
		sensor->limit[FW_ATTR_ENABLE] = value;
		return 0;
	default:
		return -EINVAL;
	}
}

/* --- moving values ------------------------------------------------------- */

/* A compute clock in parts of its highest, which full power is meant for. */
static double clock_ratio(const struct fw_pll *pll)
{
	return pll->max_hz ? (double)pll->set_hz / (double)pll->max_hz : 1;
}

/* What full load draws above idle, in mW. */
static double full_load_mw(struct gaudi_fw *fw)
{
	const struct fw_board *b = &fw->board;

	return b->full_power_mw > b->idle_power_mw ?
	       (double)(b->full_power_mw - b->idle_power_mw) : 1;
}

/* Power above idle, in mW, if nothing throttles. */
static double wanted_mw(struct gaudi_fw *fw)
{
	const struct fw_board *b = &fw->board;
	double clock = (clock_ratio(&b->plls[FW_PLL_MME]) +
			clock_ratio(&b->plls[FW_PLL_TPC])) / 2;

	return full_load_mw(fw) * clock * fw->meter.load / LOAD_ONE;
}

/* What the limit leaves above idle power, in mW; below 0 there is no way. */
static double room_mw(struct gaudi_fw *fw)
{
	return (double)fw->meter.limit_mw - (double)fw->board.idle_power_mw;
}

/* What throttling leaves of the compute clocks that were set: 0..1. */
static double throttle(struct gaudi_fw *fw)
{
	double room = room_mw(fw);
	double part = fw->meter.heat_throttled ? 0.5 : 1;
	double wanted = wanted_mw(fw);

	/* A fault on demand, whatever the card draws. */
	if (fw->meter.forced[0])
		part = 0.5;
	if (room < 0)
		return 0;
	return wanted * part > room ? room / wanted : part;
}

/* The PLLs do not go below a least clock, so power may stay above its limit. */
uint64_t fw_pll_current_hz(struct gaudi_fw *fw, enum fw_pll_id pll)
{
	const struct fw_pll *p = &fw->board.plls[pll];
	uint64_t hz = p->set_hz;

	if (pll == FW_PLL_MME || pll == FW_PLL_TPC)
		hz = (uint64_t)((double)hz * throttle(fw));
	return hz < p->min_hz ? p->min_hz : hz;
}

/* Power above idle, in mW. */
static double drawn_mw(struct gaudi_fw *fw)
{
	const struct fw_pll *pll = &fw->board.plls[FW_PLL_TPC];

	if (!pll->set_hz)
		return wanted_mw(fw);
	return wanted_mw(fw) * (double)fw_pll_current_hz(fw, FW_PLL_TPC) /
	       (double)pll->set_hz;
}

uint64_t fw_power_mw(struct gaudi_fw *fw)
{
	return fw->board.idle_power_mw + (uint64_t)(drawn_mw(fw) + 0.5);
}

void gaudi_fw_power_range(const struct gaudi_fw *fw, uint32_t *idle_mw,
			  uint32_t *full_mw)
{
	*idle_mw = (uint32_t)fw->board.idle_power_mw;
	*full_mw = (uint32_t)fw->board.full_power_mw;
}

/* e to the power of -x, for x >= 0: no need for a library of mathematics. */
static double decay(double x)
{
	unsigned int squares = 0;
	double e;

	if (x > 40)
		return 0;
	for (; x > 0.01; x /= 2)
		squares++;
	e = 1 - x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
	while (squares--)
		e *= e;
	return e;
}

/* part: of what full load adds. */
static void sensor_move(struct fw_sensor *s, double part, double dt_ms)
{
	double target = (double)s->idle + (double)s->load * part;
	double left = s->tau_ms ? decay(dt_ms / s->tau_ms) : 0;

	s->exact = target + (s->exact - target) * left;
	s->value = (int64_t)(s->exact + (s->exact < 0 ? -0.5 : 0.5));
	if (s->value > s->highest)
		s->highest = s->value;
}

static void meter_energy(struct fw_meter *m, uint64_t power_mw, uint64_t dt_ns)
{
	/* mW * s = mJ; in pieces, so that a year of sleep does not overflow */
	uint64_t ms = dt_ns / NSEC_PER_MSEC;
	uint64_t uj = power_mw * ms + power_mw * (dt_ns % NSEC_PER_MSEC) /
				      NSEC_PER_MSEC + m->energy_uj_rest;

	m->energy_mj += uj / 1000;
	m->energy_uj_rest = uj % 1000;
}

/*
 * What the card does when it needs more power than allowed, or is too hot: the
 * clocks go down, and the driver is told of the beginning and the end.
 */
void fw_throttle_update(struct gaudi_fw *fw)
{
	struct fw_meter *m = &fw->meter;
	const struct fw_sensor *soc = fw_sensor_find(fw, GAUDI_SENSOR_TEMP, 0);
	bool heat = m->heat_throttled, power;
	int64_t max, now, back;

	if (soc && !fw_sensor_read(fw, soc, FW_ATTR_MAX, &max) &&
	    !fw_sensor_read(fw, soc, FW_ATTR_INPUT, &now)) {
		if (fw_sensor_read(fw, soc, FW_ATTR_MAX_HYST, &back))
			back = max;
		heat = heat ? now >= back : now > max;
	}
	heat |= m->forced[1];
	power = m->forced[0] ||
		wanted_mw(fw) * (heat ? 0.5 : 1) > room_mw(fw);
	if (power != m->power_throttled)
		gaudi_fw_post_event(fw, power ? GAUDI_EVENT_FIX_POWER_ENV_S :
						GAUDI_EVENT_FIX_POWER_ENV_E,
				    NULL, 0);
	if (heat != m->heat_throttled)
		gaudi_fw_post_event(fw, heat ? GAUDI_EVENT_FIX_THERMAL_ENV_S :
					       GAUDI_EVENT_FIX_THERMAL_ENV_E,
				    NULL, 0);
	m->power_throttled = power;
	m->heat_throttled = heat;
}

int gaudi_fw_throttle(struct gaudi_fw *fw, bool heat, bool on)
{
	if (!fw->events.enabled && on)
		return -EAGAIN;
	fw_sensors_update(fw);
	fw->meter.forced[heat] = on;
	fw_throttle_update(fw);
	return 0;
}

void fw_sensors_update(struct gaudi_fw *fw)
{
	struct fw_meter *m = &fw->meter;
	uint64_t now = fw->bus.now_ns(fw->opaque);
	uint64_t busy = fw->bus.busy_ns(fw->opaque);
	uint64_t dt = now - m->last_ns, used = busy - m->last_busy_ns;
	double part;

	if (now <= m->last_ns || dt < NSEC_PER_MSEC)
		return;
	/* A counter that went back was reset. */
	if (busy < m->last_busy_ns)
		used = busy;
	if (used / LOAD_ENGINES >= dt)
		m->load = LOAD_ONE;
	else
		m->load = (uint32_t)((double)used / LOAD_ENGINES / (double)dt *
				     LOAD_ONE);
	m->last_ns = now;
	m->last_busy_ns = busy;
	meter_energy(m, fw_power_mw(fw), dt);
	part = drawn_mw(fw) / full_load_mw(fw);
	for (unsigned int i = 0; i < fw->board.num_sensors; i++)
		sensor_move(&fw->board.sensors[i], part,
			    (double)dt / NSEC_PER_MSEC);
	fw_throttle_update(fw);
}

void fw_sensors_timer(struct gaudi_fw *fw)
{
	fw_sensors_update(fw);
	fw->meter.deadline = fw->bus.now_ns(fw->opaque) + LOOK_NS;
}

uint64_t fw_pcie_kbps(struct gaudi_fw *fw, bool tx)
{
	uint64_t now = fw->bus.now_ns(fw->opaque), bytes, dt;

	if (!fw->bus.pcie_bytes)
		return 0;
	dt = now - fw->meter.pcie[tx].last_ns;
	if (now < fw->meter.pcie[tx].last_ns || dt < PCIE_WINDOW_NS)
		return fw->meter.pcie[tx].kbps;
	bytes = fw->bus.pcie_bytes(fw->opaque, tx);
	/* bytes per us are kB per ms: times 1000 for the second */
	fw->meter.pcie[tx].kbps = (bytes - fw->meter.pcie[tx].last_bytes) *
				  1000 / (dt / 1000);
	fw->meter.pcie[tx].last_ns = now;
	fw->meter.pcie[tx].last_bytes = bytes;
	return fw->meter.pcie[tx].kbps;
}

void fw_sensors_reset(struct gaudi_fw *fw)
{
	struct fw_meter *m = &fw->meter;

	/* The energy counter lives in the board's own controller. */
	m->last_ns = fw->bus.now_ns(fw->opaque);
	m->last_busy_ns = fw->bus.busy_ns(fw->opaque);
	m->deadline = m->last_ns + LOOK_NS;
	m->load = 0;
	m->limit_mw = fw->board.max_power_mw;
	m->power_throttled = false;
	m->heat_throttled = false;
	memset(m->forced, 0, sizeof(m->forced));
	for (unsigned int i = 0; i < ARRAY_SIZE(m->pcie); i++) {
		m->pcie[i].last_ns = m->last_ns;
		m->pcie[i].last_bytes = fw->bus.pcie_bytes ?
			fw->bus.pcie_bytes(fw->opaque, i) : 0;
		m->pcie[i].kbps = 0;
	}
	for (unsigned int i = 0; i < fw->board.num_sensors; i++) {
		struct fw_sensor *s = &fw->board.sensors[i];

		s->exact = (double)s->idle;
		s->value = s->idle;
		s->highest = s->idle;
	}
}
