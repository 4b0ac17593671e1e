// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process at the other end of a wire that is hostile: what it says, what it passes,
 * what it writes into the memory that both share. It harms its own link, no more.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foe.h"

#define PATIENT		255, 16
#define GUARD		0x30000000ull
#define GUARD_SIZE	0x10000u

/* Whatever was, an honest box is served. */
static void check_served(struct box *box, struct other *honest)
{
	unsigned int i;

	gaudi_chip_hard_reset(box->card->chip);
	box_ready(box, 3, PATIENT);
	other_do(honest, JOIN, 0);
	box_await(box, true);
	other_do(honest, AWAIT_UP, 0);
	for (i = 0; i < 3; i++) {
		box_ring(box, i);
		other_do(honest, RING, i);
		box_await_sob(box, (i + 1) * BATCH);
		other_do(honest, AWAIT_SOB, (i + 1) * BATCH);
	}
	assert_true(box_has(box, 7));
	assert_true(other_do(honest, HAS, 3));
	other_leave(honest);
}

/* An answer to port 1's hello with these descriptors. */
static int answer_to(struct foe *foe, const int *fd, unsigned int fds)
{
	struct words words = foe_words(foe);
	int sock = foe_dial(foe), what;

	foe_say(sock, &words, sizeof(words), fd, fds);
	what = foe_answer(sock);
	close(sock);
	return what;
}

static int sealed(unsigned int flags, off_t size, int seals)
{
	int fd = memfd_create("foe", MFD_ALLOW_SEALING | flags);

	if (fd < 0 || ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, seals)) {
		/* Of huge pages there may be none. */
		assert_true(flags & MFD_HUGETLB);
		return -1;
	}
	return fd;
}

static void check_refused(struct foe *foe, int fd)
{
	assert_int_not_equal(answer_to(foe, &fd, 1), WELCOME);
	close(fd);
}

TEST(memory_that_is_none)
{
	const char *name = fabric_name();
	struct other honest = other_start(name, FOE, 7, PATIENT);
	int pipes[2], two[2], fd;
	struct foe foe;
	struct box box;

	box_make(&box, name, VICTIM, NULL);
	foe_begin(&foe, name, FOE);
	assert_int_not_equal(answer_to(&foe, NULL, 0), WELCOME);
	check_refused(&foe, open("/dev/null", O_RDWR));
	check_refused(&foe, open("/proc/self/exe", O_RDONLY));
	check_refused(&foe, open("/", O_RDONLY));
	WORKS(pipe(pipes));
	check_refused(&foe, pipes[0]);
	check_refused(&foe, pipes[1]);
	/* It could be cut short while it is used. */
	check_refused(&foe, sealed(0, MEMORY, 0));
	check_refused(&foe, sealed(0, MEMORY, F_SEAL_GROW));
	check_refused(&foe, sealed(0, MEMORY - 4096, F_SEAL_SHRINK));
	check_refused(&foe, sealed(0, 0, F_SEAL_SHRINK));
	check_refused(&foe, sealed(0, MEMORY, F_SEAL_SHRINK | F_SEAL_WRITE));
	check_refused(&foe, sealed(0, MEMORY,
				   F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE));
	fd = sealed(MFD_HUGETLB, 2 << 20, F_SEAL_SHRINK);
	if (fd >= 0)
		check_refused(&foe, fd);
	/* One is as it should be, but it has two. The first one is taken. */
	two[0] = foe_memory();
	two[1] = open("/dev/null", O_RDWR);
	assert_int_equal(answer_to(&foe, two, 2), WELCOME);
	two[1] = two[0];
	two[0] = open("/dev/null", O_RDWR);
	assert_int_not_equal(answer_to(&foe, two, 2), WELCOME);
	foe_end(&foe);
	check_served(&box, &honest);
	box_free(&box);
}

static uint32_t next_random(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x >> 16;
}

/* Words that are wrong: none of them joins anybody. */
TEST(words_that_are_none)
{
	const char *name = fabric_name();
	struct other honest = other_start(name, FOE, 7, PATIENT);
	struct words words;
	uint8_t noise[256];
	unsigned int i, k;
	struct foe foe;
	struct box box;
	int sock, fd;

	box_make(&box, name, VICTIM, NULL);
	foe_begin(&foe, name, FOE);
	fd = foe_memory();
	for (i = 0; i < 500; i++) {
		words = foe_words(&foe);
		sock = foe_dial(&foe);
		for (k = 0; k < sizeof(noise); k++)
			noise[k] = next_random();
		switch (i % 7) {
		case 0:
			foe_say(sock, noise, 1 + next_random() % 255, &fd, 1);
			break;
		case 1:
			words.version++;
			break;
		case 2:
			words.what = next_random() | 2;
			break;
		case 3:
			words.from[i / 7 % 3] += 1 + next_random() % 200;
			break;
		case 4:
			words.to[i / 7 % 3] += 1 + next_random() % 200;
			break;
		case 5:
			words.ring_bytes = next_random();
			break;
		case 6:
			words.magic[i / 7 % 8] ^= 1;
			break;
		}
		if (i % 7)
			foe_say(sock, &words, sizeof(words), &fd, 1);
		assert_int_not_equal(foe_answer(sock), WELCOME);
		close(sock);
	}
	close(fd);
	foe_end(&foe);
	check_served(&box, &honest);
	box_free(&box);
}

/* Who has not the name of a box is not that box. */
TEST(somebody_else_s_name)
{
	const char *name = fabric_name();
	struct other honest = other_start(name, FOE, 7, PATIENT);
	struct words words;
	struct box box;
	struct foe foe;
	int sock, fd;

	box_make(&box, name, VICTIM, NULL);
	box_ready(&box, 3, PATIENT);
	other_do(&honest, JOIN, 0);
	box_await(&box, true);
	foe_begin(&foe, name, 2);
	words = foe_words(&foe);
	words.from[0] = FOE;
	fd = foe_memory();
	sock = foe_dial(&foe);
	foe_say(sock, &words, sizeof(words), &fd, 1);
	assert_int_equal(foe_answer(sock), 0);
	close(sock);
	close(fd);
	/* Who was there is there. */
	box_ring(&box, 0);
	other_do(&honest, AWAIT_SOB, BATCH);
	foe_end(&foe);
	other_leave(&honest);
	box_free(&box);
}

static bool has_hung_up(int sock)
{
	char byte;

	return !recv(sock, &byte, 1, MSG_DONTWAIT);
}

/* Many that call and say nothing keep nobody out, and few are put up with. */
TEST(silent_callers)
{
	const char *name = fabric_name();
	struct other honest = other_start(name, FOE, 7, PATIENT);
	struct box box;
	struct foe foe;
	unsigned int i, calls = 0;
	int sock[100];

	box_make(&box, name, VICTIM, NULL);
	foe_begin(&foe, name, FOE);
	for (i = 0; i < 100; i++)
		sock[i] = foe_dial(&foe);
	foe_end(&foe);
	check_served(&box, &honest);
	for (i = 0; i < 100; i++) {
		calls += !has_hung_up(sock[i]);
		close(sock[i]);
	}
	assert_in_range(calls, 0, 16);
	box_free(&box);
}

/* --- the ring --------------------------------------------------------------- */

static const struct head write_head = {
	.len = 64, .opcode = 0x0a, .ack_req = 1, .dst_qp = QP, .rkey = KEY + QP,
	.va = DST, .dma_len = 64,
};

static void await_cut(struct foe *foe, struct box *box)
{
	unsigned int try;

	foe_wake(foe);
	for (try = 0; !foe_is_cut(foe); try++)
		box_wait(box, try);
	box_await(box, false);
	foe_leave(foe);
}

/* A box that spoils a ring has its wire cut. */
TEST(rings_that_are_spoilt)
{
	static const uint64_t written[] = { 7, 65, RING_BYTES + 64, 1ull << 63, -64ull };
	static const uint32_t len[] = { 4097, 0xffffffff, 0x7fffffff, 128 };
	const char *name = fabric_name();
	struct other honest = other_start(name, FOE, 7, PATIENT);
	struct box box;
	struct foe foe;
	unsigned int i;

	box_make(&box, name, VICTIM, NULL);
	box_ready(&box, 3, PATIENT);
	foe_begin(&foe, name, FOE);
	for (i = 0; i < 5; i++) {
		assert_true(foe_join(&foe));
		box_await(&box, true);
		foe_set(&foe, WRITTEN(0), written[i]);
		await_cut(&foe, &box);
	}
	for (i = 0; i < 4; i++) {
		struct head head = { .len = len[i] };

		assert_true(foe_join(&foe));
		box_await(&box, true);
		memcpy(foe.mem + DATA(0), &head, sizeof(head));
		foe_set(&foe, WRITTEN(0), 128);
		await_cut(&foe, &box);
	}
	/* It has read what was never sent. */
	for (i = 0; i < 3; i++) {
		assert_true(foe_join(&foe));
		box_await(&box, true);
		foe_set(&foe, READ(1), i == 2 ? 3 : -64ull << 20 * i);
		gaudi_chip_hard_reset(box.card->chip);
		box_ready(&box, 3, PATIENT);
		box_await(&box, true);
		/* It sends that again and again, and then has to look. */
		box_ring(&box, 0);
		await_cut(&foe, &box);
	}
	foe_end(&foe);
	check_served(&box, &honest);
	box_free(&box);
}

/* What an honest one writes comes: so the attacks below do reach the card. */
TEST(foe_that_is_honest)
{
	const char *name = fabric_name();
	uint8_t want[64];
	struct box box;
	struct foe foe;
	unsigned int i;

	box_make(&box, name, VICTIM, NULL);
	box_ready(&box, 3, PATIENT);
	foe_begin(&foe, name, FOE);
	assert_true(foe_join(&foe));
	box_await(&box, true);
	foe_put(&foe, write_head, 0xa5);
	foe_set(&foe, WRITTEN(0), foe.written);
	foe_wake(&foe);
	for (i = 0; box_count(&box, COUNT_RX) != 1; i++)
		box_wait(&box, i);
	card_settle(box.card);
	memset(want, 0xa5, sizeof(want));
	assert_memory_equal(card_hbm(box.card) + DST, want, sizeof(want));
	/* The acknowledgement is the first record of theirs. */
	assert_int_equal(foe.mem[DATA(1) + 8], 0x11);
	/* Of an epoch that has gone by: not taken. */
	foe_put(&foe, write_head, 1);
	foe.mem[DATA(0) + 128 + 52]++;
	foe_set(&foe, WRITTEN(0), foe.written);
	foe_wake(&foe);
	for (i = 0; foe_get(&foe, READ(0)) != foe.written; i++)
		box_wait(&box, i);
	assert_int_equal(box_count(&box, COUNT_RX), 1);
	foe_end(&foe);
	box_free(&box);
}

/* --- at random -------------------------------------------------------------- */

static struct head random_head(bool key)
{
	static const uint64_t va[] = {
		DST, SRAM, CFG, CFG + SM_E_N, HOST + RAM_BASE, MMIO_BASE + HOST,
		RES_TABLE(PORT), 0, ~0ull,
	};
	struct head head = {
		.len = next_random() % 5 ? next_random() % 4097 :
					   next_random() % 100,
		.opcode = next_random() % 16 ? next_random() % 0x13 :
					       next_random(),
		.ack_req = next_random(), .dst_qp = next_random() % 3,
		.psn = next_random() % 3, .rkey = KEY + QP + !key,
		.va = va[next_random() % 9] + next_random() % 0x1000,
		.imm = next_random(), .aeth = next_random() << 24,
	};

	if (!(next_random() % 8))
		head.dst_qp = next_random();
	if (!(next_random() % 16))
		head.damage = 1;
	if (!(next_random() % 200))
		head.len = next_random();
	head.dma_len = next_random() % 4 ? head.len : next_random();
	return head;
}

static atomic_bool stop;

/* What was written, and perhaps checked, is changed all the time. */
static void *scribble(void *arg)
{
	struct foe *foe = arg;
	uint64_t x = 1;

	while (!stop) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		foe->mem[DATA(0) + (x >> 40) % RING_BYTES] = x >> 32;
		foe_set(foe, DATA(0) + (x >> 30) % (RING_BYTES / 64) * 64, x >> 50);
	}
	return NULL;
}

static void attack_once(struct foe *foe, bool key)
{
	unsigned int batches = 1 + next_random() % 40, i;
	bool scribbles = !(next_random() % 3);
	pthread_t thread;

	if (!foe_join(foe))
		return;
	stop = false;
	if (scribbles)
		CHECK(!pthread_create(&thread, NULL, scribble, foe));
	while (batches-- && !foe_is_cut(foe)) {
		for (i = next_random() % 100; i; i--) {
			if (foe->written - foe_get(foe, READ(0)) > RING_BYTES / 2)
				break;
			foe_put(foe, random_head(key), next_random());
		}
		if (!(next_random() % 64))
			foe->written += next_random() % 256;
		foe_set(foe, WRITTEN(0), foe->written);
		/* Theirs is read, or something like it. */
		foe_set(foe, READ(1), next_random() % 50 ?
				      foe_get(foe, WRITTEN(1)) : next_random());
		if (!(next_random() % 16))
			foe_set(foe, STATE(0),
				(uint64_t)next_random() << 32 |
				(next_random() & 3));
		if (!(next_random() % 4))
			foe_set(foe, STARVED(0), 1);
		if (!(next_random() % 4))
			foe_set(foe, ASLEEP(1), 1);
		for (i = next_random() % 8; i; i--)
			foe_wake(foe);
	}
	stop = true;
	if (scribbles)
		pthread_join(thread, NULL);
	foe_leave(foe);
}

static pid_t start_attack(const char *name, bool key, int *gate)
{
	int pipes[2];
	struct foe foe;
	unsigned int i;
	pid_t pid;
	char go;

	WORKS(pipe(pipes));
	*gate = pipes[1];
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	close(pipes[1]);
	if (read(pipes[0], &go, 1) != 1)
		_exit(1);
	foe_begin(&foe, name, FOE);
	for (i = 0; i < 400; i++)
		attack_once(&foe, key);
	foe_end(&foe);
	_exit(0);
}

/* Its neighbour sends and is reset meanwhile. */
static void survive(struct box *box, pid_t pid)
{
	unsigned int round = 0;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (!(round % 50)) {
			gaudi_chip_hard_reset(box->card->chip);
			fill(card_hbm(box->card) + GUARD, GUARD_SIZE, 5);
			box_ready(box, 3, PATIENT);
		}
		box_ring(box, round++);
		box_wait(box, 0);
	}
	assert_int_equal(status, 0);
}

/* Without the key nothing is written, and with it no more than a packet may. */
static void attack(bool key)
{
	static uint8_t want[GUARD_SIZE];
	const char *name = fabric_name();
	struct other honest = other_start(name, FOE, 7, PATIENT);
	struct box box;
	int gate;
	pid_t pid = start_attack(name, key, &gate);

	box_make(&box, name, VICTIM, NULL);
	box_ready(&box, 3, PATIENT);
	CHECK(write(gate, "", 1) == 1);
	close(gate);
	survive(&box, pid);
	box_await(&box, false);
	card_settle(box.card);
	fill(want, GUARD_SIZE, 5);
	assert_memory_equal(card_hbm(box.card) + GUARD, want, GUARD_SIZE);
	if (!key)
		assert_true(!card_hbm(box.card)[DST] && !card_sram(box.card)[0]);
	check_served(&box, &honest);
	box_free(&box);
}

TEST(attack_without_a_key)
{
	attack(false);
}

TEST(attack_with_the_key)
{
	attack(true);
}
