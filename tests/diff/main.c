// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi-steps: run scripts of uAPI calls on the driver that is loaded and print
 * one line per step; see steps.h.
 *
 *	uapi-steps [SCRIPT...]
 *	uapi-steps --random SEED STEPS
 *	uapi-steps --list
 *
 * Each script runs in a process of its own, on a card that is idle and that
 * nobody has open. After it stand how it ended, what it left behind, and the
 * lines that the driver wrote to the kernel's log meanwhile ("log" lines; the
 * other end sorts them into classes). On cards in a process each script's process has
 * cards of its own, of which nothing is left.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "steps.h"

#define SCRIPT_SECONDS	400

static int kmsg = -1, control = -1;
/* On cards in a process; what they say goes to sim_log. */
static bool on_sim;
static FILE *sim_log;

static const struct script *const groups[] = {
	s_node, s_info, s_cb, s_memory, s_cs, s_signal, s_wait, s_files,
	s_faults, s_debug,
};

#define NUM_GROUPS	(sizeof(groups) / sizeof(groups[0]))

/* What the next script must find as the last one did. */
struct state {
	uint64_t opens, dram_free, drops[6];
	uint32_t resets;
};

static void read_state(struct state *s)
{
	struct hl_open_stats_info opens = { 0 };
	struct hl_info_reset_count resets = { 0 };
	struct hl_info_dram_usage dram = { 0 };
	uint64_t drops[12] = { 0 };
	int i;

	gt_info(control, HL_INFO_OPEN_STATS, &opens, sizeof(opens));
	gt_info(control, HL_INFO_RESET_COUNT, &resets, sizeof(resets));
	gt_info(control, HL_INFO_DRAM_USAGE, &dram, sizeof(dram));
	gt_info(control, HL_INFO_CS_COUNTERS, drops, sizeof(drops));
	s->opens = opens.open_counter;
	s->resets = resets.hard_reset_cnt;
	s->dram_free = dram.dram_free_mem;
	for (i = 0; i < 6; i++)
		s->drops[i] = drops[2 * i];
}

/* Until nobody uses the card and it works. */
static void wait_idle(void)
{
	struct hl_info_device_status status = { .status = ~0u };
	struct hl_open_stats_info stats;
	int tries;

	for (tries = 0; tries < 1200; tries++) {
		memset(&stats, 0xff, sizeof(stats));
		gt_info(control, HL_INFO_DEVICE_STATUS, &status,
			sizeof(status));
		gt_info(control, HL_INFO_OPEN_STATS, &stats, sizeof(stats));
		if (status.status == HL_DEVICE_STATUS_OPERATIONAL &&
		    !stats.is_compute_ctx_active &&
		    !stats.compute_ctx_in_release)
			return;
		usleep(50000);
	}
	say("card", "is not idle: status %u", status.status);
}

/* The lines that begin with a name of the driver. */
static void print_log(bool show)
{
	char buf[8192], *text, *p;
	unsigned int prio;
	ssize_t n;

	for (;;) {
		n = read(kmsg, buf, sizeof(buf) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			return;
		buf[n] = 0;
		text = strchr(buf, ';');
		if (!text || sscanf(buf, "%u", &prio) != 1 || prio >> 3)
			continue;
		text++;
		text[strcspn(text, "\n")] = 0;
		if (strncmp(text, "habanalabs", 10) &&
		    strncmp(text, "gaudi", 5) && strncmp(text, "accel", 5) &&
		    strncmp(text, "[drm", 4))
			continue;
		for (p = text; *p; p++)
			if (!isprint((unsigned char)*p))
				*p = '?';
		if (show)
			printf("log\t%s\t%u\t%s\n", script_name, prio & 7,
			       text);
	}
}

/* Of cards in a process: what the driver says, not what the card says of it. */
static void print_sim_log(void)
{
	char line[8192], *p;

	rewind(sim_log);
	while (fgets(line, sizeof(line), sim_log)) {
		line[strcspn(line, "\n")] = 0;
		if (strncmp(line, "gaudi-sim", 9) || strstr(line, ": card: "))
			continue;
		for (p = line; *p; p++)
			if (!isprint((unsigned char)*p))
				*p = '?';
		printf("log\t%s\t6\t%s\n", script_name, line);
	}
	rewind(sim_log);
	if (ftruncate(fileno(sim_log), 0))
		perror("log");
}

static void child_on_sim(const struct script *script)
{
	dup2(fileno(sim_log), STDERR_FILENO);
	control = gt_open_control();
	if (script->opened)
		fd = gt_open();
	if (control < 0 || (script->opened && fd < 0)) {
		say("open", "%s", errname(control < 0 ? control : fd));
		_exit(3);
	}
	script->run();
	if (script->opened)
		end_submitted(20);
	_exit(0);
}

static void child(const struct script *script)
{
	if (on_sim)
		child_on_sim(script);
	if (script->opened) {
		fd = gt_open();
		if (fd < 0) {
			say("open", "%s", errname(fd));
			_exit(3);
		}
	}
	script->run();
	/* What is still at work at the close could mean a reset, or not. */
	if (script->opened)
		end_submitted(20);
	_exit(0);
}

/* Its status, or -1 if it did not end. */
static int wait_child(pid_t pid)
{
	int status, tries;

	for (tries = 0; tries < SCRIPT_SECONDS * 20; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(50000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

static void say_end(int status)
{
	if (status < 0)
		say("end", "not within %u s", SCRIPT_SECONDS);
	else if (WIFSIGNALED(status))
		say("end", "killed by signal %d", WTERMSIG(status));
	else
		say("end", "status %d", WEXITSTATUS(status));
}

/* Counted a moment after the card works again: the next one is another. */
static void wait_reset(const struct state *before)
{
	struct state now = *before;
	int tries;

	for (tries = 0; tries < 1200 && now.resets == before->resets; tries++) {
		usleep(50000);
		read_state(&now);
	}
	wait_idle();
}

static void say_after(const struct script *script, const struct state *before)
{
	struct state after;
	int i;

	if (script->resets)
		wait_reset(before);
	wait_idle();
	/* A reset that follows the close begins a moment later. */
	usleep(300000);
	wait_idle();
	read_state(&after);
	say("after: opens", "%llu",
	    (unsigned long long)(after.opens - before->opens));
	say("after: resets", "%u", after.resets - before->resets);
	say("after: free HBM", "%#llx", (unsigned long long)after.dram_free);
	for (i = 0; i < 6; i++) {
		uint64_t n = after.drops[i] - before->drops[i];

		/* Who tries again until it goes does so any number of times. */
		if (n)
			say("after: refused", "kind %d: %s", i,
			    n > 100 ? "many" : errname((long)n));
	}
}

static void run_script(const struct script *script)
{
	struct state before = { 0 };
	pid_t pid;

	script_name = script->name;
	if (!on_sim) {
		wait_idle();
		read_state(&before);
	}
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (!pid)
		child(script);
	say_end(wait_child(pid));
	if (on_sim) {
		print_sim_log();
		return;
	}
	say_after(script, &before);
	print_log(true);
	if (script->reset_after) {
		read_state(&before);
		gt_sysfs_write("hard_reset", "1");
		wait_reset(&before);
		print_log(false);
	}
}

static bool wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

static bool get_ready(void)
{
	on_sim = getenv("GAUDI_SIM");
	if (on_sim) {
		sim_log = tmpfile();
		if (!sim_log)
			perror("tmpfile");
		return sim_log;
	}
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	control = gt_open_control();
	if (control < 0 || kmsg < 0) {
		fprintf(stderr, "uapi-steps: no card, or no /dev/kmsg\n");
		return false;
	}
	/* What was said at boot, and whatever ran before. */
	print_log(false);
	return true;
}

static unsigned long random_seed, random_steps;

static void run_random(void)
{
	random_script(random_seed, random_steps);
}

int main(int argc, char **argv)
{
	const struct script *script;
	struct script random = { "random", run_random, true, false };
	unsigned int i;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (i = 0; i < NUM_GROUPS; i++)
			for (script = groups[i]; script->name; script++)
				puts(script->name);
		return 0;
	}
	/* The same addresses in each run. */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		personality(ADDR_NO_RANDOMIZE);
		execv("/proc/self/exe", argv);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!get_ready())
		return 1;
	if (argc == 4 && !strcmp(argv[1], "--random")) {
		random_seed = strtoul(argv[2], NULL, 0);
		random_steps = strtoul(argv[3], NULL, 0);
		run_script(&random);
		return 0;
	}
	for (i = 0; i < NUM_GROUPS; i++)
		for (script = groups[i]; script->name; script++)
			if (wanted(script->name, argc, argv))
				run_script(script);
	return 0;
}
