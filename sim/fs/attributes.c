// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Attributes: what the driver shows and takes, a file each, in its card's slot. */
#include "../kernel/nodes.h"
#include "grow.h"

/* What a function of the driver writes into one page. */
static ssize_t show_attribute(const struct sim_entry *e, char **text)
{
	struct device *dev = e->owner;
	struct device_attribute *attr = (void *)(uintptr_t)e->what;

	/* They go when a probe fails. */
	if (!dev->groups)
		return -ENODEV;
	if (!attr->show)
		return -EACCES;
	*text = calloc(1, PAGE_SIZE);
	return *text ? attr->show(dev, attr, *text) : -ENOMEM;
}

static ssize_t store_attribute(const struct sim_entry *e, const char *text,
			       size_t size)
{
	struct device *dev = e->owner;
	struct device_attribute *attr = (void *)(uintptr_t)e->what;

	if (!dev->groups)
		return -ENODEV;
	return attr->store ? attr->store(dev, attr, text, size) : -EACCES;
}

static const struct sim_entry_ops attribute_ops = {
	.show = show_attribute,
	.store = store_attribute,
};

static ssize_t show_bytes(const struct sim_entry *e, char **text)
{
	struct device *dev = e->owner;
	const struct bin_attribute *attr = e->what;

	if (!dev->groups)
		return -ENODEV;
	*text = calloc(1, attr->size);
	return *text ? attr->read(NULL, &dev->kobj, attr, *text, 0,
				  attr->size) : -ENOMEM;
}

static const struct sim_entry_ops bytes_ops = { .show = show_bytes };

static void add_group(struct sim_entry *dir, struct device *dev,
		      const struct attribute_group *group)
{
	unsigned int i;

	if (group->name)
		dir = sim_entry_dir(dir, group->name);
	for (i = 0; group->attrs && group->attrs[i]; i++)
		sim_entry_file(dir, group->attrs[i]->name,
			       group->attrs[i]->mode, &attribute_ops, dev,
			       container_of(group->attrs[i],
					    struct device_attribute, attr), 0);
	for (i = 0; group->bin_attrs && group->bin_attrs[i]; i++)
		sim_entry_file(dir, group->bin_attrs[i]->attr.name,
			       group->bin_attrs[i]->attr.mode, &bytes_ops, dev,
			       group->bin_attrs[i], 0);
}

/* Of cards: nothing else in a process has attributes. */
int device_add_groups(struct device *dev, const struct attribute_group **groups)
{
	struct sim_entry *slot;

	dev->groups = groups;
	slot = sim_entry_slot(pci_irq_vector(to_pci_dev(dev), 0));
	for (; *groups; groups++)
		add_group(slot, dev, *groups);
	return 0;
}

void device_remove_groups(struct device *dev,
			  const struct attribute_group **groups)
{
	dev->groups = NULL;
}
