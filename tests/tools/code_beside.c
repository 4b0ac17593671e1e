// SPDX-License-Identifier: GPL-2.0-only
/*
 * code_beside - change functions on one CPU while two others call them
 *
 * Whoever calls a function after it was told of a change must get what was changed:
 * the guest's kernel patches itself by that. Each function returns the number of its
 * last change. All are in one page, so that the callers, who translate them anew
 * after each change, and the writer want the same lock of QEMU's.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define CHANGES		100000
#define CALLERS		2
#define FUNCTIONS	32
#define STRIDE		64

struct function {
	uint8_t pad[3];
	uint8_t mov;		/* mov $value, %eax */
	uint32_t value;
	uint8_t ret;
	uint8_t rest[STRIDE - 9];
};

static struct function *code;
static uint32_t told[FUNCTIONS];
static unsigned int called;
static bool stop;
static unsigned long calls, wrong;

static void stay_on(unsigned long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(2, "CPU %lu", cpu);
}

static void serialize(void)
{
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
}

/* Call each function: how many had not what we had been told? */
static unsigned long call_all(void)
{
	unsigned long bad = 0;
	int i;

	for (i = 0; i < FUNCTIONS; i++) {
		uint32_t (*call)(void) = (uint32_t (*)(void))&code[i].mov;
		uint32_t least = __atomic_load_n(&told[i], __ATOMIC_ACQUIRE);

		serialize();
		bad += call() < least;
	}
	return bad;
}

static void *call_them(void *cpu)
{
	unsigned long all = 0, bad;

	stay_on((unsigned long)cpu);
	bad = call_all();
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
	do {
		bad += call_all();
		all += FUNCTIONS;
	} while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE));
	bad += call_all();
	__atomic_add_fetch(&calls, all, __ATOMIC_RELAXED);
	__atomic_add_fetch(&wrong, bad, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t callers[CALLERS];
	unsigned long i;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		err(2, "no page");
	for (i = 0; i < FUNCTIONS; i++) {
		code[i].mov = 0xb8;
		code[i].ret = 0xc3;
	}
	stay_on(0);
	for (i = 0; i < CALLERS; i++)
		if (pthread_create(&callers[i], NULL, call_them, (void *)(i + 1)))
			errx(2, "no thread");
	while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) < CALLERS)
		sched_yield();
	/* The first one stays: the page always has code that was translated. */
	for (i = 1; i <= CHANGES; i++) {
		unsigned long f = 1 + i % (FUNCTIONS - 1);

		__atomic_store_n(&code[f].value, i, __ATOMIC_RELAXED);
		__atomic_store_n(&told[f], i, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	printf("%lu of %lu calls are wrong\n", wrong, calls);
	return wrong != 0;
}
