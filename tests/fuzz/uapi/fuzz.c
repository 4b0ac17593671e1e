// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage-guided calls of the uAPI, in a guest or on cards in a process: programs of a few
 * calls are mutated, and those that reach code that none has reached before (cover.c) are
 * kept, and mutated further. What calls answer does not matter; that the kernel has nothing
 * to say about it, or AddressSanitizer, and that the card works at the end, does.
 *
 * Numbers are drawn from what earlier calls have returned as often as from chance, since
 * most calls take a handle. Children do the work, because a reset of the card ends who has it
 * open; what they know is in shared memory. Now and then a second thread makes calls with
 * the same files meanwhile, or the process dies in the middle of it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gaudi_test.h"
#include "uapi_fuzz.h"

#define MAX_CALLS	12
#define MAX_CORPUS	4096
#define ROUND_PROGRAMS	1024	/* at most, until the files are opened anew */
#define GUARD_SIZE	(1 << 16)
#define HANGS_AFTER	90	/* seconds without a call */
#define MAX_JOBS	16

struct program {
	uint32_t num;
	struct call call[MAX_CALLS];
};

static struct shared {
	struct program corpus[MAX_CORPUS];
	uint32_t num_corpus;
	uint64_t runs, calls, good[NUM_KINDS], tried[NUM_KINDS];
	uint32_t processes, opened, killed;
	bool failed, asked;	/* to end, by a signal */
	struct job {
		pid_t pid;
		/* For whoever looks at a crash: of each thread. */
		struct program now[2];
		uint64_t calls;
		bool dies;	/* the child's own doing */
		/* The parent's: what it had when it was looked at last, and when. */
		uint64_t last_calls;
		time_t last;
	} job[MAX_JOBS];
} *sh;

static struct job *job;		/* a child's own */

static struct {
	uint64_t calls;
	time_t end;
	uint32_t seed;
	unsigned int jobs;
	const char *places, *corpus;
} want = { .calls = UINT64_MAX, .jobs = 1 };

static __thread uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

static time_t now_s(void)
{
	return gt_now_ms() / 1000;
}

static bool is_over(void)
{
	return sh->calls >= want.calls || sh->failed || sh->asked || now_s() >= want.end;
}

/* Whoever stops a long run wants to know what it has done until then. */
static void ask_to_end(int sig)
{
	(void)sig;
	sh->asked = true;
}

/* --- programs -------------------------------------------------------------- */

static void random_call(struct call *c)
{
	unsigned int i;

	c->kind = rnd(NUM_KINDS);
	c->file = rnd(8) ? 0 : rnd(NUM_FILES);
	for (i = 0; i < NUM_WORDS; i++) {
		c->how[i] = word_is_for(c->kind, i) && rnd(8) ? H_VALUE :
			    rnd(NUM_HOW);
		c->word[i] = (uint64_t)rnd(1 << 30) << 34 ^ rnd(1 << 30);
	}
}

static void mutate(struct program *p)
{
	unsigned int i, n = 1 + rnd(4);

	while (n--) {
		i = rnd(p->num);
		switch (rnd(6)) {
		case 0:
			if (p->num < MAX_CALLS)
				random_call(&p->call[p->num++]);
			break;
		case 1:
			if (p->num == 1)
				break;
			p->num--;
			memmove(&p->call[i], &p->call[i + 1],
				(p->num - i) * sizeof(p->call[0]));
			break;
		case 2:
			p->call[i].how[rnd(NUM_WORDS)] = rnd(NUM_HOW);
			break;
		case 3:
			p->call[i].word[rnd(NUM_WORDS)] ^= 1ull << rnd(64);
			break;
		case 4:
			random_call(&p->call[i]);
			break;
		default:
			if (p->num < MAX_CALLS) {
				p->call[p->num] = p->call[i];
				p->num++;
			}
		}
	}
}

/* The end of one behind the beginning of another. */
static void splice(struct program *p, const struct program *with)
{
	uint32_t at = rnd(p->num + 1), from = rnd(with->num);
	uint32_t n = with->num - from;

	if (n > MAX_CALLS - at)
		n = MAX_CALLS - at;
	memcpy(&p->call[at], &with->call[from], n * sizeof(p->call[0]));
	p->num = at + n;
}

static void add_call(struct program *p, struct call c)
{
	unsigned int i;

	for (i = 0; i < NUM_WORDS; i++)
		if (!c.word[i] && word_is_for(c.kind, i)) {
			c.how[i] = H_VALUE;
			c.word[i] = 1ull << 60;
		}
	p->call[p->num++] = c;
}

static void new_program(void)
{
	memset(&sh->corpus[sh->num_corpus++], 0, sizeof(sh->corpus[0]));
}

/* The beginning: what programs do. */
static void first_programs(void)
{
	struct program *p = sh->corpus;
	unsigned int i;

	/* A buffer, packets in it, a submission of it, and the wait for it. */
	for (i = 0; i < 8; i++, p++) {
		new_program();
		add_call(p, (struct call) { .kind = K_CB, .word = { 0, 0, 4096, i == 7 } });
		add_call(p, (struct call) { .kind = K_PACKETS, .word = { 0, 77 * i } });
		add_call(p, (struct call) { .kind = K_CS, .word = { 4, [4] = i, [8] = 1 } });
		add_call(p, (struct call) { .kind = K_WAIT, .word = { 0, 49 } });
	}
	/* Packets in mapped memory, for queues of any engine; a signal, and who waits for it. */
	for (i = 0; i < 24; i++, p++) {
		new_program();
		add_call(p, (struct call) { .kind = K_MEMORY, .word = { 0, 0, 0, 2, [6] = 0x3f } });
		add_call(p, (struct call) { .kind = K_PACKETS, .word = { 0, 99 * i, 1 + 2 * (i % 16) } });
		add_call(p, (struct call) { .kind = K_CS, .word = { 0, [4] = 9 + 4 * i, i % 16, [8] = 1 } });
		add_call(p, (struct call) { .kind = K_CS,
					    .word = { 4, [4] = 1, [6] = 1 + 2 * 2, [8] = 1 } });
		/* Each kind of submission. */
		add_call(p, (struct call) { .kind = K_CS,
					    .word = { 4, [4] = i % 8, [6] = 1 + 2 * (i % 16),
						      [7] = 0x40 | i / 16, [8] = 0x11 } });
		add_call(p, (struct call) { .kind = K_WAIT, .word = { 0, 49 } });
	}
	new_program();
	add_call(p, (struct call) { .kind = K_MEMORY, .word = { 2 << 20, 0, 0, 0, [6] = 3 } });
	add_call(p, (struct call) { .kind = K_MEMORY, .word = { 0, 0, 0, 2, [6] = 0x38 } });
	for (i = 0, p++; i < 14; i++) {
		if (i % 7 == 0)
			new_program();
		add_call(p + i / 7, (struct call) { .kind = K_NIC,
			.word = { i, 1, 0, [8] = 0xffff, [9] = 1 } });
	}
}

static bool run_program(const struct program *p, bool first)
{
	uint32_t i;
	bool good;

	job->now[!first] = *p;
	if (first)
		cover_begin();
	for (i = 0; i < p->num; i++) {
		good = run_call(&p->call[i]) >= 0;
		__atomic_add_fetch(&sh->tried[p->call[i].kind], 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&sh->good[p->call[i].kind], good, __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&sh->runs, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&sh->calls, p->num, __ATOMIC_RELAXED);
	__atomic_add_fetch(&job->calls, p->num, __ATOMIC_RELAXED);
	return first && cover_end();
}

/* --- children ---------------------------------------------------------------- */

static struct {
	pthread_t thread;
	uint64_t seed;
	bool stop, dies, is_there;
} other;

static struct program next_program(void)
{
	struct program p = sh->corpus[rnd(sh->num_corpus)];

	if (!rnd(4))
		splice(&p, &sh->corpus[rnd(sh->num_corpus)]);
	if (rnd(16))
		mutate(&p);
	return p;
}

/* The same files, at the same time; or the end of the process. */
static void *other_thread(void *unused)
{
	struct program p;

	state = other.seed;
	if (other.dies) {
		usleep(rnd(30000));
		job->dies = true;
		if (rnd(2))
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	while (!__atomic_load_n(&other.stop, __ATOMIC_RELAXED)) {
		if (files[0] < 0) {
			usleep(100);
			continue;
		}
		p = next_program();
		run_program(&p, false);
	}
	return unused;
}

static void begin_other(void)
{
	uint32_t r = rnd(32);

	other.is_there = r < 4;
	other.dies = !r;
	other.stop = false;
	other.seed = state ^ 0x123456789abcdefull;
	if (other.is_there)
		other.is_there = !pthread_create(&other.thread, NULL, other_thread, NULL);
}

static void end_other(void)
{
	if (!other.is_there)
		return;
	__atomic_store_n(&other.stop, true, __ATOMIC_RELAXED);
	pthread_join(other.thread, NULL);
}

static bool open_first(void)
{
	if (files[0] >= 0)
		return true;
	/* One at a time has a card, and it may be one of our own. */
	close_files();
	files[0] = gt_open_once();
	sh->opened++;
	if (files[0] < 0) {
		/* To wait for a reset takes long; on cards in a process another one has none. */
		if (rnd(16))
			_exit(0);
		files[0] = gt_open();
	}
	return files[0] >= 0;
}

/*
 * A queue with an error stands still, and nothing but a reset helps. Mostly it goes on, until
 * that comes and ends the process: all else works meanwhile. Some of them close their files,
 * which takes long, or end.
 */
static bool is_stuck(void)
{
	struct hl_info_hw_idle idle = { .is_idle = 1 };
	uint32_t r = rnd(64);

	if (r > 2)
		return false;
	gt_info(files[0], HL_INFO_HW_IDLE, &idle, sizeof(idle));
	if (!idle.is_idle && r)
		_exit(0);
	return !idle.is_idle;
}

/* Other processes read it meanwhile; two that write at once lose one. */
static void keep(const struct program *p)
{
	uint32_t at = __atomic_load_n(&sh->num_corpus, __ATOMIC_ACQUIRE);

	if (at == MAX_CORPUS)
		return;
	sh->corpus[at] = *p;
	__atomic_store_n(&sh->num_corpus, at + 1, __ATOMIC_RELEASE);
}

static void round_of_programs(void)
{
	unsigned int programs = 1 + rnd(ROUND_PROGRAMS), i;
	struct program p;

	for (i = 0; i < programs && !is_over(); i++) {
		if (files[0] < 0 && !open_first())
			_exit(3);
		p = next_program();
		if (run_program(&p, true) && !other.is_there)
			keep(&p);
		if (i % 16 == 15 && is_stuck())
			return;
	}
}

/* What a queue finds where nothing else has been put. */
static void fill_arena(void)
{
	uint32_t at;

	for (at = PACKETS_AT; at < ARENA_SIZE; at += 8)
		gt_pkt_nop(arena + at, 0);
}

static void child(void)
{
	int i;

	if (!cover_start())
		_exit(2);
	fill_arena();
	files[0] = gt_open();
	while (!is_over()) {
		forget_values();
		if (!open_first())
			_exit(3);
		begin_other();
		round_of_programs();
		end_other();
		close_files();
		/* What syncs and exports have left open. */
		for (i = cover_fd() < 0 ? 3 : cover_fd() + 1; i < 64; i++)
			close(i);
	}
	_exit(0);
}

/* --- the parent -------------------------------------------------------------- */

static void print_program(const struct program *p)
{
	unsigned int i, k;

	for (i = 0; i < p->num; i++) {
		printf("# kind %u, file %u:", p->call[i].kind, p->call[i].file);
		for (k = 0; k < NUM_WORDS; k++)
			printf(" %u/%#llx", p->call[i].how[k],
			       (unsigned long long)p->call[i].word[k]);
		printf("\n");
	}
}

/* What a child may not end with: none of its calls may hurt it. */
static bool ended_badly(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status) != SIGKILL;
	return WEXITSTATUS(status);
}

static void begin_job(struct job *j)
{
	pid_t pid;

	state = want.seed + sh->processes++;
	j->dies = false;
	j->last = now_s();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		job = j;
		child();
	}
	j->pid = pid;
}

/* A job that makes no calls is told to say where it is. */
static void look_at(struct job *j)
{
	if (j->calls != j->last_calls) {
		j->last_calls = j->calls;
		j->last = now_s();
	} else if (now_s() - j->last > HANGS_AFTER) {
		printf("# makes no calls any more\n");
		j->last = now_s();
		kill(j->pid, SIGABRT);
	}
}

/* False: it has ended as it must not. */
static bool is_well(struct job *j)
{
	int status;

	if (!waitpid(j->pid, &status, WNOHANG)) {
		look_at(j);
		return true;
	}
	sh->killed += WIFSIGNALED(status) && !j->dies;
	if (ended_badly(status)) {
		printf("# a process of seed %u: status %#x\n", want.seed, status);
		print_program(&j->now[0]);
		printf("# and, if there was another thread:\n");
		print_program(&j->now[1]);
		return false;
	}
	j->pid = 0;
	if (!is_over())
		begin_job(j);
	return true;
}

static bool run_children(void)
{
	unsigned int i, there;
	bool well = true;

	for (i = 0; i < want.jobs; i++)
		begin_job(&sh->job[i]);
	do {
		usleep(2000);
		for (i = there = 0; i < want.jobs; i++) {
			if (sh->job[i].pid && !is_well(&sh->job[i])) {
				sh->job[i].pid = 0;
				well = false;
				sh->failed = true;	/* the others end, too */
			}
			there += !!sh->job[i].pid;
		}
	} while (there);
	return well;
}

static bool card_works(void)
{
	struct gt_cb cb;
	int fd = gt_wait_operational(300) ? -1 : gt_open();

	if (fd < 0 || gt_cb_create(fd, 4096, &cb))
		return false;
	cb.len = gt_pkt_nop(cb.map, 0);
	return !gt_run(fd, GAUDI_QUEUE_ID_DMA_0_0, &cb);
}

static bool set_up(void)
{
	FILE *in = want.corpus ? fopen(want.corpus, "r") : NULL;

	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/*
	 * What is mapped from within the arena on must not reach what follows:
	 * the card writes where it may, and that would be our own memory.
	 */
	arena = mmap(NULL, ARENA_SIZE + GUARD_SIZE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || arena == MAP_FAILED || !cover_init() ||
	    mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE))
		return false;
	first_programs();
	if (in) {
		sh->num_corpus += fread(&sh->corpus[sh->num_corpus], sizeof(sh->corpus[0]),
					MAX_CORPUS - sh->num_corpus, in);
		fclose(in);
	}
	return true;
}

static void save_corpus(void)
{
	FILE *out = fopen(want.corpus, "w");

	if (!out || fwrite(sh->corpus, sizeof(sh->corpus[0]), sh->num_corpus, out) !=
	    sh->num_corpus || fclose(out))
		perror(want.corpus);
}

static void summary(void)
{
	static const char *const names[NUM_KINDS] = {
		"info", "cb", "cs", "wait", "memory", "debug", "query", "sync cs",
		"import", "mmap", "packets", "nic", "file",
	};
	unsigned int i;

	printf("# %llu programs, %llu calls, %u kept, %u places reached\n",
	       (unsigned long long)sh->runs, (unsigned long long)sh->calls,
	       sh->num_corpus, cover_num());
	printf("# %u processes, ended by a reset %u times; the card was opened %u times\n",
	       sh->processes, sh->killed, sh->opened);
	for (i = 0; i < NUM_KINDS; i++)
		printf("# %s: %llu of %llu calls were taken\n", names[i],
		       (unsigned long long)sh->good[i],
		       (unsigned long long)sh->tried[i]);
}

static int usage(void)
{
	fprintf(stderr, "usage: uapi_fuzz [OPTION...]\n"
		"  -n CALLS    so many, or\n"
		"  -t SECONDS  so long; 60, if neither is said\n"
		"  -s SEED     the time, if it is not said\n"
		"  -c CARDS    so many are there to be opened\n"
		"  -j JOBS     so many processes at once; with cards of their own, 1 else\n"
		"  -k FILE     programs that are kept, from here and to here\n"
		"  -p FILE     where the places of libgaudi-sim.so.0 go that were reached\n");
	return 2;
}

static bool read_options(int argc, char **argv)
{
	int option;

	want.seed = time(NULL);
	while ((option = getopt(argc, argv, "n:t:s:c:j:k:p:")) != -1) {
		switch (option) {
		case 'n':
			want.calls = strtoull(optarg, NULL, 0);
			break;
		case 't':
			want.end = now_s() + atoi(optarg);
			break;
		case 's':
			want.seed = atoi(optarg);
			break;
		case 'c':
			num_cards = atoi(optarg);
			break;
		case 'j':
			want.jobs = atoi(optarg);
			break;
		case 'k':
			want.corpus = optarg;
			break;
		case 'p':
			want.places = optarg;
			break;
		default:
			return false;
		}
	}
	if (!want.end)
		want.end = want.calls == UINT64_MAX ? now_s() + 60 : INT32_MAX;
	return optind == argc && want.jobs && want.jobs <= MAX_JOBS;
}

int main(int argc, char **argv)
{
	bool survived, reached, works;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!read_options(argc, argv))
		return usage();
	if (!set_up())
		return 1;
	signal(SIGINT, ask_to_end);
	signal(SIGTERM, ask_to_end);
	printf("1..3\n# seed %u\n", want.seed);
	survived = run_children();
	summary();
	printf("%sok 1 - no process was hurt\n", survived ? "" : "not ");
	/* Else it has tested nothing but refusals. */
	reached = sh->good[K_CS] && sh->good[K_MEMORY] && sh->good[K_PACKETS];
	printf("%sok 2 - programs reach the driver\n", reached ? "" : "not ");
	if (want.corpus)
		save_corpus();
	if (want.places && cover_save(want.places))
		perror(want.places);
	works = card_works();
	printf("%sok 3 - the card works at the end\n", works ? "" : "not ");
	return !(survived && reached && works);
}
