// SPDX-License-Identifier: MIT
/*
 * The threads of gaudi-copy.
 *
 * The reader fills a free slot, hashes it and submits its first leg. One
 * thread per leg waits for that leg of chunk after chunk and submits the next
 * leg; the last one hashes what came back and frees the slot. So every leg has
 * several chunks in its queue. The main thread shows the progress and looks
 * for signals.
 *
 * When something fails or the user interrupts, nothing new is submitted, but
 * what is under way is waited for: only then may its memory go.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "copy.h"
#include "text.h"
#include "../../deadline.h"

#define WAIT_SLICE_US	500000
#define INPUT_SLICE_MS	100
#define SHOW_MS		100
/* Nobody waits longer for stuck work; the driver resets the card at close(). */
#define DRAIN_SECONDS	60

struct pipeline {
	struct rig *rig;
	const struct source *src;
	struct result *result;
	EVP_MD_CTX *sha_in;
	EVP_MD_CTX *sha_out;

	pthread_mutex_t lock;	/* of everything below */
	pthread_cond_t changed;
	uint64_t submitted[NUM_LEGS];	/* chunks, since the beginning */
	bool ended[NUM_LEGS];	/* nothing more will be submitted */
	double end[NUM_LEGS];	/* of the leg's last work */
	uint64_t freed;		/* chunks that left their slots */
	uint64_t arrived;	/* bytes */
	int threads;
	int rc;			/* the first error */
	bool stop;
};

struct stage {
	struct pipeline *pipe;
	enum leg leg;
};

static volatile sig_atomic_t signalled;

static void on_signal(int sig)
{
	signalled = sig;
}

bool interrupted(void)
{
	return signalled;
}

void catch_signals(void)
{
	const struct sigaction sa = {
		.sa_handler = on_signal,
		.sa_flags = (int)SA_RESETHAND,	/* the second one kills */
	};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static struct slot *slot_of(struct pipeline *p, uint64_t chunk)
{
	return &p->rig->slots[chunk % p->rig->depth];
}

static void fail(struct pipeline *p, int rc)
{
	pthread_mutex_lock(&p->lock);
	if (!p->rc)
		p->rc = rc;
	p->stop = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static bool stopped(struct pipeline *p)
{
	bool stop;

	pthread_mutex_lock(&p->lock);
	stop = p->stop;
	pthread_mutex_unlock(&p->lock);

	return stop;
}

/* Submit, and let the leg's thread know. */
static void send(struct pipeline *p, uint64_t chunk, enum leg leg)
{
	int rc;

	rc = rig_submit(p->rig, slot_of(p, chunk), leg);
	if (rc) {
		fail(p, rc);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->submitted[leg]++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* The leg was busy from the submission, or the end of the work before it, on. */
static void leg_done(struct pipeline *p, struct slot *slot, enum leg leg)
{
	double begin;

	pthread_mutex_lock(&p->lock);
	begin = slot->begin[leg] > p->end[leg] ? slot->begin[leg] :
						 p->end[leg];
	if (slot->end[leg] > begin) {
		p->result->leg_seconds[leg] += slot->end[leg] - begin;
		p->end[leg] = slot->end[leg];
	}
	p->result->leg_bytes[leg] += slot->bytes;
	pthread_mutex_unlock(&p->lock);
}

static void no_more(struct pipeline *p, enum leg leg)
{
	pthread_mutex_lock(&p->lock);
	p->ended[leg] = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* Whether there will be a chunk with this number on the leg. */
static bool next_on_leg(struct pipeline *p, uint64_t chunk, enum leg leg)
{
	bool there;

	pthread_mutex_lock(&p->lock);
	while (p->submitted[leg] <= chunk && !p->ended[leg])
		pthread_cond_wait(&p->changed, &p->lock);
	there = p->submitted[leg] > chunk;
	pthread_mutex_unlock(&p->lock);

	return there;
}

static int wait_chunk(struct pipeline *p, struct slot *slot, enum leg leg)
{
	double give_up = 0;
	int rc;

	for (;;) {
		rc = rig_wait(p->rig, slot, leg, WAIT_SLICE_US);
		if (rc != 1)
			return rc;
		if (!stopped(p))
			continue;
		if (!give_up)
			give_up = now() + DRAIN_SECONDS;
		else if (now() > give_up)
			return -ETIMEDOUT;
	}
}

static int write_all(int fd, const uint8_t *buf, size_t size)
{
	while (size) {
		ssize_t n = write(fd, buf, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		buf += n;
		size -= (size_t)n;
	}

	return 0;
}

/* What came back: hash it, hand it on, free its slot. */
static void receive(struct pipeline *p, struct slot *slot)
{
	int rc = 0;

	if (!EVP_DigestUpdate(p->sha_out, slot->out, slot->bytes))
		rc = -EIO;
	if (!rc && p->src->out_fd >= 0) {
		rc = write_all(p->src->out_fd, slot->out, slot->bytes);
		if (rc)
			complain("cannot write the output: %s", strerror(-rc));
	}
	if (rc) {
		fail(p, rc);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->arrived += slot->bytes;
	p->freed++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void thread_ends(struct pipeline *p)
{
	pthread_mutex_lock(&p->lock);
	p->threads--;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void *leg_thread(void *arg)
{
	struct stage *stage = arg;
	struct pipeline *p = stage->pipe;
	enum leg leg = stage->leg;
	uint64_t chunk;
	int rc;

	for (chunk = 0; next_on_leg(p, chunk, leg); chunk++) {
		struct slot *slot = slot_of(p, chunk);

		rc = wait_chunk(p, slot, leg);
		if (rc) {
			fail(p, rc);
			continue;
		}
		leg_done(p, slot, leg);
		if (stopped(p))
			continue;
		if (leg == LEG_DOWN)
			receive(p, slot);
		else
			send(p, chunk, leg + 1);
	}
	if (leg != LEG_DOWN)
		no_more(p, leg + 1);
	thread_ends(p);

	return NULL;
}

/* A pipe may stay empty for ever: look now and then whether to stop. */
static bool wait_for_input(struct pipeline *p)
{
	struct pollfd pfd = { .fd = p->src->fd, .events = POLLIN };

	while (!stopped(p))
		if (poll(&pfd, 1, INPUT_SLICE_MS))
			return true;	/* or an error that read() will tell */

	return false;
}

/* Fill the slot as far as there is input: bytes, or a negative errno. */
static ssize_t fill(struct pipeline *p, struct slot *slot)
{
	size_t have = 0;

	while (have < p->rig->chunk && wait_for_input(p)) {
		ssize_t n = read(p->src->fd, slot->in + have,
				 p->rig->chunk - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			complain("%s: %s", p->src->name, strerror(errno));
			return -errno;
		}
		if (!n)
			break;
		have += (size_t)n;
	}

	return (ssize_t)have;
}

static bool wait_for_slot(struct pipeline *p, uint64_t chunk)
{
	bool go;

	pthread_mutex_lock(&p->lock);
	while (chunk >= p->freed + p->rig->depth && !p->stop)
		pthread_cond_wait(&p->changed, &p->lock);
	go = !p->stop;
	pthread_mutex_unlock(&p->lock);

	return go;
}

static void *reader_thread(void *arg)
{
	struct pipeline *p = arg;
	uint64_t chunk;

	for (chunk = 0; wait_for_slot(p, chunk); chunk++) {
		struct slot *slot = slot_of(p, chunk);
		ssize_t n = fill(p, slot);

		if (n < 0 || (n && !EVP_DigestUpdate(p->sha_in, slot->in,
						     (size_t)n))) {
			fail(p, n < 0 ? (int)n : -EIO);
			break;
		}
		if (!n || stopped(p))
			break;
		slot->bytes = (uint32_t)n;
		p->result->bytes += (uint64_t)n;
		p->result->chunks++;
		send(p, chunk, LEG_UP);
	}
	no_more(p, LEG_UP);
	thread_ends(p);

	return NULL;
}

/* Show the progress until all threads have ended. */
static void watch(struct pipeline *p)
{
	struct progress progress;
	struct timespec until;

	progress_begin(&progress, p->src->size, p->src->quiet);
	pthread_mutex_lock(&p->lock);
	while (p->threads) {
		uint64_t arrived = p->arrived;

		if (interrupted() && !p->stop) {
			p->stop = true;
			p->rc = p->rc ? p->rc : -EINTR;
			pthread_cond_broadcast(&p->changed);
		}
		pthread_mutex_unlock(&p->lock);
		progress_show(&progress, arrived);
		pthread_mutex_lock(&p->lock);

		if (!p->threads)
			break;
		until = deadline_in_ms(SHOW_MS);
		pthread_cond_timedwait(&p->changed, &p->lock, &until);
	}
	pthread_mutex_unlock(&p->lock);
	progress_end(&progress, p->arrived);
}

/* With the signals blocked, so that only the main thread gets them. */
static int start(struct pipeline *p, pthread_t *threads, struct stage *stages)
{
	int n = 0;
	int rc;

	p->threads = NUM_LEGS + 1;
	for (n = 0; n <= NUM_LEGS; n++) {
		if (n == NUM_LEGS) {
			rc = pthread_create(&threads[n], NULL, reader_thread,
					    p);
		} else {
			stages[n] = (struct stage) { p, (enum leg)n };
			rc = pthread_create(&threads[n], NULL, leg_thread,
					    &stages[n]);
		}
		if (rc)
			break;
	}
	if (n > NUM_LEGS)
		return n;

	complain("cannot start a thread: %s", strerror(rc));
	fail(p, -rc);
	pthread_mutex_lock(&p->lock);
	p->threads = n;
	p->ended[LEG_UP] = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);

	return n;
}

static void digest_text(EVP_MD_CTX *ctx, char *out)
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned int len = 0;

	if (!EVP_DigestFinal_ex(ctx, md, &len))
		len = 0;
	*out = '\0';
	for (unsigned int i = 0; i < len && 2 * i + 2 < DIGEST_TEXT; i++)
		snprintf(out + 2 * i, 3, "%02x", md[i]);
}

static void run(struct pipeline *p)
{
	pthread_t threads[NUM_LEGS + 1];
	struct stage stages[NUM_LEGS];
	sigset_t set, old;
	double begin;
	int n;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, &old);

	begin = now();
	n = start(p, threads, stages);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	watch(p);
	while (n)
		pthread_join(threads[--n], NULL);
	p->result->seconds = now() - begin;
}

int pipeline_run(struct rig *rig, const struct source *src,
		 struct result *result)
{
	struct pipeline p = {
		.rig = rig,
		.src = src,
		.result = result,
		.sha_in = EVP_MD_CTX_new(),
		.sha_out = EVP_MD_CTX_new(),
	};

	memset(result, 0, sizeof(*result));
	if (!p.sha_in || !p.sha_out ||
	    !EVP_DigestInit_ex(p.sha_in, EVP_sha256(), NULL) ||
	    !EVP_DigestInit_ex(p.sha_out, EVP_sha256(), NULL)) {
		complain("cannot compute SHA-256");
		p.rc = -ENOMEM;
	} else {
		pthread_mutex_init(&p.lock, NULL);
		pthread_cond_init(&p.changed, NULL);
		run(&p);
		pthread_cond_destroy(&p.changed);
		pthread_mutex_destroy(&p.lock);
		digest_text(p.sha_in, result->sha_in);
		digest_text(p.sha_out, result->sha_out);
	}
	EVP_MD_CTX_free(p.sha_in);
	EVP_MD_CTX_free(p.sha_out);

	return p.rc;
}
