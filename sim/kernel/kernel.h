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

#include "base/types.h"
#include "base/bits.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/time.h"
#include "base/work.h"
#include "base/table.h"
#include "memory.h"
#include "device.h"
#include "fence.h"
#include "file.h"
#include "hwmon.h"
#include "text.h"

#endif /* SIM_KERNEL_H */
