// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Records of what passed through the cards; see record.h.
 *
 * A thread writes the file anew about twice a second while something happens. So it is
 * complete as soon as nothing happens any more, and what a process that is killed leaves
 * lacks its last half second at most. Whoever reads the file meanwhile has the old one
 * or the new one, never a part; and who is killed while he writes leaves none.
 */
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../qemu-device/chip/gaudi_chip.h"
#include "cards.h"
#include "kernel/kernel.h"
#include "kernel/nodes.h"
#include "options.h"
#include "record.h"

#define PAUSE_NS	(NSEC_PER_SEC / 2)

/* Guards the file, and whether it is the last one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ended;

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

/* All cards' follow each other. Closes the file. 0 or -errno. */
static int write_to(FILE *out)
{
	struct gaudi_chip *chip;
	unsigned int n;
	int err = 0;

	if (!out)
		return -errno;
	for (n = 0; !err && (chip = sim_card_chip(n)); n++)
		err = gaudi_chip_record(chip, out);
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
	/* Another process of a box may have put it there: it is as whole as ours. */
	return rename(fresh, path) && errno != ENOENT ? -errno : 0;
}

/* Where a file cannot be without a name. */
static int replace_by_named(const char *path)
{
	char fresh[PATH_MAX];
	int err;

	scnprintf(fresh, sizeof(fresh), "%s.%d", path, getpid());
	err = write_to(fopen(fresh, "we"));
	if (!err && rename(fresh, path))
		err = -errno;
	if (err)
		unlink(fresh);
	return err;
}

/* The lock is held. */
static int replace(const char *path)
{
	char folder[PATH_MAX];
	int fd, err;

	if (!can_be_replaced(path))
		return write_to(fopen(path, "we"));
	scnprintf(folder, sizeof(folder), "%s", path);
	fd = open(dirname(folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return replace_by_named(path);
	err = write_to(fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "w"));
	if (!err)
		err = put_in_place(fd, path);
	close(fd);
	return err;
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
	int err = 0;

	/* What it cannot write now the end of the process will complain of. */
	while (!err) {
		sim_sleep_ns(PAUSE_NS);
		pthread_mutex_lock(&lock);
		if (ended)
			err = -ESHUTDOWN;
		else if (is_news(seen))
			err = replace(path);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

void sim_record_begin(void)
{
	const char *path = record_path();

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
	if (err)
		sim_log(NULL, SIM_ERR, "%s: %s\n", path, strerror(-err));
}
