/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room: gaudi_errors.lock, for gaudi_reports.c. */
#ifndef GAUDI_ERRORS_PRIV_H
#define GAUDI_ERRORS_PRIV_H

struct gaudi_device;

void gaudi_error_lock(struct gaudi_device *gdev);
void gaudi_error_unlock(struct gaudi_device *gdev);

#endif /* GAUDI_ERRORS_PRIV_H */
