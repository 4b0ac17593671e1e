/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What valgrind is told, where it is known and the program runs under it. */
#ifndef SIM_KERNEL_CHECKER_H
#define SIM_KERNEL_CHECKER_H

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND	0
#define VALGRIND_MAKE_MEM_DEFINED(p, size) ((void)(p), (void)(size))
#define VALGRIND_MAKE_MEM_NOACCESS(p, size) ((void)(p), (void)(size))
#endif

/* Memory of the program that a call, or a card, has written: it has a value now. */
#define sim_was_written(p, size) ((void)VALGRIND_MAKE_MEM_DEFINED(p, size))

#endif /* SIM_KERNEL_CHECKER_H */
