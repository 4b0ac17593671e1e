// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The worker threads of a process, which run the engines of all its cards, and
 * the choice among a card's ready actors.
 *
 * Of one card, one thread at a time chooses and runs actors (it is in control),
 * since they need the lock anyway. Only when it leaves the lock for bulk work,
 * or the guest makes something ready, is another thread wanted. A worker sleeps
 * when no card wants one; it is called only if it really sleeps.
 *
 * Not here: what actors do.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core.h"

/* Light actors in a row while others wait. */
#define MAX_STREAK		16
/*
 * Actors that a worker runs before it looks at other cards, and how long: turns
 * are of some microseconds or of a millisecond, and all cards are to get as much
 * of the workers, whatever they do. The one that runs ends its turn.
 */
#define RUNS_PER_VISIT		64
#define NS_PER_VISIT		1000000
/*
 * Actors that the guest's thread may run when its access made some ready: about
 * the longest job by which drivers set registers, 2,048 packets. Drivers wait a
 * second for it, which on a crowded host may not be enough to wake a worker.
 * And nanoseconds, in case the host takes the thread off its core meanwhile.
 */
#define INLINE_RUNS		80
#define INLINE_NS		500000
/* Bytes that it may copy. */
#define INLINE_BYTES		(64u << 10)
/* Turns that it may run because they are short then, each with what it made ready. */
#define PROMPT_TURNS		4
/*
 * Turns in one gaudi_chip_run(): a guest's endless loop, or long copies, must
 * not hang it. Counted, not timed, so that it repeats: what is copied counts as
 * so many turns.
 */
#define RUNS_PER_CALL		4096
#define BYTES_PER_RUN		(16u << 10)

struct gaudi_pool {
	struct gaudi_lock lock;
	pthread_cond_t called;		/* calls > 0, or stop */
	pthread_cond_t left;		/* a worker let go of a card */
	struct gaudi_chip *chips;
	atomic_uint sleeping;		/* workers asleep, not yet called */
	unsigned int calls;		/* workers called, not yet awake */
	bool stop;
	unsigned int num_threads;
	void (*thread_init)(void);
	void (*thread_exit)(void);
	pthread_t thread[];
};

static struct gaudi_sched *sched_of(struct gaudi_chip *chip)
{
	return &chip->sched;
}

uint64_t gaudi_real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* --- calling a worker ------------------------------------------------- */

static void pool_call(struct gaudi_pool *pool)
{
	/*
	 * Pairs with the worker, which counts itself as sleeping first and then
	 * looks at the cards again: one of us sees the other.
	 */
	if (!atomic_load(&pool->sleeping))
		return;
	gaudi_lock(&pool->lock);
	if (atomic_load(&pool->sleeping)) {
		atomic_fetch_sub(&pool->sleeping, 1);
		pool->calls++;
		pthread_cond_signal(&pool->called);
	}
	gaudi_unlock(&pool->lock);
}

/* Lock held. Something is ready, and no thread is there to run it. */
static void want_worker(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);

	if (s->controllers || s->quiesced || !s->num_ready)
		return;
	if (!chip->pool)
		chip->ops->kick(chip->opaque);
	else if (!atomic_exchange(&s->want_worker, true))
		pool_call(chip->pool);
}

/* --- ready actors ----------------------------------------------------- */

static void set_ready(struct gaudi_sched *s, unsigned int id)
{
	uint64_t bit = 1ull << id % 64;

	if (s->ready[id / 64] & bit)
		return;
	s->ready[id / 64] |= bit;
	s->num_ready++;
}

static void clear_ready(struct gaudi_sched *s, unsigned int id)
{
	s->ready[id / 64] &= ~(1ull << id % 64);
	s->num_ready--;
}

enum which { ANY, LIGHT, HEAVY };

static uint64_t ready_word(const struct gaudi_sched *s, unsigned int i,
			   enum which which)
{
	uint64_t word = s->ready[i];

	if (which == LIGHT)
		word &= s->light[i];
	else if (which == HEAVY)
		word &= ~s->light[i];
	return word;
}

/* The first ready actor from id on, or GAUDI_MAX_ACTORS. */
static unsigned int next_ready(const struct gaudi_sched *s, unsigned int id,
			       enum which which)
{
	uint64_t word;

	for (; id < GAUDI_MAX_ACTORS; id = (id / 64 + 1) * 64) {
		word = ready_word(s, id / 64, which) >> id % 64;
		if (word)
			return id + __builtin_ctzll(word);
	}
	return GAUDI_MAX_ACTORS;
}

/* The next one after the one that ran last of its kind. */
static unsigned int next_in_turn(const struct gaudi_sched *s, enum which which)
{
	unsigned int id = next_ready(s, s->last[which == HEAVY] + 1, which);

	return id < GAUDI_MAX_ACTORS ? id : next_ready(s, 0, which);
}

/* xorshift64: good enough to shuffle, and the same on every host */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/*
 * Short work goes first: it ends jobs, and gives long work to engines that idle
 * meanwhile. But programs may go on for ever, so long work gets its share.
 */
static struct gaudi_actor *pick(struct gaudi_sched *s)
{
	unsigned int id = GAUDI_MAX_ACTORS, skip;

	if (!s->num_ready || s->quiesced)
		return NULL;
	if (s->seed) {
		id = next_ready(s, 0, ANY);
		for (skip = next_random(&s->seed) % s->num_ready; skip; skip--)
			id = next_ready(s, id + 1, ANY);
		return s->actor[id];
	}
	if (s->streak < MAX_STREAK)
		id = next_in_turn(s, LIGHT);
	if (id == GAUDI_MAX_ACTORS)
		id = next_in_turn(s, HEAVY);
	if (id == GAUDI_MAX_ACTORS)
		id = next_in_turn(s, LIGHT);
	return s->actor[id];
}

static struct gaudi_actor *pick_light(struct gaudi_sched *s)
{
	unsigned int id;

	if (!s->num_ready || s->quiesced)
		return NULL;
	id = next_in_turn(s, LIGHT);
	return id < GAUDI_MAX_ACTORS ? s->actor[id] : NULL;
}

/* For a second thread; with a seed, which gives one order, there is none. */
static struct gaudi_actor *pick_heavy(struct gaudi_sched *s)
{
	unsigned int id;

	if (!s->num_ready || s->quiesced || s->seed)
		return NULL;
	id = next_in_turn(s, HEAVY);
	return id < GAUDI_MAX_ACTORS ? s->actor[id] : NULL;
}

static bool is_idle(const struct gaudi_sched *s)
{
	return !s->num_ready && !s->running;
}

static void run_actor(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_sched *s = sched_of(chip);
	uint64_t begin = gaudi_ticks();

	chip->clock.at_ps = 0;
	clear_ready(s, actor->id);
	s->last[!actor->light] = actor->id;
	s->streak = actor->light ? s->streak + 1 : 0;
	s->running++;
	actor->running = true;
	actor->again = false;
	actor->thread = pthread_self();
	s->messages = GAUDI_MESSAGES;
	if (actor->run(chip, actor))
		actor->again = true;
	/* Of the host's time; a port has turns of the model's. */
	if (!chip->clock.on)
		gaudi_trace(chip, GAUDI_TRACE_TURN, actor->id, begin, 0, 0);
	actor->running = false;
	s->running--;
	if (actor->again)
		set_ready(s, actor->id);
	/* Waking a thread costs more than running a short actor. */
	if (s->waiters || (s->idle_waiters && is_idle(s)))
		pthread_cond_broadcast(&s->changed);
}

void gaudi_actor_init(struct gaudi_chip *chip, struct gaudi_actor *actor,
		      const char *name, bool light,
		      bool (*run)(struct gaudi_chip *, struct gaudi_actor *))
{
	struct gaudi_sched *s = sched_of(chip);

	if (s->num_actors == GAUDI_MAX_ACTORS) {
		s->refused++;
		return;
	}
	actor->name = name;
	actor->run = run;
	actor->light = light;
	actor->id = s->num_actors;
	s->actor[s->num_actors++] = actor;
	if (light)
		s->light[actor->id / 64] |= 1ull << actor->id % 64;
}

void gaudi_actor_kick(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	if (actor->running) {
		actor->again = true;
		return;
	}
	set_ready(sched_of(chip), actor->id);
	sched_of(chip)->kicked = true;
	want_worker(chip);
}

/* Lock held. Instead of a worker, by a thread that is none? */
static bool may_run_here(struct gaudi_chip *chip,
			 const struct gaudi_actor *actor)
{
	const struct gaudi_sched *s = sched_of(chip);

	return chip->pool && !s->seed && !s->quiesced && !actor->running;
}

void gaudi_actor_run_here(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_sched *s = sched_of(chip);

	if (!may_run_here(chip, actor)) {
		gaudi_actor_kick(chip, actor);
		return;
	}
	s->controllers++;
	set_ready(s, actor->id);
	run_actor(chip, actor);
	s->controllers--;
	want_worker(chip);
}

void gaudi_actor_prompt(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	sched_of(chip)->prompt = actor;
}

/* Unless another thread is in control, which runs it next. False: there was none. */
static bool run_prompt(struct gaudi_chip *chip)
{
	static _Thread_local bool within;
	struct gaudi_sched *s = sched_of(chip);
	struct gaudi_actor *actor = s->prompt;

	s->prompt = NULL;
	if (!actor || within || s->controllers > 1 ||
	    !may_run_here(chip, actor) || !gaudi_actor_is_ready(chip, actor))
		return false;
	within = true;
	actor->prompt = true;
	run_actor(chip, actor);
	actor->prompt = false;
	within = false;
	return true;
}

bool gaudi_actor_is_ready(const struct gaudi_chip *chip,
			  const struct gaudi_actor *actor)
{
	return actor->running ||
	       chip->sched.ready[actor->id / 64] & 1ull << actor->id % 64;
}

void gaudi_actors_begin(struct gaudi_chip *chip)
{
	sched_of(chip)->controllers++;
	sched_of(chip)->kicked = false;
	sched_of(chip)->prompt = NULL;
	sched_of(chip)->messages = GAUDI_MESSAGES;
	gaudi_clock_host(chip);
}

static void run_inline(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);
	struct gaudi_actor *actor;
	unsigned int runs;
	uint64_t end;

	if (s->kicked && chip->pool) {
		end = gaudi_real_ns() + INLINE_NS;
		s->inlined = true;
		s->inline_bytes = INLINE_BYTES;
		for (runs = 0; runs < INLINE_RUNS; runs++) {
			actor = pick_light(s);
			if (!actor)
				break;
			run_actor(chip, actor);
			if (gaudi_chip_wanted(chip) || gaudi_real_ns() > end)
				break;
		}
		s->inlined = false;
	}
}

void gaudi_actors_end(struct gaudi_chip *chip)
{
	run_inline(chip);
	sched_of(chip)->controllers--;
	want_worker(chip);
}

void gaudi_access_end(struct gaudi_chip *chip)
{
	unsigned int turns;

	run_inline(chip);
	for (turns = 0; turns < PROMPT_TURNS && run_prompt(chip); turns++)
		run_inline(chip);
	sched_of(chip)->controllers--;
	want_worker(chip);
}

void gaudi_bulk_begin(struct gaudi_chip *chip)
{
	sched_of(chip)->controllers--;
	if (chip->pool)
		want_worker(chip);
	gaudi_unlock(&chip->lock);
}

void gaudi_bulk_end_at(struct gaudi_chip *chip, const char *here)
{
	gaudi_chip_lock_at(chip, here);
	sched_of(chip)->controllers++;
}

bool gaudi_visit_begin_at(struct gaudi_chip *chip, const char *here)
{
	struct gaudi_sched *s = sched_of(chip);

	gaudi_chip_lock_at(chip, here);
	if (s->quiesced) {
		gaudi_chip_unlock(chip);
		return false;
	}
	s->running++;
	gaudi_actors_begin(chip);
	return true;
}

void gaudi_visit_end(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);

	gaudi_actors_end(chip);
	s->running--;
	if (s->waiters || (s->idle_waiters && is_idle(s)))
		pthread_cond_broadcast(&s->changed);
	gaudi_chip_unlock(chip);
}

/* --- quiesce, idle ---------------------------------------------------- */

/* Actors that run in other threads than the caller's. */
static unsigned int running_elsewhere(struct gaudi_sched *s)
{
	unsigned int i, n = s->running;

	for (i = 0; n && i < s->num_actors; i++)
		if (s->actor[i]->running &&
		    pthread_equal(s->actor[i]->thread, pthread_self()))
			n--;
	return n;
}

void gaudi_actors_quiesce(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);

	s->quiesced++;
	while (running_elsewhere(s))
		gaudi_actors_wait(chip);
}

void gaudi_actors_wait(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);

	s->waiters++;
	gaudi_cond_wait(&s->changed, &chip->lock);
	s->waiters--;
}

void gaudi_actors_notify(struct gaudi_chip *chip)
{
	if (sched_of(chip)->waiters)
		pthread_cond_broadcast(&sched_of(chip)->changed);
}

void gaudi_actors_resume(struct gaudi_chip *chip)
{
	sched_of(chip)->quiesced--;
	want_worker(chip);
}

bool gaudi_chip_wait_idle(struct gaudi_chip *chip, unsigned int timeout_ms)
{
	struct gaudi_sched *s = sched_of(chip);
	struct timespec end;
	int err = 0;
	bool idle;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += timeout_ms / 1000;
	end.tv_nsec += timeout_ms % 1000 * 1000000l;
	if (end.tv_nsec >= 1000000000l) {
		end.tv_nsec -= 1000000000l;
		end.tv_sec++;
	}
	gaudi_chip_lock(chip);
	s->idle_waiters++;
	while (!is_idle(s) && !err)
		err = gaudi_cond_timedwait(&s->changed, &chip->lock, &end);
	s->idle_waiters--;
	idle = is_idle(s);
	gaudi_chip_unlock(chip);
	return idle;
}

void gaudi_sched_forget(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);

	memset(s->ready, 0, sizeof(s->ready));
	s->num_ready = 0;
}

/* --- running a card's actors ------------------------------------------ */

void gaudi_work_done(struct gaudi_chip *chip, uint64_t bytes)
{
	sched_of(chip)->work += bytes;
}

uint64_t gaudi_busy_begin(struct gaudi_chip *chip)
{
	return chip->pool ? gaudi_real_ns() : 0;
}

void gaudi_busy_end(struct gaudi_chip *chip, uint64_t begin, uint64_t own_ps)
{
	if (chip->pool) {
		chip->busy_ns += gaudi_real_ns() - begin;
		return;
	}
	own_ps += chip->busy_ps;
	chip->busy_ns += own_ps / 1000;
	chip->busy_ps = own_ps % 1000;
}

/*
 * Runs ready actors, at most runs of them. visit: for a worker, which stays as
 * long as a visit is; while another thread is in control of the card, it runs
 * only heavy ones, which leave the lock at once (sleeping and waking takes
 * longer than many a turn). Without visit the bytes that they copied count.
 */
static void run_ready(struct gaudi_chip *chip, unsigned int runs, bool visit)
{
	uint64_t end = visit ? gaudi_real_ns() + NS_PER_VISIT : 0, work;
	struct gaudi_sched *s = sched_of(chip);
	struct gaudi_actor *actor;

	gaudi_chip_lock(chip);
	s->controllers++;
	while (runs) {
		actor = visit && s->controllers > 1 ? pick_heavy(s) : pick(s);
		if (!actor)
			break;
		s->work = 0;
		run_actor(chip, actor);
		runs--;
		work = visit ? 0 : s->work / BYTES_PER_RUN;
		runs -= work < runs ? work : runs;
		/* Interrupts go out, and the guest's accesses get a turn. */
		gaudi_chip_yield(chip);
		if (visit && gaudi_real_ns() > end)
			break;
	}
	s->controllers--;
	want_worker(chip);
	gaudi_chip_unlock(chip);
}

void gaudi_chip_run(struct gaudi_chip *chip)
{
	gaudi_chip_run_some(chip, RUNS_PER_CALL);
}

void gaudi_chip_run_some(struct gaudi_chip *chip, unsigned int runs)
{
	if (chip->pool)
		return;
	gaudi_call_begin(chip->calls, GAUDI_CALL_RUN, runs, 0, 0, 0);
	run_ready(chip, runs, false);
	gaudi_call_end(chip->calls, 0);
}

/* --- workers ---------------------------------------------------------- */

/* Pool's lock held. Takes turns: the card that is found goes to the end. */
static struct gaudi_chip *find_card(struct gaudi_pool *pool)
{
	struct gaudi_chip **link = &pool->chips, *chip;

	while (*link && !atomic_exchange(&sched_of(*link)->want_worker, false))
		link = &sched_of(*link)->next;
	chip = *link;
	if (!chip)
		return NULL;
	*link = sched_of(chip)->next;
	while (*link)
		link = &sched_of(*link)->next;
	*link = chip;
	sched_of(chip)->next = NULL;
	sched_of(chip)->users++;
	return chip;
}

static struct gaudi_chip *find_card_or_sleep(struct gaudi_pool *pool)
{
	struct gaudi_chip *chip = find_card(pool);

	if (chip)
		return chip;
	atomic_fetch_add(&pool->sleeping, 1);
	chip = find_card(pool);
	if (chip) {
		atomic_fetch_sub(&pool->sleeping, 1);
		return chip;
	}
	while (!pool->calls && !pool->stop)
		gaudi_cond_wait(&pool->called, &pool->lock);
	/* The caller has taken us off the sleepers, but a stop has not. */
	if (pool->calls)
		pool->calls--;
	else
		atomic_fetch_sub(&pool->sleeping, 1);
	return NULL;
}

static void *worker(void *arg)
{
	struct gaudi_pool *pool = arg;
	struct gaudi_chip *chip;

	if (pool->thread_init)
		pool->thread_init();
	gaudi_lock(&pool->lock);
	while (!pool->stop) {
		chip = find_card_or_sleep(pool);
		if (!chip)
			continue;
		gaudi_unlock(&pool->lock);
		run_ready(chip, RUNS_PER_VISIT, true);
		gaudi_lock(&pool->lock);
		if (!--sched_of(chip)->users)
			pthread_cond_broadcast(&pool->left);
	}
	gaudi_unlock(&pool->lock);
	if (pool->thread_exit)
		pool->thread_exit();
	return NULL;
}

static unsigned int host_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static int start_threads(struct gaudi_pool *pool, unsigned int threads)
{
	sigset_t all, old;
	char name[16];
	int err = 0;

	/* Signals are for the host's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (pool->num_threads < threads && !err) {
		err = pthread_create(&pool->thread[pool->num_threads], NULL,
				     worker, pool);
		if (err)
			break;
		snprintf(name, sizeof(name), "gaudi-%u", pool->num_threads);
		pthread_setname_np(pool->thread[pool->num_threads++], name);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

struct gaudi_pool *gaudi_pool_new(unsigned int threads,
				  void (*thread_init)(void),
				  void (*thread_exit)(void), int *err)
{
	unsigned int cores = host_cores();
	struct gaudi_pool *pool;

	if (!threads || threads > cores)
		threads = cores;
	pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->thread[0]));
	if (!pool) {
		*err = -ENOMEM;
		return NULL;
	}
	gaudi_lock_init(&pool->lock, GAUDI_LOCK_POOL);
	pthread_cond_init(&pool->called, NULL);
	pthread_cond_init(&pool->left, NULL);
	pool->thread_init = thread_init;
	pool->thread_exit = thread_exit;
	*err = start_threads(pool, threads);
	if (*err) {
		gaudi_pool_free(pool);
		return NULL;
	}
	return pool;
}

void gaudi_pool_free(struct gaudi_pool *pool)
{
	unsigned int i;

	if (!pool)
		return;
	gaudi_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->called);
	gaudi_unlock(&pool->lock);
	for (i = 0; i < pool->num_threads; i++)
		pthread_join(pool->thread[i], NULL);
	pthread_cond_destroy(&pool->left);
	pthread_cond_destroy(&pool->called);
	gaudi_lock_destroy(&pool->lock);
	free(pool);
}

/* --- cards come and go ------------------------------------------------ */

void gaudi_sched_init(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);
	struct gaudi_pool *pool = chip->pool;
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attr);
	pthread_condattr_destroy(&attr);
	s->seed = chip->config.sched_seed;
	if (!pool)
		return;
	gaudi_lock(&pool->lock);
	s->next = pool->chips;
	pool->chips = chip;
	gaudi_unlock(&pool->lock);
}

void gaudi_sched_fini(struct gaudi_chip *chip)
{
	struct gaudi_sched *s = sched_of(chip);
	struct gaudi_pool *pool = chip->pool;
	struct gaudi_chip **link;

	if (pool) {
		gaudi_lock(&pool->lock);
		while (s->users)
			gaudi_cond_wait(&pool->left, &pool->lock);
		for (link = &pool->chips; *link != chip;)
			link = &sched_of(*link)->next;
		*link = s->next;
		gaudi_unlock(&pool->lock);
	}
	pthread_cond_destroy(&s->changed);
}
