// SPDX-License-Identifier: MIT
/*
 * The card of gaudi-copy: opening it, dividing memory among the slots, and
 * each leg as a submission.
 *
 * The legs up and down are one LIN_DMA each on an external queue. The leg
 * across runs on an internal queue, whose jobs the driver does not see ending.
 * So its submission has a second job, on an external queue, that waits for it:
 * the internal queue's last packet raises a sync object, a monitor turns that
 * into a fence count of the external queue, which stands at a FENCE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copy.h"
#include "packets.h"
#include "text.h"

#define QUEUE_UP	GAUDI_QUEUE_ID_DMA_0_0
#define QUEUE_DOWN	GAUDI_QUEUE_ID_DMA_1_0
#define QUEUE_JOIN	GAUDI_QUEUE_ID_DMA_1_1
#define FENCE_ID	0

#define CB_SIZE		4096u
#define UPPER_SIZE	64u
#define ALIGN		4096u
#define HUGE_PAGE	(2u << 20)
#define SRAM_ALIGN	128u

/* Seconds to wait for a card that is in reset, or being released. */
#define OPEN_PATIENCE	30

/* Written to where data will arrive, so that no earlier copy passes as this. */
#define SCRUB_PATTERN	0x5ca1ab1e0ddba11ull

static const unsigned int across_queues[] = {
	GAUDI_QUEUE_ID_DMA_2_0,
	GAUDI_QUEUE_ID_DMA_3_0,
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static void explain_open(const struct card *card, int err)
{
	switch (err) {
	case -EBUSY:
		complain("card %d: another process has it", card->index);
		break;
	case -EAGAIN:
		complain("card %d: still in reset after %d s", card->index,
			 OPEN_PATIENCE);
		break;
	case -EPERM:
		complain("card %d: disabled (status %s), see the kernel log",
			 card->index, card->status);
		break;
	case -EACCES:
		complain("card %d: no permission for " HLTHUNK_DEV_NAME_PRIMARY,
			 card->index, card->index);
		break;
	case -EINVAL:
		complain("card %d: %s refuses to be opened; habanalabs of kernel 6.12 needs Open Gaudi's helper module",
			 card->index, card->driver);
		break;
	default:
		complain("card %d: cannot open: %s", card->index,
			 strerror(-err));
	}
}

/* -EAGAIN if one of them may be had later, else 0 or the first one's error */
static int try_cards(struct rig *rig, const struct card *cards, size_t count,
		     int *errors)
{
	int rc = -ENODEV;

	for (size_t i = 0; i < count; i++) {
		int fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, cards[i].busid);

		if (fd >= 0) {
			rig->fd = fd;
			rig->card = cards[i];
			return 0;
		}
		errors[i] = fd;
		if (fd == -EAGAIN || rc == -ENODEV)
			rc = fd;
	}

	return rc;
}

static int try_patiently(struct rig *rig, const struct card *cards,
			 size_t count, int *errors)
{
	int rc = try_cards(rig, cards, count, errors);

	/* A second without a word: the last user may be on the way out. */
	for (int i = 0; rc == -EAGAIN && i < OPEN_PATIENCE * 10 &&
	     !interrupted(); i++) {
		if (i == 10)
			complain("waiting for a card that is in reset");
		usleep(100000);
		rc = try_cards(rig, cards, count, errors);
	}

	return rc;
}

/* The first of the chosen cards that can be had. */
static int open_card(struct rig *rig, const struct card_choice *choice)
{
	struct card *cards = NULL;
	size_t found = 0, count;
	int *errors;
	int rc;

	rc = cards_find(&cards, &found);
	if (rc) {
		complain("cannot list devices: %s", strerror(-rc));
		return rc;
	}
	count = cards_choose(cards, found, choice);
	errors = calloc(count + 1, sizeof(*errors));
	rc = errors ? -ENODEV : -ENOMEM;
	if (!errors)
		complain("out of memory");
	else if (!found)
		complain("no Gaudi card found");
	else if (!count)
		complain("no such card (this machine has %zu)", found);
	if (errors && count)
		rc = try_patiently(rig, cards, count, errors);
	/* That some cards are in use is no news if another one is free. */
	if (rc && interrupted())
		rc = -EINTR;
	for (size_t i = 0; rc && rc != -EINTR && errors && i < count; i++)
		explain_open(&cards[i], errors[i]);
	free(errors);
	free(cards);

	return rc;
}

/* One block of host memory for all slots, which the card can reach. */
static int get_host(struct rig *rig)
{
	size_t data = round_up(rig->chunk, ALIGN);
	size_t cbs = round_up(UPPER_SIZE + rig->lower_size, ALIGN);
	size_t per_slot = 2 * data + cbs;
	uint8_t *host;

	rig->host_size = round_up(per_slot * rig->depth, HUGE_PAGE);
	rig->host = aligned_alloc(HUGE_PAGE, rig->host_size);
	if (!rig->host) {
		complain("no memory for %zu bytes of buffers", rig->host_size);
		return -ENOMEM;
	}
	madvise(rig->host, rig->host_size, MADV_HUGEPAGE);
	memset(rig->host, 0, rig->host_size);
	rig->host_dev = hlthunk_host_memory_map(rig->fd, rig->host, 0,
						rig->host_size);
	if (!rig->host_dev) {
		int err = errno ? -errno : -ENOMEM;

		complain("cannot map %zu bytes for the card: %s",
			 rig->host_size, strerror(-err));
		return err;
	}

	host = rig->host;
	for (unsigned int i = 0; i < rig->depth; i++) {
		struct slot *s = &rig->slots[i];
		uint64_t dev = rig->host_dev + i * per_slot;

		s->in = host + i * per_slot;
		s->out = s->in + data;
		s->upper = s->out + data;
		s->lower = s->upper + UPPER_SIZE;
		s->in_dev = dev;
		s->out_dev = dev + data;
		s->upper_dev = s->out_dev + data;
		s->lower_dev = s->upper_dev + UPPER_SIZE;
	}

	return 0;
}

static int get_hbm(struct rig *rig)
{
	size_t data = round_up(rig->chunk, ALIGN);

	rig->hbm_size = 2ull * data * rig->depth;
	rig->hbm_handle = hlthunk_device_memory_alloc(rig->fd, rig->hbm_size, 0,
						      true, false);
	if (rig->hbm_handle)
		rig->hbm_dev = hlthunk_device_memory_map(rig->fd,
							 rig->hbm_handle, 0);
	if (!rig->hbm_dev) {
		int err = errno ? -errno : -ENOMEM;

		complain("cannot get %llu bytes of HBM: %s",
			 (unsigned long long)rig->hbm_size, strerror(-err));
		return err;
	}
	for (unsigned int i = 0; i < rig->depth; i++) {
		rig->slots[i].hbm_from = rig->hbm_dev + 2ull * data * i;
		rig->slots[i].hbm_to = rig->slots[i].hbm_from + data;
	}

	return 0;
}

static int get_cbs(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->depth; i++) {
		for (int leg = 0; leg < NUM_LEGS; leg++) {
			struct mapped_cb *cb = &rig->slots[i].cb[leg];
			void *mem;
			int rc;

			rc = hlthunk_request_command_buffer(rig->fd, CB_SIZE,
							    &cb->handle);
			if (rc) {
				complain("cannot get a command buffer: %s",
					 strerror(-rc));
				return rc;
			}
			mem = mmap(NULL, CB_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED, rig->fd, (off_t)cb->handle);
			if (mem == MAP_FAILED) {
				rc = -errno;
				complain("cannot map a command buffer: %s",
					 strerror(errno));
				return rc;
			}
			cb->mem = mem;
		}
	}

	return 0;
}

/* SRAM, sync objects and queues for each slot. */
static int divide(struct rig *rig)
{
	struct hlthunk_sync_manager_info sync;
	uint64_t base = round_up(rig->ip.sram_base_address, SRAM_ALIGN);
	uint64_t end = rig->ip.sram_base_address + rig->ip.sram_size;
	uint64_t piece = end > base ? (end - base) / rig->depth : 0;
	size_t pieces;
	int rc;

	piece -= piece % SRAM_ALIGN;
	if (!piece) {
		complain("the card has no SRAM");
		return -ENODEV;
	}
	if (piece > rig->chunk)
		piece = round_up(rig->chunk, SRAM_ALIGN);
	rig->sram_piece = (uint32_t)piece;
	pieces = (rig->chunk + piece - 1) / piece;
	/* two copies for each piece, and the signal */
	rig->lower_size = pieces * 2 * sizeof(struct gaudi_packet_lin_dma) +
			  sizeof(struct gaudi_packet_msg_short);

	rc = hlthunk_get_sync_manager_info(rig->fd, HL_GAUDI_EN_DCORE, &sync);
	if (rc) {
		complain("cannot ask for sync objects: %s", strerror(-rc));
		return rc;
	}
	for (unsigned int i = 0; i < rig->depth; i++) {
		struct slot *s = &rig->slots[i];

		s->sram = base + i * piece;
		s->sob = sync.first_available_sync_object + i;
		s->monitor = sync.first_available_monitor + i;
		s->dma = across_queues[i % (sizeof(across_queues) /
					    sizeof(across_queues[0]))];
	}

	return 0;
}

static int submit(struct rig *rig, struct hl_cs_chunk *chunks, uint32_t count,
		  uint64_t *seq, const char *what)
{
	struct hlthunk_cs_in in = {
		.chunks_execute = chunks,
		.num_chunks_execute = count,
		.flags = HL_CS_FLAGS_TIMESTAMP,
	};
	struct hlthunk_cs_out out = {};
	int rc;

	rc = hlthunk_command_submission(rig->fd, &in, &out);
	if (rc) {
		complain("%s: submission failed: %s", what, strerror(-rc));
		return rc;
	}
	*seq = out.seq;

	return 0;
}

static const char *leg_name(enum leg leg)
{
	static const char * const names[] = {
		[LEG_UP] = "host to HBM",
		[LEG_ACROSS] = "HBM to SRAM to HBM",
		[LEG_DOWN] = "HBM to host",
	};

	return names[leg];
}

/* Sync objects to 0; a pattern to wherever data will arrive. */
static int submit_scrub(struct rig *rig)
{
	int rc;

	for (unsigned int i = 0; i < rig->depth; i++) {
		struct slot *s = &rig->slots[i];
		struct hl_cs_chunk chunk = {
			.cb_handle = s->cb[LEG_UP].handle,
			.queue_index = QUEUE_UP,
		};
		struct pkt_buf pb;

		pkt_init(&pb, s->cb[LEG_UP].mem, CB_SIZE);
		pkt_sob_set(&pb, s->sob, 0, 0);
		pkt_memset(&pb, SCRUB_PATTERN, s->hbm_from, rig->chunk, 0);
		pkt_memset(&pb, SCRUB_PATTERN, s->hbm_to, rig->chunk, 0);
		pkt_memset(&pb, SCRUB_PATTERN, s->sram, rig->sram_piece, 0);
		chunk.cb_size = (uint32_t)pb.used;
		rc = submit(rig, &chunk, 1, &s->seq[LEG_UP], "preparation");
		if (rc)
			return rc;
	}

	return 0;
}

static int scrub(struct rig *rig)
{
	int rc = submit_scrub(rig);

	for (unsigned int i = 0; !rc && i < rig->depth; i++) {
		do {
			rc = rig_wait(rig, &rig->slots[i], LEG_UP, 1000000);
		} while (rc == 1);
	}

	return rc;
}

int rig_open(struct rig *rig, const struct card_choice *choice, uint32_t chunk,
	     unsigned int depth)
{
	int rc;

	memset(rig, 0, sizeof(*rig));
	rig->fd = -1;
	rig->chunk = chunk;
	rig->depth = depth;

	rc = open_card(rig, choice);
	if (rc)
		return rc;
	rc = hlthunk_get_hw_ip_info(rig->fd, &rig->ip);
	if (rc) {
		complain("card %d does not say what it is: %s",
			 rig->card.index, strerror(-rc));
		return rc;
	}
	rc = divide(rig);
	if (!rc)
		rc = get_host(rig);
	if (!rc)
		rc = get_hbm(rig);
	if (!rc)
		rc = get_cbs(rig);
	if (!rc)
		rc = scrub(rig);

	return !rc && interrupted() ? -EINTR : rc;
}

void rig_close(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->depth; i++) {
		for (int leg = 0; leg < NUM_LEGS; leg++) {
			struct mapped_cb *cb = &rig->slots[i].cb[leg];

			if (cb->mem)
				munmap(cb->mem, CB_SIZE);
			if (cb->handle)
				hlthunk_destroy_command_buffer(rig->fd,
							       cb->handle);
		}
	}
	if (rig->hbm_dev)
		hlthunk_memory_unmap(rig->fd, rig->hbm_dev);
	if (rig->hbm_handle)
		hlthunk_device_memory_free(rig->fd, rig->hbm_handle);
	if (rig->host_dev)
		hlthunk_memory_unmap(rig->fd, rig->host_dev);
	if (rig->fd >= 0)
		hlthunk_close(rig->fd);
	free(rig->host);
}

static int submit_linear(struct rig *rig, struct slot *s, unsigned int queue,
			 enum leg leg, uint64_t src, uint64_t dst)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = s->cb[leg].handle,
		.queue_index = queue,
	};
	struct pkt_buf pb;

	pkt_init(&pb, s->cb[leg].mem, CB_SIZE);
	pkt_lin_dma(&pb, src, dst, s->bytes, 0);
	chunk.cb_size = (uint32_t)pb.used;

	return submit(rig, &chunk, 1, &s->seq[leg], leg_name(leg));
}

/* The internal queue's packets: by way of the SRAM, piece by piece. */
static uint32_t write_lower(struct rig *rig, struct slot *s)
{
	uint32_t left = s->bytes;
	uint64_t from = s->hbm_from;
	uint64_t to = s->hbm_to;
	struct pkt_buf pb;

	pkt_init(&pb, s->lower, rig->lower_size);
	while (left) {
		uint32_t n = left < rig->sram_piece ? left : rig->sram_piece;

		/* EB: what the engine has begun must have arrived. */
		pkt_lin_dma(&pb, from, s->sram, n, GAUDI_PKT_CTL_EB);
		pkt_lin_dma(&pb, s->sram, to, n, GAUDI_PKT_CTL_EB);
		from += n;
		to += n;
		left -= n;
	}
	pkt_sob_add(&pb, s->sob, 1, GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_MB);

	return pb.overflow ? 0 : (uint32_t)pb.used;
}

static int submit_across(struct rig *rig, struct slot *s)
{
	struct hl_cs_chunk chunks[2] = {
		{ .cb_handle = s->upper_dev, .queue_index = s->dma },
		{ .cb_handle = s->cb[LEG_ACROSS].handle,
		  .queue_index = QUEUE_JOIN },
	};
	uint32_t lower = write_lower(rig, s);
	struct pkt_buf pb;

	if (!lower) {
		complain("%s: too many packets", leg_name(LEG_ACROSS));
		return -E2BIG;
	}
	pkt_init(&pb, s->upper, UPPER_SIZE);
	pkt_cp_dma(&pb, s->lower_dev, lower, 0);
	chunks[0].cb_size = (uint32_t)pb.used;

	/* One monitor of this queue is armed at a time: counts cannot mix. */
	pkt_init(&pb, s->cb[LEG_ACROSS].mem, CB_SIZE);
	pkt_monitor(&pb, s->monitor, s->sob, 1,
		    pkt_fence_addr(QUEUE_JOIN, FENCE_ID), 1);
	pkt_fence(&pb, FENCE_ID, 1, 1, GAUDI_PKT_CTL_MB);
	pkt_sob_set(&pb, s->sob, 0, 0);
	chunks[1].cb_size = (uint32_t)pb.used;

	return submit(rig, chunks, 2, &s->seq[LEG_ACROSS],
		      leg_name(LEG_ACROSS));
}

int rig_submit(struct rig *rig, struct slot *slot, enum leg leg)
{
	slot->begin[leg] = now();
	switch (leg) {
	case LEG_UP:
		return submit_linear(rig, slot, QUEUE_UP, leg, slot->in_dev,
				     slot->hbm_from);
	case LEG_DOWN:
		return submit_linear(rig, slot, QUEUE_DOWN, leg, slot->hbm_to,
				     slot->out_dev);
	case LEG_ACROSS:
		return submit_across(rig, slot);
	default:
		return -EINVAL;
	}
}

int rig_wait(struct rig *rig, struct slot *slot, enum leg leg,
	     uint64_t timeout_us)
{
	uint32_t status = HL_WAIT_CS_STATUS_BUSY;
	uint64_t end_ns = 0;
	int rc;

	rc = hlthunk_wait_for_cs_with_timestamp(rig->fd, slot->seq[leg],
						timeout_us, &status, &end_ns);
	if (rc == -ETIMEDOUT)
		complain("%s: the card did not finish in time, the driver resets it",
			 leg_name(leg));
	else if (rc == -EIO)
		complain("%s: aborted by a reset of the card", leg_name(leg));
	else if (rc)
		complain("%s: waiting failed: %s", leg_name(leg),
			 strerror(-rc));
	if (rc)
		return rc;

	if (status == HL_WAIT_CS_STATUS_BUSY)
		return 1;
	/* Both are CLOCK_MONOTONIC. This thread may have woken up late. */
	slot->end[leg] = end_ns ? (double)end_ns / 1e9 : now();

	return 0;
}
