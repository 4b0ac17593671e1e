// SPDX-License-Identifier: GPL-2.0-only
/*
 * What moves with load and time: readings, power, energy, clocks, throttling.
 *
 * The board (hl205.dts): SoC 38 degrees idle, 40 more at full load, after 8 s
 * within 1/e of it; throttled above 95 until below 90. 62 W idle, 278 W more at
 * full load and 2200 MHz, at most 350 W; PLLs 200 to 2200 MHz, 1575 at first.
 */
#include "harness.h"

#define TEMP_GET	0x03
#define FREQ_SET	0x09
#define FREQ_GET	0x0a
#define FREQ_CURR	0x13
#define POWER_LIMIT_GET	0x14
#define POWER_LIMIT	0x15
#define TEMP_SET	0x18
#define ENERGY		0x1d
#define PLL_INFO	0x1e
#define POWER_GET	0x20

#define INPUT		(0 << 16)
#define OFFSET		(19 << 16)
#define HIGHEST		(22 << 16)
#define RESET_HISTORY	(23 << 16)
#define PLL_MME		7
#define PLL_TPC		8

static int64_t get(struct card *c, unsigned int opcode, uint32_t arg)
{
	return (int64_t)card_answer(c, opcode, 0, arg, 0);
}

static void set(struct card *c, unsigned int opcode, uint32_t arg,
		int64_t value)
{
	card_answer(c, opcode, (uint64_t)value, arg, 0);
}

static int64_t power(struct card *c)
{
	return get(c, POWER_GET, 8 << 16);
}

static void near(int64_t got, int64_t want, int64_t tolerance)
{
	if (llabs(got - want) > tolerance)
		fail_msg("%lld, not %lld", (long long)got, (long long)want);
}

/* At rest at the highest clocks, with everything brought to now. */
static int setup(void **state)
{
	struct card *c;

	card_running_setup(state);
	c = *state;
	near(get(c, FREQ_GET, PLL_TPC), 1575000000, 0);
	set(c, FREQ_SET, PLL_MME, 2200000000);
	set(c, FREQ_SET, PLL_TPC, 9000000000);
	near(get(c, FREQ_GET, PLL_TPC), 2200000000, 0);
	card_pass_ms(c, 5);
	near(power(c), 62000, 0);
	return 0;
}

#define SENSORS_TEST(fn) TEST_OF(fn, struct card *c, setup, card_teardown)

static void busy(struct card *c, unsigned int engines, unsigned int ms)
{
	c->engines = engines;
	card_pass_ms(c, ms);
}

SENSORS_TEST(readings)
{
	uint64_t v;

	near(get(c, TEMP_GET, INPUT), 38000, 0);
	near(get(c, TEMP_GET, 6 << 16), 95000, 0);
	near(get(c, TEMP_GET, 8 << 16), 105000, 0);
	assert_in_range(get(c, 0x04, INPUT), 500, 1500);
	assert_in_range(get(c, 0x05, INPUT), 1000, 100000);
	/* There is no fan on this board, and no hundredth sensor. */
	REPLIES(4, 0x06, 0, INPUT, 0, &v);
	REPLIES(4, 0x07, 0, INPUT, 0, &v);
	REPLIES(4, TEMP_GET, 0, 100, 0, &v);
	/* Seven temperatures, each within its own limits. */
	for (unsigned int i = 0; i < 7; i++) {
		v = (uint64_t)get(c, TEMP_GET, INPUT | i);
		assert_in_range(v, 20000, 50000);
		assert_in_range(get(c, TEMP_GET, 6 << 16 | i), v + 20000,
				110000);
		near(get(c, TEMP_GET, HIGHEST | i), (int64_t)v, 0);
	}
	REPLIES(4, TEMP_GET, 0, INPUT | 7, 0, &v);
	REPLIES(4, TEMP_GET, 0, 3 << 16, 0, &v);
	REPLIES(4, 0x08, 1, INPUT, 0, NULL);
	/* An offset moves what is read. */
	set(c, TEMP_SET, OFFSET, -3000);
	near(get(c, TEMP_GET, INPUT), 35000, 0);
	near(get(c, TEMP_GET, OFFSET), -3000, 0);
	REPLIES(4, TEMP_SET, 10000000, OFFSET, 0, NULL);
	set(c, 0x19, 8 << 16, 1);
	set(c, 0x1a, 8 << 16, 1);
}

/* 38 + 40 (1 - exp(-t / 8 s)), and the same way back. */
SENSORS_TEST(warming_up)
{
	busy(c, 20, 4000);
	near(get(c, TEMP_GET, INPUT), 53739, 2);
	/* However often somebody looks. */
	for (unsigned int i = 0; i < 60; i++) {
		busy(c, 20, 100);
		get(c, TEMP_GET, INPUT);
	}
	near(get(c, TEMP_GET, INPUT), 66540, 2);
	near(get(c, TEMP_GET, HIGHEST), 66540, 2);
	busy(c, 0, 8000);
	near(get(c, TEMP_GET, INPUT), 48499, 2);
	near(get(c, TEMP_GET, HIGHEST), 66540, 2);
	set(c, TEMP_SET, RESET_HISTORY, 1);
	near(get(c, TEMP_GET, HIGHEST), 48499, 2);
	busy(c, 0, 600000);
	near(get(c, TEMP_GET, INPUT), 38000, 0);
	/* Half load for long. */
	busy(c, 10, 600000);
	near(get(c, TEMP_GET, INPUT), 58000, 0);
}

SENSORS_TEST(power_and_energy)
{
	int64_t e = get(c, ENERGY, 0);

	/* in mJ: 62 W, 340 W, and 201 W at half load */
	busy(c, 0, 100000);
	near(get(c, ENERGY, 0) - e, 6200000, 0);
	busy(c, 20, 10000);
	near(get(c, ENERGY, 0) - e, 9600000, 0);
	near(power(c), 340000, 0);
	busy(c, 10, 10000);
	near(get(c, ENERGY, 0) - e, 11610000, 0);
	near(power(c), 201000, 0);
	/* Power history, as this driver resets it and as later ones do. */
	near(get(c, POWER_GET, 9 << 16), 340000, 0);
	busy(c, 0, 1000);
	get(c, POWER_GET, 11 << 16);
	near(get(c, POWER_GET, 9 << 16), 62000, 0);
	set(c, 0x2d, 11 << 16, 1);
}

/* The clocks give way: 108 W of 278 W are left for them. */
SENSORS_TEST(power_limit)
{
	int64_t e;

	near(get(c, POWER_LIMIT_GET, 0), 350000, 0);
	set(c, POWER_LIMIT, 0, 9000000);
	near(get(c, POWER_LIMIT_GET, 0), 350000, 0);
	set(c, POWER_LIMIT, 0, 170000);
	near(get(c, POWER_LIMIT_GET, 0), 170000, 0);
	near(get(c, FREQ_CURR, PLL_MME), 2200000000, 0);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	/* Nobody asks, and the driver is told within a second or two. */
	busy(c, 20, 2000);
	assert_int_equal(card_event(c, NULL, NULL), 658);
	near(power(c), 170000, 0);
	near(get(c, FREQ_CURR, PLL_MME), 854676258, 10);
	near(get(c, FREQ_CURR, PLL_TPC), 854676258, 10);
	near(get(c, FREQ_CURR, 0), 1600000000, 0);
	near(get(c, FREQ_GET, PLL_MME), 2200000000, 0);
	e = get(c, ENERGY, 0);
	busy(c, 20, 10000);
	near(get(c, ENERGY, 0) - e, 1700000, 10);
	/* As slow as it gets: 200 of 2200 MHz. */
	set(c, POWER_LIMIT, 0, 1000);
	near(get(c, POWER_LIMIT_GET, 0), 1000, 0);
	near(get(c, FREQ_CURR, PLL_MME), 200000000, 0);
	near(power(c), 87273, 1);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	/* Idle, too, as 62 W are more than that. */
	busy(c, 0, 2000);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	near(get(c, FREQ_CURR, PLL_MME), 200000000, 0);
	near(power(c), 62000, 0);
	set(c, POWER_LIMIT, 0, 62000);
	assert_int_equal(card_event(c, NULL, NULL), 659);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	near(get(c, FREQ_CURR, PLL_MME), 2200000000, 0);
}

/* Who changes what throttling depends on is answered at once, each time. */
SENSORS_TEST(throttling_at_once)
{
	for (unsigned int i = 0; i < 128; i++) {
		set(c, POWER_LIMIT, 0, i % 2 ? 61999 : 0);
		assert_int_equal(card_event(c, NULL, NULL), 658);
		set(c, POWER_LIMIT, 0, 10 + i);
		assert_int_equal(card_event(c, NULL, NULL), -1);
		set(c, POWER_LIMIT, 0, 350000);
		assert_int_equal(card_event(c, NULL, NULL), 659);
		assert_int_equal(card_event(c, NULL, NULL), -1);
	}
	/* A busy card, half of what it wants allowed; and half the clock. */
	busy(c, 20, 100);
	near(power(c), 340000, 0);
	set(c, POWER_LIMIT, 0, 202000);
	assert_int_equal(card_event(c, NULL, NULL), 658);
	set(c, FREQ_SET, PLL_MME, 1100000000);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	set(c, FREQ_SET, PLL_TPC, 1100000000);
	assert_int_equal(card_event(c, NULL, NULL), 659);
	/* Hot, and not. */
	set(c, TEMP_SET, OFFSET, 60000);
	assert_int_equal(card_event(c, NULL, NULL), 660);
	set(c, TEMP_SET, OFFSET, 0);
	assert_int_equal(card_event(c, NULL, NULL), 661);
	assert_int_equal(card_event(c, NULL, NULL), -1);
}

SENSORS_TEST(clocks_and_power)
{
	/* Half the clock, half the power above idle; and one of two. */
	set(c, FREQ_SET, PLL_MME, 1100000000);
	busy(c, 20, 5000);
	near(power(c), 270500, 0);
	set(c, FREQ_SET, PLL_TPC, 1100000000);
	busy(c, 20, 5000);
	near(power(c), 201000, 0);
	near(get(c, FREQ_CURR, PLL_TPC), 1100000000, 0);
	/* All outputs of a PLL follow: 1575, 787, 787, 393 MHz by 1.43. */
	near(get(c, PLL_INFO, PLL_MME),
	     1100 | 549ll << 16 | 549ll << 32 | 274ll << 48, 0);
	/* What a slow clock does not draw need not be taken away. */
	set(c, POWER_LIMIT, 0, 202000);
	busy(c, 20, 5000);
	near(get(c, FREQ_CURR, PLL_TPC), 1100000000, 0);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	set(c, FREQ_SET, PLL_TPC, 1);
	near(get(c, FREQ_GET, PLL_TPC), 200000000, 0);
}

/*
 * An offset of 25 degrees makes 95 of 70: after 8 ln 5 = 12.9 s of full load.
 * At half the clock the SoC goes towards 58; 65 is 90: 8 ln (12/7) = 4.3 s.
 * The card looks each second, so one more.
 */
SENSORS_TEST(overheating)
{
	set(c, TEMP_SET, OFFSET, 25000);
	busy(c, 20, 12800);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	busy(c, 20, 1100);
	assert_int_equal(card_event(c, NULL, NULL), 660);
	near(get(c, FREQ_CURR, PLL_TPC), 1100000000, 0);
	near(power(c), 201000, 0);
	busy(c, 20, 3200);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	busy(c, 20, 2400);
	assert_int_equal(card_event(c, NULL, NULL), 661);
	near(get(c, FREQ_CURR, PLL_TPC), 2200000000, 0);
	near(power(c), 340000, 0);
}
