/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Numbers as Linux has them for these nodes. */
#ifndef SIM_FS_NUMBERS_H
#define SIM_FS_NUMBERS_H

#define ACCEL_MAJOR	261
#define CONTROL_MAJOR	240

#endif /* SIM_FS_NUMBERS_H */
