/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Devices: what belongs to one and goes with it, its attributes, the slot that a card
 * is in with registers and interrupt, firmware files.
 */
#ifndef SIM_KERNEL_DEVICE_H
#define SIM_KERNEL_DEVICE_H

#include "base/list.h"
#include "base/lock.h"
#include "memory.h"
#include "base/work.h"

/* --- attributes --- */

struct file;
struct kobject { int unused; };
struct attribute { const char *name; umode_t mode; };
struct device;
struct device_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device *dev, struct device_attribute *attr,
			char *buf);
	ssize_t (*store)(struct device *dev, struct device_attribute *attr,
			 const char *buf, size_t count);
};

struct bin_attribute {
	struct attribute attr;
	size_t size;
	ssize_t (*read)(struct file *file, struct kobject *kobj,
			const struct bin_attribute *attr, char *buf, loff_t pos,
			size_t count);
};

struct attribute_group {
	const char *name;
	struct attribute **attrs;
	const struct bin_attribute *const *bin_attrs;
};

#define __ATTR(_name, _mode, _show, _store) \
	{ .attr = { .name = #_name, .mode = (_mode) }, .show = (_show), \
	  .store = (_store) }
#define __BIN_ATTR(_name, _mode, _read, _write, _size) \
	{ .attr = { .name = #_name, .mode = (_mode) }, .read = (_read), \
	  .size = (_size) }
#define sysfs_attr_init(attr)	((void)(attr))

/* --- devices --- */

struct sim_action {
	struct list_head node;
	void (*fn)(void *arg);
	void *arg;
};

struct device {
	struct kobject kobj;
	struct device *parent;
	const void *class;
	unsigned long devt;
	void *drvdata;
	u64 *dma_mask, coherent_dma_mask;	/* no limit here */
	void (*release)(struct device *dev);
	struct kref refs;
	struct list_head actions;	/* last one first */
	const struct attribute_group **groups;
	char name[32];
};

#define kobj_to_dev(k)		container_of(k, struct device, kobj)
#define dev_name(dev)		((const char *)(dev)->name)
#define dev_get_drvdata(dev)	((dev)->drvdata)
void device_initialize(struct device *dev);
int dev_set_name(struct device *dev, const char *fmt, ...) __printf(2, 3);
struct device *get_device(struct device *dev);
void put_device(struct device *dev);
int device_add_groups(struct device *dev, const struct attribute_group **groups);
void device_remove_groups(struct device *dev,
			  const struct attribute_group **groups);

/* 0 or -ENOMEM; "or_reset": then it is done at once. */
int devm_add_action(struct device *dev, void (*fn)(void *arg), void *arg);
int devm_add_action_or_reset(struct device *dev, void (*fn)(void *arg),
			     void *arg);
void *devm_kzalloc(struct device *dev, size_t size, gfp_t gfp);
#define devm_kcalloc(dev, count, size, gfp) \
	devm_kzalloc(dev, (count) * (size), gfp)
int devm_mutex_init(struct device *dev, struct mutex *lock);

/* --- the slot --- */

enum pci_channel_state {
	pci_channel_io_normal, pci_channel_io_frozen, pci_channel_io_perm_failure,
};
typedef enum pci_channel_state pci_channel_state_t;

typedef enum {
	PCI_ERS_RESULT_CAN_RECOVER, PCI_ERS_RESULT_NEED_RESET,
	PCI_ERS_RESULT_DISCONNECT, PCI_ERS_RESULT_RECOVERED,
} pci_ers_result_t;

#define PCI_D0			0

struct gaudi_chip;

struct pci_dev {
	struct device dev;
	u16 vendor, device;
	u8 revision;
	u64 dma_mask;
	int current_state;
	enum pci_channel_state error_state;
	/* card.c's */
	struct gaudi_chip *chip;
	bool master;
	void *cfg;		/* what stands for BAR 2; cannot be accessed */
};

struct pci_device_id { u32 vendor, device; };
#define PCI_DEVICE(v, d)	.vendor = (v), .device = (d)

struct pci_error_handlers {
	pci_ers_result_t (*error_detected)(struct pci_dev *pdev,
					   pci_channel_state_t state);
	pci_ers_result_t (*slot_reset)(struct pci_dev *pdev);
	void (*resume)(struct pci_dev *pdev);
	void (*reset_prepare)(struct pci_dev *pdev);
	void (*reset_done)(struct pci_dev *pdev);
};

struct dev_pm_ops { int unused; };
#define SYSTEM_SLEEP_PM_OPS(suspend, resume)
#define RUNTIME_PM_OPS(suspend, resume, idle) .unused = 0,
#define pm_ptr(ops)		(ops)

struct pci_driver {
	const char *name;
	const struct pci_device_id *id_table;
	int (*probe)(struct pci_dev *pdev, const struct pci_device_id *id);
	void (*remove)(struct pci_dev *pdev);
	void (*shutdown)(struct pci_dev *pdev);
	const struct pci_error_handlers *err_handler;
	struct { const struct dev_pm_ops *pm; int probe_type; } driver;
};

#define PROBE_PREFER_ASYNCHRONOUS 1

extern struct pci_driver *sim_pci_driver;
#define pci_register_driver(d)	(sim_pci_driver = (d), 0)
#define pci_unregister_driver(d) ((void)(d), (void)(sim_pci_driver = NULL))
#define to_pci_dev(d)		container_of(d, struct pci_dev, dev)
#define pci_name(pdev)		dev_name(&(pdev)->dev)
#define pci_set_drvdata(pdev, p) ((void)((pdev)->dev.drvdata = (p)))
#define pci_get_drvdata(pdev)	((pdev)->dev.drvdata)
#define pci_channel_offline(pdev) \
	((pdev)->error_state != pci_channel_io_normal)
#define pci_device_is_present(pdev) ((void)(pdev), true)
#define pcim_enable_device(pdev) ((void)(pdev), 0)
#define pcim_request_region(pdev, bar, name) ((void)(pdev), 0)
#define pci_save_state(pdev)	((void)(pdev))
#define pci_restore_state(pdev)	((void)(pdev))
#define pcibios_err_to_errno(err) (err)
#define pci_p2pdma_distance(pdev, dev, verbose) (-1)
void pci_set_master(struct pci_dev *pdev);
void pci_clear_master(struct pci_dev *pdev);
u64 pci_resource_len(struct pci_dev *pdev, int bar);
u64 pci_resource_start(struct pci_dev *pdev, int bar);
void *pcim_iomap_region(struct pci_dev *pdev, int bar, const char *name);
void *devm_ioremap_wc(struct device *dev, u64 start, u64 size);
int pci_read_config_dword(struct pci_dev *pdev, int off, u32 *value);
int pci_write_config_dword(struct pci_dev *pdev, int off, u32 value);

/* A card is never suspended. */
#define pm_runtime_resume_and_get(dev)	((void)(dev), 0)
#define pm_runtime_get_noresume(dev)	((void)(dev))
#define pm_runtime_put_noidle(dev)	((void)(dev))
#define pm_runtime_mark_last_busy(dev)	((void)(dev))
#define pm_runtime_put_autosuspend(dev)	((void)(dev))
#define pm_runtime_use_autosuspend(dev)	((void)(dev))
#define pm_runtime_dont_use_autosuspend(dev) ((void)(dev))
#define pm_runtime_set_autosuspend_delay(dev, ms) ((void)(dev))

/* --- windows: registers are no memory, SRAM and HBM are --- */

u32 readl(const void *from);
u64 readq(const void *from);
void writel(u32 value, void *to);
void writeq(u64 value, void *to);
#define lo_hi_writeq(value, to)	writeq(value, to)
#define lo_hi_readq(from)	readq(from)
#define memcpy_fromio(to, from, size)	memcpy(to, from, size)
void memcpy_toio(void *to, const void *from, size_t size);
#define __iowrite64_copy(to, from, count) memcpy_toio(to, from, 8 * (count))

/* --- the interrupt: a thread that both functions run in --- */

typedef int irqreturn_t;
#define IRQ_HANDLED		1
#define IRQ_WAKE_THREAD		2
#define IRQF_NO_AUTOEN		1
#define PCI_IRQ_MSI		1
#define pci_alloc_irq_vectors(pdev, least, most, flags) ((void)(pdev), 1)
#define pci_free_irq_vectors(pdev) ((void)(pdev))
int pci_irq_vector(struct pci_dev *pdev, unsigned int n);
int request_threaded_irq(int irq, irqreturn_t (*handler)(int irq, void *arg),
			 irqreturn_t (*thread)(int irq, void *arg),
			 unsigned long flags, const char *name, void *arg);
void free_irq(int irq, void *arg);
void enable_irq(int irq);
/* Afterwards neither function runs. */
void disable_irq(int irq);
/* Any thread, any lock. */
void sim_irq_raise(int irq);

/* --- files for the card --- */

struct firmware { const u8 *data; size_t size; };

int request_firmware_direct(const struct firmware **fw, const char *name,
			    struct device *dev);
void release_firmware(const struct firmware *fw);
static inline void sim_free_firmware(void *p)
{
	release_firmware(*(const struct firmware **)p);
}

/* Nobody reads it: it is in the log, if that has everything. */
void dev_coredumpv(struct device *dev, void *data, size_t size, gfp_t gfp);

#endif /* SIM_KERNEL_DEVICE_H */
