// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "card.h"
#include "drm/gaudi_accel.h"
#include "gaudi_sim.h"
#include "hw/gaudi_map.h"
#include "hw/regs/gaudi_qman_regs.h"

#define CARDS		8
#define DMA_QMANS	8
#define NIC_QMANS	10
#define CFG_BASE	0x7ffc000000ull

/* The function itself, and what stands in its place; args are in brackets. */
#define WRAP(type, name, args)		\
	type __real_##name args;	\
	type __wrap_##name args;	\
	type __wrap_##name args

struct card_knobs card;
struct card_counts counts;

/* By descriptor: which card it is, from 1 on. */
static unsigned int cards_by_fd[4096];
static atomic_uint open_cards;
static atomic_int allocs, maps, cbs;
static struct {
	pthread_mutex_t lock;
	int fd;
	uint64_t seq;
} last = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Before the library looks at its environment. */
static __attribute__((constructor)) void choose_sim(void)
{
	setenv("GAUDI_SIM", "8", 0);
	setenv("GAUDI_SIM_LIB", SIM_LIB, 0);
}

/*
 * What a program must not do. cmocka's assertions hold in the test's own thread only: in
 * another one they end the program without a word.
 */
static void must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void stop_streams(unsigned int n, uint32_t streams)
{
	struct gaudi_sim_card *sim = gaudi_sim_card(n);
	uint32_t stop = streams << __builtin_ctz(QM_GLBL_CFG1_CP_STOP);

	for (unsigned int i = 0; i < DMA_QMANS + NIC_QMANS; i++) {
		uint64_t base = CFG_BASE + (i < DMA_QMANS ? GAUDI_DMA_QM_BASE(i) :
					    GAUDI_NIC_QM_BASE(i - DMA_QMANS));

		gaudi_sim_card_write_register(sim, base + QM_GLBL_CFG1, stop);
	}
}

void card_hold(uint32_t streams)
{
	for (unsigned int n = 0; n < CARDS; n++)
		if (open_cards & 1u << n)
			stop_streams(n, streams);
}

void card_release(void)
{
	card_hold(0);
}

void card_finish(void)
{
	uint64_t seq, end;
	uint32_t status;
	int fd;

	card_release();
	pthread_mutex_lock(&last.lock);
	fd = last.fd;
	seq = last.seq;
	pthread_mutex_unlock(&last.lock);
	must(!hlthunk_wait_for_cs_with_timestamp(fd, seq, 60000000, &status, &end) &&
	     status == HL_WAIT_CS_STATUS_COMPLETED, "the last submission does not end");
}

void card_deafen(bool deaf)
{
	char why[200];

	for (unsigned int n = 0; n < CARDS; n++) {
		if (!(open_cards & 1u << n))
			continue;
		if (!deaf)
			gaudi_sim_card_heal(gaudi_sim_card(n));
		else
			must(!gaudi_sim_card_inject(gaudi_sim_card(n), "nic-frame-lost,count=all",
						    why, sizeof(why)), why);
	}
}

/*
 * Devices
 */
WRAP(int, hlthunk_open_control, (int dev_id, const char *busid))
{
	return !busid && dev_id >= (int)card.cards ? -ENODEV :
						     __real_hlthunk_open_control(dev_id, busid);
}

WRAP(int, hlthunk_get_device_count, (enum hlthunk_device_name name))
{
	int count = __real_hlthunk_get_device_count(name);

	return count > (int)card.cards ? (int)card.cards : count;
}

WRAP(int, hlthunk_open, (enum hlthunk_device_name name, const char *busid))
{
	int fd;

	if (card.busy_opens) {
		card.busy_opens--;
		return -EAGAIN;
	}
	if (card.open_error)
		return card.open_error;
	fd = __real_hlthunk_open(name, busid);
	if (fd >= 0) {
		int n = hlthunk_get_device_index_from_pci_bus_id(busid);

		must(fd < 4096 && n >= 0 && n < CARDS, "the card has no index");
		cards_by_fd[fd] = (unsigned int)n + 1;
		open_cards |= 1u << n;
	}

	return fd;
}

WRAP(int, hlthunk_close, (int fd))
{
	unsigned int n = fd >= 0 && fd < 4096 ? cards_by_fd[fd] : 0;

	if (n) {
		stop_streams(n - 1, 0);
		cards_by_fd[fd] = 0;
		open_cards &= ~(1u << (n - 1));
		must(open_cards || (!allocs && !maps && !cbs), "something is not given back");
	}

	return __real_hlthunk_close(fd);
}

/* Of the extensions, and of what a driver of the kernel's may have less of. */
WRAP(int, gd_os_query, (int fd, uint32_t id, uint64_t *value))
{
	int rc = card.old_driver ? -ENOTTY : __real_gd_os_query(fd, id, value);

	if (rc)
		return rc;
	if (id == GAUDI_QUERY_NUM_MONITORS && card.monitors && *value > card.monitors)
		*value = card.monitors;
	if (id == GAUDI_QUERY_CAPS && card.no_ports)
		*value &= ~(uint64_t)GAUDI_CAP_NIC;
	if (id == GAUDI_QUERY_NIC_PORTS && card.no_ports)
		*value = 0;

	return 0;
}

/* None of the driver: tests wait as long as they hold work. */
WRAP(uint32_t, gd_os_timeout_s, (bool extended))
{
	(void)extended;

	return 0;
}

WRAP(int, gd_os_nic, (int fd, uint32_t op, const void *in, uint32_t in_size, void *out,
	uint32_t out_size))
{
	int rc = card.nic_error;

	if (card.old_driver)
		return -EINVAL;
	if (rc && !card.nic_skip--) {
		card.nic_error = 0;
		return rc;
	}

	return __real_gd_os_nic(fd, op, in, in_size, out, out_size);
}

/*
 * Memory and command buffers
 */
WRAP(uint64_t, hlthunk_device_memory_alloc, (int fd, uint64_t size, uint64_t page_size,
	bool contiguous, bool shared))
{
	uint64_t handle = __real_hlthunk_device_memory_alloc(fd, size, page_size, contiguous,
							     shared);

	allocs += handle != 0;

	return handle;
}

WRAP(int, hlthunk_device_memory_free, (int fd, uint64_t handle))
{
	allocs--;

	return __real_hlthunk_device_memory_free(fd, handle);
}

WRAP(uint64_t, hlthunk_device_memory_map, (int fd, uint64_t handle, uint64_t hint))
{
	uint64_t va = __real_hlthunk_device_memory_map(fd, handle, hint);

	maps += va != 0;

	return va;
}

WRAP(uint64_t, hlthunk_host_memory_map, (int fd, void *memory, uint64_t hint, uint64_t size))
{
	uint64_t va;

	if (card.pin_error) {
		errno = -card.pin_error;
		return 0;
	}
	va = __real_hlthunk_host_memory_map(fd, memory, hint, size);
	maps += va != 0;
	counts.maps += va != 0;

	return va;
}

WRAP(int, hlthunk_memory_unmap, (int fd, uint64_t va))
{
	int rc = __real_hlthunk_memory_unmap(fd, va);

	must(!rc || card.wait_error, "what is unmapped was not mapped");
	maps--;

	return rc;
}

WRAP(int, hlthunk_request_command_buffer, (int fd, uint32_t size, uint64_t *handle))
{
	int rc = __real_hlthunk_request_command_buffer(fd, size, handle);

	cbs += !rc;
	counts.cbs += !rc;

	return rc;
}

WRAP(int, hlthunk_request_mapped_command_buffer, (int fd, uint32_t size, uint64_t *handle))
{
	int rc = card.pin_error;

	if (!rc)
		rc = __real_hlthunk_request_mapped_command_buffer(fd, size, handle);
	cbs += !rc;
	counts.cbs += !rc;

	return rc;
}

WRAP(int, hlthunk_destroy_command_buffer, (int fd, uint64_t handle))
{
	cbs--;

	return __real_hlthunk_destroy_command_buffer(fd, handle);
}

/*
 * Work
 */
static void note_submission(int fd, const struct hlthunk_cs_in *in, uint64_t seq)
{
	const struct hl_cs_chunk *chunks = in->chunks_execute;

	for (uint32_t i = 0; i < in->num_chunks_execute; i++)
		if (chunks[i].queue_index <= GAUDI_QUEUE_ID_DMA_1_3 &&
		    counts.largest_cb < chunks[i].cb_size)
			counts.largest_cb = chunks[i].cb_size;
	pthread_mutex_lock(&last.lock);
	last.fd = fd;
	last.seq = seq;
	pthread_mutex_unlock(&last.lock);
}

/* 0, or what is to be told instead of a submission. */
static int refused(void)
{
	int rc = atomic_exchange(&card.submit_error, 0);

	counts.submissions++;
	/* The driver resets the card: whoever waits hears of it. */
	if (rc == -EBUSY || rc == -ENODEV || rc == -EIO)
		card.wait_error = -EIO;

	return rc;
}

WRAP(int, hlthunk_command_submission, (int fd, struct hlthunk_cs_in *in,
	struct hlthunk_cs_out *out))
{
	int rc = refused();

	if (!rc)
		rc = __real_hlthunk_command_submission(fd, in, out);
	if (!rc)
		note_submission(fd, in, out->seq);

	return rc;
}

WRAP(int, hlthunk_command_submission_timeout, (int fd, struct hlthunk_cs_in *in,
	struct hlthunk_cs_out *out, uint32_t timeout))
{
	int rc = refused();

	if (!rc)
		rc = __real_hlthunk_command_submission_timeout(fd, in, out, timeout);
	if (!rc)
		note_submission(fd, in, out->seq);

	return rc;
}

WRAP(int, hlthunk_wait_for_cs_with_timestamp, (int fd, uint64_t seq, uint64_t timeout_us,
	uint32_t *status, uint64_t *timestamp))
{
	void (*on_busy)(void) = NULL;
	uint64_t piece_us = timeout_us;
	int rc;

	counts.waits++;
	/* In pieces, as wait_error may come meanwhile. */
	do {
		piece_us = timeout_us < 10000 ? timeout_us : 10000;
		timeout_us -= piece_us;
		rc = __real_hlthunk_wait_for_cs_with_timestamp(fd, seq, piece_us, status,
							       timestamp);
		if (card.wait_error && (rc || *status != HL_WAIT_CS_STATUS_COMPLETED))
			return card.wait_error;
	} while (!rc && *status == HL_WAIT_CS_STATUS_BUSY && timeout_us);
	if (!rc && *status == HL_WAIT_CS_STATUS_BUSY && !piece_us)
		on_busy = atomic_exchange(&card.on_busy, NULL);
	if (on_busy)
		on_busy();

	return card.wait_error ? card.wait_error : rc;
}

int card_set_up(void **state)
{
	(void)state;
	memset(&card, 0, sizeof(card));
	memset(&counts, 0, sizeof(counts));
	card.cards = 1;
	card.monitors = 32;

	return 0;
}

int card_tear_down(void **state)
{
	(void)state;

	return open_cards != 0;
}
