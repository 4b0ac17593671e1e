// SPDX-License-Identifier: GPL-2.0-only
/*
 * hl_errors SECONDS COMMAND EVENTS: what a program that has the card open learns of
 * what goes wrong. Opens the first card, asks for notifications, runs COMMAND
 * (which injects a fault) in a shell, and prints the events that came, and the records
 * that the driver keeps of them. It waits for all that EVENTS names, but no longer than
 * so many seconds, and a little for more.
 * "hl_errors rows" prints how many rows of HBM were replaced, and are to be.
 *
 * Mainline uAPI only, so it runs on either driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

static int card;

static int info(unsigned int op, void *buf, unsigned int size,
		unsigned int eventfd_nr)
{
	struct hl_info_args args = {
		.op = op,
		.return_pointer = (uintptr_t)buf,
		.return_size = size,
		.eventfd = eventfd_nr,
	};

	if (buf)
		memset(buf, 0, size);
	return ioctl(card, DRM_IOCTL_HL_INFO, &args) ? -errno : 0;
}

static const char *const event_names[] = {
	"tpc-assert", "undefined-opcode", "device-reset", "cs-timeout",
	"device-unavailable", "user-engine-error", "general-hw-error",
	"razwi", "page-fault", "critical-hw-error", "critical-fw-error",
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static uint64_t named(const char *names)
{
	uint64_t events = 0;
	unsigned int i;

	for (i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++)
		if (strstr(names, event_names[i]))
			events |= 1ull << i;
	return events;
}

/* What comes until the time is over, or 300 ms after the last one that is awaited. */
static uint64_t collect(int efd, unsigned int seconds, uint64_t awaited)
{
	uint64_t end = now_ms() + seconds * 1000ull, events = 0, mask, n;
	struct pollfd p = { .fd = efd, .events = POLLIN };

	while (now_ms() < end) {
		if (poll(&p, 1, end - now_ms()) <= 0)
			break;
		if (read(efd, &n, sizeof(n)) != sizeof(n))
			break;
		if (!info(HL_INFO_GET_EVENTS, &mask, sizeof(mask), 0))
			events |= mask;
		if (!(awaited & ~events) && end > now_ms() + 300)
			end = now_ms() + 300;
	}
	return events;
}

static void print_records(void)
{
	struct hl_info_undefined_opcode_event undef;
	struct hl_info_clk_throttle clk;
	struct hl_info_razwi_event razwi;
	struct hl_info_hw_err_event hw;
	struct hl_info_fw_err_event fw;

	if (!info(HL_INFO_UNDEFINED_OPCODE_EVENT, &undef, sizeof(undef), 0) &&
	    undef.timestamp)
		printf("undefined opcode: engine %u stream %u\n",
		       undef.engine_id, undef.stream_id);
	if (!info(HL_INFO_RAZWI_EVENT, &razwi, sizeof(razwi), 0) &&
	    razwi.timestamp)
		printf("razwi: engines %u, first %u, flags 0x%x\n",
		       razwi.num_of_possible_engines, razwi.engine_id[0],
		       razwi.flags);
	if (!info(HL_INFO_HW_ERR_EVENT, &hw, sizeof(hw), 0) && hw.timestamp)
		printf("hardware error: event %u\n", hw.event_id);
	if (!info(HL_INFO_FW_ERR_EVENT, &fw, sizeof(fw), 0) && fw.timestamp)
		printf("firmware error: type %u event %u\n", fw.err_type,
		       fw.event_id);
	if (!info(HL_INFO_CLK_THROTTLE_REASON, &clk, sizeof(clk), 0))
		printf("throttled: %u\n", clk.clk_throttling_reason);
}

static int print_rows(void)
{
	uint64_t replaced;
	uint32_t pending;
	int err = info(HL_INFO_DRAM_REPLACED_ROWS, &replaced,
		       sizeof(replaced), 0);

	if (!err)
		err = info(HL_INFO_DRAM_PENDING_ROWS, &pending,
			   sizeof(pending), 0);
	if (err) {
		fprintf(stderr, "hl_errors: no rows: %s\n", strerror(-err));
		return 1;
	}
	/* The count comes first, 16 bits of it. */
	printf("replaced %u pending %u\n", (unsigned int)(replaced & 0xffff),
	       pending);
	return 0;
}

int main(int argc, char **argv)
{
	bool rows = argc == 2 && !strcmp(argv[1], "rows");
	uint64_t events;
	unsigned int i;
	int efd, err;

	if (argc != 4 && !rows) {
		fprintf(stderr, "usage: hl_errors SECONDS COMMAND EVENTS | rows\n");
		return 2;
	}
	card = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
	if (rows && card >= 0)
		return print_rows();
	efd = eventfd(0, EFD_CLOEXEC);
	if (card < 0 || efd < 0) {
		perror("hl_errors");
		return 1;
	}
	err = info(HL_INFO_REGISTER_EVENTFD, NULL, 0, efd);
	if (err) {
		fprintf(stderr, "hl_errors: no events: %s\n", strerror(-err));
		return 1;
	}
	if (system(argv[2]))
		return 1;
	events = collect(efd, atoi(argv[1]), named(argv[3]));
	printf("events:");
	for (i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++)
		if (events >> i & 1)
			printf(" %s", event_names[i]);
	printf("\n");
	print_records();
	return 0;
}
