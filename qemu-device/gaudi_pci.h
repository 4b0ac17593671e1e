/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the slot share: the QEMU device's state.
 *
 *   gaudi_pci.c   configuration space, BARs, interrupts, life cycle
 *   gaudi_dma.c   the card's access to guest memory
 *   gaudi_fault.c faults on demand
 *   gaudi_report.c  the fidelity report's file and property
 */
#ifndef GAUDI_PCI_H
#define GAUDI_PCI_H

#include "qemu/notify.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "hw/pci/pci_device.h"
#include "qom/object.h"

#include "chip/gaudi_chip.h"

#define TYPE_GAUDI "gaudi"
OBJECT_DECLARE_SIMPLE_TYPE(GaudiState, GAUDI)

typedef struct GaudiPosted GaudiPosted;

struct GaudiState {
    PCIDevice parent_obj;

    struct gaudi_chip *chip;
    bool in_pool;
    bool gone;                  /* unplugged: guest memory is out of reach */
    bool windows_ready;

    MemoryRegion sram_bar;      /* container: SRAM over I/O */
    MemoryRegion sram_io;
    MemoryRegion sram;
    MemoryRegion cfg_bar;
    MemoryRegion hbm_bar;       /* container: window over I/O */
    MemoryRegion hbm_io;
    MemoryRegion hbm;
    MemoryRegion hbm_window;    /* alias of hbm */
    uint64_t hbm_target;

    QEMUTimer *timer;
    QEMUBH *run_bh;
    QEMUBH *msi_bh;
    QEMUBH *window_bh;
    QEMUBH *posted_bh;
    uint32_t msi_pending;
    QemuMutex posted_lock;
    QSIMPLEQ_HEAD(, GaudiPosted) posted;
    size_t posted_bytes;
    QEMUBH *host_fault_bh;
    uint32_t host_faults;       /* pending: BIT(enum gaudi_host_fault) */
    uint32_t aer_status[3];     /* of GAUDI_HOST_AER_* */
    GPtrArray *early_faults;    /* texts of before realize */
    Notifier exit_notifier;
    Notifier machine_done;

    /* properties */
    uint64_t hbm_size;
    uint64_t hbm_bar_size;
    uint64_t sched_seed;
    uint64_t dsn;
    uint32_t module_id;
    uint32_t boot_sts0;
    uint32_t boot_delay_ms;
    bool flash_boot;
    char *loader;
    uint32_t workers;
    bool deterministic;
    char *serial;
    char *fidelity_report;
    char *fault_file;
};

static inline const char *gaudi_name(GaudiState *s)
{
    return DEVICE(s)->id ?: "gaudi";
}

/* Host operations of gaudi_chip.h; opaque is the GaudiState. */
int gaudi_dma_read(void *opaque, uint64_t addr, void *buf, size_t len);
int gaudi_dma_write(void *opaque, uint64_t addr, const void *buf, size_t len);
void *gaudi_dma_map(void *opaque, uint64_t addr, size_t *len, bool is_write);
void gaudi_dma_unmap(void *opaque, void *ptr, size_t len, bool is_write,
                     size_t accessed);

/* Around the device's life; nothing may be in flight at fini. */
void gaudi_pci_dma_init(GaudiState *s);
void gaudi_pci_dma_fini(GaudiState *s);

/* gaudi_report.c. Writes the file of the property "fidelity-report", if set. */
void gaudi_report_write(GaudiState *s);
void gaudi_report_class_init(ObjectClass *klass);

/* Around what the card does under the BQL; see gaudi_pci.c. */
bool gaudi_guard_enter(GaudiState *s);
void gaudi_guard_leave(GaudiState *s, bool before);

/* gaudi_fault.c. realize: the chip is there; false with *errp: a bad fault. */
void gaudi_host_fault(void *opaque, enum gaudi_host_fault what, uint32_t arg);
void gaudi_faults_init(GaudiState *s);
bool gaudi_faults_realize(GaudiState *s, Error **errp);
void gaudi_faults_fini(GaudiState *s);
void gaudi_faults_properties(ObjectClass *klass);

#endif /* GAUDI_PCI_H */
