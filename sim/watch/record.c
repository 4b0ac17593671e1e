// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Records of what passed through the cards; see record.h.
 *
 * A thread writes the file anew about twice a second while something happens. So it is
 * complete as soon as nothing happens any more, and what a process that is killed leaves
 * lacks its last half second at most. Whoever reads the file meanwhile has the old one
 * or the new one, never a part; a process that is killed while it writes leaves none.
 *
 * The processes of a run that have one file each write their own cards anew, and leave in it
 * what the others have: so it has the cards of all ranks of a collective.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../host/box.h"
#include "../host/options.h"
#include "../host/slots.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "asked.h"
#include "record.h"

#define FIRST_PAUSE_NS	(NSEC_PER_SEC / 20)
#define PAUSE_NS	(NSEC_PER_SEC / 2)
#define TURN_MS		5000
#define EVENT_BYTES	32

/* Guards the file, and whether it is the last one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ended;
static ktime_t begun;
static atomic_bool opened[SIM_MAX_CARDS];

void sim_record_opened(unsigned int n)
{
	atomic_store(&opened[n], true);
	sim_asked_begin();
}

static const char *record_path(void)
{
	return sim_option("GAUDI_SIM_RECORD");
}

/* One that can be replaced by another: no device, no pipe. */
static bool can_be_replaced(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* Whether this process has ever opened one for work. */
static bool any_opened(void)
{
	unsigned int n;

	for (n = 0; n < SIM_MAX_CARDS; n++)
		if (atomic_load(&opened[n]))
			return true;
	return false;
}

/* In a box others have the rest: what this process has of them has done nothing. */
static bool is_recorded(unsigned int n)
{
	return !sim_box_is_shared() || atomic_load(&opened[n]);
}

/* All cards' follow each other. 0 or -errno. */
static int write_own(FILE *out)
{
	struct gaudi_chip *chip;
	unsigned int n;
	int err = 0;

	for (n = 0; !err && (chip = sim_card_chip(n)); n++)
		if (is_recorded(n))
			err = gaudi_chip_record(chip, out);
	return err;
}

int sim_record_write(FILE *out)
{
	return any_opened() ? write_own(out) : 0;
}

/*
 * A card's part is another process's that runs beside this one, or has: it lives, or has
 * written when this one was there. Others are of an earlier run.
 */
static bool is_beside(const char *header, u64 *bytes)
{
	unsigned int version, module;
	int process;
	uint64_t events, lost, ns;

	if (sscanf(header, "{\"gaudi-record\": %u, \"module_id\": %u, \"process\": %d, "
		   "\"events\": %" SCNu64 ", \"lost\": %" SCNu64
		   ", \"clock\": [[%*u, %*u], [%*u, %" SCNu64 "]]",
		   &version, &module, &process, &events, &lost, &ns) != 6)
		return false;
	*bytes = events * EVENT_BYTES;
	return process != getpid() &&
	       ((ktime_t)ns >= begun || !kill(process, 0) || errno == EPERM);
}

static int copy_bytes(FILE *from, FILE *out, u64 bytes)
{
	char some[16384];
	size_t want, got;

	for (; bytes; bytes -= got) {
		want = min_t(u64, bytes, sizeof(some));
		got = fread(some, 1, want, from);
		if (!got || fwrite(some, 1, got, out) != got)
			return -EIO;
	}
	return 0;
}

/*
 * What other processes of the same run have in the file that is to be replaced; *any: there
 * was some. A file that is no record, or one of old, has nothing.
 */
static int copy_others(const char *path, FILE *out, bool *any)
{
	FILE *from = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	u64 bytes = 0;
	int err = 0;

	*any = false;
	while (from && !err && getline(&line, &room, from) > 0) {
		bytes = 0;
		if (is_beside(line, &bytes)) {
			*any = true;
			fputs(line, out);
			err = copy_bytes(from, out, bytes);
		} else if (!bytes || fseeko(from, bytes, SEEK_CUR)) {
			break;
		}
	}
	free(line);
	if (from)
		fclose(from);
	return err;
}

/* Closes the file. 0 or -errno; -ENODATA: it is to stay as it is. */
static int write_to(FILE *out, const char *path)
{
	bool any = false;
	int err = 0;

	if (!out)
		return -errno;
	if (path)
		err = copy_others(path, out, &any);
	/*
	 * Whoever has only looked, as a shell or a launcher does, has nothing to say beside
	 * those that have worked.
	 */
	if (!err)
		err = any && !any_opened() ? -ENODATA : write_own(out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

/*
 * What has no name goes with the process, whenever that is killed. The name between the
 * two is the same each time: who is killed there leaves it to the next.
 */
static int put_in_place(int unnamed, const char *path)
{
	char from[32], fresh[PATH_MAX];

	scnprintf(from, sizeof(from), "/proc/self/fd/%d", unnamed);
	scnprintf(fresh, sizeof(fresh), "%s.new", path);
	while (linkat(AT_FDCWD, from, AT_FDCWD, fresh, AT_SYMLINK_FOLLOW))
		if (errno != EEXIST || (unlink(fresh) && errno != ENOENT))
			return -errno;
	return rename(fresh, path) ? -errno : 0;
}

/* Where a file cannot be without a name. */
static int replace_by_named(const char *path)
{
	char fresh[PATH_MAX];
	int err;

	scnprintf(fresh, sizeof(fresh), "%s.%d", path, getpid());
	err = write_to(fopen(fresh, "we"), path);
	if (!err && rename(fresh, path))
		err = -errno;
	if (err)
		unlink(fresh);
	return err;
}

static int replace_at(const char *folder, const char *path)
{
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666), err;

	if (fd < 0)
		return replace_by_named(path);
	err = write_to(fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "w"), path);
	if (!err)
		err = put_in_place(fd, path);
	close(fd);
	return err;
}

/*
 * Processes that write the same file take turns. The descriptor, or -errno. *busy: another
 * has its turn for long; it may have been stopped there.
 */
static int enter_folder(const char *folder, bool *busy)
{
	const ktime_t end = ktime_add_ms(ktime_get(), TURN_MS);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*busy = false;
	/* Where folders have no locks it goes on without. */
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		if (ktime_get() > end) {
			*busy = true;
			break;
		}
		sim_sleep_ns(NSEC_PER_MSEC);
	}
	return fd < 0 ? -errno : fd;
}

/* The lock is held. -EBUSY: it is there, but another process may put an older one there. */
static int replace(const char *path)
{
	char copy[PATH_MAX];
	const char *folder;
	int turn, err;
	bool busy;

	if (sim_box_is_shared() && !any_opened())
		return 0;
	if (!can_be_replaced(path))
		return write_to(fopen(path, "we"), NULL);
	scnprintf(copy, sizeof(copy), "%s", path);
	folder = dirname(copy);
	turn = enter_folder(folder, &busy);
	if (turn < 0)
		return turn;
	err = replace_at(folder, path);
	/* A child of fork() may have the descriptor, too. */
	flock(turn, LOCK_UN);
	close(turn);
	if (err == -ENODATA)
		err = 0;
	return err ?: busy ? -EBUSY : 0;
}

/* Has anything happened since seen[] was last filled? */
static bool is_news(u64 *seen)
{
	struct gaudi_chip *chip;
	bool news = false;
	unsigned int n;
	u64 events;

	for (n = 0; (chip = sim_card_chip(n)); n++) {
		events = gaudi_chip_recorded(chip);
		news |= events != seen[n];
		seen[n] = events;
	}
	return news;
}

static void *keep(void *arg)
{
	u64 seen[SIM_MAX_CARDS] = { 0 };
	const char *path = arg;
	u64 pause = FIRST_PAUSE_NS;
	int err = 0;

	/* What it cannot write now the end of the process will complain of. */
	while (!err) {
		/* Soon for the first time: what is stopped or killed early is to be there. */
		sim_sleep_ns(pause);
		pause = min_t(u64, 2 * pause, PAUSE_NS);
		pthread_mutex_lock(&lock);
		if (ended)
			err = -ESHUTDOWN;
		else if (is_news(seen))
			err = replace(path);
		if (err == -EBUSY) {
			/* Soon again. */
			memset(seen, 0, sizeof(seen));
			err = 0;
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

void sim_record_begin(void)
{
	const char *path = record_path();
	unsigned int n;

	begun = ktime_get();
	/* In a child of fork() these were the parent's. */
	for (n = 0; n < SIM_MAX_CARDS; n++)
		atomic_store(&opened[n], false);
	if (path)
		sim_killed = sim_record_end;
	if (path && can_be_replaced(path))
		pthread_detach(sim_thread_start(keep, (void *)path));
}

void sim_record_end(void)
{
	const char *path = record_path();
	int err;

	if (!path)
		return;
	pthread_mutex_lock(&lock);
	ended = true;
	err = replace(path);
	pthread_mutex_unlock(&lock);
	if (err && err != -EBUSY)
		sim_log(NULL, SIM_ERR, "%s: %s\n", path, strerror(-err));
}
