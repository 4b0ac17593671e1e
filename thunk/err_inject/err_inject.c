// SPDX-License-Identifier: MIT
/*
 * libhl-thunk-err_injection. Stands on libhl-thunk's public functions only.
 *
 * An event is made as engines make it: the number of an interrupt is written to
 * the interrupt controller of the card's CPU, whose firmware then sends the
 * event. The host gets there by debugfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hw/gaudi_fw_if.h"
#include "hw/gaudi_map.h"
#include "hlthunk.h"
#include "hlthunk_err_inject.h"
#include "packets.h"
#include "hw/regs/gaudi_cpu_if_regs.h"
#include "hw/regs/gaudi_psoc_regs.h"

#define CB_SIZE	4096u
/* Counter 2 is the driver's; nothing in this library's reach raises 3. */
#define FENCE	3

/*
 * Interrupts, and what firmware makes of them: memory of the card's CPU with one
 * wrong bit, and with two; the card too hot, and no longer.
 */
#define SPI_PSOC_MEM_SERR	60
#define EVENT_PSOC_MEM_SERR	88
#define SPI_PSOC_MEM_DERR	62
#define EVENT_PSOC_MEM_DERR	90
#define SPI_THERMAL_BEGIN	509
#define SPI_THERMAL_END		510

/* How long to look for what an injected fault does, and how often. */
#define PATIENCE_MS	65000
#define INTERVAL_MS	10
/* Some drivers have 32 bits for it. */
#define LONG_WAIT_US	3600000000ull

/* What libhl-thunk's functions do for theirs. */
static int ret(int rc)
{
	if (rc < 0)
		errno = -rc;

	return rc;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/* Until @is(@ctx) is 1; what it says that is negative is the end, too. */
static int wait_until(int (*is)(void *ctx), void *ctx)
{
	const struct timespec interval = { .tv_nsec = INTERVAL_MS * 1000000 };
	const long long end = now_ms() + PATIENCE_MS;
	int rc;

	while (!(rc = is(ctx))) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		nanosleep(&interval, NULL);
	}

	return rc < 0 ? rc : 0;
}

static int write_fence(int fd, uint64_t handle, uint32_t *size)
{
	struct pkt_buf pb;
	void *cb;

	cb = mmap(NULL, CB_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  (off_t)handle);
	if (cb == MAP_FAILED)
		return -errno;
	pkt_init(&pb, cb, CB_SIZE);
	pkt_fence(&pb, FENCE, 1, 1, 0);
	*size = (uint32_t)pb.used;
	munmap(cb, CB_SIZE);

	return 0;
}

/* The time-out of the submission is what is waited for. */
static int wait_for_timeout(int fd, uint64_t seq)
{
	uint32_t status;
	int rc;

	do
		rc = hlthunk_wait_for_cs(fd, seq, LONG_WAIT_US, &status);
	while (!rc && status == HL_WAIT_CS_STATUS_BUSY);

	return rc == -ETIMEDOUT ? 0 : rc;
}

int hlthunk_err_inject_endless_command(int fd)
{
	struct hl_cs_chunk chunk = { .queue_index = GAUDI_QUEUE_ID_DMA_0_3 };
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out;
	uint64_t handle;
	uint32_t size = 0;
	int rc;

	rc = hlthunk_request_command_buffer(fd, CB_SIZE, &handle);
	if (rc)
		return rc;
	rc = write_fence(fd, handle, &size);
	if (!rc) {
		chunk.cb_handle = handle;
		chunk.cb_size = size;
		rc = hlthunk_command_submission(fd, &in, &out);
	}
	/* The submission holds on to it. */
	hlthunk_destroy_command_buffer(fd, handle);
	if (!rc)
		rc = wait_for_timeout(fd, out.seq);

	return ret(rc);
}

/*
 * Firmware may keep the controller to itself, and look at a scratchpad register
 * instead.
 */
static int find_register(struct hlthunk_debugfs *d, uint64_t *address)
{
	const uint32_t closed = (uint32_t)(GAUDI_BOOT_STS0_ENABLED |
					   GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN);
	const uint64_t psoc = GAUDI_CFG_BASE + GAUDI_PSOC_GLOBAL_CONF_BASE;
	uint32_t status;
	int rc;

	rc = hlthunk_debugfs_read(d, psoc + PSOC_CPU_BOOT_DEV_STS0, &status);
	if (rc)
		return rc;
	*address = GAUDI_CFG_BASE + GAUDI_GIC_BASE +
		   GIC_DISTRIBUTOR_GICD_SETSPI_NSR;
	if ((status & closed) == closed)
		*address = psoc + PSOC_GIC_POLL(0);

	return 0;
}

static int raise_interrupt(int fd, uint32_t spi)
{
	struct hlthunk_debugfs d;
	uint64_t address;
	int rc;

	if (hlthunk_get_device_name_from_fd(fd) != HLTHUNK_DEVICE_GAUDI)
		return ret(-ENODEV);
	rc = hlthunk_debugfs_open(fd, &d);
	if (rc)
		return rc;
	rc = find_register(&d, &address);
	if (!rc)
		rc = hlthunk_debugfs_write(&d, address, spi);
	hlthunk_debugfs_close(&d);

	return rc;
}

struct counted {
	int fd;
	uint32_t before;
};

/* How often the driver has had the event that is not fatal. */
static int count_event(int fd, uint32_t *count)
{
	uint32_t counts[EVENT_PSOC_MEM_SERR + 1];
	int rc;

	rc = hlthunk_get_hw_events_arr(fd, true, sizeof(counts), counts);
	*count = counts[EVENT_PSOC_MEM_SERR];

	return rc;
}

static int is_counted(void *ctx)
{
	const struct counted *c = ctx;
	uint32_t count;
	int rc;

	rc = count_event(c->fd, &count);

	return rc ? rc : count != c->before;
}

int hlthunk_err_inject_non_fatal_event(int fd, int *event_num)
{
	struct counted c = { .fd = fd };
	int rc;

	rc = count_event(fd, &c.before);
	if (rc)
		return rc;
	if (event_num)
		*event_num = EVENT_PSOC_MEM_SERR;
	rc = raise_interrupt(fd, SPI_PSOC_MEM_SERR);

	return ret(rc ? rc : wait_until(is_counted, &c));
}

/* The card that is to be reset, and come back. */
struct card {
	char busid[16];
	int control;		/* outlives the reset */
	uint32_t resets;
};

static int card_find(int fd, struct card *card)
{
	struct hlthunk_reset_count_info info = {};
	int rc;

	rc = hlthunk_get_pci_bus_id_from_fd(fd, card->busid,
					    sizeof(card->busid));
	if (rc)
		return rc;
	card->control = hlthunk_open_control_by_bus_id(card->busid);
	if (card->control < 0)
		return card->control;
	rc = hlthunk_get_reset_count_info(card->control, &info);
	card->resets = info.hard_reset_count;
	if (rc)
		hlthunk_close(card->control);

	return rc;
}

static int is_back(void *ctx)
{
	const struct card *card = ctx;
	struct hlthunk_reset_count_info info;
	int fd;

	/* It can still be opened until the driver sees the fault. */
	if (hlthunk_get_reset_count_info(card->control, &info) ||
	    info.hard_reset_count == card->resets)
		return 0;
	fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, card->busid);
	if (fd < 0)
		return 0;
	hlthunk_close(fd);

	return 1;
}

/* Drivers reset a card when its user has gone: so @fd is closed. */
static int inject_reset(int fd, int (*inject)(int fd, const char *busid))
{
	struct card card;
	int rc;

	rc = card_find(fd, &card);
	if (rc)
		return rc;
	rc = inject(fd, card.busid);
	if (!rc) {
		hlthunk_close(fd);
		rc = wait_until(is_back, &card);
	}
	hlthunk_close(card.control);

	return ret(rc);
}

static int raise_fatal(int fd, const char *busid)
{
	(void)busid;

	return raise_interrupt(fd, SPI_PSOC_MEM_DERR);
}

int hlthunk_err_inject_fatal_event(int fd, int *event_num)
{
	if (event_num)
		*event_num = EVENT_PSOC_MEM_DERR;

	return inject_reset(fd, raise_fatal);
}

/* The driver can be told to find the card's CPU silent. */
static int silence_cpu(int fd, const char *busid)
{
	static const char command[] = "cpu_timeout";
	char path[64];
	int file, rc;

	(void)fd;
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/device",
		 busid);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	rc = write(file, command, sizeof(command) - 1) < 0 ? -errno : 0;
	close(file);

	return rc;
}

int hlthunk_err_inject_loss_of_heartbeat(int fd)
{
	return inject_reset(fd, silence_cpu);
}

int hlthunk_err_inject_thermal_event(int fd)
{
	return raise_interrupt(fd, SPI_THERMAL_BEGIN);
}

int hlthunk_err_eject_thermal_event(int fd)
{
	return raise_interrupt(fd, SPI_THERMAL_END);
}
