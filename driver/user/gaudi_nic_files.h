/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the ports, for gaudi_sysfs.c and gaudi_debugfs.c. */
#ifndef GAUDI_NIC_FILES_H
#define GAUDI_NIC_FILES_H

struct attribute_group;
struct dentry;
struct gaudi_device;

/* A group for each port that is used; groups has room for all. 0 or -ENOMEM. */
int gaudi_nic_sysfs_add(struct gaudi_device *gdev,
			const struct attribute_group **groups);
void gaudi_nic_debugfs_add(struct gaudi_device *gdev, struct dentry *root);

#endif /* GAUDI_NIC_FILES_H */
