// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which code calls have reached. In a guest KCOV has the addresses of this thread's system
 * calls. On cards in a process the library itself calls __sanitizer_cov_trace_pc(), from
 * every thread.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "uapi_fuzz.h"

#define KCOV		"/sys/kernel/debug/kcov"
#define COVER_WORDS	(64 * 1024)

static struct places *places;
static uint64_t *kcov;
static int kcov_fd = -1;
/* New ones since cover_begin(), of any thread. */
static uint32_t fresh;

static inline void __attribute__((always_inline, no_sanitize("address", "undefined")))
see(uintptr_t at)
{
	uint8_t *seen = &places->seen[at % NUM_PLACES];

	if (*seen)
		return;
	*seen = 1;
	__atomic_add_fetch(&places->num, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&fresh, 1, __ATOMIC_RELAXED);
}

void __sanitizer_cov_trace_pc(void);
void __attribute__((no_sanitize("address", "undefined"))) __sanitizer_cov_trace_pc(void)
{
	if (places)
		see((uintptr_t)__builtin_return_address(0));
}

bool cover_init(void)
{
	void *at = mmap(NULL, sizeof(*places), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	places = at;
	return true;
}

bool cover_start(void)
{
	if (access(KCOV, R_OK))
		return true;
	kcov_fd = open(KCOV, O_RDWR | O_CLOEXEC);
	if (kcov_fd < 0 || ioctl(kcov_fd, KCOV_INIT_TRACE, COVER_WORDS))
		return false;
	kcov = mmap(NULL, COVER_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED,
		    kcov_fd, 0);
	return kcov != MAP_FAILED && !ioctl(kcov_fd, KCOV_ENABLE, KCOV_TRACE_PC);
}

void cover_begin(void)
{
	if (kcov)
		__atomic_store_n(&kcov[0], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&fresh, 0, __ATOMIC_RELAXED);
}

bool cover_end(void)
{
	uint64_t n = kcov ? __atomic_load_n(&kcov[0], __ATOMIC_RELAXED) : 0, i;

	for (i = 0; i < n && i < COVER_WORDS - 1; i++)
		see(kcov[i + 1]);
	return __atomic_load_n(&fresh, __ATOMIC_RELAXED);
}

uint32_t cover_num(void)
{
	return places->num;
}

int cover_fd(void)
{
	return kcov_fd;
}

int cover_save(const char *path)
{
	void *symbol = dlsym(RTLD_DEFAULT, "gaudi_sim_ioctl");
	FILE *out = fopen(path, "w");
	Dl_info info;
	uint32_t i;

	if (!symbol || !dladdr(symbol, &info) || !out)
		return -1;
	/* In the order of addresses, and the first one is not the table's. */
	for (i = 0; i < NUM_PLACES; i++)
		if (places->seen[((uintptr_t)info.dli_fbase + i) % NUM_PLACES])
			fprintf(out, "%#x\n", i);
	return fclose(out);
}
