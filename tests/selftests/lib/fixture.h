/* SPDX-License-Identifier: GPL-2.0-only */
/* The fixture of most selftests: an open card; skips where there is none. */
#ifndef GAUDI_TEST_FIXTURE_H
#define GAUDI_TEST_FIXTURE_H

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "gaudi_test.h"

#define GAUDI_FIXTURE_TEARDOWN(name)					\
	FIXTURE_TEARDOWN(name)						\
	{								\
		if (self->fd < 0)					\
			return;						\
		gt_cb_destroy(self->fd, &self->cb);			\
		close(self->fd);					\
	}

#define GAUDI_FIXTURE(name)						\
	FIXTURE(name)							\
	{								\
		int fd;							\
		struct hl_info_hw_ip_info hw;				\
		struct gt_cb cb;					\
	};								\
	FIXTURE_SETUP(name)						\
	{								\
		self->fd = gt_open();					\
		if (self->fd == -ENODEV)				\
			SKIP(return, "no Gaudi card");			\
		ASSERT_GE(self->fd, 0);					\
		ASSERT_EQ(0, gt_info(self->fd, HL_INFO_HW_IP_INFO,	\
				     &self->hw, sizeof(self->hw)));	\
		ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));\
	}								\
	GAUDI_FIXTURE_TEARDOWN(name)

/*
 * A card, a buffer of 4096 bytes and so much host memory that is mapped; and what
 * else a test's own members are. FIXTURE_VARIANT() may follow.
 */
#define GAUDI_HOST_FIXTURE(name, host_size, ...)			\
	FIXTURE(name)							\
	{								\
		int fd;							\
		struct gt_cb cb;					\
		char *host;						\
		uint64_t va;						\
		__VA_ARGS__						\
	};								\
	FIXTURE_SETUP(name)						\
	{								\
		self->fd = gt_open();					\
		if (self->fd == -ENODEV)				\
			SKIP(return, "no Gaudi card");			\
		ASSERT_GE(self->fd, 0);					\
		ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &self->cb));	\
		self->host = gt_alloc(host_size);			\
		ASSERT_NE(NULL, self->host);				\
		ASSERT_EQ(0, gt_map_host(self->fd, self->host,		\
					 host_size, &self->va));	\
	}								\
	GAUDI_FIXTURE_TEARDOWN(name)

/*
 * The first internal queue of each engine, and its QMAN: six DMA cores, MMEs, which
 * are crossed over in both drivers, and TPCs.
 */
#define NUM_ENGINES	16
#define NUM_DMA_ENGINES	6
static const struct engine {
	uint32_t queue;
	uint32_t qman;
} engines[NUM_ENGINES] __attribute__((unused)) = {
	{ GAUDI_QUEUE_ID_DMA_2_0, 0x548000 },
	{ GAUDI_QUEUE_ID_DMA_3_0, 0x568000 },
	{ GAUDI_QUEUE_ID_DMA_4_0, 0x588000 },
	{ GAUDI_QUEUE_ID_DMA_5_0, 0x5a8000 },
	{ GAUDI_QUEUE_ID_DMA_6_0, 0x5c8000 },
	{ GAUDI_QUEUE_ID_DMA_7_0, 0x5e8000 },
	{ GAUDI_QUEUE_ID_MME_0_0, 0x168000 },
	{ GAUDI_QUEUE_ID_MME_1_0, 0x068000 },
	{ GAUDI_QUEUE_ID_TPC_0_0, 0xe08000 },
	{ GAUDI_QUEUE_ID_TPC_1_0, 0xe48000 },
	{ GAUDI_QUEUE_ID_TPC_2_0, 0xe88000 },
	{ GAUDI_QUEUE_ID_TPC_3_0, 0xec8000 },
	{ GAUDI_QUEUE_ID_TPC_4_0, 0xf08000 },
	{ GAUDI_QUEUE_ID_TPC_5_0, 0xf48000 },
	{ GAUDI_QUEUE_ID_TPC_6_0, 0xf88000 },
	{ GAUDI_QUEUE_ID_TPC_7_0, 0xfc8000 },
};

#endif /* GAUDI_TEST_FIXTURE_H */
