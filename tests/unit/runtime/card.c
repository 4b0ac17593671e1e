// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "card_queues.h"
#include "drm/gaudi_accel.h"

#define CARDS		8
#define FD		1000		/* the first card's */
#define CONTROL		2000
#define VA_BASE		0x1000000000000ull

struct card_knobs card;
struct card_counts counts;

static struct sim sims[CARDS];

struct sim *card_of_fd(int fd)
{
	CARD_MUST(fd >= FD && fd < FD + CARDS && sims[fd - FD].open);

	return &sims[fd - FD];
}

struct sim *card_of_module(uint32_t module)
{
	for (unsigned int i = 0; i < CARDS; i++)
		if (sims[i].open && sims[i].module == module)
			return &sims[i];

	return NULL;
}

uint32_t gd_os_timeout_s(bool extended)
{
	(void)extended;

	return card.timeout_s;
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
	card_of_fd(fd);
	if (card.old_driver)
		return -ENOTTY;
	switch (id) {
	case GAUDI_QUERY_CAPS:
		*value = GAUDI_CAP_SHARED | GAUDI_CAP_SYNCOBJ |
			 (card.ports ? GAUDI_CAP_NIC : 0);
		return 0;
	case GAUDI_QUERY_NIC_PORTS:
		*value = card.ports;
		return 0;
	case GAUDI_QUERY_NUM_SYNC_OBJECTS:
		*value = SOBS;
		return 0;
	case GAUDI_QUERY_NUM_MONITORS:
		*value = card.monitors;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Those of ports only if there are ports. */
static unsigned int num_queues(void)
{
	return card.ports ? QUEUES : FIRST_NIC;
}

void card_release(void)
{
	for (unsigned int i = 0; i < CARDS; i++) {
		if (!sims[i].open)
			continue;
		pthread_mutex_lock(&sims[i].lock);
		card.hold = 0;
		for (unsigned int q = 0; q < num_queues(); q++)
			pthread_cond_broadcast(&sims[i].queues[q].work);
		pthread_cond_broadcast(&sims[i].done);
		pthread_mutex_unlock(&sims[i].lock);
	}
}

void card_finish(void)
{
	card_release();
	for (unsigned int i = 0; i < CARDS; i++) {
		if (!sims[i].open)
			continue;
		pthread_mutex_lock(&sims[i].lock);
		for (unsigned int q = 0; q < GD_QUEUES; q++)
			while (sims[i].queues[q].put != sims[i].queues[q].got)
				pthread_cond_wait(&sims[i].done, &sims[i].lock);
		pthread_mutex_unlock(&sims[i].lock);
	}
}

/*
 * libhl-thunk's functions
 */
int hlthunk_get_device_count(enum hlthunk_device_name name)
{
	CARD_MUST(name == HLTHUNK_DEVICE_GAUDI);

	return (int)card.cards;
}

/* There is no library of cards in a process. */
int hlthunk_get_device_index_from_pci_bus_id(const char *busid)
{
	CARD_MUST(busid);

	return -ELIBACC;
}

/* The second node belongs to some other accelerator. */
static int card_of_accel(int accel)
{
	return accel > 1 ? accel - 1 : accel == 0 ? 0 : -1;
}

int hlthunk_open_control(int dev_id, const char *busid)
{
	CARD_MUST(!busid);
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
	card_of_fd(fd);
	CARD_MUST(dcore_id == HL_GAUDI_EN_DCORE);
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
		GAUDI_QUEUE_ID_DMA_7_0, GAUDI_QUEUE_ID_NIC_0_0,
		GAUDI_QUEUE_ID_NIC_1_0, GAUDI_QUEUE_ID_NIC_2_0,
		GAUDI_QUEUE_ID_NIC_3_0, GAUDI_QUEUE_ID_NIC_4_0,
		GAUDI_QUEUE_ID_NIC_5_0, GAUDI_QUEUE_ID_NIC_6_0,
		GAUDI_QUEUE_ID_NIC_7_0,
	};
	unsigned long n = strtoul(busid + strlen("0000:"), NULL, 16);
	struct sim *sim;

	CARD_MUST(name == HLTHUNK_DEVICE_GAUDI);
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
	sim->module = 7 - (uint32_t)(n - 0x10);
	sim->seq = 1;
	sim->next_va = VA_BASE;
	pthread_mutex_init(&sim->lock, NULL);
	pthread_cond_init(&sim->done, NULL);
	/* What an earlier user left. */
	for (unsigned int i = FIRST_SOB; i < SOBS; i++)
		sim->sobs[i] = 99;
	for (unsigned int e = 0; e < INNER; e++)
		pthread_mutex_init(&sim->lower[e], NULL);
	for (unsigned int q = 0; q < num_queues(); q++) {
		struct sim_queue *queue = &sim->queues[q];

		queue->sim = sim;
		queue->index = q;
		queue->id = ids[q / 4] + q % 4;
		pthread_cond_init(&queue->work, NULL);
		pthread_create(&queue->thread, NULL, card_queue_main, queue);
	}
	/* A sanitizer's allocator does not survive a fork while threads begin. */
	pthread_mutex_lock(&sim->lock);
	while (sim->started < num_queues())
		pthread_cond_wait(&sim->done, &sim->lock);
	pthread_mutex_unlock(&sim->lock);
	sim->open = true;

	return FD + (int)(n - 0x10);
}

int hlthunk_close(int fd)
{
	struct sim *sim;

	if (fd >= CONTROL)
		return 0;
	sim = card_of_fd(fd);
	pthread_mutex_lock(&sim->lock);
	sim->stop = true;
	for (unsigned int q = 0; q < num_queues(); q++)
		pthread_cond_broadcast(&sim->queues[q].work);
	pthread_mutex_unlock(&sim->lock);
	for (unsigned int q = 0; q < num_queues(); q++) {
		struct sim_queue *queue = &sim->queues[q];

		pthread_join(queue->thread, NULL);
		for (; queue->got < queue->put; queue->got++)
			free(queue->jobs[queue->got % JOBS].copy);
		pthread_cond_destroy(&sim->queues[q].work);
	}
	for (unsigned int i = 0; i < TABLE; i++) {
		CARD_MUST(!sim->cbs[i].memory);
		CARD_MUST(!sim->maps[i].va);
	}
	CARD_MUST(!sim->allocs);
	CARD_MUST(!sim->hbm_used);
	card_check_ports(sim);
	munmap(sim->hbm, card.hbm);
	munmap(sim->sram, SRAM_SIZE);
	pthread_cond_destroy(&sim->done);
	pthread_mutex_destroy(&sim->lock);
	sim->open = false;

	return 0;
}

/* With the lock. */
static uint64_t map_host(struct sim *sim, void *memory, uint64_t size)
{
	unsigned int i = 0;
	uint64_t va;

	while (sim->maps[i].va)
		i++;
	va = sim->next_va + (uintptr_t)memory % 4096;
	sim->next_va += gd_round_up(size + 8192, 4096);
	sim->maps[i] = (struct mapping) { va, size, memory };

	return va;
}

static bool unmap_host(struct sim *sim, uint64_t va)
{
	bool found = false;

	for (unsigned int i = 0; va && i < TABLE; i++) {
		if (sim->maps[i].va != va)
			continue;
		sim->maps[i].va = 0;
		found = true;
	}

	return found;
}

int hlthunk_request_command_buffer(int fd, uint32_t size, uint64_t *handle)
{
	struct sim *sim = card_of_fd(fd);
	unsigned int i = 0;

	pthread_mutex_lock(&sim->lock);
	while (sim->cbs[i].memory)
		i++;
	sim->cbs[i].memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sim->cbs[i].size = size;
	counts.cbs++;
	pthread_mutex_unlock(&sim->lock);
	*handle = (i + 1ull) << 12;

	return 0;
}

static struct cb *cb_of(struct sim *sim, uint64_t handle)
{
	struct cb *cb = &sim->cbs[(handle >> 12) - 1];

	CARD_MUST(handle && !(handle & 0xfff) && handle >> 12 <= TABLE);
	CARD_MUST(cb->memory);

	return cb;
}

int hlthunk_request_mapped_command_buffer(int fd, uint32_t size,
					  uint64_t *handle)
{
	struct sim *sim = card_of_fd(fd);
	struct cb *cb;

	if (card.pin_error)
		return card.pin_error;
	hlthunk_request_command_buffer(fd, size, handle);
	pthread_mutex_lock(&sim->lock);
	cb = cb_of(sim, *handle);
	cb->va = map_host(sim, cb->memory, size);
	pthread_mutex_unlock(&sim->lock);

	return 0;
}

int hlthunk_get_mapped_cb_device_va_by_handle(int fd, uint64_t handle,
					      uint64_t *va)
{
	struct sim *sim = card_of_fd(fd);

	pthread_mutex_lock(&sim->lock);
	*va = cb_of(sim, handle)->va;
	pthread_mutex_unlock(&sim->lock);
	CARD_MUST(*va);

	return 0;
}

void *gd_os_map_cb(int fd, uint64_t handle, size_t size)
{
	struct sim *sim = card_of_fd(fd);
	struct cb *cb;

	pthread_mutex_lock(&sim->lock);
	cb = cb_of(sim, handle);
	CARD_MUST(cb->size == size);
	cb->mapped = true;
	pthread_mutex_unlock(&sim->lock);

	return cb->memory;
}

void gd_os_unmap_cb(void *memory, size_t size)
{
	for (struct sim *sim = sims; sim < sims + CARDS; sim++) {
		if (!sim->open)
			continue;
		/* Cards of other threads make and destroy theirs meanwhile. */
		pthread_mutex_lock(&sim->lock);
		for (unsigned int i = 0; i < TABLE; i++)
			if (sim->cbs[i].memory == memory) {
				CARD_MUST(sim->cbs[i].size == size);
				sim->cbs[i].mapped = false;
			}
		pthread_mutex_unlock(&sim->lock);
	}
}

/* As a reset leaves it. The lock is held. */
static void stop_queue(struct sim *sim, struct sim_queue *queue)
{
	queue->stop = true;
	pthread_cond_broadcast(&queue->work);
	while (queue->runs)
		pthread_cond_wait(&sim->done, &sim->lock);
}

/* Work goes on: drivers copy what they are given, as put_job() does. */
int hlthunk_destroy_command_buffer(int fd, uint64_t handle)
{
	struct sim *sim = card_of_fd(fd);
	struct cb *cb;

	pthread_mutex_lock(&sim->lock);
	cb = cb_of(sim, handle);
	CARD_MUST(!cb->mapped);
	munmap(cb->memory, cb->size);
	cb->memory = NULL;
	unmap_host(sim, cb->va);
	cb->va = 0;
	pthread_mutex_unlock(&sim->lock);

	return 0;
}

/*
 * One chunk into its queue; the lock is held, and is for all chunks of a submission: those of
 * two stand in all queues in the same order.
 */
static void put_job(struct sim *sim, const struct hl_cs_chunk *chunk,
		    uint64_t seq)
{
	struct sim_queue *queue = NULL;
	struct job job = { .seq = seq, .size = chunk->cb_size };

	CARD_MUST(chunk->cb_size && chunk->cb_size % 8 == 0);
	for (unsigned int q = 0; q < num_queues(); q++)
		if (sim->queues[q].id == chunk->queue_index)
			queue = &sim->queues[q];
	CARD_MUST(queue);
	CARD_MUST(queue->put - queue->got < JOBS);
	if (queue->index < GD_QUEUES) {
		const struct cb *cb = cb_of(sim, chunk->cb_handle);

		CARD_MUST(chunk->cb_size <= cb->size);
		if (counts.largest_cb < chunk->cb_size)
			counts.largest_cb = chunk->cb_size;
		/* The program may write another one's packets there now. */
		job.copy = aligned_alloc(8, chunk->cb_size);
		CARD_MUST(job.copy);
		memcpy(job.copy, cb->memory, chunk->cb_size);
		job.packets = job.copy;
		sim->left[seq % 65536]++;
	} else {
		job.packets = card_resolve_locked(sim, chunk->cb_handle,
						  chunk->cb_size);
	}
	queue->jobs[queue->put++ % JOBS] = job;
	pthread_cond_broadcast(&queue->work);
}

/* Nothing moves any more, and whoever waits hears @error. */
static void reset(struct sim *sim, int error)
{
	pthread_mutex_lock(&sim->lock);
	for (unsigned int q = 0; q < num_queues(); q++)
		stop_queue(sim, &sim->queues[q]);
	card.wait_error = error;
	pthread_cond_broadcast(&sim->done);
	pthread_mutex_unlock(&sim->lock);
}

int hlthunk_command_submission(int fd, struct hlthunk_cs_in *in,
			       struct hlthunk_cs_out *out)
{
	const struct hl_cs_chunk *first = in->chunks_execute;
	struct sim *sim = card_of_fd(fd);
	int rc = card.submit_error;

	counts.submissions++;
	card.submit_error = 0;
	if (rc == -EBUSY || rc == -ENODEV || rc == -EIO)
		reset(sim, -EIO);
	if (rc)
		return rc;
	CARD_MUST(in->num_chunks_execute >= 1 && in->num_chunks_execute <= 512);
	CARD_MUST(first->queue_index <= GAUDI_QUEUE_ID_DMA_1_3);
	CARD_MUST(in->flags == HL_CS_FLAGS_TIMESTAMP);
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

/* As those have it that may wait for another card. */
int hlthunk_command_submission_timeout(int fd, struct hlthunk_cs_in *in,
				       struct hlthunk_cs_out *out,
				       uint32_t timeout)
{
	CARD_MUST(timeout > 24 * 3600);

	return hlthunk_command_submission(fd, in, out);
}

int hlthunk_wait_for_cs_with_timestamp(int fd, uint64_t seq,
				       uint64_t timeout_us, uint32_t *status,
				       uint64_t *timestamp)
{
	struct sim *sim = card_of_fd(fd);
	uint64_t *end = &sim->ends[seq % 65536];
	void (*on_busy)(void) = NULL;
	bool timed_out = !timeout_us;
	struct timespec until;
	int rc;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += timeout_us / 1000000;
	until.tv_nsec += timeout_us % 1000000 * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	counts.waits++;
	pthread_mutex_lock(&sim->lock);
	while (!*end && !card.wait_error && !timed_out)
		timed_out = pthread_cond_timedwait(&sim->done, &sim->lock,
						   &until) == ETIMEDOUT;
	*status = *end ? HL_WAIT_CS_STATUS_COMPLETED : HL_WAIT_CS_STATUS_BUSY;
	*timestamp = *end;
	if (!*end && !timeout_us)
		on_busy = atomic_exchange(&card.on_busy, NULL);
	rc = card.wait_error;
	/* The driver resets the card before it says so. */
	for (unsigned int q = 0; rc && q < num_queues(); q++)
		stop_queue(sim, &sim->queues[q]);
	pthread_mutex_unlock(&sim->lock);
	if (on_busy)
		on_busy();

	return rc;
}

/* Memory is given out upwards, and is never given out twice. */
uint64_t hlthunk_device_memory_alloc(int fd, uint64_t size, uint64_t page_size,
				     bool contiguous, bool shared)
{
	struct sim *sim = card_of_fd(fd);
	uint64_t handle = 0;

	CARD_MUST(!page_size && contiguous && !shared && size % 4096 == 0);
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
	struct sim *sim = card_of_fd(fd);

	CARD_MUST(handle >= HBM_BASE);
	pthread_mutex_lock(&sim->lock);
	sim->hbm_used--;
	sim->allocs--;
	pthread_mutex_unlock(&sim->lock);

	return 0;
}

uint64_t hlthunk_device_memory_map(int fd, uint64_t handle, uint64_t hint)
{
	card_of_fd(fd);
	CARD_MUST(!hint);

	return handle;
}

int hlthunk_get_dram_usage(int fd, struct hlthunk_dram_usage_info *usage)
{
	usage->dram_free_mem = card.hbm - card_of_fd(fd)->hbm_next;

	return 0;
}

uint64_t hlthunk_host_memory_map(int fd, void *memory, uint64_t hint,
				 uint64_t size)
{
	struct sim *sim = card_of_fd(fd);
	uint64_t va;

	CARD_MUST(!hint);
	if (card.pin_error) {
		errno = -card.pin_error;
		return 0;
	}
	pthread_mutex_lock(&sim->lock);
	va = map_host(sim, memory, size);
	counts.maps++;
	pthread_mutex_unlock(&sim->lock);

	return va;
}

int hlthunk_memory_unmap(int fd, uint64_t va)
{
	struct sim *sim = card_of_fd(fd);
	bool found = va >= HBM_BASE && va < HBM_BASE + card.hbm;

	pthread_mutex_lock(&sim->lock);
	found |= unmap_host(sim, va);
	pthread_mutex_unlock(&sim->lock);
	CARD_MUST(found);

	return 0;
}

int card_set_up(void **state)
{
	(void)state;
	memset(&card, 0, sizeof(card));
	memset(&counts, 0, sizeof(counts));
	card.cards = 1;
	card.hbm = 1024 * MIB;
	card.monitors = 32;

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
