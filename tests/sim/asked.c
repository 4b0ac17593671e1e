// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that has cards is asked for a record of them: by whom, from when on, and
 * what becomes of it in children, or when the program closes what it has not opened.
 * GAUDI_SIM=2.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "hlthunk.h"

#define NOBODY	65534

static socklen_t name_of(pid_t pid, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un) { .sun_family = AF_UNIX };
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1,
			"open-gaudi-sim/%d/", pid);
}

/* The socket, or -errno. */
static int connect_to(pid_t pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), err;
	struct sockaddr_un a;
	socklen_t len = name_of(pid, &a);

	if (!connect(fd, (struct sockaddr *)&a, len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* How many bytes of record it gives, and nothing behind them; 0: no answer. */
static size_t ask(pid_t pid)
{
	size_t bytes = 0, want = 0;
	int fd = connect_to(pid), of = 0, error = -1;
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
	char line[128];

	if (!from)
		return 0;
	if (fgets(line, sizeof(line), from)) {
		if (sscanf(line,
			   "{\"gaudi-sim\": 1, \"process\": %d, \"error\": %d, \"bytes\": %zu}",
			   &of, &error, &want) != 3)
			fail();
		assert_int_equal(of, pid);
		assert_int_equal(error, 0);
		while (getc(from) != EOF)
			bytes++;
		assert_int_equal(bytes, want);
	}
	fclose(from);
	return bytes;
}

/* 0: @child has ended well. */
static int end_of(pid_t child)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static int listening(int fd)
{
	struct sockaddr_un mine, theirs;
	socklen_t want = name_of(getpid(), &mine), len = sizeof(theirs);
	int on = 0;
	socklen_t size = sizeof(on);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) && on &&
	       !getsockname(fd, (struct sockaddr *)&theirs, &len) &&
	       len == want && !memcmp(&mine, &theirs, len);
}

/* The descriptor by which this process answers, or -1. */
static int find_listener(void)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		if (listening(fd))
			return fd;
	return -1;
}

/* A card in each test of its own: what has been opened stays so. */
TEST(answers_from_its_first_card_on)
{
	pid_t child = fork();
	int fd;

	if (!child) {
		if (connect_to(getpid()) != -ECONNREFUSED)
			_exit(1);
		fd = hlthunk_open_by_module_id(0);
		/* Both cards', though one is not open; and again. */
		if (fd < 0 || ask(getpid()) < 1000 || ask(getpid()) < 1000)
			_exit(2);
		hlthunk_close(fd);
		_exit(ask(getpid()) < 1000 ? 3 : 0);
	}
	assert_int_equal(end_of(child), 0);
}

TEST(children_answer_for_themselves)
{
	int fd = hlthunk_open_by_module_id(0), listener, go[2];
	pid_t child;
	char byte;

	assert_true(fd >= 0);
	assert_true(ask(getpid()) > 1000);
	listener = find_listener();
	assert_true(listener >= 700);
	assert_int_equal(pipe(go), 0);
	child = fork();
	if (!child) {
		/* It keeps the parent's name alive no longer than the parent does. */
		if (listening(listener) || connect_to(getpid()) != -ECONNREFUSED)
			_exit(1);
		if (hlthunk_open_by_module_id(1) < 0 || ask(getpid()) < 1000)
			_exit(2);
		/* A library's part in exit() comes behind that of who forked. */
		_exit(read(go[0], &byte, 1) == 1 ? 0 : 3);
	}
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(end_of(child), 0);
	assert_true(ask(getpid()) > 1000);
	hlthunk_close(fd);
}

TEST(other_users_are_refused)
{
	int fd = hlthunk_open_by_module_id(0), asked;
	pid_t child;
	char byte;

	assert_true(fd >= 0);
	if (geteuid())
		skip();
	child = fork();
	if (!child) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		asked = connect_to(getppid());
		_exit(asked < 0 || read(asked, &byte, 1) ? 2 : 0);
	}
	assert_int_equal(end_of(child), 0);
	assert_true(ask(getpid()) > 1000);
	hlthunk_close(fd);
}

/* A process ends while somebody asks who does not read on. */
TEST(who_does_not_read_holds_up_nobody)
{
	int told[2], asked;
	pid_t child;
	char byte;

	assert_int_equal(pipe(told), 0);
	child = fork();
	if (!child) {
		if (hlthunk_open_by_module_id(0) < 0)
			_exit(1);
		asked = connect_to(getpid());
		if (asked < 0 || recv(asked, &byte, 1, MSG_PEEK) != 1)
			_exit(2);
		exit(0);
	}
	assert_int_equal(end_of(child), 0);
	assert_int_equal(connect_to(child), -ECONNREFUSED);
}

/* A thread of this process sleeps in accept(). */
static bool sleeps_in_accept(int fd)
{
	char path[64 + sizeof(((struct dirent *)0)->d_name)], line[128];
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	long call, arg;
	bool found = false;
	FILE *file;

	assert_non_null(dir);
	while (!found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/syscall", entry->d_name);
		file = fopen(path, "r");
		found = file && fgets(line, sizeof(line), file) &&
			sscanf(line, "%ld %li", &call, &arg) == 2 &&
			call == SYS_accept4 && arg == fd;
		if (file)
			fclose(file);
	}
	closedir(dir);
	return found;
}

/* The number is the program's then, also if it listens there itself. */
TEST(closed_descriptors_are_left_alone)
{
	int fd = hlthunk_open_by_module_id(0), listener, own, to;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(a);

	assert_true(fd >= 0);
	listener = find_listener();
	if (access("/proc/self/syscall", R_OK))
		skip();
	while (!sleeps_in_accept(listener))
		sched_yield();
	own = socket(AF_UNIX, SOCK_STREAM, 0);
	/* A name of the kernel's choice. */
	assert_int_equal(bind(own, (struct sockaddr *)&a, sizeof(sa_family_t)), 0);
	assert_int_equal(listen(own, 1), 0);
	assert_int_equal(dup2(own, listener), listener);
	/* It slept with the old one, which goes when it has seen that. */
	assert_true(ask(getpid()) > 1000);
	while (ask(getpid()))
		;
	assert_int_equal(connect_to(getpid()), -ECONNREFUSED);
	assert_int_equal(getsockname(own, (struct sockaddr *)&a, &len), 0);
	to = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(to, (struct sockaddr *)&a, len), 0);
	assert_true(accept(listener, NULL, NULL) >= 0);
	close(to);
	close(own);
	close(listener);
	hlthunk_close(fd);
}
