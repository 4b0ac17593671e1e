// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "card.h"
#include "gaudi_accel.h"
#include "gaudi_map.h"
#include "regs/gaudi_sync_mngr_regs.h"

#define CARDS		8
#define FD		1000		/* the first card's */
#define CONTROL		2000
#define HBM_BASE	0x20000000ull
#define SRAM_BASE	0x7ff0020000ull
#define SRAM_SIZE	(1 * MIB)
#define VA_BASE		0x1000000000000ull
#define SOBS		128
#define FIRST_SOB	40		/* of the next multiple of 128 */
#define MONITORS	32
#define FIRST_MONITOR	3
#define JOBS		4096
#define TABLE		4096
#define INNER		5		/* engines with internal queues */
#define QUEUES		(GD_QUEUES + 4 * INNER)

struct card_knobs card;
struct card_counts counts;

struct job {
	uint64_t seq;
	const uint8_t *packets;
	uint32_t size;
};

struct sim_queue {
	struct sim *sim;
	unsigned int index;		/* from GD_QUEUES on: internal ones */
	uint32_t id;
	pthread_t thread;
	pthread_cond_t work;
	struct job jobs[JOBS];
	uint64_t put, got;
	bool runs, stop;		/* a job; for good */
	unsigned int fence;
};

struct monitor {
	uint64_t addr;
	uint32_t data;
	bool armed;
	unsigned int sob;
	uint32_t value;
};

struct cb {
	uint8_t *memory;
	uint32_t size;
	bool mapped;
};

struct mapping {
	uint64_t va, size;
	uint8_t *host;
};

static struct sim {
	bool open, stop;
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct sim_queue queues[QUEUES];
	pthread_mutex_t lower[INNER];	/* one for four streams */
	uint32_t sobs[SOBS];
	struct monitor monitors[MONITORS];
	struct cb cbs[TABLE];
	struct mapping maps[TABLE];
	uint64_t next_va;
	uint8_t *hbm, *sram;
	uint64_t hbm_used, hbm_next;
	unsigned int allocs;
	uint64_t seq;
	/* By seq; external jobs that are left, and the end: 0: not yet */
	unsigned int left[65536];
	uint64_t ends[65536];
} sims[CARDS];

static struct sim *sim_of(int fd)
{
	assert_true(fd >= FD && fd < FD + CARDS && sims[fd - FD].open);

	return &sims[fd - FD];
}

uint64_t gd_os_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void gd_os_sleep_ms(unsigned int ms)
{
	(void)ms;
}

int gd_os_query(int fd, uint32_t id, uint64_t *value)
{
	sim_of(fd);
	if (card.old_driver)
		return -ENOTTY;
	switch (id) {
	case GAUDI_QUERY_CAPS:
		*value = GAUDI_CAP_SHARED | GAUDI_CAP_SYNCOBJ;
		return 0;
	case GAUDI_QUERY_NUM_SYNC_OBJECTS:
		*value = SOBS;
		return 0;
	case GAUDI_QUERY_NUM_MONITORS:
		*value = MONITORS;
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * The card's side
 */
static uint8_t *resolve(struct sim *sim, uint64_t addr, uint64_t size)
{
	uint8_t *at = NULL;

	if (addr >= HBM_BASE && addr - HBM_BASE + size <= card.hbm)
		return sim->hbm + (addr - HBM_BASE);
	if (addr >= SRAM_BASE && addr - SRAM_BASE + size <= SRAM_SIZE)
		return sim->sram + (addr - SRAM_BASE);
	pthread_mutex_lock(&sim->lock);
	for (unsigned int i = 0; i < TABLE; i++) {
		const struct mapping *map = &sim->maps[i];

		if (map->va && addr >= map->va &&
		    addr - map->va + size <= map->size)
			at = map->host + (addr - map->va);
	}
	pthread_mutex_unlock(&sim->lock);
	if (!at) {
		fprintf(stderr, "the card was given %#llx, %llu bytes\n",
			(unsigned long long)addr, (unsigned long long)size);
		abort();
	}

	return at;
}

/* A monitor whose sync object has come so far writes to a fence counter. */
static void look(struct sim *sim, struct monitor *mon)
{
	if (!mon->armed || sim->sobs[mon->sob] < mon->value)
		return;
	mon->armed = false;
	for (unsigned int q = 0; q < QUEUES; q++) {
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
	if (reg / 4 % 512 >= MONITORS || reg / 4 % 512 < FIRST_MONITOR)
		abort();
	if (reg < SYNC_MNGR_MON_PAY_ADDRH(0)) {
		mon->addr = (mon->addr & ~0xffffffffull) | value;
	} else if (reg < SYNC_MNGR_MON_PAY_DATA(0)) {
		mon->addr = (mon->addr & 0xffffffff) | (uint64_t)value << 32;
	} else if (reg < SYNC_MNGR_MON_ARM(0)) {
		mon->data = value;
	} else {
		uint32_t mask = ~FIELD_GET(GAUDI_MON_ARM_MASK, value) & 0xff;

		mon->sob = (unsigned int)(FIELD_GET(GAUDI_MON_ARM_GROUP, value)
					  * 8) + (unsigned int)__builtin_ctz(mask);
		mon->value = (uint32_t)FIELD_GET(GAUDI_MON_ARM_VALUE, value);
		if (mon->sob >= SOBS || mon->value > 32767)
			abort();
		mon->armed = true;
		look(sim, mon);
	}
}

static void write_sob(struct sim *sim, uint32_t reg, uint32_t value)
{
	unsigned int sob = reg / 4;

	if (sob < FIRST_SOB || sob >= SOBS)
		abort();
	if (value & (uint32_t)GAUDI_SOB_ADD)
		sim->sobs[sob] += value & (uint32_t)GAUDI_SOB_VALUE;
	else
		sim->sobs[sob] = value & (uint32_t)GAUDI_SOB_VALUE;
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
		write_sob(sim, reg, value);
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

static void dma(struct sim *sim, const struct gaudi_packet_lin_dma *p)
{
	uint8_t *to = resolve(sim, p->dst_addr, p->tsize);

	if (p->ctl & GAUDI_LIN_DMA_CTL_MEMSET) {
		for (uint32_t i = 0; i < p->tsize; i++)
			to[i] = (uint8_t)(p->src_addr >> i % 8 * 8);
	} else {
		memcpy(to, resolve(sim, p->src_addr, p->tsize), p->tsize);
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
	packets = resolve(queue->sim, run.src_addr, run.tsize);
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

static bool execute(struct sim_queue *queue, const struct job *job)
{
	bool external = queue->index < GD_QUEUES;

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
		else if (opcode == GAUDI_PKT_CP_DMA && !external)
			run_lower(queue, p);
		else if (opcode != GAUDI_PKT_NOP)
			abort();
	}

	return true;
}

static void *queue_main(void *arg)
{
	struct sim_queue *queue = arg;
	struct sim *sim = queue->sim;

	pthread_mutex_lock(&sim->lock);
	while (!sim->stop && !queue->stop) {
		struct job job;
		bool whole;

		if (queue->put == queue->got || card.hold) {
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
		queue->got++;
		if (queue->index < GD_QUEUES &&
		    !--sim->left[job.seq % 65536])
			sim->ends[job.seq % 65536] = gd_os_now_ns();
		pthread_cond_broadcast(&sim->done);
	}
	pthread_mutex_unlock(&sim->lock);

	return NULL;
}

void card_release(void)
{
	for (unsigned int i = 0; i < CARDS; i++) {
		if (!sims[i].open)
			continue;
		pthread_mutex_lock(&sims[i].lock);
		card.hold = false;
		for (unsigned int q = 0; q < QUEUES; q++)
			pthread_cond_broadcast(&sims[i].queues[q].work);
		pthread_cond_broadcast(&sims[i].done);
		pthread_mutex_unlock(&sims[i].lock);
	}
}

/*
 * libhl-thunk's functions
 */
int hlthunk_get_device_count(enum hlthunk_device_name name)
{
	assert_int_equal(name, HLTHUNK_DEVICE_GAUDI);

	return (int)card.cards;
}

/* The second node belongs to some other accelerator. */
static int card_of_accel(int accel)
{
	return accel > 1 ? accel - 1 : accel == 0 ? 0 : -1;
}

int hlthunk_open_control(int dev_id, const char *busid)
{
	assert_null(busid);
	if (dev_id >= (int)card.cards + 1)
		return -ENODEV;

	return CONTROL + dev_id;
}

enum hlthunk_device_name hlthunk_get_device_name_from_fd(int fd)
{
	return card_of_accel(fd - CONTROL) < 0 ? HLTHUNK_DEVICE_INVALID :
						HLTHUNK_DEVICE_GAUDI;
}

int hlthunk_get_pci_bus_id_from_fd(int fd, char *busid, int len)
{
	snprintf(busid, (size_t)len, "0000:%02x:00.0",
		 0x10 + card_of_accel(fd - CONTROL));

	return 0;
}

int hlthunk_get_hw_ip_info(int fd, struct hlthunk_hw_ip_info *ip)
{
	int n = fd >= CONTROL ? card_of_accel(fd - CONTROL) : fd - FD;

	memset(ip, 0, sizeof(*ip));
	ip->module_id = 7 - (uint32_t)n;
	ip->dram_size = card.hbm;
	ip->sram_base_address = SRAM_BASE;
	ip->sram_size = SRAM_SIZE;
	strcpy((char *)ip->card_name, "HL205");

	return 0;
}

int hlthunk_get_sync_manager_info(int fd, int dcore_id,
				  struct hlthunk_sync_manager_info *info)
{
	sim_of(fd);
	assert_int_equal(dcore_id, HL_GAUDI_EN_DCORE);
	info->first_available_sync_object = FIRST_SOB;
	info->first_available_monitor = FIRST_MONITOR;

	return 0;
}

int hlthunk_open(enum hlthunk_device_name name, const char *busid)
{
	static const uint32_t ids[QUEUES / 4] = {
		GAUDI_QUEUE_ID_DMA_0_0, GAUDI_QUEUE_ID_DMA_1_0,
		GAUDI_QUEUE_ID_DMA_2_0, GAUDI_QUEUE_ID_DMA_3_0,
		GAUDI_QUEUE_ID_DMA_4_0, GAUDI_QUEUE_ID_DMA_6_0,
		GAUDI_QUEUE_ID_DMA_7_0,
	};
	unsigned long n = strtoul(busid + strlen("0000:"), NULL, 16);
	struct sim *sim;

	assert_int_equal(name, HLTHUNK_DEVICE_GAUDI);
	if (card.busy_opens) {
		card.busy_opens--;
		return -EAGAIN;
	}
	if (card.open_error)
		return card.open_error;
	sim = &sims[n - 0x10];
	if (sim->open)
		return -EBUSY;
	memset(sim, 0, sizeof(*sim));
	sim->hbm = mmap(NULL, card.hbm, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sim->sram = mmap(NULL, SRAM_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sim->open = true;
	sim->seq = 1;
	sim->next_va = VA_BASE;
	pthread_mutex_init(&sim->lock, NULL);
	pthread_cond_init(&sim->done, NULL);
	/* What an earlier user left. */
	for (unsigned int i = FIRST_SOB; i < SOBS; i++)
		sim->sobs[i] = 99;
	for (unsigned int e = 0; e < INNER; e++)
		pthread_mutex_init(&sim->lower[e], NULL);
	for (unsigned int q = 0; q < QUEUES; q++) {
		struct sim_queue *queue = &sim->queues[q];

		queue->sim = sim;
		queue->index = q;
		queue->id = ids[q / 4] + q % 4;
		pthread_cond_init(&queue->work, NULL);
		pthread_create(&queue->thread, NULL, queue_main, queue);
	}

	return FD + (int)(n - 0x10);
}

int hlthunk_close(int fd)
{
	struct sim *sim;

	if (fd >= CONTROL)
		return 0;
	sim = sim_of(fd);
	pthread_mutex_lock(&sim->lock);
	sim->stop = true;
	for (unsigned int q = 0; q < QUEUES; q++)
		pthread_cond_broadcast(&sim->queues[q].work);
	pthread_mutex_unlock(&sim->lock);
	for (unsigned int q = 0; q < QUEUES; q++) {
		pthread_join(sim->queues[q].thread, NULL);
		pthread_cond_destroy(&sim->queues[q].work);
	}
	for (unsigned int i = 0; i < TABLE; i++) {
		assert_null(sim->cbs[i].memory);
		assert_false(sim->maps[i].va);
	}
	assert_int_equal(sim->allocs, 0);
	assert_int_equal(sim->hbm_used, 0);
	munmap(sim->hbm, card.hbm);
	munmap(sim->sram, SRAM_SIZE);
	pthread_cond_destroy(&sim->done);
	pthread_mutex_destroy(&sim->lock);
	sim->open = false;

	return 0;
}

int hlthunk_request_command_buffer(int fd, uint32_t size, uint64_t *handle)
{
	struct sim *sim = sim_of(fd);
	unsigned int i = 0;

	pthread_mutex_lock(&sim->lock);
	while (sim->cbs[i].memory)
		i++;
	sim->cbs[i].memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sim->cbs[i].size = size;
	pthread_mutex_unlock(&sim->lock);
	*handle = (i + 1ull) << 12;

	return 0;
}

static struct cb *cb_of(struct sim *sim, uint64_t handle)
{
	struct cb *cb = &sim->cbs[(handle >> 12) - 1];

	assert_true(handle && !(handle & 0xfff) && handle >> 12 <= TABLE);
	assert_non_null(cb->memory);

	return cb;
}

void *gd_os_map_cb(int fd, uint64_t handle, size_t size)
{
	struct sim *sim = sim_of(fd);
	struct cb *cb;

	pthread_mutex_lock(&sim->lock);
	cb = cb_of(sim, handle);
	assert_int_equal(cb->size, size);
	cb->mapped = true;
	pthread_mutex_unlock(&sim->lock);

	return cb->memory;
}

void gd_os_unmap_cb(void *memory, size_t size)
{
	for (unsigned int i = 0; i < CARDS; i++)
		for (unsigned int j = 0; sims[i].open && j < TABLE; j++)
			if (sims[i].cbs[j].memory == memory) {
				assert_int_equal(sims[i].cbs[j].size, size);
				sims[i].cbs[j].mapped = false;
			}
}

/* A buffer that goes while there is work, as a reset leaves it; lock held. */
static void stop_queue(struct sim *sim, struct sim_queue *queue,
		       const uint8_t *memory)
{
	for (uint64_t i = queue->got; i < queue->put; i++)
		queue->stop |= queue->jobs[i % JOBS].packets == memory;
	if (!queue->stop)
		return;
	pthread_cond_broadcast(&queue->work);
	while (queue->runs)
		pthread_cond_wait(&sim->done, &sim->lock);
}

int hlthunk_destroy_command_buffer(int fd, uint64_t handle)
{
	struct sim *sim = sim_of(fd);
	struct cb *cb;

	pthread_mutex_lock(&sim->lock);
	cb = cb_of(sim, handle);
	assert_false(cb->mapped);
	for (unsigned int q = 0; q < GD_QUEUES; q++)
		stop_queue(sim, &sim->queues[q], cb->memory);
	munmap(cb->memory, cb->size);
	cb->memory = NULL;
	pthread_mutex_unlock(&sim->lock);

	return 0;
}

/* One chunk into its queue; the lock is held. */
static void put_job(struct sim *sim, const struct hl_cs_chunk *chunk,
		    uint64_t seq)
{
	struct sim_queue *queue = NULL;
	struct job job = { .seq = seq, .size = chunk->cb_size };

	assert_true(chunk->cb_size && chunk->cb_size % 8 == 0);
	for (unsigned int q = 0; q < QUEUES; q++)
		if (sim->queues[q].id == chunk->queue_index)
			queue = &sim->queues[q];
	assert_non_null(queue);
	assert_true(queue->put - queue->got < JOBS);
	if (queue->index < GD_QUEUES) {
		const struct cb *cb = cb_of(sim, chunk->cb_handle);

		assert_true(chunk->cb_size <= cb->size);
		if (counts.largest_cb < chunk->cb_size)
			counts.largest_cb = chunk->cb_size;
		job.packets = cb->memory;
		sim->left[seq % 65536]++;
	} else {
		pthread_mutex_unlock(&sim->lock);
		job.packets = resolve(sim, chunk->cb_handle, chunk->cb_size);
		pthread_mutex_lock(&sim->lock);
	}
	queue->jobs[queue->put++ % JOBS] = job;
	pthread_cond_broadcast(&queue->work);
}

int hlthunk_command_submission(int fd, struct hlthunk_cs_in *in,
			       struct hlthunk_cs_out *out)
{
	const struct hl_cs_chunk *first = in->chunks_execute;
	struct sim *sim = sim_of(fd);
	int rc = card.submit_error;

	counts.submissions++;
	card.submit_error = 0;
	if (rc)
		return rc;
	assert_in_range(in->num_chunks_execute, 1, 512);
	assert_true(first->queue_index <= GAUDI_QUEUE_ID_DMA_1_3);
	assert_int_equal(in->flags, HL_CS_FLAGS_TIMESTAMP);
	pthread_mutex_lock(&sim->lock);
	out->seq = sim->seq++;
	sim->ends[out->seq % 65536] = 0;
	/* So that it has not ended before all of it is there. */
	sim->left[out->seq % 65536] = 1;
	for (uint32_t i = 0; i < in->num_chunks_execute; i++)
		put_job(sim, &first[i], out->seq);
	if (!--sim->left[out->seq % 65536]) {
		sim->ends[out->seq % 65536] = gd_os_now_ns();
		pthread_cond_broadcast(&sim->done);
	}
	pthread_mutex_unlock(&sim->lock);

	return 0;
}

int hlthunk_wait_for_cs_with_timestamp(int fd, uint64_t seq,
				       uint64_t timeout_us, uint32_t *status,
				       uint64_t *timestamp)
{
	struct sim *sim = sim_of(fd);
	uint64_t *end = &sim->ends[seq % 65536];
	int rc;

	counts.waits++;
	pthread_mutex_lock(&sim->lock);
	while (!*end && timeout_us && !card.wait_error)
		pthread_cond_wait(&sim->done, &sim->lock);
	*status = *end ? HL_WAIT_CS_STATUS_COMPLETED : HL_WAIT_CS_STATUS_BUSY;
	*timestamp = *end;
	rc = card.wait_error;
	pthread_mutex_unlock(&sim->lock);

	return rc;
}

/* Memory is given out upwards, and is never given out twice. */
uint64_t hlthunk_device_memory_alloc(int fd, uint64_t size, uint64_t page_size,
				     bool contiguous, bool shared)
{
	struct sim *sim = sim_of(fd);
	uint64_t handle = 0;

	assert_true(!page_size && contiguous && !shared && size % 4096 == 0);
	counts.allocs++;
	pthread_mutex_lock(&sim->lock);
	if (!sim->allocs)
		sim->hbm_next = 0;
	if (size <= card.hbm - sim->hbm_next) {
		handle = HBM_BASE + sim->hbm_next;
		sim->hbm_next += size;
		sim->hbm_used++;
		sim->allocs++;
	}
	pthread_mutex_unlock(&sim->lock);
	errno = ENOMEM;

	return handle;
}

int hlthunk_device_memory_free(int fd, uint64_t handle)
{
	struct sim *sim = sim_of(fd);

	assert_true(handle >= HBM_BASE);
	pthread_mutex_lock(&sim->lock);
	sim->hbm_used--;
	sim->allocs--;
	pthread_mutex_unlock(&sim->lock);

	return 0;
}

uint64_t hlthunk_device_memory_map(int fd, uint64_t handle, uint64_t hint)
{
	sim_of(fd);
	assert_int_equal(hint, 0);

	return handle;
}

int hlthunk_get_dram_usage(int fd, struct hlthunk_dram_usage_info *usage)
{
	usage->dram_free_mem = card.hbm - sim_of(fd)->hbm_next;

	return 0;
}

uint64_t hlthunk_host_memory_map(int fd, void *memory, uint64_t hint,
				 uint64_t size)
{
	struct sim *sim = sim_of(fd);
	uint64_t va;
	unsigned int i = 0;

	assert_int_equal(hint, 0);
	if (card.pin_error) {
		errno = -card.pin_error;
		return 0;
	}
	pthread_mutex_lock(&sim->lock);
	while (sim->maps[i].va)
		i++;
	va = sim->next_va + (uintptr_t)memory % 4096;
	sim->next_va += gd_round_up(size + 8192, 4096);
	sim->maps[i] = (struct mapping) { va, size, memory };
	pthread_mutex_unlock(&sim->lock);

	return va;
}

int hlthunk_memory_unmap(int fd, uint64_t va)
{
	struct sim *sim = sim_of(fd);
	bool found = va >= HBM_BASE && va < HBM_BASE + card.hbm;

	pthread_mutex_lock(&sim->lock);
	for (unsigned int i = 0; va && i < TABLE; i++) {
		if (sim->maps[i].va != va)
			continue;
		sim->maps[i].va = 0;
		found = true;
	}
	pthread_mutex_unlock(&sim->lock);
	assert_true(found);

	return 0;
}

int card_set_up(void **state)
{
	(void)state;
	memset(&card, 0, sizeof(card));
	memset(&counts, 0, sizeof(counts));
	card.cards = 1;
	card.hbm = 1024 * MIB;

	return 0;
}

int card_tear_down(void **state)
{
	int open = 0;

	(void)state;
	for (unsigned int i = 0; i < CARDS; i++)
		open += sims[i].open;

	return open;
}
