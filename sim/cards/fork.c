// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A child of fork() has what the parent's cards have left in memory, and none of the
 * threads that do their work. It gets cards of its own, as another process does: the
 * variables of this library become again what they were before there were any. What they
 * pointed to stays where it is, and nobody looks at it any more.
 */
#include <link.h>

#include "../kernel/kernel.h"
#include "cards_priv.h"

/* The variables, and what they were. */
static struct {
	char *from;
	size_t size;
	char *copy;
} image;

static int find_segment(struct dl_phdr_info *info, size_t size, void *unused)
{
	char *base = (char *)(uintptr_t)info->dlpi_addr, *relro_end = NULL;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO)
			relro_end = base + p->p_vaddr + p->p_memsz;
	}
	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		char *from = base + p->p_vaddr, *end = from + p->p_memsz;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W) ||
		    (char *)&image < from || (char *)&image >= end)
			continue;
		/* What the linker has made read-only comes first. */
		if (relro_end > from && relro_end <= end)
			from = (char *)PAGE_ALIGN((uintptr_t)relro_end);
		image.size = end - from;
		image.from = from;
		return 1;
	}
	return 0;
}

/* Word by word: what is between variables is not for memcpy() when that is checked. */
static void __attribute__((__no_sanitize__("address", "thread"), __noinline__))
copy_words(volatile long *to, const volatile long *from, size_t size)
{
	size_t i;

	for (i = 0; i < size / sizeof(*to); i++)
		to[i] = from[i];
}

/*
 * What the variables were in the parent, for LeakSanitizer, if the program has it: what its
 * cards have left is no leak of the child's.
 */
int __lsan_do_recoverable_leak_check(void);
#pragma weak __lsan_do_recoverable_leak_check
static char *volatile lost;

void sim_fork_remember(void)
{
	if (image.copy || !dl_iterate_phdr(find_segment, NULL))
		return;
	image.copy = malloc(image.size);
	if (image.copy)
		copy_words((volatile long *)image.copy,
			   (volatile long *)image.from, image.size);
}

bool sim_fork_restore(void)
{
	char *was = NULL;

	if (!image.copy)
		return false;
	if (__lsan_do_recoverable_leak_check)
		was = malloc(image.size);
	if (was)
		copy_words((volatile long *)was, (volatile long *)image.from,
			   image.size);
	/* What is being restored has the size and the place, too. */
	copy_words((volatile long *)image.from, (volatile long *)image.copy,
		   image.size);
	lost = was;
	return true;
}
