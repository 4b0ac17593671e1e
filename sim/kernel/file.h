/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Nodes: character devices, DRM's and others, their files and ioctls. */
#ifndef SIM_KERNEL_FILE_H
#define SIM_KERNEL_FILE_H

#include <sys/ioctl.h>
#include <drm/drm.h>

#include "device.h"

struct cdev;
struct drm_printer;
struct inode { void *i_mapping; struct cdev *i_cdev; };

struct file_operations;
struct seq_file;
struct file {
	const struct file_operations *f_op;
	void *private_data;
};

struct file_operations {
	void *owner;
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
	ssize_t (*read)(struct file *file, char *to, size_t count, loff_t *pos);
	ssize_t (*write)(struct file *file, const char *from, size_t count,
			 loff_t *pos);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd,
			       unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd,
			     unsigned long arg);
	loff_t (*llseek)(struct file *file, loff_t off, int whence);
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	void (*show_fdinfo)(void);
	unsigned int fop_flags;
	/* Of debugfs: what is shown; a number, and how it is printed. */
	int (*show)(struct seq_file *s, void *unused);
	int (*get)(void *data, u64 *value);
	int (*set)(void *data, u64 value);
	const char *fmt;
};

#define FOP_UNSIGNED_OFFSET	1
#define nonseekable_open(inode, file) ((void)(inode), (void)(file), 0)
#define noop_llseek		NULL
#define default_llseek		NULL
#define compat_ptr_ioctl	NULL
#define compat_ptr(x)		u64_to_user_ptr(x)

struct cdev {
	struct list_head node;
	void *owner;
	const struct file_operations *ops;
	struct device *dev;
	int refs;
};

#define cdev_init(c, fops)	((void)((c)->ops = (fops)))
int cdev_device_add(struct cdev *cdev, struct device *dev);
void cdev_device_del(struct cdev *cdev, struct device *dev);
#define alloc_chrdev_region(devt, first, count, name) ((void)(*(devt) = 0), 0)
#define unregister_chrdev_region(devt, count) ((void)(devt))

/* --- debugfs: ../fs/debugfs.c; open is the same for all files --- */

struct dentry;
struct drm_device;
#define simple_open		NULL
#define DEFINE_SHOW_ATTRIBUTE(name)					\
	static const struct file_operations name##_fops = {		\
		.show = name##_show,					\
	}
#define DEFINE_SHOW_STORE_ATTRIBUTE(name)				\
	static const struct file_operations name##_fops = {		\
		.show = name##_show, .write = name##_write,		\
	}
#define DEFINE_DEBUGFS_ATTRIBUTE(name, getter, setter, text)		\
	static const struct file_operations name = {			\
		.get = (getter), .set = (setter), .fmt = (text),	\
	}
void debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
			 void *data, const struct file_operations *fops);
void debugfs_create_u8(const char *name, umode_t mode, struct dentry *parent, u8 *value);
void debugfs_create_u16(const char *name, umode_t mode, struct dentry *parent, u16 *value);
void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent, u32 *value);
void debugfs_create_x8(const char *name, umode_t mode, struct dentry *parent, u8 *value);
void debugfs_create_x64(const char *name, umode_t mode, struct dentry *parent, u64 *value);
/* The directory of the card in this slot. */
void accel_debugfs_init(struct drm_device *drm);
ssize_t simple_read_from_buffer(void *to, size_t count, loff_t *pos,
				const void *from, size_t available);
int kstrtouint_from_user(const char *from, size_t count, unsigned int base,
			 unsigned int *value);
#define kstrtou32_from_user	kstrtouint_from_user
int kstrtou64_from_user(const char *from, size_t count, unsigned int base,
			u64 *value);

/* --- DRM --- */

struct drm_file;
struct drm_minor { unsigned int index; struct device *kdev; struct drm_device *dev; };

struct drm_driver;
struct drm_device {
	struct device *dev;
	const struct drm_driver *driver;
	struct inode *anon_inode;
	struct drm_minor *accel;
	struct dentry *debugfs_root;
	struct kref refs;
	struct list_head actions;
	bool unplugged;
	/* What the pointers above point to. */
	struct inode inode;
	struct drm_minor minor;
	struct device node;
};

struct drm_file {
	struct file *filp;
	struct drm_minor *minor;
	void *driver_priv;
};

typedef int drm_ioctl_t(struct drm_device *drm, void *data,
			struct drm_file *file);

struct drm_ioctl_desc {
	unsigned int cmd;
	drm_ioctl_t *func;
};

/* Its index is the number behind DRM_COMMAND_BASE. */
#define DRM_IOCTL_DEF_DRV(ioctl, fn, flags)				\
	[DRM_IOCTL_NR(DRM_IOCTL_##ioctl) - DRM_COMMAND_BASE] =		\
		{ .cmd = DRM_IOCTL_##ioctl, .func = (fn) }
#define DRM_IOCTL_NR(cmd)	_IOC_NR(cmd)

struct drm_driver {
	u32 driver_features;
	int (*open)(struct drm_device *drm, struct drm_file *file);
	void (*postclose)(struct drm_device *drm, struct drm_file *file);
	const struct file_operations *fops;
	void (*show_fdinfo)(struct drm_printer *p, struct drm_file *file);
	int (*prime_handle_to_fd)(struct drm_device *drm, struct drm_file *file,
				  u32 handle, u32 flags, int *fd);
	int (*prime_fd_to_handle)(struct drm_device *drm, struct drm_file *file,
				  int fd, u32 *handle);
	const char *name, *desc;
	int major, minor;
	const struct drm_ioctl_desc *ioctls;
	int num_ioctls;
};

#define DRIVER_COMPUTE_ACCEL	1
#define DRIVER_SYNCOBJ		2
#define DRIVER_SYNCOBJ_TIMELINE	4

int accel_open(struct inode *inode, struct file *file);
int drm_release(struct inode *inode, struct file *file);
long drm_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#define drm_show_fdinfo		NULL
#define drm_printf(p, ...)	seq_printf((struct seq_file *)(p), __VA_ARGS__)

void *sim_drm_dev_alloc(struct device *dev, const struct drm_driver *driver,
			size_t size, size_t offset);
#define devm_drm_dev_alloc(dev, driver, type, member) \
	((type *)sim_drm_dev_alloc(dev, driver, sizeof(type), \
				   offsetof(type, member)))
int drm_dev_register(struct drm_device *drm, unsigned long flags);
void drm_dev_unplug(struct drm_device *drm);
void drm_dev_get(struct drm_device *drm);
void drm_dev_put(struct drm_device *drm);
#define drm_dev_enter(drm, idx)	(*(idx) = 0, !READ_ONCE((drm)->unplugged))
#define drm_dev_exit(idx)	((void)(idx))
int drmm_add_action(struct drm_device *drm,
		    void (*fn)(struct drm_device *drm, void *arg), void *arg);
int drmm_add_action_or_reset(struct drm_device *drm,
			     void (*fn)(struct drm_device *drm, void *arg),
			     void *arg);
void *drmm_kzalloc(struct drm_device *drm, size_t size, gfp_t gfp);
int drmm_mutex_init(struct drm_device *drm, struct mutex *lock);

#endif /* SIM_KERNEL_FILE_H */
