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
#include <unistd.h>

#include "gaudi_fw.h"
#include "gaudi_map.h"
#include "hlthunk.h"
#include "hlthunk_err_inject.h"
#include "packets.h"
#include "regs/gaudi_cpu_if_regs.h"
#include "regs/gaudi_psoc_regs.h"

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

	return rc;
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
		return -ENODEV;
	rc = hlthunk_debugfs_open(fd, &d);
	if (rc)
		return rc;
	rc = find_register(&d, &address);
	if (!rc)
		rc = hlthunk_debugfs_write(&d, address, spi);
	hlthunk_debugfs_close(&d);

	return rc;
}

int hlthunk_err_inject_non_fatal_event(int fd, int *event_num)
{
	if (event_num)
		*event_num = EVENT_PSOC_MEM_SERR;

	return raise_interrupt(fd, SPI_PSOC_MEM_SERR);
}

int hlthunk_err_inject_fatal_event(int fd, int *event_num)
{
	if (event_num)
		*event_num = EVENT_PSOC_MEM_DERR;

	return raise_interrupt(fd, SPI_PSOC_MEM_DERR);
}

/* The driver can be told to find the card's CPU silent. */
int hlthunk_err_inject_loss_of_heartbeat(int fd)
{
	static const char command[] = "cpu_timeout";
	char busid[16], path[64];
	int file, rc;

	rc = hlthunk_get_pci_bus_id_from_fd(fd, busid, sizeof(busid));
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/device",
		 busid);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	rc = write(file, command, sizeof(command) - 1) < 0 ? -errno : 0;
	close(file);

	return rc;
}

int hlthunk_err_inject_thermal_event(int fd)
{
	return raise_interrupt(fd, SPI_THERMAL_BEGIN);
}

int hlthunk_err_eject_thermal_event(int fd)
{
	return raise_interrupt(fd, SPI_THERMAL_END);
}
