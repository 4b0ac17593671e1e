// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of libhl-thunk on a real driver and card, as a program for the
 * vendor's library would use them. Prints TAP; runs on either driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "thunk_api.h"

int fd = -1;

static int open_card(void **state)
{
	(void)state;
	/* The last user may still be on the way out. */
	for (int i = 0; i < 100; i++) {
		fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
		if (fd != -EAGAIN)
			break;
		usleep(100000);
	}

	return fd < 0;
}

static int close_card(void **state)
{
	(void)state;

	return hlthunk_close(fd);
}

TEST(identity)
{
	struct hlthunk_hw_ip_info ip;
	char busid[16];
	int ctl;

	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_DONT_CARE), 1);
	assert_int_equal(hlthunk_get_device_name_from_fd(fd),
			 HLTHUNK_DEVICE_GAUDI);
	assert_int_equal(hlthunk_get_device_id_from_fd(fd), 0x1000);
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(fd, busid, 16), 0);
	assert_int_equal(hlthunk_get_device_index_from_pci_bus_id(busid), 0);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI, busid), -EBUSY);
	assert_int_equal(hlthunk_get_hw_ip_info(fd, &ip), 0);
	assert_int_equal(ip.dram_base_address, HBM);
	assert_int_equal(hlthunk_open_by_module_id(ip.module_id), -EBUSY);
	assert_int_equal(hlthunk_open_by_module_id(ip.module_id + 1), -ENODEV);

	ctl = hlthunk_open_control_by_bus_id(busid);
	assert_true(ctl >= 0);
	assert_int_equal(hlthunk_get_device_name_from_fd(ctl),
			 HLTHUNK_DEVICE_GAUDI);
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(ctl, busid, 16), 0);
	assert_int_equal(hlthunk_notifier_create(ctl), -EOPNOTSUPP);
	assert_int_equal(hlthunk_close(ctl), 0);
}

TEST(information)
{
	struct hlthunk_hw_asic_status asic;
	struct hlthunk_time_sync_info t1, t2;
	struct hlthunk_sync_manager_info sm;
	struct hlthunk_pll_frequency_info pll;
	struct hlthunk_pci_counters_info pci;
	struct hl_info_cs_counters counters;
	struct hlthunk_open_stats_info stats;
	struct hlthunk_page_fault_info pf = {};
	struct hlthunk_event_record_cs_timeout to;
	uint64_t orders;
	char text[65536];
	int size = 0;

	assert_int_equal(hlthunk_get_hw_asic_status(fd, &asic), 0);
	assert_int_equal(asic.status, HL_DEVICE_STATUS_OPERATIONAL);
	assert_int_equal(asic.valid, 1);
	assert_true(asic.power.power > 0);
	assert_int_equal(hlthunk_get_time_sync_info(fd, &t1), 0);
	usleep(10000);
	assert_int_equal(hlthunk_get_time_sync_info(fd, &t2), 0);
	assert_true(t2.device_time > t1.device_time);
	assert_true(t2.host_time > t1.host_time);
	assert_int_equal(hlthunk_get_sync_manager_info(fd, HL_GAUDI_WS_DCORE,
						       &sm), 0);
	assert_int_equal(sm.first_available_sync_object,
			 GAUDI_FIRST_AVAILABLE_W_S_SYNC_OBJECT);
	assert_int_equal(sm.first_available_monitor,
			 GAUDI_FIRST_AVAILABLE_W_S_MONITOR);
	assert_int_equal(hlthunk_get_sync_manager_info(fd, 8, &sm), -EINVAL);
	assert_int_equal(hlthunk_get_pll_frequency(fd, HL_GAUDI_CPU_PLL, &pll),
			 0);
	assert_int_equal(hlthunk_get_pci_counters_info(fd, &pci), 0);
	assert_int_equal(hlthunk_get_cs_counters_info(fd, &counters), 0);
	assert_int_equal(hlthunk_get_open_stats(fd, &stats), 0);
	assert_int_equal(stats.is_compute_ctx_active, 1);
	assert_int_equal(hlthunk_get_dev_memalloc_page_orders(fd, &orders), 0);
	assert_int_equal(hlthunk_get_page_fault_info(fd, &pf, 0), 0);
	assert_int_equal(hlthunk_get_event_record(fd, HLTHUNK_CS_TIMEOUT, &to),
			 0);
	assert_int_equal(to.timestamp, 0);
	assert_int_equal(hlthunk_get_engine_status(fd, text, sizeof(text),
						   &size), 0);
	assert_true(size > 100);
	assert_true(hlthunk_is_device_idle(fd));
}

TEST(device_memory)
{
	struct hlthunk_dram_usage_info before, during, after;
	uint64_t h[4], addr[4], mib = 1 << 20;

	assert_int_equal(hlthunk_get_dram_usage(fd, &before), 0);
	for (int i = 0; i < 4; i++) {
		h[i] = hlthunk_device_memory_alloc(fd, 3 * mib, 0, true, false);
		assert_true(h[i]);
		addr[i] = hlthunk_device_memory_map(fd, h[i], 0);
		assert_true(addr[i] >= HBM && addr[i] < 0x800000000);
		for (int j = 0; j < i; j++)
			assert_true(addr[i] + 3 * mib <= addr[j] ||
				    addr[j] + 3 * mib <= addr[i]);
	}
	assert_int_equal(hlthunk_get_dram_usage(fd, &during), 0);
	assert_int_equal(before.dram_free_mem - during.dram_free_mem, 12 * mib);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(hlthunk_memory_unmap(fd, addr[i]), 0);
		assert_int_equal(hlthunk_device_memory_free(fd, h[i]), 0);
	}
	assert_int_equal(hlthunk_get_dram_usage(fd, &after), 0);
	assert_int_equal(after.dram_free_mem, before.dram_free_mem);
	assert_int_equal(after.ctx_dram_mem, 0);
	errno = 0;
	assert_int_equal(hlthunk_device_memory_alloc(fd, 1ull << 40, 0, false,
						     false), 0);
	assert_int_equal(errno, ENOMEM);
}

/* One card, two descriptors: what one has, the other does not give out. */
TEST(duplicates)
{
	uint64_t h[2], addr[2], mib = 1 << 20;
	struct hlthunk_dram_usage_info usage;
	int other = dup(fd);

	h[0] = hlthunk_device_memory_alloc(fd, mib, 0, true, false);
	h[1] = hlthunk_device_memory_alloc(other, mib, 0, true, false);
	assert_true(h[0] && h[1]);
	addr[0] = hlthunk_device_memory_map(other, h[0], 0);
	addr[1] = hlthunk_device_memory_map(fd, h[1], 0);
	assert_true(addr[0] && addr[1]);
	assert_true(addr[0] + mib <= addr[1] || addr[1] + mib <= addr[0]);
	assert_int_equal(hlthunk_memory_unmap(fd, addr[0]), 0);
	assert_int_equal(hlthunk_device_memory_free(fd, h[0]), 0);
	assert_int_equal(hlthunk_close(other), 0);
	/* The descriptor that has gone took nothing with it. */
	h[0] = hlthunk_device_memory_alloc(fd, mib, 0, true, false);
	addr[0] = hlthunk_device_memory_map(fd, h[0], 0);
	assert_true(addr[0] + mib <= addr[1] || addr[1] + mib <= addr[0]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(hlthunk_memory_unmap(fd, addr[i]), 0);
		assert_int_equal(hlthunk_device_memory_free(fd, h[i]), 0);
		errno = 0;
		assert_int_equal(hlthunk_device_memory_free(fd, h[i]), -EINVAL);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(hlthunk_get_dram_usage(fd, &usage), 0);
	assert_int_equal(usage.ctx_dram_mem, 0);
	assert_int_equal(hlthunk_device_memory_alloc(fd, mib, 3, true, false),
			 0);
	assert_int_equal(errno, EINVAL);
}

/* Who divides the memory has it counted, and no more. */
TEST(counted_memory)
{
	struct hlthunk_dram_usage_info usage;
	uint64_t size = 5 << 20;

	for (int i = 0; i < 3; i++)
		hlthunk_device_memory_alloc(fd, size, 0, true, false);
	assert_int_equal(hlthunk_get_dram_usage(fd, &usage), 0);
	assert_int_equal(usage.ctx_dram_mem, 3 * size);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hlthunk_device_memory_free(fd, size), 0);
	assert_int_equal(hlthunk_device_memory_free(fd, size), -EINVAL);
	assert_int_equal(hlthunk_device_memory_free(fd, 0), 0);
	assert_int_equal(hlthunk_get_dram_usage(fd, &usage), 0);
	assert_int_equal(usage.ctx_dram_mem, 0);
}

/* HBM leaves the process as a dma-buf, which lives by itself. */
TEST(exported_memory)
{
	uint64_t mib = 1 << 20, h, addr;
	int buf;

	h = hlthunk_device_memory_alloc(fd, mib, 0, true, true);
	addr = hlthunk_device_memory_map(fd, h, 0);
	assert_true(addr);
	buf = hlthunk_device_memory_export_dmabuf_fd(fd, addr, mib,
						     O_RDWR | O_CLOEXEC);
	assert_true(buf >= 0);
	assert_int_equal(lseek(buf, 0, SEEK_END), mib);
	assert_int_equal(fcntl(buf, F_GETFD), FD_CLOEXEC);
	assert_int_equal(hlthunk_device_memory_export_dmabuf_fd(fd, addr, 100,
								0), -EINVAL);
	assert_int_equal(hlthunk_device_memory_export_dmabuf_fd(fd, addr, 0, 0),
			 -EINVAL);
	assert_int_equal(hlthunk_device_memory_export_dmabuf_fd(fd, 4096, 4096,
								0), -EINVAL);
	/* Nothing is mapped by an MMU that an offset could count from. */
	assert_int_equal(hlthunk_device_mapped_memory_export_dmabuf_fd(fd, addr,
						4096, 4096, 0), -EINVAL);
	close(buf);
	assert_int_equal(hlthunk_memory_unmap(fd, addr), 0);
	assert_int_equal(hlthunk_device_memory_free(fd, h), 0);
}

/* Hints are taken when free, and insisted on when the caller does. */
TEST(hints)
{
	size_t size = 1 << 20;
	void *host = aligned_alloc(4096, size);
	uint64_t hint, a, b;

	hint = hlthunk_host_memory_map(fd, host, 0, size);
	assert_true(hint);
	assert_int_equal(hlthunk_memory_unmap(fd, hint), 0);
	a = hlthunk_host_memory_map(fd, host, hint, size);
	assert_int_equal(a, hint);
	b = hlthunk_host_memory_map(fd, host, hint, size);
	assert_true(b && b != hint);
	assert_int_equal(hlthunk_host_memory_map_flags(fd, host, hint, size,
						       HL_MEM_FORCE_HINT), 0);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(hlthunk_memory_unmap(fd, a), 0);
	a = hlthunk_host_memory_map_flags(fd, host, hint, size,
					  HL_MEM_FORCE_HINT);
	assert_int_equal(a, hint);
	assert_int_equal(hlthunk_memory_unmap(fd, a), 0);
	assert_int_equal(hlthunk_memory_unmap(fd, b), 0);
	/* A part of a page, with its offset. */
	a = hlthunk_host_memory_map(fd, (char *)host + 100, 0, 5000);
	assert_int_equal(a % 4096, 100);
	assert_int_equal(hlthunk_memory_unmap(fd, a - 100), -EINVAL);
	assert_int_equal(hlthunk_memory_unmap(fd, a), 0);
	free(host);
}

/* A child has the descriptor too. It asks, and goes; the parent works on. */
TEST(child)
{
	struct hlthunk_hw_ip_info ip;
	struct cb cb;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(hlthunk_get_hw_ip_info(fd, &ip) ||
		      hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL) != -EBUSY ||
		      hlthunk_close(fd));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	cb_get(&cb);
	pkt_nop(&cb.pb, 0);
	done(submit(&cb, GAUDI_QUEUE_ID_DMA_0_0));
	cb_put(&cb);
}

TEST(notifier)
{
	uint64_t events, count;
	int handle = hlthunk_notifier_create(fd);

	assert_true(handle >= 0);
	assert_int_equal(hlthunk_notifier_create(fd), -EINVAL);
	assert_int_equal(hlthunk_notifier_recv(fd, handle, &events, &count, 0,
					       20), 0);
	assert_int_equal(count, 0);
	assert_int_equal(hlthunk_notifier_release(fd, handle), 0);
	handle = hlthunk_notifier_create(fd);
	assert_true(handle >= 0);
	assert_int_equal(hlthunk_notifier_release(fd, handle), 0);
}

/* A submission that takes too long, and is allowed to. */
TEST(timeout_event)
{
	struct hlthunk_event_record_cs_timeout record = {};
	uint64_t events = 0, count = 0;
	struct hlthunk_cs_out out = {};
	struct hl_cs_chunk chunk;
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk, .num_chunks_execute = 1,
		.flags = HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT,
	};
	int handle = hlthunk_notifier_create(fd);
	struct cb held, opener;

	cb_get(&held);
	pkt_fence(&held.pb, 1, 1, 1, 0);
	cb_get(&opener);
	pkt_msg_long(&opener.pb, pkt_fence_addr(GAUDI_QUEUE_ID_DMA_0_2, 1), 1,
		     0);
	chunk = (struct hl_cs_chunk) {
		.cb_handle = held.handle, .cb_size = (uint32_t)held.pb.used,
		.queue_index = GAUDI_QUEUE_ID_DMA_0_2,
	};
	assert_int_equal(hlthunk_command_submission_timeout(fd, &in, &out, 1),
			 0);
	assert_int_equal(hlthunk_notifier_recv(fd, handle, &events, &count, 0,
					       20000), 0);
	assert_true(count > 0);
	assert_int_equal(events, HL_NOTIFIER_EVENT_CS_TIMEOUT);
	assert_int_equal(hlthunk_get_event_record(fd, HLTHUNK_CS_TIMEOUT,
						  &record), 0);
	assert_int_equal(record.seq, out.seq);
	assert_true(record.timestamp > 0);
	done(submit(&opener, GAUDI_QUEUE_ID_DMA_1_0));
	assert_int_equal(hlthunk_notifier_release(fd, handle), 0);
	cb_put(&held);
	cb_put(&opener);
}

TEST(what_gaudi_has_not)
{
	static struct hlthunk_sec_attest_info attest;
	const uint32_t cores[1] = { 0 };
	uint64_t counter = 0, handle;
	uint32_t status;
	void *stamps;

	assert_int_equal(hlthunk_wait_for_interrupt(fd, &counter, 1, 0, 1000,
						    &status), -EPERM);
	assert_int_equal(hlthunk_engine_cores_set_mode(fd, cores, 1,
						HL_ENGINE_CORE_RUN), -EPERM);
	assert_int_equal(hlthunk_engines_command(fd, cores, 1, HL_ENGINE_STALL),
			 -EPERM);
	assert_int_equal(hlthunk_allocate_timestamp_elements(fd, 16, &handle),
			 0);
	stamps = mmap(NULL, CB, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)handle);
	assert_ptr_not_equal(stamps, MAP_FAILED);
	assert_int_equal(hlthunk_register_timestamp_interrupt(fd, 0, handle, 0,
						1, handle, 0), -EPERM);
	munmap(stamps, CB);
	assert_int_equal(hlthunk_get_hw_block(fd, 0x7ffc000000, &status,
					      &handle), -EPERM);
	assert_int_equal(hlthunk_get_sec_attest_info(fd, 1, &attest), -EIO);
	assert_int_equal(hlthunk_profiler_start(fd), -ENOTSUP);
}

TEST(bad_requests)
{
	uint64_t seq, va;
	uint32_t status;
	struct cb cb;

	cb_get(&cb);
	pkt_cp_dma(&cb.pb, HBM, 64, 0);		/* not on external queues */
	assert_int_equal(try_submit(&cb, GAUDI_QUEUE_ID_DMA_0_0, 0, &seq),
			 -EPERM);
	pkt_init(&cb.pb, cb.mem, CB);
	pkt_nop(&cb.pb, 0);
	assert_int_equal(try_submit(&cb, GAUDI_QUEUE_ID_SIZE, 0, &seq),
			 -EINVAL);
	assert_int_equal(try_submit(&cb, GAUDI_QUEUE_ID_CPU_PQ, 0, &seq),
			 -EINVAL);
	assert_int_equal(hlthunk_wait_for_cs(fd, 1ull << 50, 0, &status),
			 -EINVAL);
	assert_int_equal(hlthunk_destroy_command_buffer(fd, 0xdead000),
			 -EINVAL);
	assert_int_equal(hlthunk_get_mapped_cb_device_va_by_handle(fd,
						cb.handle, &va), -EINVAL);
	assert_int_equal(hlthunk_host_memory_map(fd, (void *)0x1000, 0, 4096),
			 0);
	assert_int_not_equal(errno, 0);
	done(submit(&cb, GAUDI_QUEUE_ID_DMA_0_0));
	cb_put(&cb);
}

TEST(flush)
{
	assert_int_equal(hlthunk_cs_flush_pci_hbw_writes(fd), 0);
}

TEST(registers_by_debugfs)
{
	struct hlthunk_debugfs d;
	uint32_t val = 0;
	int rc = hlthunk_debugfs_open(fd, &d);

	if (rc == -ENOENT)
		skip();			/* this driver has no debugfs files */
	assert_int_equal(rc, 0);
	assert_int_equal(hlthunk_debugfs_write(&d, HBM + 0x100, 0xfeedf00d), 0);
	assert_int_equal(hlthunk_debugfs_read(&d, HBM + 0x100, &val), 0);
	assert_int_equal(val, 0xfeedf00d);
	assert_int_equal(hlthunk_debugfs_close(&d), 0);
}

#define THREADS	16
#define ROUNDS	20

static void *hammer(void *arg)
{
	unsigned int queue = GAUDI_QUEUE_ID_DMA_0_0 +
			     (unsigned int)(uintptr_t)arg % 8;
	uint32_t status;
	uint64_t seq;
	struct cb cb;

	cb_get(&cb);
	pkt_nop(&cb.pb, 0);
	for (int i = 0; i < ROUNDS; i++) {
		if (try_submit(&cb, queue, 0, &seq) ||
		    hlthunk_wait_for_cs(fd, seq, 20 * SECOND, &status) ||
		    status != HL_WAIT_CS_STATUS_COMPLETED)
			return (void *)1;
	}
	cb_put(&cb);

	return NULL;
}

TEST(sixteen_threads)
{
	pthread_t threads[THREADS];
	void *bad;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hammer,
						(void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
}

GROUP(open_card, close_card)
