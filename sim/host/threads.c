// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The end of a program whose main thread has ended before others, by pthread_exit(): it
 * ends with its last thread. The cards' threads are none of its own, and the C library
 * does not know that. So when the main thread has ended one more of ours looks
 * whether there is another one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "../kernel/kernel.h"
#include "../kernel/base/raw.h"

#define FIRST_PAUSE_NS	NSEC_PER_MSEC
#define PAUSE_NS	(NSEC_PER_SEC / 10)

/* What /proc/self/task/NAME has in a file; false: it has gone. */
static bool read_task(const char *task, const char *file, char text[256])
{
	char path[300];
	ssize_t n = -1;
	int fd;

	scnprintf(path, sizeof(path), "/proc/self/task/%s/%s", task, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = raw_read(fd, text, 255);
		raw_close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The main thread stays to the end, as a zombie: "PID (name) Z". */
static bool has_ended(const char *task)
{
	char text[256], *state;

	if (!read_task(task, "stat", text))
		return true;
	state = strrchr(text, ')');
	return state && state[1] && state[2] == 'Z';
}

/* By the names that sim_thread_start(), a pool and a fabric give theirs. */
static bool is_ours(const char *task)
{
	char text[256];

	return read_task(task, "comm", text) &&
	       (!strcmp(text, SIM_THREAD "\n") ||
		!strcmp(text, "gaudi-fabric\n") ||
		(!strncmp(text, "gaudi-", 6) &&
		 isdigit((unsigned char)text[6])));
}

static bool only_ours(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	bool only = dir;

	while (only && (entry = readdir(dir)))
		only = !isdigit((unsigned char)*entry->d_name) ||
		       is_ours(entry->d_name) || has_ended(entry->d_name);
	if (dir)
		closedir(dir);
	return only;
}

/* As the C library does it in the last thread. */
static void *end_with_last(void *unused)
{
	u64 pause = FIRST_PAUSE_NS;

	while (!only_ours()) {
		sim_sleep_ns(pause);
		pause = min_t(u64, 2 * pause, PAUSE_NS);
	}
	exit(0);
	return unused;
}

/* In the main thread, as it ends; not when main() returns, or by exit(). */
static void main_ends(void *unused)
{
	pthread_detach(sim_thread_start(end_with_last, NULL));
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_key_t key;

	if (gettid() == getpid() && !pthread_key_create(&key, main_ends))
		pthread_setspecific(key, &sim_task);
}
