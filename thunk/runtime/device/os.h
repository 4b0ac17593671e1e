/* SPDX-License-Identifier: MIT */
/* What is done without libhl-thunk, so that tests can replace it. */
#ifndef GAUDI_RUNTIME_OS_H
#define GAUDI_RUNTIME_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptor of a card that was opened: it is the library's own, which alone closes it. */
void gd_os_opened(int fd);
/* Query of gaudi.ko's extensions; any error: the driver has none. */
int gd_os_query(int fd, uint32_t id, uint64_t *value);
/* DRM_IOCTL_GAUDI_NIC; 0, or what the driver says. */
int gd_os_nic(int fd, uint32_t op, const void *in, uint32_t in_size, void *out,
	      uint32_t out_size);
/* A command buffer's memory; NULL with errno. */
void *gd_os_map_cb(int fd, uint64_t handle, size_t size);
void gd_os_unmap_cb(void *memory, size_t size);
/* What the driver gives a submission; 0: no limit. @extended: it is gaudi.ko. */
uint32_t gd_os_timeout_s(bool extended);
uint64_t gd_os_now_ns(void);		/* CLOCK_MONOTONIC */
void gd_os_sleep_ms(unsigned int ms);

#endif /* GAUDI_RUNTIME_OS_H */
