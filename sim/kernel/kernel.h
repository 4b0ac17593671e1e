/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What gaudi.ko's own sources need of a kernel, in a process: the compiler
 * includes this before each of them, and the headers that they name are empty
 * files in the build folder. Names and meanings are the kernel's; what is behind
 * them is threads, malloc() and the card of card.c.
 *
 * Each header says what of the kernel's it stands for. A process has one user and
 * no interrupts: what a kernel does because of other processes is not here.
 */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include "types.h"
#include "bits.h"
#include "list.h"
#include "lock.h"
#include "time.h"
#include "work.h"
#include "table.h"
#include "memory.h"
#include "device.h"
#include "fence.h"
#include "file.h"
#include "hwmon.h"
#include "text.h"

#endif /* SIM_KERNEL_H */
