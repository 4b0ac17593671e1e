/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the slot share: the QEMU device's state.
 *
 *   gaudi_pci.c   configuration space, BARs, interrupts, realize and exit
 *   gaudi_dma.c   the card's access to guest memory
 *   gaudi_fault.c faults on demand
 *   gaudi_report.c log lines, trace events, the fidelity report, the record
 *   gaudi_journal.c all that goes into the cards and comes out of them
 *   gaudi_later.c work that waits for the big lock
 *   gaudi_net.c   what the ports are plugged into
 *   gaudi_fabric.c ... in other QEMUs
 *   gaudi_life.c  resets, power, stop and go of the machine, link, removal
 *   gaudi_snap.c  savevm, loadvm, migration
 */
#ifndef GAUDI_PCI_H
#define GAUDI_PCI_H

#include "qemu/notify.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "hw/pci/pci_device.h"
#include "hw/resettable.h"
#include "system/runstate.h"
#include "qom/object.h"
#include "net/net.h"

#include "chip/gaudi_chip.h"

#define TYPE_GAUDI "gaudi"
OBJECT_DECLARE_SIMPLE_TYPE(GaudiState, GAUDI)

typedef struct GaudiPosted GaudiPosted;
typedef struct GaudiFrame GaudiFrame;
typedef struct GaudiFabric GaudiFabric;

#define GAUDI_NUM_PORTS         10

/* A port of the card that may be on QEMU's network. */
typedef struct GaudiPort {
    GaudiState *s;
    NICConf conf;
    NICState *nic;              /* NULL: it is not */
} GaudiPort;

/* Work for the main loop, under the BQL; see gaudi_later.c. */
typedef struct GaudiLater {
    GaudiState *s;
    void (*fn)(GaudiState *s);
    QEMUBH *bh;
    QEMUTimer *timer;
} GaudiLater;

struct GaudiState {
    PCIDevice parent_obj;

    struct gaudi_chip *chip;
    struct gaudi_journal *journal;      /* NULL: it has none */
    bool in_pool;
    bool gone;                  /* unplugged: guest memory is out of reach */
    bool absent;                /* out of the slot, or the link is down */
    bool removed;               /* ... for good */
    bool stopped;               /* the machine stands still */
    bool link_reset;            /* a reset goes on because the link was lost */
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
    GaudiLater run;             /* engines, if there is no pool */
    bool running;               /* they do just now */
    GaudiLater msi;
    GaudiLater window;
    GaudiLater post;
    uint32_t msi_pending;
    QemuMutex posted_lock;
    QSIMPLEQ_HEAD(, GaudiPosted) posted;
    size_t posted_bytes;
    GaudiLater host_fault;
    uint32_t host_faults;       /* pending: BIT(enum gaudi_host_fault) */
    uint32_t aer_status[3];     /* of GAUDI_HOST_AER_* */
    GPtrArray *early_faults;    /* texts of before realize */
    GaudiLater absence;
    QEMUTimer *link_timer;      /* up again, as soon as the port allows it */
    unsigned int link_patience;
    VMChangeStateEntry *vm_state;
    GaudiPort ports[GAUDI_NUM_PORTS];
    QemuMutex frames_lock;      /* guards the two below */
    QSIMPLEQ_HEAD(, GaudiFrame) frames;
    size_t frames_bytes;
    GaudiLater frames_later;
    QLIST_ENTRY(GaudiState) next_cabled;
    GaudiFabric *fabric;        /* NULL: in none */
    Notifier suspend_notifier;
    Notifier exit_notifier;
    Notifier machine_done;

    uint8_t config_default[PCIE_CONFIG_SPACE_SIZE];     /* after power-on */

    /* properties */
    uint64_t hbm_size;
    uint64_t hbm_bar_size;
    uint64_t sched_seed;
    uint64_t tpc_max_words;
    bool tpc_check;
    uint64_t dsn;
    uint32_t module_id;
    uint32_t boot_sts0;
    uint32_t boot_delay_ms;
    bool flash_boot;
    char *loader;
    char *mme;
    char *board;
    uint32_t slot;
    gchar *profile;
    gsize profile_size;
    uint32_t workers;
    bool deterministic;
    bool timing;
    char *serial;
    char *fidelity_report;
    char *record_file;
    char *record_prefix;
    unsigned int resets_recorded;
    uint32_t record_events;
    char *fault_file;
    char *journal_file;
    char *cabling;
    char *fabric_name;
    char *fabric_cabling;
    int32_t box;                /* -1: any; once realized, which */
    int32_t fabric_fd;
    uint32_t mtu;
};

static inline const char *gaudi_name(GaudiState *s)
{
    return DEVICE(s)->id ?: "gaudi";
}

/* Does the bus reach the card? Any thread. */
static inline bool gaudi_on_bus(GaudiState *s)
{
    return !qatomic_load_acquire(&s->gone) && !qatomic_load_acquire(&s->absent);
}

/* May the card reach the bus? On it, bus mastering is on, and in D0. */
bool gaudi_may_dma(GaudiState *s);

/* Around the device's life. */
void gaudi_later_init(GaudiState *s, GaudiLater *later,
                      void (*fn)(GaudiState *s));
void gaudi_later_fini(GaudiLater *later);
/*
 * Any thread. As soon as the main loop runs; where the guest's clock counts
 * instructions and the card is deterministic, in so many nanoseconds of it.
 */
void gaudi_later(GaudiLater *later, int64_t delay_ns);
/* About what a message needs on the bus. Not 0: the guest is to get on, too. */
#define GAUDI_SOON_NS           (1 * SCALE_US)

/* Host operations of gaudi_chip.h; opaque is the GaudiState. */
int gaudi_dma_read(void *opaque, uint64_t addr, void *buf, size_t len);
int gaudi_dma_write(void *opaque, uint64_t addr, const void *buf, size_t len);
void *gaudi_dma_map(void *opaque, uint64_t addr, size_t *len, bool is_write);
void gaudi_dma_unmap(void *opaque, void *ptr, size_t len, bool is_write,
                     size_t accessed);

/* Around the device's life; nothing may be in flight at fini. */
void gaudi_pci_dma_init(GaudiState *s);
void gaudi_pci_dma_fini(GaudiState *s);
/* Forget writes to other devices that still wait. Under the BQL. */
void gaudi_dma_drop_posted(GaudiState *s);

/* BARs show memory as the HBM window and the card's presence have it. */
void gaudi_windows_update(GaudiState *s);

/*
 * Pull the card out, with nobody asked. From any thread, also from within the
 * card (its lock may be held). At once: no access of the card's reaches the bus,
 * no interrupt gets out, configuration space and registers read as all ones.
 * As soon as the main loop runs: the same for mapped memory, the device is
 * unplugged, and its port says so to the guest. Behind no gaudi-root-port the
 * card stays, dead, with a warning. Back: device_add.
 * By QMP: qom-set surprise-removal true.
 */
void gaudi_surprise_remove(GaudiState *s);
/*
 * The link is lost (the function is reset and answers no more) or is trained
 * again. Under the BQL. By QMP: qom-set link-up false. A guest whose hot-plug
 * driver minds the slot takes the power from it when the link is lost; up waits
 * for that, a minute at most.
 */
void gaudi_link_set(GaudiState *s, bool up);

/* gaudi_life.c's part of instance_init, finalize, realize, exit, class_init. */
void gaudi_life_init(GaudiState *s);
void gaudi_life_fini(GaudiState *s);
void gaudi_life_begin(GaudiState *s);
void gaudi_life_end(GaudiState *s);
void gaudi_life_properties(ObjectClass *klass);
void gaudi_reset_hold(Object *obj, ResetType type);

/* gaudi_report.c, host operations. */
void gaudi_host_log(void *opaque, enum gaudi_log_level level, const char *line);
uint32_t gaudi_host_traced(void *opaque);
void gaudi_host_trace(void *opaque, const struct gaudi_trace *e);
/* gaudi_report.c. Writes the files of "fidelity-report" and "record-file", if set. */
void gaudi_report_write(GaudiState *s);
/* A host operation: a file of "record-prefix". */
void gaudi_host_resetting(void *opaque, bool at_rest);
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

/*
 * gaudi_net.c. realize: the chip is there; false with *errp: no such cables or
 * network. exit: all wires are pulled for good.
 */
void gaudi_net_frame(void *opaque, unsigned int port, const void *buf,
                     size_t len);
void gaudi_net_init(GaudiState *s);
bool gaudi_net_realize(GaudiState *s, Error **errp);
/*
 * False with *errp: its ports are to have wires to elsewhere, of which neither a
 * journal nor a model of time knows.
 */
bool gaudi_check_wires(GaudiState *s, Error **errp);
void gaudi_net_exit(GaudiState *s);
void gaudi_net_fini(GaudiState *s);

/*
 * gaudi_journal.c. begin: before the chip is made; false with *errp: no such
 * journal. finish: the machine ends; the file of all its cards is complete.
 * leave: the chip has been freed.
 */
bool gaudi_journal_begin(GaudiState *s, Error **errp);
void gaudi_journal_finish(GaudiState *s);
void gaudi_journal_leave(GaudiState *s);

/* gaudi_snap.c */
extern const VMStateDescription gaudi_vmstate;

/* gaudi_fabric.c, called by gaudi_net.c's realize and exit. */
bool gaudi_fabric_join(GaudiState *s, Error **errp);
void gaudi_fabric_leave(GaudiState *s);

#endif /* GAUDI_PCI_H */
