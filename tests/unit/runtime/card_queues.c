// SPDX-License-Identifier: MIT
/* The card's side: queues, copies, sync objects and monitors. */
#include <endian.h>
#include <unistd.h>

#include "card_queues.h"
#include "packets.h"
#include "hw/gaudi_map.h"
#include "hw/regs/gaudi_sync_mngr_regs.h"

static uint8_t *resolve_own(struct sim *sim, uint64_t addr, uint64_t size)
{
	if (addr >= HBM_BASE && addr - HBM_BASE + size <= card.hbm)
		return sim->hbm + (addr - HBM_BASE);
	if (addr >= SRAM_BASE && addr - SRAM_BASE + size <= SRAM_SIZE)
		return sim->sram + (addr - SRAM_BASE);

	return NULL;
}

uint8_t *card_resolve_locked(struct sim *sim, uint64_t addr, uint64_t size)
{
	uint8_t *at = resolve_own(sim, addr, size);

	for (unsigned int i = 0; !at && i < TABLE; i++) {
		const struct mapping *map = &sim->maps[i];

		if (map->va && addr >= map->va &&
		    addr - map->va + size <= map->size)
			at = map->host + (addr - map->va);
	}
	if (!at) {
		fprintf(stderr, "the card was given %#llx, %llu bytes\n",
			(unsigned long long)addr, (unsigned long long)size);
		abort();
	}

	return at;
}

/* Without the lock where it can: ThreadSanitizer would take that for an order of accesses. */
uint8_t *card_resolve(struct sim *sim, uint64_t addr, uint64_t size)
{
	uint8_t *at = resolve_own(sim, addr, size);

	if (at)
		return at;
	pthread_mutex_lock(&sim->lock);
	at = card_resolve_locked(sim, addr, size);
	pthread_mutex_unlock(&sim->lock);

	return at;
}

/* A monitor whose sync object has come so far writes to a fence counter. */
static void look(struct sim *sim, struct monitor *mon)
{
	if (!mon->armed || sim->sobs[mon->sob] < mon->value)
		return;
	mon->armed = false;
	for (unsigned int q = 0; q < sim->started; q++) {
		if (pkt_fence_addr(sim->queues[q].id, 0) != mon->addr)
			continue;
		sim->queues[q].fence += mon->data;
		pthread_cond_broadcast(&sim->queues[q].work);
		return;
	}
	fprintf(stderr, "a monitor writes to %#llx\n",
		(unsigned long long)mon->addr);
	abort();
}

static void write_mon(struct sim *sim, uint32_t reg, uint32_t value)
{
	struct monitor *mon;

	reg += SYNC_MNGR_MON_PAY_ADDRL(0);
	mon = &sim->monitors[reg / 4 % 512];
	if (reg / 4 % 512 >= card.monitors || reg / 4 % 512 < FIRST_MONITOR)
		abort();
	if (reg < SYNC_MNGR_MON_PAY_ADDRH(0)) {
		mon->addr = (mon->addr & ~0xffffffffull) | value;
	} else if (reg < SYNC_MNGR_MON_PAY_DATA(0)) {
		mon->addr = (mon->addr & 0xffffffff) | (uint64_t)value << 32;
	} else if (reg < SYNC_MNGR_MON_ARM(0)) {
		mon->data = value;
	} else {
		uint32_t mask = ~FIELD_GET(SYNC_MNGR_MON_ARM_MASK, value) & 0xff;

		mon->sob = (unsigned int)(FIELD_GET(SYNC_MNGR_MON_ARM_SID, value)
					  * 8) + (unsigned int)__builtin_ctz(mask);
		mon->value = (uint32_t)FIELD_GET(SYNC_MNGR_MON_ARM_SOD, value);
		if (mon->sob >= SOBS || mon->value > 32767)
			abort();
		mon->armed = true;
		look(sim, mon);
	}
}

void card_write_sob(struct sim *sim, uint32_t reg, uint32_t value)
{
	unsigned int sob = reg / 4;

	if (sob < FIRST_SOB || sob >= SOBS)
		abort();
	if (value & (uint32_t)SYNC_MNGR_SOB_OBJ_INC)
		sim->sobs[sob] += value & (uint32_t)SYNC_MNGR_SOB_OBJ_VAL;
	else
		sim->sobs[sob] = value & (uint32_t)SYNC_MNGR_SOB_OBJ_VAL;
	if (sim->sobs[sob] > 32767)
		abort();
	for (unsigned int i = 0; i < MONITORS; i++)
		look(sim, &sim->monitors[i]);
}

static void message(struct sim *sim, uint32_t ctl, uint32_t value)
{
	uint32_t reg = (uint32_t)FIELD_GET(GAUDI_MSG_SHORT_CTL_ADDR, ctl);

	pthread_mutex_lock(&sim->lock);
	switch (FIELD_GET(GAUDI_MSG_SHORT_CTL_BASE, ctl)) {
	case 0:
		write_mon(sim, reg, value);
		break;
	case 1:
		card_write_sob(sim, reg, value);
		break;
	default:
		abort();
	}
	pthread_mutex_unlock(&sim->lock);
}

/* false: the card was closed meanwhile */
static bool fence(struct sim_queue *queue)
{
	struct sim *sim = queue->sim;
	bool goes_on;

	pthread_mutex_lock(&sim->lock);
	while (!queue->fence && !sim->stop && !queue->stop)
		pthread_cond_wait(&queue->work, &sim->lock);
	if (queue->fence)
		queue->fence--;
	goes_on = !sim->stop && !queue->stop;
	pthread_mutex_unlock(&sim->lock);

	return goes_on;
}

#ifdef __SANITIZE_THREAD__
/* Of ThreadSanitizer's runtime. */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#else
#define AnnotateIgnoreReadsBegin(file, line)
#define AnnotateIgnoreReadsEnd(file, line)
#define AnnotateIgnoreWritesBegin(file, line)
#define AnnotateIgnoreWritesEnd(file, line)
#endif

/*
 * What a card moves. Once a link has been given up, what waited for it goes on, and its
 * peer may still write to where that reads: who works with the results has been told by an
 * error, so it is no race that should be told of.
 */
void card_copy(void *to, const void *from, size_t size)
{
	bool failing = atomic_load(&card.failing);

	if (failing) {
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
		AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	}
	memcpy(to, from, size);
	if (failing) {
		AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
	}
}

static void dma(struct sim *sim, const struct gaudi_packet_lin_dma *p)
{
	uint8_t *to = card_resolve(sim, p->dst_addr, p->tsize);

	if (p->ctl & GAUDI_LIN_DMA_CTL_MEMSET) {
		uint64_t pattern = htole64(p->src_addr);
		uint32_t i = 0;

		for (; i + 8 <= p->tsize; i += 8)
			memcpy(to + i, &pattern, 8);
		memcpy(to + i, &pattern, p->tsize - i);
	} else {
		card_copy(to, card_resolve(sim, p->src_addr, p->tsize), p->tsize);
	}
}

static void copy_packet(struct sim *sim, const uint8_t *p)
{
	struct gaudi_packet_lin_dma packet;

	memcpy(&packet, p, sizeof(packet));
	dma(sim, &packet);
}

/* What an internal queue hands over; it must not wait. */
static void run_lower(struct sim_queue *queue, const uint8_t *p)
{
	struct gaudi_packet_cp_dma run;
	uint8_t *packets;

	memcpy(&run, p, sizeof(run));
	packets = card_resolve(queue->sim, run.src_addr, run.tsize);
	pthread_mutex_lock(&queue->sim->lower[(queue->index - GD_QUEUES) / 4]);
	for (uint32_t at = 0; at < run.tsize;) {
		unsigned int opcode;
		uint32_t words[2];

		memcpy(words, packets + at, sizeof(words));
		at += pkt_length(packets + at, run.tsize - at, &opcode);
		if (opcode == GAUDI_PKT_MSG_SHORT)
			message(queue->sim, words[1], words[0]);
		else if (opcode == GAUDI_PKT_LIN_DMA)
			copy_packet(queue->sim, packets + at -
				    sizeof(struct gaudi_packet_lin_dma));
		else if (opcode != GAUDI_PKT_NOP)
			abort();
	}
	pthread_mutex_unlock(&queue->sim->lower[(queue->index - GD_QUEUES) / 4]);
}

/* A port's registers: its doorbell. */
static void write_registers(struct sim_queue *queue, const uint8_t *p)
{
	struct gaudi_packet_wreg_bulk head;
	uint64_t bell;

	memcpy(&head, p, sizeof(head));
	memcpy(&bell, p + sizeof(head), sizeof(bell));
	if (head.size64 != 1 ||
	    FIELD_GET(GAUDI_WREG_BULK_CTL_REG_OFFSET, head.ctl))
		abort();
	card_ring(queue->sim, (queue->index - FIRST_NIC) / 4, bell);
}

static bool execute(struct sim_queue *queue, const struct job *job)
{
	bool external = queue->index < GD_QUEUES;
	bool port = queue->index >= FIRST_NIC;

	for (uint32_t at = 0; at < job->size;) {
		const uint8_t *p = job->packets + at;
		unsigned int opcode;
		uint32_t cfg, ctl;

		memcpy(&cfg, p, 4);
		memcpy(&ctl, p + 4, 4);
		at += pkt_length(p, job->size - at, &opcode);
		if (opcode == GAUDI_PKT_MSG_SHORT)
			message(queue->sim, ctl, cfg);
		else if (opcode == GAUDI_PKT_FENCE) {
			if (!fence(queue))
				return false;
		} else if (opcode == GAUDI_PKT_LIN_DMA && external)
			copy_packet(queue->sim, p);
		else if (opcode == GAUDI_PKT_CP_DMA && !external && !port)
			run_lower(queue, p);
		else if (opcode == GAUDI_PKT_WREG_BULK && port)
			write_registers(queue, p);
		else if (opcode != GAUDI_PKT_NOP)
			abort();
	}

	return true;
}

void *card_queue_main(void *arg)
{
	struct sim_queue *queue = arg;
	struct sim *sim = queue->sim;

	pthread_mutex_lock(&sim->lock);
	sim->started++;
	pthread_cond_broadcast(&sim->done);
	while (!sim->stop && !queue->stop) {
		struct job job;
		bool whole;

		if (queue->put == queue->got ||
		    card.hold & 1u << queue->index % GD_STREAMS) {
			pthread_cond_wait(&queue->work, &sim->lock);
			continue;
		}
		job = queue->jobs[queue->got % JOBS];
		queue->runs = true;
		pthread_mutex_unlock(&sim->lock);
		if (card.delay_us)
			usleep(card.delay_us);
		whole = execute(queue, &job);
		pthread_mutex_lock(&sim->lock);
		queue->runs = false;
		pthread_cond_broadcast(&sim->done);
		if (!whole)
			break;
		free(job.copy);
		queue->got++;
		if (queue->index < GD_QUEUES &&
		    !--sim->left[job.seq % 65536])
			sim->ends[job.seq % 65536] = gd_os_now_ns();
		pthread_cond_broadcast(&sim->done);
	}
	pthread_mutex_unlock(&sim->lock);

	return NULL;
}
