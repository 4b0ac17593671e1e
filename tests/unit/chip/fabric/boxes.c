// SPDX-License-Identifier: GPL-2.0-only
/* Boxes of a fabric; see boxes.h. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boxes.h"

#define TRIES		60000	/* of a millisecond */
#define LINK		(0xcc4080u)	/* of port 1 */

static bool is_other;

void check_at(bool ok, const char *what, const char *file, int line)
{
	if (ok)
		return;
	fprintf(stderr, "# %s:%d: %s: not so\n", file, line, what);
	if (is_other)
		_exit(1);
	fail_msg("%s:%d: %s", file, line, what);
}

const char *fabric_name(void)
{
	static unsigned int number;
	static char name[64];

	snprintf(name, sizeof(name), "unit-%d-%u", getpid(), number++);
	return name;
}

struct gaudi_fabric *fabric_new(const char *name, int box, const char *cables)
{
	struct gaudi_fabric_cable table[GAUDI_MAX_FABRIC_CABLES];
	struct gaudi_fabric_config config = {
		.name = name, .box = box, .listener = -1, .cables = table,
	};
	char why[128] = "";
	int n = gaudi_fabric_cables(cables, table, why, sizeof(why)), err;
	struct gaudi_fabric *fabric;

	CHECK(n >= 0);
	config.num_cables = n;
	fabric = gaudi_fabric_new(&config, &err);
	CHECK(fabric);
	return fabric;
}

void box_make(struct box *box, const char *name, int number,
	      struct card *beside)
{
	box->fabric = fabric_new(name, number, "mesh");
	box->card = beside ? card_new_beside(beside, NULL) : card_new(NULL, 2);
	/* The ports 1, 8 and 9. */
	CHECK(gaudi_fabric_plug(box->fabric, box->card->chip) == 3);
}

void box_free(struct box *box)
{
	card_free(box->card);
	gaudi_fabric_free(box->fabric);
}

static void put_all(struct box *box)
{
	struct wqe wqe = {
		.opcode = 2, .size = SIZE, .sob = REMOTE_SOB(0),
		.sob_data = 0x80000001,
	};
	unsigned int i;

	for (i = 0; i < WQ_ENTRIES; i++) {
		wqe.local = SRC + i % BATCH * SIZE;
		wqe.remote = DST + i % BATCH * SIZE;
		qp_put(box->card, PORT, QP, i, &wqe);
	}
}

void box_ready(struct box *box, uint32_t seed, unsigned int retries,
	       unsigned int timer)
{
	fill(card_hbm(box->card) + SRC, TOTAL, seed);
	memset(card_hbm(box->card) + DST, 0, TOTAL);
	put_all(box);
	qp_open(box->card, PORT, QP);
	port_on(box->card, PORT);
	box_patience(box, retries, timer);
}

void box_patience(struct box *box, unsigned int retries, unsigned int timer)
{
	bits_set(req_ctx(box->card, PORT, QP), 248, 7, timer);
	wr(box->card, QPC(PORT) + 0x28, 255 << 8 | retries);
}

void box_resync(struct box *box)
{
	bits_set(res_ctx(box->card, PORT, QP), 30, 2, 2);
}

void box_wait(struct box *box, unsigned int try)
{
	CHECK(try < TRIES);
	usleep(1000);
	gaudi_chip_timer(box->card->chip);
}

void box_await(struct box *box, bool up)
{
	unsigned int try;

	for (try = 0; gaudi_chip_link_up(box->card->chip, PORT) != up; try++)
		box_wait(box, try);
	CHECK(rd(box->card, LINK) == up);
}

void box_ring(struct box *box, unsigned int round)
{
	qp_ring(box->card, PORT, QP, (round + 1) % 2 * BATCH);
}

void box_ring_many(struct box *box, unsigned int round)
{
	qp_ring(box->card, PORT, QP, (round + 1) * MANY % WQ_ENTRIES);
}

void box_await_sob(struct box *box, uint32_t value)
{
	unsigned int try;

	for (try = 0; sob(box->card, 0) != value; try++)
		box_wait(box, try);
}

bool box_has(struct box *box, uint32_t seed)
{
	static uint8_t want[TOTAL];

	fill(want, TOTAL, seed);
	return !memcmp(card_hbm(box->card) + DST, want, TOTAL);
}

uint64_t box_count(struct box *box, uint32_t off)
{
	return rd(box->card, LINK + off) |
	       (uint64_t)rd(box->card, LINK + off + 4) << 32;
}

/* --- one in another process ------------------------------------------------ */

struct message {
	uint32_t order, arg;
};

struct plan {
	const char *name;
	int number;
	uint32_t seed;
	unsigned int retries, timer;
};

static void make_ready(struct box *box, const struct plan *plan)
{
	box_ready(box, plan->seed, plan->retries, plan->timer);
}

static uint64_t obey(struct box *box, const struct message *m,
		     const struct plan *plan)
{
	switch (m->order) {
	case JOIN:
		box_make(box, plan->name, plan->number, NULL);
		make_ready(box, plan);
		return 1;
	case AWAIT_UP:
	case AWAIT_DOWN:
		box_await(box, m->order == AWAIT_UP);
		return 1;
	case RING:
		box_ring(box, m->arg);
		return 1;
	case AWAIT_SOB:
		box_await_sob(box, m->arg);
		return 1;
	case HAS:
		return box_has(box, m->arg);
	case COUNT:
		return box_count(box, m->arg);
	case SETTLE:
		gaudi_chip_pause(box->card->chip);
		gaudi_chip_resume(box->card->chip);
		return 1;
	case RESET:
		gaudi_chip_hard_reset(box->card->chip);
		make_ready(box, plan);
		return 1;
	default:
		CHECK(!"an order");
		return 0;
	}
}

static void be_other(int sock, const struct plan *plan)
{
	struct box box = { 0 };
	struct message m;
	uint64_t answer;

	is_other = true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (recv(sock, &m, sizeof(m), 0) == sizeof(m) && m.order != LEAVE) {
		answer = obey(&box, &m, plan);
		send(sock, &answer, sizeof(answer), 0);
	}
	if (box.card)
		box_free(&box);
	_exit(0);
}

struct other other_start(const char *name, int number, uint32_t seed,
			 unsigned int retries, unsigned int timer)
{
	const struct plan plan = { name, number, seed, retries, timer };
	struct other other;
	int sock[2];

	WORKS(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sock));
	other.pid = fork();
	assert_true(other.pid >= 0);
	if (!other.pid) {
		close(sock[0]);
		be_other(sock[1], &plan);
	}
	close(sock[1]);
	other.sock = sock[0];
	return other;
}

void other_begin(struct other *other, enum order order, uint32_t arg)
{
	struct message m = { order, arg };

	CHECK(send(other->sock, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m));
}

uint64_t other_end(struct other *other)
{
	uint64_t answer;

	CHECK(recv(other->sock, &answer, sizeof(answer), 0) == sizeof(answer));
	return answer;
}

uint64_t other_do(struct other *other, enum order order, uint32_t arg)
{
	other_begin(other, order, arg);
	return other_end(other);
}

void other_leave(struct other *other)
{
	int status;

	other_begin(other, LEAVE, 0);
	CHECK(waitpid(other->pid, &status, 0) == other->pid);
	CHECK(!status);
	close(other->sock);
}

void other_stop(struct other *other)
{
	int status;

	kill(other->pid, SIGSTOP);
	CHECK(waitpid(other->pid, &status, WUNTRACED) == other->pid);
	CHECK(WIFSTOPPED(status));
}

void other_kill(struct other *other)
{
	kill(other->pid, SIGKILL);
	waitpid(other->pid, NULL, 0);
	close(other->sock);
}
