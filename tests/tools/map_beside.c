// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_beside RESOURCE OFFSET CONFIG - read a register of one card on two CPUs while
 * the BARs of another card come and go
 *
 * Each change of a command register makes QEMU build its map of the machine anew. A
 * CPU that reads meanwhile must find the region that it found before, whatever its
 * number in the new map. OFFSET is that of a register of RESOURCE that keeps what is
 * written; CONFIG is the other card's configuration space.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define VALUE		0x600dc0de
#define CHANGES		1000
#define READERS		2
#define COMMAND		4
#define COMMAND_MEMORY	2

static volatile uint32_t *reg;
static bool stop;
static unsigned int began;
static unsigned long reads, wrong;

static void stay_on(unsigned long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(2, "CPU %lu", cpu);
}

static void *read_it(void *cpu)
{
	unsigned long all = 0, bad = 0;

	stay_on((unsigned long)cpu);
	__atomic_add_fetch(&began, 1, __ATOMIC_RELAXED);
	do {
		bad += *reg != VALUE;
		all++;
	} while (!__atomic_load_n(&stop, __ATOMIC_RELAXED));
	__atomic_add_fetch(&reads, all, __ATOMIC_RELAXED);
	__atomic_add_fetch(&wrong, bad, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t readers[READERS];
	uint16_t on, off;
	uint8_t *page;
	unsigned long i, at;
	int bar, config;

	if (argc != 4)
		errx(2, "usage: map_beside RESOURCE OFFSET CONFIG");
	at = strtoul(argv[2], NULL, 0);
	bar = open(argv[1], O_RDWR);
	config = open(argv[3], O_RDWR);
	if (bar < 0 || config < 0)
		err(2, "%s, %s", argv[1], argv[3]);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, bar,
		    at & ~4095ul);
	if (page == MAP_FAILED)
		err(2, "%s", argv[1]);
	reg = (volatile uint32_t *)(page + (at & 4095));
	*reg = VALUE;
	if (*reg != VALUE)
		errx(2, "the register has %#x", *reg);
	if (pread(config, &on, 2, COMMAND) != 2)
		err(2, "%s", argv[3]);
	on |= COMMAND_MEMORY;
	off = on & ~COMMAND_MEMORY;

	stay_on(0);
	for (i = 0; i < READERS; i++)
		if (pthread_create(&readers[i], NULL, read_it, (void *)(i + 1)))
			errx(2, "no thread");
	while (__atomic_load_n(&began, __ATOMIC_RELAXED) < READERS)
		sched_yield();
	for (i = 0; i < CHANGES; i++)
		if (pwrite(config, i % 2 ? &on : &off, 2, COMMAND) != 2)
			err(2, "%s", argv[3]);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	printf("%lu of %lu reads are wrong\n", wrong, reads);
	return wrong != 0;
}
