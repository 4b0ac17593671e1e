// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the card and a driver do per second, seen by a program in the guest.
 *
 *   guest_bench compare ROUNDS   all measurements, on each driver in turns,
 *                                and of eight processes that share gaudi.ko's
 *   guest_bench crowd            only those of the eight, once
 *   guest_bench touch MIB        fill so much HBM, then wait
 *
 * Speaks with the part of the bench that started it: prints one JSON object
 * per sample, {"driver", "what", "value"}, and then waits for a line on
 * standard input, so that the host can measure itself while the card is idle.
 * Judges nothing. Raw mainline uAPI, with the helpers of the selftests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../selftests/lib/gaudi_test.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MIB		(1ull << 20)
#define GB		1e9
#define HBM		0x20000000ull	/* first byte of a user's HBM */
#define SOB		48
#define MONITOR		41
#define TIMEOUT_US	60000000ull

/* One leg moves AREA bytes per submission, DEPTH submissions in flight. */
#define AREA		(64 * MIB)
#define SRAM_AREA	(8 * MIB)
#define HOST_SIZE	(AREA + MIB)
#define DEPTH		4
#define SAMPLES		4	/* of each, each time a driver is bound */
#define EMPTY_JOBS	512
#define ROUND_TRIPS	200
#define MAP_AREA	(32 * MIB)
#define HUGE		(2 * MIB)
#define CROWD		8	/* processes in shared mode */
#define CROWD_AREA	(8 * MIB)	/* that each of them maps */

/* A context of a driver, and what a leg uses again and again. */
struct bench {
	const char *driver;
	int fd;
	struct gt_cb cb;
	char *host;		/* HOST_SIZE: AREA for data, then CBs */
	uint64_t va;		/* the same, as the card sees it */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	fputs("guest_bench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static void check(int ret, const char *what)
{
	if (ret)
		die("%s: %s", what, strerror(-ret));
}

static void await_host(void)
{
	char line[80];

	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(0);
}

static void sample(const struct bench *b, const char *what, double value)
{
	printf("{\"driver\": \"%s\", \"what\": \"%s\", \"value\": %.9g}\n",
	       b->driver, what, value);
	await_host();
}

/* --- drivers ------------------------------------------------------------ */

/* The card's name on the PCI bus. */
static const char *card_name(void)
{
	static char name[64];
	char path[256], id[32];
	size_t i, len;
	glob_t found;
	FILE *file;

	if (glob("/sys/bus/pci/devices/*/device", 0, NULL, &found))
		die("no PCI");
	for (i = 0; i < found.gl_pathc && !*name; i++) {
		file = fopen(found.gl_pathv[i], "r");
		len = file ? fread(id, 1, sizeof(id) - 1, file) : 0;
		id[len] = 0;
		if (file)
			fclose(file);
		if (strcmp(id, "0x1000\n"))
			continue;
		snprintf(path, sizeof(path), "%s", found.gl_pathv[i]);
		*strrchr(path, '/') = 0;
		snprintf(name, sizeof(name), "%s", strrchr(path, '/') + 1);
	}
	globfree(&found);
	if (!*name)
		die("no Gaudi card");
	return name;
}

static int write_file(const char *path, const char *text)
{
	int err = 0, fd = open(path, O_WRONLY);

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void unbind(void)
{
	char path[256];
	int err;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver/unbind",
		 card_name());
	err = write_file(path, card_name());
	if (err && err != -ENOENT)
		check(err, "unbind");
}

/* Seconds until the driver has the card and says Operational. */
static double bind(const char *driver)
{
	char path[256];
	double start;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override",
		 card_name());
	check(write_file(path, driver), path);
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/bind", driver);
	start = now();
	check(write_file(path, card_name()), path);
	check(gt_wait_operational(60), "the card is not Operational");
	return now() - start;
}

static void bench_open(struct bench *b)
{
	b->fd = gt_open();
	if (b->fd < 0)
		check(b->fd, "open");
	check(gt_cb_create(b->fd, MIB / 4, &b->cb), "create a CB");
	b->host = gt_alloc(HOST_SIZE);
	if (!b->host)
		die("no memory");
	memset(b->host, 0x5a, HOST_SIZE);
	check(gt_map_host(b->fd, b->host, HOST_SIZE,
			  &b->va), "map host memory");
}

static void bench_close(struct bench *b)
{
	check(gt_unmap(b->fd, b->va), "unmap");
	check(gt_cb_destroy(b->fd, &b->cb), "destroy the CB");
	close(b->fd);
	munmap(b->host, HOST_SIZE);
}

static void wait_for(struct bench *b, uint64_t seq)
{
	uint32_t status;

	check(gt_wait(b->fd, seq, TIMEOUT_US, &status), "wait");
	if (status != HL_WAIT_CS_STATUS_COMPLETED)
		die("submission %llu has status %u",
		    (unsigned long long)seq, status);
}

/* --- copies ------------------------------------------------------------- */

/* LIN_DMA packets for AREA bytes; both sides start again after their span. */
static char *put_area(char *p, uint64_t src, uint64_t src_span, uint64_t dst,
		      uint64_t dst_span, uint32_t block)
{
	uint64_t off;

	for (off = 0; off < AREA; off += block)
		p += gt_pkt_lin_dma(p, src + off % src_span,
				    dst + off % dst_span, block, 0);
	return p;
}

/* GB/s of a PCI queue: DEPTH command submissions in flight. */
static double pci_leg(struct bench *b, uint32_t queue, uint64_t src,
		      uint64_t dst, uint32_t block)
{
	uint64_t seq;
	double start;
	int i;

	b->cb.len = put_area(b->cb.map, src, AREA, dst, AREA, block) -
		    (char *)b->cb.map;
	start = now();
	for (i = 0; i < DEPTH; i++)
		check(gt_submit(b->fd, queue, &b->cb, &seq), "submit");
	wait_for(b, seq);
	return DEPTH * AREA / (now() - start) / GB;
}

/*
 * GB/s of an internal queue. Its command buffer is in host memory; a sync
 * object tells a PCI queue that all is done, as internal queues complete
 * nothing themselves.
 */
static double internal_leg(struct bench *b, uint32_t queue, uint64_t src,
			   uint64_t src_span, uint64_t dst, uint64_t dst_span)
{
	struct hl_cs_chunk chunks[2] = { 0 };
	char *upper = b->host + AREA, *lower = upper + 4096, *p = lower;
	uint64_t seq;
	double start;
	int i;

	for (i = 0; i < DEPTH; i++)
		p = put_area(p, src, src_span, dst, dst_span, MIB);
	p += gt_pkt_msg_long(p, SOB_E_N(SOB), 1, EB | MB);
	gt_pkt_cp_dma(upper, b->va + AREA + 4096, (uint32_t)(p - lower));

	p = b->cb.map;
	p += gt_pkt_monitor(p, MONITOR, SOB, 1, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	p += gt_pkt_msg_long(p, SOB_E_N(SOB), 0, EB | MB);
	chunks[0].cb_handle = b->va + AREA;
	chunks[0].cb_size = 16;
	chunks[0].queue_index = queue;
	chunks[1].cb_handle = b->cb.handle;
	chunks[1].cb_size = (uint32_t)(p - (char *)b->cb.map);
	chunks[1].queue_index = GAUDI_QUEUE_ID_DMA_0_0;
	start = now();
	check(gt_submit_chunks(b->fd, chunks, 2, 0, &seq), "submit");
	wait_for(b, seq);
	return DEPTH * AREA / (now() - start) / GB;
}

/* Every word another, all depend on the seed. */
static uint64_t word(uint64_t i, uint64_t seed)
{
	return (i + seed) * 0x9e3779b97f4a7c15ull;
}

static void fill(void *area, uint64_t seed)
{
	uint64_t *p = area, i;

	for (i = 0; i < AREA / 8; i++)
		p[i] = word(i, seed);
}

static bool filled(const void *area, uint64_t seed)
{
	const uint64_t *p = area;
	uint64_t i;

	for (i = 0; i < AREA / 8 && p[i] == word(i, seed); i++)
		;
	return i == AREA / 8;
}

/*
 * All legs once before they are timed: the first use of a page costs its
 * allocation, and what is fast has to be right too.
 */
static void prove_copies(struct bench *b, uint64_t sram, uint64_t to)
{
	static uint64_t seed = 1;
	char *last = malloc(SRAM_AREA);
	uint64_t off;

	if (!last)
		die("no memory");
	fill(b->host, seed);
	pci_leg(b, GAUDI_QUEUE_ID_DMA_0_0, b->va, HBM, MIB);
	internal_leg(b, GAUDI_QUEUE_ID_DMA_3_0, HBM, AREA, sram, SRAM_AREA);
	internal_leg(b, GAUDI_QUEUE_ID_DMA_2_0, HBM, AREA, to, AREA);
	memset(b->host, 0, AREA);
	pci_leg(b, GAUDI_QUEUE_ID_DMA_1_0, to, b->va, MIB);
	if (!filled(b->host, seed++))
		die("%s: copied data differ", b->driver);
	/* SRAM holds the last part of it. */
	memcpy(last, b->host + AREA - SRAM_AREA, SRAM_AREA);
	internal_leg(b, GAUDI_QUEUE_ID_DMA_4_0, sram, SRAM_AREA, to, AREA);
	pci_leg(b, GAUDI_QUEUE_ID_DMA_1_0, to, b->va, MIB);
	for (off = 0; off < AREA; off += SRAM_AREA)
		if (memcmp(b->host + off, last, SRAM_AREA))
			die("%s: data copied through SRAM differ", b->driver);
	free(last);
}

static void legs(struct bench *b, uint64_t sram, uint64_t to)
{
	sample(b, "host->HBM 1 MiB",
	       pci_leg(b, GAUDI_QUEUE_ID_DMA_0_0, b->va, HBM, MIB));
	sample(b, "host->HBM 16 MiB",
	       pci_leg(b, GAUDI_QUEUE_ID_DMA_0_1, b->va, HBM, 16 * MIB));
	sample(b, "HBM->host 1 MiB",
	       pci_leg(b, GAUDI_QUEUE_ID_DMA_1_0, HBM, b->va, MIB));
	sample(b, "HBM->host 16 MiB",
	       pci_leg(b, GAUDI_QUEUE_ID_DMA_1_1, HBM, b->va, 16 * MIB));
	sample(b, "HBM->HBM 1 MiB",
	       internal_leg(b, GAUDI_QUEUE_ID_DMA_2_0, HBM, AREA, to, AREA));
	sample(b, "HBM->SRAM 1 MiB",
	       internal_leg(b, GAUDI_QUEUE_ID_DMA_3_0, HBM, AREA, sram,
			    SRAM_AREA));
	sample(b, "SRAM->HBM 1 MiB",
	       internal_leg(b, GAUDI_QUEUE_ID_DMA_4_0, sram, SRAM_AREA, to,
			    AREA));
}

static void bench_copies(struct bench *b)
{
	const uint64_t sram = SRAM_BASE + 4 * MIB, to = HBM + 2 * AREA;
	int i;

	prove_copies(b, sram, to);
	for (i = 0; i < SAMPLES; i++)
		legs(b, sram, to);
}

/* --- submissions -------------------------------------------------------- */

static double empty_rate(struct bench *b)
{
	double start = now();
	uint64_t seq;
	int i;

	for (i = 0; i < EMPTY_JOBS; i++)
		check(gt_submit(b->fd, GAUDI_QUEUE_ID_DMA_0_2, &b->cb, &seq),
		      "submit");
	wait_for(b, seq);
	return EMPTY_JOBS / (now() - start);
}

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* The median, in microseconds. */
static double round_trip(struct bench *b)
{
	double us[ROUND_TRIPS], start;
	uint64_t seq;
	int i;

	for (i = 0; i < ROUND_TRIPS; i++) {
		start = now();
		check(gt_submit(b->fd, GAUDI_QUEUE_ID_DMA_0_3, &b->cb, &seq),
		      "submit");
		wait_for(b, seq);
		us[i] = (now() - start) * 1e6;
	}
	qsort(us, ROUND_TRIPS, sizeof(us[0]), compare_doubles);
	return us[ROUND_TRIPS / 2];
}

static void bench_submissions(struct bench *b)
{
	int i;

	b->cb.len = gt_pkt_nop(b->cb.map, 0);
	for (i = 0; i < SAMPLES; i++) {
		sample(b, "empty CS", empty_rate(b));
		sample(b, "submit to wait", round_trip(b));
	}
}

/* --- memory ------------------------------------------------------------- */

#define MAPS		4

/* Pages per second, mapped and unmapped again. */
static double map_rate(struct bench *b, char *area, size_t size, uint64_t page)
{
	double start = now();
	uint64_t va;
	int i;

	for (i = 0; i < MAPS; i++) {
		check(gt_map_host(b->fd, area, size, &va), "map");
		check(gt_unmap(b->fd, va), "unmap");
	}
	return MAPS * (size / page) / (now() - start);
}

/* Memory in pages of 2 MiB, or in none of them. */
static char *paged(size_t size, bool huge)
{
	char *p = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("no memory");
	p += -(uintptr_t)p % HUGE;
	if (madvise(p, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		die("madvise: %s", strerror(errno));
	memset(p, 0x5a, size);
	return p;
}

static void bench_memory(struct bench *b)
{
	static char *small, *huge;
	int i;

	if (!small) {
		small = paged(MAP_AREA, false);
		huge = paged(MAP_AREA, true);
	}
	for (i = 0; i < SAMPLES; i++) {
		sample(b, "map 4 KiB", map_rate(b, small, MAP_AREA, 4096));
		sample(b, "map 2 MiB", map_rate(b, huge, MAP_AREA, HUGE));
	}
}

/* --- eight processes in shared mode ------------------------------------- */

static const struct crowd_job {
	const char *what;
	uint64_t count;		/* what one process does of it */
	bool time;		/* microseconds each, else how many a second */
} crowd_jobs[] = {
	{ "empty CS x8", EMPTY_JOBS, false },
	{ "submit to wait x8", ROUND_TRIPS, true },
	{ "map 4 KiB x8", MAPS * CROWD_AREA / 4096, false },
	{ "map 2 MiB x8", MAPS * CROWD_AREA / HUGE, false },
};

struct crowd {
	pthread_barrier_t start, done;
	double end[CROWD];
};

static void crowd_job(struct bench *b, unsigned int job, char *small,
		      char *huge)
{
	switch (job) {
	case 0:
		empty_rate(b);
		break;
	case 1:
		round_trip(b);
		break;
	case 2:
		map_rate(b, small, CROWD_AREA, 4096);
		break;
	default:
		map_rate(b, huge, CROWD_AREA, HUGE);
	}
}

static void crowd_process(struct crowd *crowd, unsigned int me)
{
	char *small = paged(CROWD_AREA, false), *huge = paged(CROWD_AREA, true);
	struct bench b = { .driver = "gaudi" };
	unsigned int i, job;

	b.fd = gt_open();
	if (b.fd < 0)
		check(b.fd, "open");
	check(gt_cb_create(b.fd, MIB / 4, &b.cb), "create a CB");
	b.cb.len = gt_pkt_nop(b.cb.map, 0);
	for (i = 0; i < SAMPLES; i++) {
		for (job = 0; job < ARRAY_SIZE(crowd_jobs); job++) {
			pthread_barrier_wait(&crowd->start);
			crowd_job(&b, job, small, huge);
			crowd->end[me] = now();
			pthread_barrier_wait(&crowd->done);
		}
	}
	exit(0);
}

/* One that dies would be waited for by all others. */
static void crowd_ended(int sig)
{
	int status;

	(void)sig;
	while (waitpid(-1, &status, WNOHANG) > 0)
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			_exit(1);
}

static double crowd_measure(struct crowd *crowd, const struct crowd_job *job)
{
	double start, end = 0;
	int i;

	start = now();
	pthread_barrier_wait(&crowd->start);
	pthread_barrier_wait(&crowd->done);
	for (i = 0; i < CROWD; i++)
		end = crowd->end[i] > end ? crowd->end[i] : end;
	if (job->time)
		return (end - start) * 1e6 / (CROWD * job->count);
	return CROWD * job->count / (end - start);
}

static void bench_crowd(struct bench *b)
{
	pthread_barrierattr_t attr;
	struct crowd *crowd;
	unsigned int i, job;

	crowd = mmap(NULL, sizeof(*crowd), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crowd == MAP_FAILED)
		die("no memory");
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&crowd->start, &attr, CROWD + 1);
	pthread_barrier_init(&crowd->done, &attr, CROWD + 1);
	signal(SIGCHLD, crowd_ended);
	fflush(stdout);
	for (i = 0; i < CROWD; i++)
		if (!fork())
			crowd_process(crowd, i);
	for (i = 0; i < SAMPLES; i++)
		for (job = 0; job < ARRAY_SIZE(crowd_jobs); job++)
			sample(b, crowd_jobs[job].what,
			       crowd_measure(crowd, &crowd_jobs[job]));
	/* Nobody may have the card open when it is unbound. */
	signal(SIGCHLD, SIG_DFL);
	while (wait(NULL) > 0)
		;
	munmap(crowd, sizeof(*crowd));
}

/* --- commands ----------------------------------------------------------- */

/* The same module with another parameter; the card is bound to nobody then. */
static void load_gaudi(bool shared)
{
	char path[256];

	unbind();
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override",
		 card_name());
	check(write_file(path, "nobody"), path);
	if (system(shared ? "rmmod gaudi && modprobe gaudi shared=1" :
			    "rmmod gaudi && modprobe gaudi shared=0"))
		die("gaudi.ko does not load again");
}

static void compare_crowd(void)
{
	struct bench b = { .driver = "gaudi" };

	load_gaudi(true);
	bind(b.driver);
	bench_crowd(&b);
	load_gaudi(false);
}

static void compare(int rounds)
{
	static const char *const drivers[] = { "gaudi", "habanalabs" };
	struct bench b = { 0 };
	unsigned int i;

	for (; rounds > 0; rounds--) {
		for (i = 0; i < ARRAY_SIZE(drivers); i++) {
			b.driver = drivers[i];
			unbind();
			sample(&b, "probe", bind(b.driver));
			bench_open(&b);
			bench_copies(&b);
			bench_submissions(&b);
			bench_memory(&b);
			bench_close(&b);
		}
		compare_crowd();
	}
}

static void touch(unsigned int mib)
{
	struct bench b = { .driver = "" };
	unsigned int i;
	char *p;

	bench_open(&b);
	p = b.cb.map;
	for (i = 0; i < mib; i++)
		p += gt_pkt_memset(p, 0x0123456789abcdefull, HBM + i * MIB,
				   MIB, 0);
	b.cb.len = (uint32_t)(p - (char *)b.cb.map);
	check(gt_run(b.fd, GAUDI_QUEUE_ID_DMA_0_0, &b.cb), "memset");
	sample(&b, "touched", mib);
	bench_close(&b);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "compare"))
		compare(atoi(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "crowd"))
		compare_crowd();
	else if (argc == 3 && !strcmp(argv[1], "touch"))
		touch((unsigned int)atoi(argv[2]));
	else
		die("usage: guest_bench compare ROUNDS | crowd | touch MIB");
	return 0;
}
