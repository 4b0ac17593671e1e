/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of debugfs. */
#ifndef GAUDI_DEBUGFS_H
#define GAUDI_DEBUGFS_H

struct dentry;
struct gaudi_device;

void gaudi_debugfs_mem_add(struct gaudi_device *gdev, struct dentry *root);
void gaudi_debugfs_user_add(struct gaudi_device *gdev, struct dentry *root);

/*
 * A word of host memory that a user has mapped, by device virtual address;
 * size is 4 or 8. -EINVAL: not mapped.
 */
int gaudi_debugfs_host_word(struct gaudi_device *gdev, u64 va, size_t size,
			    bool write, u64 *val);

#endif /* GAUDI_DEBUGFS_H */
