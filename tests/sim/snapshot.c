// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots of cards in a process: with work under way, in the same process and in another,
 * and what is refused. GAUDI_SIM=2; SNAPSHOT: a file that it may make.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

#include "../../sim/gaudi_sim.h"
#include "../../uapi/hw/gaudi_map.h"
#include "../unit/unit.h"
#include "hlthunk.h"
#include "packets.h"

#define MIB		(1u << 20)
#define HBM_AT		0x21000000u
#define SOB(n)		(GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE + 0x2000 + 4ull * (n))
#define GO		9u		/* the sync object that the queue waits for */
#define GONE		33u		/* ... and that it sets at its end */
#define PORTS		10u
#define CUTS		100u
#define FLIPS		200u
#define PATIENCE_MS	20000u

static const char *file(void)
{
	return getenv("SNAPSHOT");
}

static struct gaudi_sim_card *card_of(unsigned int n)
{
	struct gaudi_sim_card *card = gaudi_sim_card(n);

	assert_non_null(card);
	return card;
}

/* Whether the cables are pulled: only such a card can be saved. */
static void pull(bool out)
{
	unsigned int port;

	for (port = 0; port < PORTS; port++)
		gaudi_sim_card_plug(card_of(0), port, !out);
}

static void good(int (*call)(struct gaudi_sim_card *card, const char *path,
			     char *why, size_t size), struct gaudi_sim_card *card)
{
	char why[200] = "something else";
	int rc = call(card, file(), why, sizeof(why));

	if (rc || *why)
		fail_msg("%d: %s", rc, why);
}

static void refused(int rc, int want, const char *why, const char *words)
{
	if (rc != want || !strstr(why, words))
		fail_msg("%d: \"%s\", not %d: \"%s\"", rc, why, want, words);
}

static uint32_t sob(unsigned int n)
{
	uint32_t value;

	WORKS(gaudi_sim_card_read_register(card_of(0), SOB(n), &value));
	return value;
}

static bool comes_to(unsigned int n, uint32_t value)
{
	unsigned int ms;

	for (ms = 0; ms < PATIENCE_MS && sob(n) != value; ms++)
		usleep(1000);
	return sob(n) == value;
}

/* --- a card with work under way ------------------------------------------------ */

/* What goes to the card is in the first MiB of memory, and comes back into the second. */
struct work {
	int fd;
	char *memory;
	uint64_t va, cb, seq;
};

static char byte_of(unsigned int i)
{
	return (char)(i * 31 + i / 251);
}

static bool has_pattern(const char *p)
{
	unsigned int i;

	for (i = 0; i < MIB; i++)
		if (p[i] != byte_of(i))
			return false;
	return true;
}

static bool is_empty(const char *p)
{
	return !p[0] && !memcmp(p, p + 1, MIB - 1);
}

static void submit(struct work *w, uint32_t bytes)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = w->cb, .cb_size = bytes,
		.queue_index = GAUDI_QUEUE_ID_DMA_0_0,
	};
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk, .num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out = { 0 };

	WORKS(hlthunk_command_submission(w->fd, &in, &out));
	w->seq = out.seq;
}

/* Queue DMA 0 waits until the sync object says so, and copies then. */
static struct work begin(void)
{
	struct work w = { .fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL) };
	struct pkt_buf pb;
	unsigned int i;
	void *cb;

	assert_true(w.fd >= 0);
	w.memory = mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(w.memory != MAP_FAILED);
	for (i = 0; i < MIB; i++)
		w.memory[i] = byte_of(i);
	w.va = hlthunk_host_memory_map(w.fd, w.memory, 0, 2 * MIB);
	assert_true(w.va);
	WORKS(hlthunk_request_command_buffer(w.fd, 4096, &w.cb));
	cb = gaudi_sim_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			    w.fd, w.cb);
	assert_true(cb != MAP_FAILED);
	pkt_init(&pb, cb, 4096);
	pkt_sob_set(&pb, GONE, 0, GAUDI_PKT_CTL_MB);
	pkt_sob_set(&pb, GO, 0, GAUDI_PKT_CTL_MB);
	pkt_monitor(&pb, 5, GO, 3, pkt_fence_addr(GAUDI_QUEUE_ID_DMA_0_0, 2), 1);
	pkt_sob_set(&pb, GONE, 1, GAUDI_PKT_CTL_MB);
	pkt_fence(&pb, 2, 1, 1, 0);
	pkt_lin_dma(&pb, w.va, HBM_AT, MIB, GAUDI_PKT_CTL_EB);
	pkt_lin_dma(&pb, HBM_AT, w.va + MIB, MIB,
		    GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_MB);
	pkt_sob_set(&pb, GONE, 77, GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_MB);
	assert_false(pb.overflow);
	submit(&w, pb.used);
	WORKS(gaudi_sim_munmap(cb, 4096));
	assert_true(comes_to(GONE, 1));
	return w;
}

static void go_on(void)
{
	WORKS(gaudi_sim_card_write_register(card_of(0), SOB(GO), 3));
	assert_true(comes_to(GONE, 77));
}

static void end(struct work *w)
{
	uint32_t status;

	go_on();
	WORKS(hlthunk_wait_for_cs(w->fd, w->seq, 20000000, &status));
	assert_int_equal(status, HL_WAIT_CS_STATUS_COMPLETED);
	WORKS(hlthunk_close(w->fd));
	munmap(w->memory, 2 * MIB);
}

/* One that is saved as it waits, and has ended then. Where its memory was. */
static uint64_t saved(void)
{
	struct work w = begin();

	memset(gaudi_sim_card_memory(card_of(0), HBM_AT, MIB), 0, MIB);
	pull(true);
	good(gaudi_sim_save, card_of(0));
	end(&w);
	return GAUDI_HOST_BASE + (uintptr_t)w.memory;
}

/* As it was, and it ends as it would have, with the memory that came with it. */
static void check_loaded(uint64_t memory)
{
	const char *host = gaudi_sim_card_memory(card_of(0), memory, 2 * MIB);
	const char *hbm = gaudi_sim_card_memory(card_of(0), HBM_AT, MIB);

	assert_non_null(host);
	assert_int_equal(sob(GONE), 1);
	assert_true(has_pattern(host));
	assert_true(is_empty(host + MIB));
	assert_true(is_empty(hbm));
	go_on();
	assert_true(has_pattern(host + MIB));
	assert_true(has_pattern(hbm));
}

TEST(work_under_way_goes_on)
{
	uint64_t memory = saved();
	unsigned int i;

	assert_null(gaudi_sim_card_memory(card_of(0), memory, 1));
	for (i = 0; i < 2; i++) {
		good(gaudi_sim_load, card_of(0));
		check_loaded(memory);
	}
	assert_null(gaudi_sim_card_memory(card_of(0), memory, 3 * MIB));
}

/* What stands still in a file can be saved from there, too. */
TEST(a_loaded_card_is_saved)
{
	uint64_t memory = saved();

	good(gaudi_sim_load, card_of(0));
	good(gaudi_sim_save, card_of(0));
	go_on();
	good(gaudi_sim_load, card_of(0));
	check_loaded(memory);
}

/* Whoever opens the card has a new one, as after a reset, and his own memory. */
TEST(a_loaded_card_is_opened)
{
	uint64_t memory = saved();
	struct work w;

	good(gaudi_sim_load, card_of(0));
	w = begin();
	assert_null(gaudi_sim_card_memory(card_of(0), memory, 1));
	go_on();
	assert_true(has_pattern(w.memory + MIB));
	end(&w);
}

/* For gaudi-why. */
static void record(const char *path)
{
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	WORKS(gaudi_sim_card_record(card_of(0), out));
	WORKS(fclose(out));
}

static void __attribute__((constructor)) in_another_process(void)
{
	const char *memory = getenv("SNAPSHOT_MEMORY");

	if (!memory)
		return;
	good(gaudi_sim_load, card_of(0));
	record(getenv("SNAPSHOT_RECORD"));
	check_loaded(strtoull(memory, NULL, 0));
	exit(42);
}

TEST(another_process_loads_it)
{
	char memory[32];
	int status;
	pid_t pid;

	snprintf(memory, sizeof(memory), "%#llx", (unsigned long long)saved());
	pid = fork();
	if (!pid) {
		setenv("SNAPSHOT_MEMORY", memory, 1);
		execl("/proc/self/exe", "snapshot", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

/* --- what is refused, and loses nothing ---------------------------------------- */

static int save(const char *path, char why[200])
{
	return gaudi_sim_save(card_of(0), path, why, 200);
}

static int load(unsigned int n, const char *path, char why[200])
{
	return gaudi_sim_load(card_of(n), path, why, 200);
}

TEST(what_cannot_be_saved)
{
	char why[200];
	struct work w;

	saved();
	refused(save("/nowhere/file", why), -ENOENT, why, "No such file");
	refused(gaudi_sim_save(NULL, file(), why, 200), -EINVAL, why,
		"no such card");
	WORKS(gaudi_sim_card_inject(card_of(0), "hbm-ecc-double,at-ms=1000000",
				    why, sizeof(why)));
	refused(save(file(), why), -EBUSY, why, "hbm-ecc-double");
	gaudi_sim_card_heal(card_of(0));
	w = begin();
	/* Unmapped, others could get the place. */
	WORKS(mprotect(w.memory + MIB, MIB, PROT_NONE));
	refused(save(file(), why), -EFAULT, why, "are not there");
	WORKS(mprotect(w.memory + MIB, MIB, PROT_READ | PROT_WRITE));
	end(&w);
	/* The file of before is as it was. */
	good(gaudi_sim_load, card_of(0));
}

TEST(links_cannot_be_saved)
{
	struct work w;
	unsigned int ms;
	char why[200];

	/* A loaded card's ports are as they were. */
	w = begin();
	end(&w);
	pull(false);
	for (ms = 0; ms < PATIENCE_MS &&
	     !gaudi_sim_card_link_is_up(card_of(0), 0); ms++)
		usleep(1000);
	refused(save(file(), why), -EBUSY, why,
		"NIC0: its link to another card is up");
	pull(true);
	good(gaudi_sim_save, card_of(0));
}

TEST(what_cannot_be_loaded)
{
	char why[200];
	struct work w;
	FILE *f;

	saved();
	refused(load(0, "/nowhere/file", why), -ENOENT, why, "No such file");
	refused(load(1, file(), why), -EINVAL, why, "module id");
	w = begin();
	refused(load(0, file(), why), -EBUSY, why, "the card is open");
	end(&w);
	assert_true(has_pattern(gaudi_sim_card_memory(card_of(0), HBM_AT, MIB)));
	f = fopen(file(), "w");
	assert_non_null(f);
	fputs("A text that is as long as a head, and longer.\n", f);
	fclose(f);
	refused(load(0, file(), why), -EINVAL, why, "no snapshot of a card");
}

static uint32_t rnd(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static char *read_all(size_t *size)
{
	FILE *f = fopen(file(), "r");
	struct stat st;
	char *text;

	assert_non_null(f);
	WORKS(fstat(fileno(f), &st));
	text = malloc(st.st_size);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, st.st_size, f), st.st_size);
	fclose(f);
	*size = st.st_size;
	return text;
}

/* The card is not touched by a file of which so much is there. */
static void check_bad(const char *text, size_t size)
{
	FILE *f = fopen(file(), "w");
	char why[200];
	int rc;

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	fclose(f);
	rc = load(0, file(), why);
	if (!rc || !*why || sob(GONE) != 77)
		fail_msg("%zu bytes: %d, \"%s\"; %u", size, rc, why, sob(GONE));
}

TEST(damaged_files_are_refused)
{
	uint32_t seed = 11, at, bit;
	unsigned int i;
	size_t size;
	char *text;

	saved();
	text = read_all(&size);
	for (i = 0; i < unit_rounds(CUTS); i++)
		check_bad(text, i < 20 ? i : rnd(&seed) % size);
	check_bad(text, size - 1);
	for (i = 0; i < unit_rounds(FLIPS); i++) {
		at = i < 48 ? i : rnd(&seed) % size;
		bit = 1u << rnd(&seed) % 8;
		text[at] ^= bit;
		check_bad(text, size);
		text[at] ^= bit;
	}
	/* The last piece, and something behind it. */
	for (at = size - 32; at < size; at++) {
		text[at] ^= 1;
		check_bad(text, size);
		text[at] ^= 1;
	}
	text = realloc(text, size + 1);
	text[size] = 0;
	check_bad(text, size + 1);
	assert_true(has_pattern(gaudi_sim_card_memory(card_of(0), HBM_AT, MIB)));
	free(text);
}
