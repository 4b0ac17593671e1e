// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Devices, what belongs to them, firmware files. The slot is ../card.c. */
#include <stdarg.h>

#include "kernel.h"

void device_initialize(struct device *dev)
{
	kref_init(&dev->refs);
	INIT_LIST_HEAD(&dev->actions);
}

int dev_set_name(struct device *dev, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(dev->name, sizeof(dev->name), fmt, args);
	va_end(args);
	return 0;
}

struct device *get_device(struct device *dev)
{
	kref_get(&dev->refs);
	return dev;
}

/* All actions, the last one first. */
static void end_actions(struct device *dev)
{
	struct sim_action *action;

	while (!list_empty(&dev->actions)) {
		action = list_first_entry(&dev->actions, struct sim_action,
					  node);
		list_del(&action->node);
		action->fn(action->arg);
		free(action);
	}
}

static void device_release(struct kref *refs)
{
	struct device *dev = container_of(refs, struct device, refs);

	end_actions(dev);
	if (dev->release)
		dev->release(dev);
}

void put_device(struct device *dev)
{
	kref_put(&dev->refs, device_release);
}

int devm_add_action(struct device *dev, void (*fn)(void *arg), void *arg)
{
	struct sim_action *action = malloc(sizeof(*action));

	if (!action)
		return -ENOMEM;
	action->fn = fn;
	action->arg = arg;
	list_add(&action->node, &dev->actions);
	return 0;
}

int devm_add_action_or_reset(struct device *dev, void (*fn)(void *arg),
			     void *arg)
{
	int rc = devm_add_action(dev, fn, arg);

	if (rc)
		fn(arg);
	return rc;
}

/* Of tables that are mostly empty: pages that are not written take no memory. */
struct sim_pages {
	void *p;
	size_t size;
};

static void free_pages(void *arg)
{
	struct sim_pages *pages = arg;

	munmap(pages->p, pages->size);
	free(pages);
}

static void *devm_pages(struct device *dev, size_t size)
{
	struct sim_pages *pages = malloc(sizeof(*pages));

	if (!pages)
		return NULL;
	pages->size = size;
	pages->p = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages->p == MAP_FAILED) {
		free(pages);
		return NULL;
	}
	return devm_add_action_or_reset(dev, free_pages, pages) ? NULL : pages->p;
}

void *devm_kzalloc(struct device *dev, size_t size, gfp_t gfp)
{
	void *p;

	if (size >= 8 * PAGE_SIZE)
		return devm_pages(dev, size);
	p = kzalloc(size, gfp);
	return p && !devm_add_action_or_reset(dev, free, p) ? p : NULL;
}

static void end_mutex(void *lock)
{
	mutex_destroy((struct mutex *)lock);
}

int devm_mutex_init(struct device *dev, struct mutex *lock)
{
	mutex_init(lock);
	return devm_add_action_or_reset(dev, end_mutex, lock);
}

/* --- firmware: in this library --------------------------------------------- */

#define FILE_IN(name, path)						\
	__asm__(".section .rodata\n"					\
		".balign 16\n"						\
		#name ": .incbin \"" path "\"\n"			\
		#name "_end: .byte 0\n"					\
		".previous\n");						\
	extern const u8 name[], name##_end[]

FILE_IN(sim_boot_fit, FIRMWARE "/habanalabs/gaudi/gaudi-boot-fit.itb");
FILE_IN(sim_fit, FIRMWARE "/habanalabs/gaudi/gaudi-fit.itb");
FILE_IN(sim_tpc, FIRMWARE "/habanalabs/gaudi/gaudi_tpc.bin");

static const struct {
	const char *name;
	const u8 *data, *end;
} files[] = {
	{ "habanalabs/gaudi/gaudi-boot-fit.itb", sim_boot_fit,
	  sim_boot_fit_end },
	{ "habanalabs/gaudi/gaudi-fit.itb", sim_fit, sim_fit_end },
	{ "habanalabs/gaudi/gaudi_tpc.bin", sim_tpc, sim_tpc_end },
};

int request_firmware_direct(const struct firmware **fw, const char *name,
			    struct device *dev)
{
	struct firmware *file;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(files[i].name, name))
			break;
	if (i == ARRAY_SIZE(files))
		return -ENOENT;
	file = malloc(sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->data = files[i].data;
	file->size = files[i].end - files[i].data;
	*fw = file;
	return 0;
}

void release_firmware(const struct firmware *fw)
{
	kfree(fw);
}

void dev_coredumpv(struct device *dev, void *data, size_t size, gfp_t gfp)
{
	sim_log(dev, SIM_DBG, "%.*s\n", (int)size, (char *)data);
	free(data);
}
