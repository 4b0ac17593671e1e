// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* DRM devices, their files and ioctls; other nodes. */
#include "kernel.h"
#include "nodes.h"

static pthread_mutex_t nodes_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(cdevs);
static struct drm_device *accels[SIM_MAX_CARDS];

struct drm_action {
	struct list_head node;
	void (*fn)(struct drm_device *drm, void *arg);
	void *arg;
};

/* --- the life of a device ------------------------------------------------------ */

static void drm_release_last(struct kref *refs)
{
	struct drm_device *drm = container_of(refs, struct drm_device, refs);

	while (!list_empty(&drm->actions)) {
		struct drm_action *action = list_first_entry(&drm->actions,
						struct drm_action, node);

		list_del(&action->node);
		/* The last one frees the device itself. */
		if (action->fn)
			action->fn(drm, action->arg);
		else
			free(action->arg);
		free(action);
	}
}

void drm_dev_get(struct drm_device *drm)
{
	kref_get(&drm->refs);
}

void drm_dev_put(struct drm_device *drm)
{
	kref_put(&drm->refs, drm_release_last);
}

static void drm_put(void *drm)
{
	drm_dev_put(drm);
}

int drmm_add_action(struct drm_device *drm,
		    void (*fn)(struct drm_device *drm, void *arg), void *arg)
{
	struct drm_action *action = malloc(sizeof(*action));

	if (!action)
		return -ENOMEM;
	action->fn = fn;
	action->arg = arg;
	list_add(&action->node, &drm->actions);
	return 0;
}

int drmm_add_action_or_reset(struct drm_device *drm,
			     void (*fn)(struct drm_device *drm, void *arg),
			     void *arg)
{
	int rc = drmm_add_action(drm, fn, arg);

	if (rc)
		fn(drm, arg);
	return rc;
}

void *drmm_kzalloc(struct drm_device *drm, size_t size, gfp_t gfp)
{
	void *p = kzalloc(size, gfp);

	if (p && drmm_add_action(drm, NULL, p)) {
		free(p);
		p = NULL;
	}
	return p;
}

static void end_mutex(struct drm_device *drm, void *lock)
{
	mutex_destroy((struct mutex *)lock);
}

int drmm_mutex_init(struct drm_device *drm, struct mutex *lock)
{
	mutex_init(lock);
	return drmm_add_action_or_reset(drm, end_mutex, lock);
}

void *sim_drm_dev_alloc(struct device *dev, const struct drm_driver *driver,
			size_t size, size_t offset)
{
	void *all = calloc(1, size);
	struct drm_device *drm = (void *)((char *)all + offset);

	if (!all)
		return ERR_PTR(-ENOMEM);
	drm->dev = dev;
	drm->driver = driver;
	kref_init(&drm->refs);
	INIT_LIST_HEAD(&drm->actions);
	drm->anon_inode = &drm->inode;
	drm->accel = &drm->minor;
	drm->minor.dev = drm;
	drm->minor.kdev = &drm->node;
	accel_debugfs_init(drm);
	device_initialize(&drm->node);
	if (drmm_add_action(drm, NULL, all)) {
		free(all);
		return ERR_PTR(-ENOMEM);
	}
	if (devm_add_action_or_reset(dev, drm_put, drm))
		return ERR_PTR(-ENOMEM);
	return all;
}

/* Numbers are those of the slots, whichever card is first. */
int drm_dev_register(struct drm_device *drm, unsigned long flags)
{
	drm->minor.index = pci_irq_vector(to_pci_dev(drm->dev), 0);
	pthread_mutex_lock(&nodes_lock);
	accels[drm->minor.index] = drm;
	pthread_mutex_unlock(&nodes_lock);
	return 0;
}

void drm_dev_unplug(struct drm_device *drm)
{
	WRITE_ONCE(drm->unplugged, true);
	pthread_mutex_lock(&nodes_lock);
	accels[drm->minor.index] = NULL;
	pthread_mutex_unlock(&nodes_lock);
}

/* --- files --------------------------------------------------------------------- */

int sim_open_accel(unsigned int index, struct file *file)
{
	struct drm_device *drm = NULL;
	struct drm_file *priv;
	int rc = -ENOMEM;

	pthread_mutex_lock(&nodes_lock);
	if (index < SIM_MAX_CARDS && accels[index]) {
		drm = accels[index];
		drm_dev_get(drm);
	}
	pthread_mutex_unlock(&nodes_lock);
	if (!drm)
		return -ENOENT;
	priv = calloc(1, sizeof(*priv));
	if (priv) {
		priv->filp = file;
		priv->minor = &drm->minor;
		rc = drm->driver->open(drm, priv);
	}
	if (rc) {
		free(priv);
		drm_dev_put(drm);
		return rc;
	}
	file->f_op = drm->driver->fops;
	file->private_data = priv;
	return 0;
}

int drm_release(struct inode *inode, struct file *file)
{
	struct drm_file *priv = file->private_data;
	struct drm_device *drm = priv->minor->dev;

	drm->driver->postclose(drm, priv);
	free(priv);
	drm_dev_put(drm);
	return 0;
}

/* Nobody calls it: sim_open_accel() knows the device. */
int accel_open(struct inode *inode, struct file *file)
{
	return -ENXIO;
}

/* As much of a text as the caller has room for, and how long it is. */
static int give_text(char *to, __kernel_size_t *len, const char *text)
{
	size_t n = strlen(text), room = *len;

	*len = n;
	return to && room && copy_to_user(to, text, min(n, room)) ? -EFAULT : 0;
}

static int get_version(struct drm_device *drm, void *data,
		       struct drm_file *file)
{
	struct drm_version *v = data;
	int rc;

	v->version_major = drm->driver->major;
	v->version_minor = drm->driver->minor;
	v->version_patchlevel = 0;
	rc = give_text(v->name, &v->name_len, drm->driver->name);
	if (!rc)
		rc = give_text(v->date, &v->date_len, "0");
	return rc ?: give_text(v->desc, &v->desc_len, drm->driver->desc);
}

/* There are no dma-bufs and no sync objects. */
static int get_capability(struct drm_device *drm, void *data,
			  struct drm_file *file)
{
	struct drm_get_cap *cap = data;

	cap->value = 0;
	switch (cap->capability) {
	case DRM_CAP_TIMESTAMP_MONOTONIC:
		cap->value = 1;
		return 0;
	case DRM_CAP_PRIME:
	case DRM_CAP_SYNCOBJ:
	case DRM_CAP_SYNCOBJ_TIMELINE:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* What programs ask all DRM devices. */
static const struct drm_ioctl_desc common[] = {
	{ DRM_IOCTL_VERSION, get_version },
	{ DRM_IOCTL_GET_CAP, get_capability },
};

static const struct drm_ioctl_desc *find_common(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(common); i++)
		if (_IOC_NR(common[i].cmd) == nr)
			return &common[i];
	return NULL;
}

static const struct drm_ioctl_desc *find_ioctl(const struct drm_driver *driver,
					       unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);
	const struct drm_ioctl_desc *desc;

	if (nr < DRM_COMMAND_BASE)
		return find_common(nr);
	if (nr - DRM_COMMAND_BASE >= (unsigned int)driver->num_ioctls)
		return NULL;
	desc = &driver->ioctls[nr - DRM_COMMAND_BASE];
	return desc->func ? desc : NULL;
}

/* @data has room for both sizes: the caller's and the driver's. */
static long call_ioctl(const struct drm_ioctl_desc *desc, struct drm_file *priv,
		       unsigned int cmd, void *arg, void *data)
{
	unsigned int both = cmd & desc->cmd, size = _IOC_SIZE(cmd);
	long rc;

	if (both & IOC_IN && copy_from_user(data, arg, size))
		return -EFAULT;
	rc = desc->func(priv->minor->dev, data, priv);
	if (both & IOC_OUT && copy_to_user(arg, data, size))
		return -EFAULT;
	return rc;
}

/* Arguments have grown: what the caller does not have is 0. */
long drm_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct drm_file *priv = file->private_data;
	struct drm_device *drm = priv->minor->dev;
	const struct drm_ioctl_desc *desc = find_ioctl(drm->driver, cmd);
	char few[256] __attribute__((aligned(16))), *data = few;
	size_t size;
	long rc;

	if (drm->unplugged)
		return -ENODEV;
	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return -ENOTTY;
	if (!desc)
		return -EINVAL;
	size = max(_IOC_SIZE(cmd), _IOC_SIZE(desc->cmd));
	if (size > sizeof(few))
		data = malloc(size);
	if (!data)
		return -ENOMEM;
	memset(data, 0, size);
	rc = call_ioctl(desc, priv, cmd, (void *)arg, data);
	if (data != few)
		free(data);
	return rc;
}

/* --- other nodes ----------------------------------------------------------------- */

int cdev_device_add(struct cdev *cdev, struct device *dev)
{
	cdev->dev = dev;
	pthread_mutex_lock(&nodes_lock);
	list_add_tail(&cdev->node, &cdevs);
	pthread_mutex_unlock(&nodes_lock);
	return 0;
}

void cdev_device_del(struct cdev *cdev, struct device *dev)
{
	pthread_mutex_lock(&nodes_lock);
	list_del(&cdev->node);
	pthread_mutex_unlock(&nodes_lock);
}

int sim_open_cdev(const char *name, struct file *file)
{
	struct inode inode = { NULL };
	struct cdev *cdev;
	int rc = -ENOENT;

	pthread_mutex_lock(&nodes_lock);
	list_for_each_entry(cdev, &cdevs, node)
		if (!strcmp(cdev->dev->name, name)) {
			inode.i_cdev = cdev;
			break;
		}
	if (inode.i_cdev) {
		file->f_op = cdev->ops;
		rc = cdev->ops->open(&inode, file);
	}
	pthread_mutex_unlock(&nodes_lock);
	return rc;
}
