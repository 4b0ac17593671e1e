/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of debugfs. */
#ifndef GAUDI_DEBUGFS_H
#define GAUDI_DEBUGFS_H

struct dentry;
struct gaudi_device;

void gaudi_debugfs_mem_add(struct gaudi_device *gdev, struct dentry *root);
void gaudi_debugfs_user_add(struct gaudi_device *gdev, struct dentry *root);

#endif /* GAUDI_DEBUGFS_H */
