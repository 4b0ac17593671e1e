// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of the card are checked in this build: what breaks their order ends the
 * process, and both places are named. Each case runs in a process of its own.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../card.h"
#include "../../../../qemu-device/chip/bus/bus.h"

static struct gaudi_lock host, pool, filled, card_lock, other_card;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct card *card;
/* Lines in this file, as a case notes them. */
static int *lines;
#define HERE(n)		(lines[n] = __LINE__)

static int setup(void **state)
{
	lines = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(lines, MAP_FAILED);
	gaudi_lock_init(&host, GAUDI_LOCK_HOST);
	gaudi_lock_init(&card_lock, GAUDI_LOCK_CARD);
	gaudi_lock_init(&other_card, GAUDI_LOCK_CARD);
	gaudi_lock_init(&pool, GAUDI_LOCK_POOL);
	gaudi_lock_init(&filled, GAUDI_LOCK_FILL);
	card_setup(state);
	card = *state;
	return 0;
}

#define LOCK_TEST(fn) TEST_WITH(fn, setup, card_teardown)

/* What a child says as it ends; fails unless it ends by abort(). */
static void died(void (*fn)(void), char *said, size_t len)
{
	int out[2], status;
	size_t got = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		dup2(out[1], 2);
		fn();
		_exit(0);
	}
	close(out[1]);
	while ((n = read(out[0], said + got, len - 1 - got)) > 0)
		got += n;
	said[got] = '\0';
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("status 0x%x, said: %s", status, said);
}

/* Both lines that the case has noted are named, and what is wrong. */
static void dies(void (*fn)(void), const char *what)
{
	char said[2048], place[64];
	unsigned int i;

	lines[0] = 0;
	lines[1] = 0;
	died(fn, said, sizeof(said));
	if (!strstr(said, what))
		fail_msg("'%s' is not in: %s", what, said);
	for (i = 0; i < 2 && lines[i]; i++) {
		snprintf(place, sizeof(place), "lock_test.c:%d", lines[i]);
		if (!strstr(said, place))
			fail_msg("%s is not in: %s", place, said);
	}
	assert_int_not_equal(i, 0);
}

static void leaf_before_card(void)
{
	HERE(0); gaudi_lock(&filled);
	HERE(1); gaudi_lock(&card_lock);
}

static void leaves_in_turn(void)
{
	gaudi_lock(&card_lock);
	HERE(0); gaudi_lock(&filled);
	gaudi_unlock(&card_lock);
	HERE(1); gaudi_trylock(&pool);
}

static void two_cards(void)
{
	gaudi_lock(&host);
	HERE(0); gaudi_lock(&card_lock);
	HERE(1); gaudi_lock(&other_card);
}

static void host_after_card(void)
{
	HERE(0); gaudi_lock(&card_lock);
	HERE(1); gaudi_lock(&host);
}

LOCK_TEST(inversions)
{
	dies(leaf_before_card, "takes out of order a card's lock");
	dies(leaves_in_turn, "takes out of order the pool's lock");
	dies(two_cards, "takes out of order a card's lock");
	dies(host_after_card, "takes out of order the host's lock");
}

static void twice(void)
{
	gaudi_lock(&host);
	HERE(0); gaudi_lock(&card_lock);
	gaudi_lock(&filled);
	HERE(1); gaudi_lock(&card_lock);
}

static void card_twice(void)
{
	HERE(0); gaudi_chip_lock(card->chip);
	HERE(1); gaudi_chip_lock(card->chip);
}

/* As a host would that calls back into the library. */
static void called_back(void)
{
	HERE(0); gaudi_chip_lock(card->chip);
	rd(card, SM_E_N + SOB(0));
}

LOCK_TEST(re_entries)
{
	dies(twice, "takes a second time a card's lock");
	dies(card_twice, "takes a second time a card's lock");
	dies(called_back, "takes a second time a card's lock");
}

static void wait_by_another(void)
{
	HERE(0); gaudi_lock(&card_lock);
	gaudi_lock(&pool);
	HERE(1); gaudi_cond_wait(&cond, &pool);
}

static void not_held(void)
{
	HERE(0); gaudi_unlock(&filled);
}

LOCK_TEST(others)
{
	dies(wait_by_another, "waits by the pool's lock");
	dies(not_held, "does not hold, the lock of filled memory");
}

/* What any register may do does not run under a leaf, whatever this one does. */
static void register_under_leaf(void)
{
	const struct gaudi_txn txn = { .initiator = GAUDI_INIT_TPC };

	gaudi_chip_lock(card->chip);
	HERE(0); gaudi_reduce_begin(card->chip);
	gaudi_reg_write(card->chip, SM_E_N + SOB(0), 1, &txn);
}

static void host_under_leaf(void)
{
	const struct gaudi_txn txn = { .bypass = true, .secure = true };
	uint32_t value;

	gaudi_chip_lock(card->chip);
	HERE(0); gaudi_lock(&filled);
	gaudi_bus_read(card->chip, &txn, ram_dev(0), &value, 4);
}

LOCK_TEST(calls)
{
	char said[2048];

	died(register_under_leaf, said, sizeof(said));
	assert_non_null(strstr(said, "regs.c:"));
	assert_non_null(strstr(said, "the lock of reductions has been held"));
	assert_non_null(strstr(said, "reduce.c:"));
	dies(host_under_leaf, "may be called with no more than a card's lock");
}

/* The stated order, waiting, and giving back in any order are fine. */
LOCK_TEST(what_is_allowed)
{
	struct timespec end = { 0 };

	gaudi_lock(&host);
	gaudi_lock(&card_lock);
	assert_int_equal(gaudi_cond_timedwait(&cond, &card_lock, &end),
			 ETIMEDOUT);
	gaudi_lock(&pool);
	gaudi_lock(&filled);
	gaudi_unlock(&pool);
	gaudi_unlock(&card_lock);
	gaudi_unlock(&filled);
	assert_int_equal(gaudi_trylock(&other_card), 0);
	gaudi_unlock(&other_card);
	gaudi_unlock(&host);
	/* And the host may hold its own while the card works. */
	gaudi_lock(&host);
	wr(card, SM_E_N + SOB(0), 5);
	assert_int_equal(sob(card, 0), 5);
	gaudi_unlock(&host);
}
