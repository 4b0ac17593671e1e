// SPDX-License-Identifier: MIT
/* Programs at launch: the open fields filled in, in a copy. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "gaudi.h"
#include "hw/gaudi_map.h"
#include "hw/gaudi_packets.h"
#include "program_item.h"
#include "hw/regs/gaudi_sync_mngr_regs.h"

#define NUM_FENCES	4

void program_free(struct program *p)
{
	uint32_t i;

	for (i = 0; i < p->num_streams; i++) {
		free(p->streams[i].packets);
		free(p->streams[i].patches);
	}
	free(p->first_ref);
	free(p->refs);
	memset(p, 0, sizeof(*p));
}

static bool has_address(const struct prog_patch *patch)
{
	return patch->kind == PROG_PATCH_SRC || patch->kind == PROG_PATCH_DST ||
	       (patch->kind >= PROG_PATCH_READ &&
		patch->kind <= PROG_PATCH_CODE);
}

int program_index(struct program *p)
{
	uint32_t *next, i, j, b;
	size_t total = 0;

	p->first_ref = calloc((size_t)p->num_buffers + 1, sizeof(*next));
	next = calloc((size_t)p->num_buffers + 1, sizeof(*next));
	for (i = 0; i < p->num_streams; i++)
		total += p->streams[i].num_patches;
	p->refs = calloc(total + 1, sizeof(*p->refs));
	if (!p->first_ref || !next || !p->refs) {
		free(next);
		return gd_fail(-ENOMEM, "host memory for an index of %zu patches",
			       total);
	}

	for (i = 0; i < p->num_streams; i++)
		for (j = 0; j < p->streams[i].num_patches; j++)
			if (has_address(&p->streams[i].patches[j]))
				next[p->streams[i].patches[j].buffer]++;
	for (b = 0; b < p->num_buffers; b++) {
		p->first_ref[b + 1] = p->first_ref[b] + next[b];
		next[b] = p->first_ref[b];
	}
	for (i = 0; i < p->num_streams; i++) {
		for (j = 0; j < p->streams[i].num_patches; j++) {
			const struct prog_patch *patch =
				&p->streams[i].patches[j];

			if (!has_address(patch))
				continue;
			p->refs[next[patch->buffer]++] = (struct prog_ref) {
				.stream = i,
				.patch = j,
			};
		}
	}
	free(next);

	return 0;
}

static int check_resources(const struct program *p,
			   const struct prog_resources *r)
{
	uint32_t i;

	if (r->hw_stream >= GAUDI_NUM_STREAMS)
		return gd_fail(-EINVAL, "hardware stream %u, not 0 to %u",
			       r->hw_stream, GAUDI_NUM_STREAMS - 1);
	for (i = 0; i < p->num_sobs; i++)
		if (r->sobs[i] >= SYNC_MNGR_NUM_SOB)
			return gd_fail(-EINVAL, "sync object %u of %u",
				       r->sobs[i], SYNC_MNGR_NUM_SOB);
	for (i = 0; i < p->num_events; i++)
		if (r->events[i] >= SYNC_MNGR_NUM_SOB)
			return gd_fail(-EINVAL, "event %u: sync object %u of %u",
				       i, r->events[i], SYNC_MNGR_NUM_SOB);
	for (i = 0; i < p->num_streams; i++)
		if (r->monitors[i] >= SYNC_MNGR_NUM_MON ||
		    r->fences[i] >= NUM_FENCES)
			return gd_fail(-EINVAL, "monitor %u of %u, fence %u of %u",
				       r->monitors[i], SYNC_MNGR_NUM_MON,
				       r->fences[i], NUM_FENCES);
	return 0;
}

/* The monitor has its payload, in place of which there is nothing to do. */
static void fill_wait(uint32_t index, const struct prog_resources *r,
		      uint32_t sob, uint8_t *packet)
{
	uint32_t arm, value;
	struct pkt_buf pb;

	memcpy(&arm, packet + 24, sizeof(arm));
	value = (uint32_t)FIELD_GET(SYNC_MNGR_MON_ARM_SOD, le32toh(arm));
	pkt_init(&pb, packet, PROG_WAIT_SIZE);
	for (uint32_t i = 0; i < 3; i++)
		pkt_nop(&pb, 0);
	pkt_monitor_again(&pb, r->monitors[index], sob, value);
	pkt_fence(&pb, r->fences[index], 1, 1, 0);
}

/* A TPC takes the low half; the high one is in a register of the driver's. */
static void fill_done(uint32_t sob, uint8_t *packet, size_t left)
{
	uint32_t low, high, word;
	struct prog_form form;

	if (!prog_read_form(true, packet, left, &form) ||
	    !prog_launch_place(&form, PROG_PATCH_DONE, 0, &low, &high))
		return;
	word = htole32((uint32_t)(GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE +
				  SYNC_MNGR_SOB_OBJ(sob)));
	memcpy(packet + low, &word, sizeof(word));
}

static void fill_address(const struct prog_stream *s,
			 const struct prog_patch *patch, uint64_t address,
			 uint8_t *packet)
{
	uint64_t word = htole64(address);
	uint32_t low, high, half;
	struct prog_form form;

	if (patch->kind < PROG_PATCH_READ) {
		packet += patch->kind == PROG_PATCH_SRC ? 8 : 16;
		memcpy(packet, &word, sizeof(word));
		return;
	}
	if (!prog_read_form(s->engine >= PROG_TPC_0, packet,
			    s->size - patch->offset, &form) ||
	    !prog_launch_place(&form, patch->kind, patch->object, &low, &high))
		return;
	half = htole32((uint32_t)address);
	memcpy(packet + low, &half, sizeof(half));
	half = htole32((uint32_t)(address >> 32));
	memcpy(packet + high, &half, sizeof(half));
}

static void fill_object(const struct program *p, uint32_t index,
			const struct prog_patch *patch,
			const struct prog_resources *r, uint8_t *packet)
{
	struct pkt_buf pb;
	uint64_t address;

	pkt_init(&pb, packet, 8);
	switch (patch->kind) {
	case PROG_PATCH_SIGNAL:
		pkt_sob_add(&pb, r->sobs[patch->object], 1,
			    (uint32_t)GAUDI_PKT_CTL_EB);
		break;
	case PROG_PATCH_EVENT:
		pkt_sob_add(&pb, r->events[patch->object], 1,
			    (uint32_t)GAUDI_PKT_CTL_EB);
		break;
	case PROG_PATCH_RESET:
		pkt_sob_set(&pb, r->sobs[patch->object], 0,
			    (uint32_t)GAUDI_PKT_CTL_MB);
		break;
	case PROG_PATCH_WAIT:
		fill_wait(index, r, r->sobs[patch->object], packet);
		break;
	case PROG_PATCH_RUN:
		address = htole64(r->addresses[index] + patch->addend);
		memcpy(packet + 8, &address, sizeof(address));
		break;
	case PROG_PATCH_DONE:
		fill_done(r->sobs[patch->object], packet,
			  p->streams[index].size - patch->offset);
		break;
	default:
		break;
	}
}

int program_instantiate(const struct program *p, uint32_t stream,
			const struct prog_resources *r, void *packets)
{
	const struct prog_stream *s = &p->streams[stream];
	uint32_t i;
	int rc;

	rc = check_resources(p, r);
	if (rc)
		return rc;

	if (s->size)
		memcpy(packets, s->packets, s->size);
	for (i = 0; i < s->num_patches; i++)
		fill_object(p, stream, &s->patches[i], r,
			    (uint8_t *)packets + s->patches[i].offset);

	return 0;
}

void program_bind_objects(const struct program *p, uint32_t stream,
			  const struct prog_resources *r, void *packets)
{
	const struct prog_stream *s = &p->streams[stream];
	uint32_t i;

	for (i = 0; i < s->num_patches; i++)
		if (s->patches[i].kind != PROG_PATCH_RUN)
			fill_object(p, stream, &s->patches[i], r,
				    (uint8_t *)packets + s->patches[i].offset);
}

int program_bind(const struct program *p, uint32_t buffer, uint64_t address,
		 void *const *packets)
{
	uint32_t i;

	/* Addends are within the buffer, which is within the address space. */
	if (address >= PROG_ADDRESS_END)
		return gd_fail(-EINVAL, "tensor %u: address %#" PRIx64 ", limit %#llx",
			       buffer, address, PROG_ADDRESS_END);

	for (i = p->first_ref[buffer]; i < p->first_ref[buffer + 1]; i++) {
		const struct prog_ref *ref = &p->refs[i];
		const struct prog_stream *s = &p->streams[ref->stream];
		const struct prog_patch *patch = &s->patches[ref->patch];
		uint8_t *packet = packets[ref->stream];

		fill_address(s, patch, address + patch->addend,
			     packet + patch->offset);
	}

	return 0;
}

uint32_t program_split(const struct program *p, uint32_t stream, uint32_t from,
		       uint32_t max)
{
	const struct prog_stream *s = &p->streams[stream];
	unsigned int opcode;
	uint32_t end = from;
	size_t length;

	while (end < s->upper) {
		length = pkt_length(s->packets + end, s->upper - end, &opcode);
		if (!length || end - from + length > max)
			break;
		end += (uint32_t)length;
	}

	return end;
}
