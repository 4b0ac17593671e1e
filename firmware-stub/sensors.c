// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What moves on the board: load, power, energy, clocks and sensor readings.
 *
 * Nothing runs in the background. Each reader first calls fw_sensors_update(),
 * which brings all values from the last look to now: energy is the exact
 * integral of power over engine busy time, readings follow the load of the
 * interval as a first-order lag.
 */
#include <string.h>

#include "fw.h"

#define LOAD_ONE	65536u

#define PCIE_WINDOW_NS	(20 * NSEC_PER_MSEC)

/* gaudi_async_events.h, Linux 6.12 (facts) */
#define EVENT_FIX_POWER_ENV_S	658
#define EVENT_FIX_POWER_ENV_E	659
#define EVENT_FIX_THERMAL_ENV_S	660
#define EVENT_FIX_THERMAL_ENV_E	661

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

static uint64_t power_at(struct gaudi_fw *fw, uint32_t load)
{
	const struct fw_board *b = &fw->board;

	return b->idle_power_mw +
	       (b->full_power_mw - b->idle_power_mw) * load / LOAD_ONE;
}

uint64_t fw_power_mw(struct gaudi_fw *fw)
{
	uint64_t power = power_at(fw, fw->meter.load);

	/* The clock is lowered so that the limit holds. */
	return power < fw->meter.limit_mw ? power : fw->meter.limit_mw;
}

uint64_t fw_pll_current_hz(struct gaudi_fw *fw, enum fw_pll_id pll)
{
	const struct fw_pll *p = &fw->board.plls[pll];
	uint64_t power = power_at(fw, fw->meter.load);
	uint64_t hz = p->set_hz;

	if ((pll == FW_PLL_MME || pll == FW_PLL_TPC) &&
	    power > fw->meter.limit_mw)
		hz = hz / power * fw->meter.limit_mw;
	if ((pll == FW_PLL_MME || pll == FW_PLL_TPC) &&
	    (fw->meter.heat_throttled || fw->meter.forced[0]))
		hz /= 2;
	return hz < p->min_hz ? p->min_hz : hz;
}

static void sensor_move(struct fw_sensor *s, uint32_t load, uint64_t dt_ms)
{
	int64_t target = s->idle + s->load * (int64_t)load / LOAD_ONE;
	int64_t part = (int64_t)(dt_ms + s->tau_ms);

	if (!s->tau_ms || dt_ms > 16 * (uint64_t)s->tau_ms)
		s->value = target;
	else
		s->value += (target - s->value) * (int64_t)dt_ms / part;
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
static void meter_throttle(struct gaudi_fw *fw)
{
	struct fw_meter *m = &fw->meter;
	const struct fw_sensor *soc = fw_sensor_find(fw, GAUDI_SENSOR_TEMP, 0);
	bool power = power_at(fw, m->load) > m->limit_mw || m->forced[0];
	bool heat = m->heat_throttled;
	int64_t max, now, back;

	if (soc && !fw_sensor_read(fw, soc, FW_ATTR_MAX, &max) &&
	    !fw_sensor_read(fw, soc, FW_ATTR_INPUT, &now)) {
		if (fw_sensor_read(fw, soc, FW_ATTR_MAX_HYST, &back))
			back = max;
		heat = heat ? now >= back : now > max;
	}
	heat |= m->forced[1];
	if (power != m->power_throttled)
		gaudi_fw_post_event(fw, power ? EVENT_FIX_POWER_ENV_S :
						EVENT_FIX_POWER_ENV_E,
				    NULL, 0);
	if (heat != m->heat_throttled)
		gaudi_fw_post_event(fw, heat ? EVENT_FIX_THERMAL_ENV_S :
					       EVENT_FIX_THERMAL_ENV_E,
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
	meter_throttle(fw);
	return 0;
}

void fw_sensors_update(struct gaudi_fw *fw)
{
	struct fw_meter *m = &fw->meter;
	uint64_t now = fw->bus.now_ns(fw->opaque);
	uint64_t busy = fw->bus.busy_ns(fw->opaque);
	uint64_t dt = now - m->last_ns, used = busy - m->last_busy_ns;

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
	for (unsigned int i = 0; i < fw->board.num_sensors; i++)
		sensor_move(&fw->board.sensors[i], m->load,
			    dt / NSEC_PER_MSEC);
	meter_throttle(fw);
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
	m->load = 0;
	m->limit_mw = fw->board.max_power_mw;
	m->power_throttled = false;
	m->heat_throttled = false;
	for (unsigned int i = 0; i < ARRAY_SIZE(m->pcie); i++) {
		m->pcie[i].last_ns = m->last_ns;
		m->pcie[i].last_bytes = fw->bus.pcie_bytes ?
			fw->bus.pcie_bytes(fw->opaque, i) : 0;
		m->pcie[i].kbps = 0;
	}
	for (unsigned int i = 0; i < fw->board.num_sensors; i++) {
		struct fw_sensor *s = &fw->board.sensors[i];

		s->value = s->idle;
		s->highest = s->idle;
	}
}
