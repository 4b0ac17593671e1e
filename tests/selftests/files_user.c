// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user of the card for those of the driver's files that show one: has memory
 * mapped, command buffers, and jobs that wait for fences; then runs a command
 * and tells it by its environment where all this is. Not a test of its own:
 * tests/oracle/ has the expectations. Ends with the command's status, or 99.
 *
 * Usage: files_user COMMAND [ARGUMENT]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gaudi_test.h"

#define HOST_BYTES	0x4000u
#define HOST_SEED	7
#define STUCK_SECONDS	2

static void check(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "files_user: %s: %s\n", what, strerror(-ret));
	exit(99);
}

/* For the command: $NAME is a hexadecimal number. */
static void tell(const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	setenv(name, text, 1);
}

/* A job on stream s of DMA 0 that waits for its fence 2. */
static void block(int fd, uint32_t s, uint32_t flags, struct gt_cb *cb,
		  uint64_t *seq)
{
	struct hl_cs_chunk chunk = { };
	union hl_cs_args args = { };

	check(gt_cb_create(fd, 0x2000 + 0x1000 * s, cb), "making a CB");
	chunk.cb_handle = cb->handle;
	chunk.cb_size = gt_pkt_fence(cb->map, 2, 1, 1);
	chunk.queue_index = s;
	args.in.chunks_execute = (uintptr_t)&chunk;
	args.in.num_chunks_execute = 1;
	args.in.cs_flags = flags;
	args.in.timeout = STUCK_SECONDS;
	check(gt_ioctl(fd, DRM_IOCTL_HL_CS, &args), "submitting");
	*seq = args.out.seq;
}

/* Leaves sync object 100 at 5, and monitor 100 waiting for it to reach 9. */
static void arm(int fd)
{
	struct gt_cb cb;
	uint32_t len;

	check(gt_cb_create(fd, 0x1000, &cb), "making a CB");
	len = gt_pkt_msg_long(cb.map, SOB_E_N(100), 5, 0);
	len += gt_pkt_monitor((char *)cb.map + len, 100, 100, 9,
			      SOB_E_N(101));
	cb.len = len;
	check(gt_run(fd, GAUDI_QUEUE_ID_DMA_1_0, &cb), "arming a monitor");
	gt_cb_destroy(fd, &cb);
}

static int run(char **command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(command[0], command);
		_exit(99);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 99;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	uint64_t host_va, first, stuck;
	uint32_t status, word;
	struct gt_cb cb[2];
	void *host;
	int fd, ret;

	if (argc < 2)
		return 99;
	fd = gt_open();
	check(fd, "opening the card");
	host = gt_alloc(HOST_BYTES);
	gt_fill(host, HOST_BYTES, HOST_SEED);
	check(gt_map_host(fd, host, HOST_BYTES, &host_va), "mapping memory");
	memcpy(&word, host, sizeof(word));
	tell("USER_PTR", (uintptr_t)host);
	tell("HOST_VA", host_va);
	tell("HOST_WORD", word);
	arm(fd);
	/* Its reset is not wanted, what it dumps before is. */
	block(fd, 1, HL_CS_FLAGS_CUSTOM_TIMEOUT |
	      HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT, &cb[1], &stuck);
	block(fd, 0, 0, &cb[0], &first);
	tell("FENCE_0", DMA_FENCE2(0, 0));
	tell("FENCE_1", DMA_FENCE2(0, 1));
	ret = run(argv + 1);

	/* The command has opened the fences. */
	check(gt_wait(fd, first, 5000000, &status), "waiting");
	if (!ret && status != HL_WAIT_CS_STATUS_COMPLETED) {
		fprintf(stderr, "files_user: the job still waits\n");
		ret = 99;
	}
	check(gt_wait(fd, stuck, 5000000, &status), "waiting");
	/* The command has poked the first word. */
	memcpy(&word, host, sizeof(word));
	if (!ret && word != 0x600dcafe) {
		fprintf(stderr, "files_user: memory holds 0x%x\n", word);
		ret = 99;
	}
	return ret;
}
