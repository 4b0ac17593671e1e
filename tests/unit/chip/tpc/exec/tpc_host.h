/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tensor core beside flat memory, for tests without a card: device addresses
 * from HOST_BASE on are bytes of an array.
 */
#ifndef TEST_TPC_HOST_H
#define TEST_TPC_HOST_H

#include "../../../unit.h"
#include "../../../../../qemu-device/chip/tpc/exec/tpc_exec.h"

#define HOST_BASE	0x2000000000ull
#define HOST_BYTES	(1u << 20)
#define HOST_CODE	HOST_BASE		/* 64 KiB for code */
#define HOST_DATA	(HOST_BASE + 0x10000)

struct tpc_host {
	uint8_t *mem;
	bool map;			/* memory can be reached by pointer */
	size_t map_max;			/* at most so many bytes at once */
	struct gaudi_tpc_core *core;
	struct gaudi_tpc_cache *cache;
	struct gaudi_tpc_launch launch;
	unsigned int atomics;
	uint32_t reg_off, reg_value;	/* of the last write by MMIO */
};

struct tpc_host *tpc_host_new(void);
void tpc_host_free(struct tpc_host *host);
/* A test of one. */
int tpc_host_setup(void **state);
int tpc_host_teardown(void **state);
#define HOST_TEST(fn) \
	TEST_OF(fn, struct tpc_host *host, tpc_host_setup, tpc_host_teardown)
/* The words of a kernel, to HOST_CODE. */
void tpc_host_code(struct tpc_host *host, const void *code, size_t len);
/* Tensor n: dense, element type as descriptors have it; returns its bytes. */
size_t tpc_host_tensor(struct tpc_host *host, unsigned int n, uint64_t addr,
		       unsigned int type, const uint32_t *sizes,
		       uint32_t padding);
/* Launch and run to the end, which is returned. */
enum gaudi_tpc_why tpc_host_run(struct tpc_host *host, uint64_t words);

/* The code of an object file in memory; returns its length. */
size_t tpc_text(const void *object, uint8_t *code, size_t size);
/* The same of a file of this name. */
size_t tpc_kernel(const char *name, uint8_t *code, size_t size);

#endif /* TEST_TPC_HOST_H */
