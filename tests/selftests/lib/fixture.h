/* SPDX-License-Identifier: GPL-2.0-only */
/* The fixture of most selftests: an open card; skips where there is none. */
#ifndef GAUDI_TEST_FIXTURE_H
#define GAUDI_TEST_FIXTURE_H

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "gaudi_test.h"

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
	FIXTURE_TEARDOWN(name)						\
	{								\
		if (self->fd < 0)					\
			return;						\
		gt_cb_destroy(self->fd, &self->cb);			\
		close(self->fd);					\
	}

#endif /* GAUDI_TEST_FIXTURE_H */
