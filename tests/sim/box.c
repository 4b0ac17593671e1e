// SPDX-License-Identifier: GPL-2.0-only
/*
 * A box of two cards that processes share: who has which, and what is left of one that
 * is killed. GAUDI_SIM=2 and GAUDI_SIM_BOX.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "hlthunk.h"

static int open_card(uint32_t module)
{
	return hlthunk_open_by_module_id(module);
}

/* The other process: opens module 1, says so, and waits until it is told to end. */
static const char other[] =
	"import ctypes, os, sys\n"
	"lib = ctypes.CDLL(os.environ['THUNK'])\n"
	"fd = lib.hlthunk_open_by_module_id(1)\n"
	"print(fd, flush=True)\n"
	"sys.stdin.read(1)\n";

/*
 * And one with a child, which outlives it. The child says so: a fork() that has only
 * returned in the parent may have left it with all that the parent had.
 */
static const char with_child[] =
	"import ctypes, os, sys\n"
	"lib = ctypes.CDLL(os.environ['THUNK'])\n"
	"fd = lib.hlthunk_open_by_module_id(1)\n"
	"if os.fork() == 0:\n"
	"    print(fd, flush=True)\n"
	"    sys.stdin.read(1)\n"
	"    os._exit(0)\n"
	"sys.stdin.read(1)\n";

struct process {
	pid_t pid;
	int to;
	FILE *from;
};

static struct process start(const char *program)
{
	struct process p;
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	p.pid = fork();
	if (!p.pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		close(from[0]);
		execl("/usr/bin/python3", "python3", "-c", program, NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	p.to = to[1];
	p.from = fdopen(from[0], "r");
	return p;
}

static struct process start_other(void)
{
	return start(other);
}

static int what_it_says(struct process *p)
{
	int fd;

	assert_int_equal(fscanf(p->from, "%d", &fd), 1);
	return fd;
}

static void end_other(struct process *p, int sig)
{
	int status;

	if (sig)
		kill(p->pid, sig);
	close(p->to);
	fclose(p->from);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
}

TEST(a_card_is_one_process_s)
{
	struct process p = start_other();
	int fd;

	assert_true(what_it_says(&p) >= 0);
	assert_int_equal(open_card(1), -EBUSY);
	/* The first that is free. */
	fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
	assert_true(fd >= 0);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL), -EBUSY);
	/* What is asked about the other's card is answered. */
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI), 2);
	end_other(&p, 0);
	assert_int_equal(hlthunk_close(fd), 0);
}

TEST(what_is_killed_leaves_its_card)
{
	struct process p = start_other();
	int fd;

	assert_true(what_it_says(&p) >= 0);
	end_other(&p, SIGKILL);
	fd = open_card(1);
	assert_true(fd >= 0);
	/* Nor has another one it, until it is closed. */
	p = start_other();
	assert_int_equal(what_it_says(&p), -EBUSY);
	end_other(&p, 0);
	assert_int_equal(hlthunk_close(fd), 0);
	p = start_other();
	assert_true(what_it_says(&p) >= 0);
	end_other(&p, 0);
}

TEST(a_child_does_not_keep_its_parent_s_card)
{
	struct process p = start(with_child);
	int status, fd;

	assert_true(what_it_says(&p) >= 0);
	kill(p.pid, SIGKILL);
	assert_int_equal(waitpid(p.pid, &status, 0), p.pid);
	fd = open_card(1);
	/* The child waits for this. */
	close(p.to);
	fclose(p.from);
	assert_true(fd >= 0);
	assert_int_equal(hlthunk_close(fd), 0);
}

/* And its child can have another one, in the same box. */
TEST(a_child_is_another_process)
{
	int fd = open_card(1), status;
	pid_t child = fork();

	if (!child)
		_exit(open_card(1) != -EBUSY || open_card(0) < 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(hlthunk_close(fd), 0);
}

TEST(a_card_can_be_opened_again)
{
	int fd;

	for (int i = 0; i < 5; i++) {
		fd = open_card(0);
		assert_true(fd >= 0);
		assert_int_equal(hlthunk_get_device_status_info(fd),
				 HL_DEVICE_STATUS_OPERATIONAL);
		assert_int_equal(hlthunk_close(fd), 0);
	}
}
