/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core room: struct gaudi_device, one card. Each room keeps its own part
 * behind a pointer here, and others call its functions; but debugfs and INFO (the
 * room user) read what they report from the parts themselves, with the locks that
 * these name.
 *
 * The core owns no part of the card. It offers the gate, which threads pass while
 * there is no reset (gaudi_gate.h); a user's context (gaudi_ctx.h); the module's
 * parameters (gaudi_param.h); coherent memory (gaudi_dma.h), tracepoints and
 * what differs between kernels.
 *
 * Locks: gaudi_gate's, and users_srcu around whatever uses the device; fw_sem
 * and gaudi_ctxs.lock, as their structures say.
 */
#ifndef GAUDI_DEVICE_H
#define GAUDI_DEVICE_H

#include <drm/drm_device.h>
#include <drm/drm_print.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/srcu.h>
#include <linux/types.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/hw/gaudi_fw_if.h"
#include "../../uapi/hw/gaudi_map.h"
#include "gaudi_param.h"

struct attribute_group;
struct dentry;
struct gaudi_cpucp;
struct gaudi_cs_mgr;
struct gaudi_ctx_mgr;
struct gaudi_ctxs;
struct gaudi_eq;
struct gaudi_reports;
struct gaudi_exports;
struct gaudi_gate;
struct gaudi_hbm;
struct gaudi_irq;
struct gaudi_kcb_pool;
struct gaudi_kjob;
struct gaudi_mmu;
struct gaudi_nic;
struct gaudi_pgt;
struct gaudi_queues;
struct gaudi_reset;
struct gaudi_share;
struct gaudi_shared_ops;
struct gaudi_state_dumps;
struct gaudi_timeslice;

/* Interrupts to the embedded CPU, by a number in a register. */
enum gaudi_cpu_irq {
	GAUDI_CPU_IRQ_PI_UPDATE,
	GAUDI_CPU_IRQ_TPC_QM,
	GAUDI_CPU_IRQ_MME_QM,
	GAUDI_CPU_IRQ_DMA_QM,
	GAUDI_CPU_IRQ_DMA_CORE,
	GAUDI_CPU_IRQ_NIC_QM,
	GAUDI_CPU_IRQ_HALT,
	GAUDI_CPU_IRQ_EVENTS,
	GAUDI_NUM_CPU_IRQS,
};

/* Per card, may be changed at any time: debugfs. */
struct gaudi_tunables {
	u64 scrub_val;			/* what memory is overwritten with */
	u32 timeout_s;			/* until a submission is stuck; 0: never */
	u32 release_timeout_s;		/* for a user to close before a reset */
	u8 skip_reset_on_timeout;
	bool stop_on_err;		/* QMANs and DMA cores; at the next reset */
};

struct gaudi_device {
	struct drm_device drm;
	struct pci_dev *pdev;

	/* Register windows: CFG registers, SRAM (BAR 0), HBM (BAR 4). */
	void __iomem *regs;
	void __iomem *sram;
	void __iomem *hbm;
	resource_size_t hbm_bar_start;	/* PCI bus address of BAR 4 */
	resource_size_t hbm_bar_size;

	/* Reported by firmware; written at (re)boot only. */
	struct rw_semaphore fw_sem;	/* info and versions, for their readers */
	u32 boot_sts0;
	u32 boot_sts1;
	struct gaudi_cpucp_info info;
	char preboot_version[GAUDI_FW_VERSION_LEN];
	char uboot_version[GAUDI_FW_VERSION_LEN];
	bool linux_loaded;
	bool fw_was_lost;		/* firmware must be notified */
	/* CFG offsets: the GIC, or what firmware reads in its place. */
	u32 cpu_irq_reg[GAUDI_NUM_CPU_IRQS];
	/* Dynamic loader: from the last descriptor. */
	u32 comms_irq_reg[GAUDI_NUM_CPU_IRQS];
	u32 comms_cmd_reg;
	u32 comms_sts_reg;
	bool iatu_by_fw;		/* HBM window cannot be moved */
	struct {
		u32 nr, nf, od, div_factor;
		u32 timestamp_mhz;	/* of the device time counter */
	} psoc_pll;
	u64 max_power_mw;		/* limit that was last set */
	u64 max_power_default_mw;
	u64 dc_power_default_mw;	/* what an idle card draws */
	/* NIC ports that the driver uses, bits; 0 before and after that. */
	unsigned long nic_ports;

	/* Blocks, in the order in which they are brought up. */
	struct gaudi_irq *irq;
	struct gaudi_queues *queues;	/* PQs and CQs */
	struct gaudi_eq *eq;
	struct gaudi_cpucp *cpucp;
	struct gaudi_mmu *mmu;		/* hardware side: hop 0, invalidation */
	struct gaudi_kjob *kjob;	/* the driver's own jobs on DMA0 */
	struct gaudi_nic *nic;		/* ports */
	struct gaudi_reports *reports;	/* counters, captured errors, eventfd */
	struct gaudi_gate *gate;	/* what there is below of reset */
	struct gaudi_reset *reset;
	struct gaudi_errors *errors;	/* what error registers have reported */
	struct gaudi_state_dumps *dumps;

	/* User side. */
	struct gaudi_hbm *hbm_mm;	/* HBM allocator */
	struct gaudi_pgt *pgt;		/* pool of page table hops */
	struct gaudi_exports *exports;	/* dma-bufs of HBM */
	struct gaudi_kcb_pool *kcbs;	/* kernel command buffers */
	struct gaudi_cs_mgr *cs_mgr;
	const struct gaudi_share *share;	/* what each context has */
	const struct gaudi_shared_ops *shared;	/* shared mode only */
	struct gaudi_timeslice *timeslice;
	struct gaudi_ctxs *ctxs;	/* all of ctx_mgr's */
	struct gaudi_ctx_mgr *ctx_mgr;

	const struct attribute_group **sysfs_groups;
	struct device *control_dev;
	struct device *hwmon_dev;

	/* enum hl_device_status; written under gaudi_gate.lock, read anywhere. */
	int status;
	/* A reset waits for the users to close; written by gaudi_ctx.c. */
	bool users_wait;
	bool link_failed;		/* AER: we block until it is reset */
	/* Set once when the device goes away; never cleared. */
	bool dead;
	/* Users of what the device owns: see gaudi_device_enter(). */
	struct srcu_struct users_srcu;
	bool gone;			/* no new users */

	struct dentry *debugfs_root;
	struct gaudi_tunables tunables;
};

/**
 * to_gaudi_device() - The card that a DRM device is a part of
 * @drm: DRM's structure
 *
 * Return: The card.
 */
static inline struct gaudi_device *to_gaudi_device(struct drm_device *drm)
{
	return container_of(drm, struct gaudi_device, drm);
}

/**
 * gaudi_device_operational() - Whether the card takes work
 * @gdev: the card
 *
 * An unlocked look: the status may change at once. What must not run during a
 * reset is between gaudi_reset_enter() and gaudi_reset_exit().
 *
 * Context: Any context.
 * Return: True if the status is OPERATIONAL.
 */
static inline bool gaudi_device_operational(struct gaudi_device *gdev)
{
	return READ_ONCE(gdev->status) == HL_DEVICE_STATUS_OPERATIONAL;
}

/**
 * gaudi_is_shared() - Whether several contexts may have the card
 * @gdev: the card
 *
 * Context: Any context.
 * Return: True in shared mode, until the card goes away; a constant false if it is not
 *	built in.
 */
static inline bool gaudi_is_shared(const struct gaudi_device *gdev)
{
	return GAUDI_SHARED && gdev->timeslice;
}

/**
 * gaudi_offline() - Whether PCI keeps us from the card
 * @gdev: the card
 *
 * So it is from the moment that PCI reports a fatal error until the link was
 * reset, or for ever. Nothing of the card's is read or written meanwhile.
 *
 * Context: Any context.
 * Return: True if the channel is frozen or was given up.
 */
static inline bool gaudi_offline(struct gaudi_device *gdev)
{
	return unlikely(pci_channel_offline(gdev->pdev));
}

/**
 * gaudi_device_enter() - Begin to use what the device owns
 * @gdev: the card
 * @idx: for gaudi_device_exit()
 *
 * What the device owns stays until gaudi_device_exit(), and its removal waits.
 * So nothing in between may take a time that a user controls: user memory is
 * read before and written after it (a fault may depend on the user), and waits
 * for submissions, and for locks that are held over them, are outside.
 *
 * Not drm_dev_enter(), whose readers hold up the removal of every DRM device:
 * an open may reset the card.
 *
 * Context: Process context. Enters a read side of users_srcu; may sleep inside.
 * Return: True, or false if the device has gone: only the file and its context
 *	are left.
 */
static inline bool gaudi_device_enter(struct gaudi_device *gdev, int *idx)
{
	*idx = srcu_read_lock(&gdev->users_srcu);
	if (!READ_ONCE(gdev->gone))
		return true;
	srcu_read_unlock(&gdev->users_srcu, *idx);
	return false;
}

/**
 * gaudi_device_exit() - End what gaudi_device_enter() began
 * @gdev: the card
 * @idx: what gaudi_device_enter() gave
 */
static inline void gaudi_device_exit(struct gaudi_device *gdev, int idx)
{
	srcu_read_unlock(&gdev->users_srcu, idx);
}

/**
 * gaudi_host_dev_addr() - The device's view of a bus address
 * @dma_addr: an address that the DMA API gave
 *
 * Return: The address for packets and descriptors.
 */
static inline u64 gaudi_host_dev_addr(dma_addr_t dma_addr)
{
	return dma_addr + GAUDI_HOST_BASE;
}

#endif /* GAUDI_DEVICE_H */
