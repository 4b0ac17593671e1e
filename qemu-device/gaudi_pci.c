/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slot: a QEMU PCIe device around one struct gaudi_chip.
 *
 * Owns configuration space, BAR regions, MSI delivery, timers, and making and
 * unmaking the device. It does not know what any register means: that is the
 * chip library's business (chip/gaudi_chip.h). Access to guest memory is in
 * gaudi_dma.c, resets and what else may happen to a card in gaudi_life.c.
 *
 * Locking: QEMU's big lock (BQL) comes before the card's lock. So nothing that
 * the card calls may take the BQL. What needs it (MSI, window moves, writes to
 * other devices) runs at once if the caller has it, else in a bottom half.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "qemu/madvise.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/notify.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/boards.h"
#include "hw/pci/msi.h"
#include "hw/pci/pci_device.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "exec/address-spaces.h"
#include "system/qtest.h"
#include "system/system.h"
#include "trace/trace-hw_misc_gaudi_qemu_device.h"

#include "gaudi_pci.h"
#include "../firmware-stub/gaudi_fw_stub.h"
#include "../uapi/hw/gaudi_map.h"
#include "../uapi/hw/regs/gaudi_pcie_regs.h"

#define GAUDI_CLASS_ID          0x1200      /* processing accelerator */
#define GAUDI_REVISION          1
#define GAUDI_MSI_VECTORS       32

/* What the engines of a deterministic card do in one go takes them that long. */
#define GAUDI_RUN_NS            SCALE_MS

/* The driver needs page tables and the MMU cache within the HBM BAR. */
#define GAUDI_MIN_HBM_BAR       (512 * MiB)

/* Configuration space. ELBI's last 16 bytes are no capability. */
#define GAUDI_CAP_PM            0x40
#define GAUDI_CAP_MSI           0x50
#define GAUDI_CAP_EXP           0x70
#define GAUDI_CAP_AER           0x100
#define GAUDI_CAP_DSN           0x148
#define GAUDI_CFG_ELBI          PCI_CONFIG_ELBI_ADDR

/* Kept for drivers and tools; they change nothing here. Reset value: PCIe's. */
#define GAUDI_DEVCTL_WRITABLE   (PCI_EXP_DEVCTL_PAYLOAD | \
                                 PCI_EXP_DEVCTL_READRQ | \
                                 PCI_EXP_DEVCTL_RELAX_EN | \
                                 PCI_EXP_DEVCTL_NOSNOOP_EN)
#define GAUDI_DEVCTL_DEFAULT    (PCI_EXP_DEVCTL_READRQ_512B | \
                                 PCI_EXP_DEVCTL_RELAX_EN | \
                                 PCI_EXP_DEVCTL_NOSNOOP_EN)

/* One pool for all cards of the process. Under the BQL. */
static struct {
    struct gaudi_pool *pool;
    unsigned int users;
    uint32_t workers;
} gaudi_shared;

/* --- re-entry ------------------------------------------------------------ */

/*
 * Whatever the card does under the BQL may come back to its own registers: the
 * guest can point an interrupt's message or an IOMMU's tables at its BARs. The
 * first would go round for ever, the second wait for the card's lock in the
 * thread that has it. So such work runs under the guard that QEMU puts around
 * MMIO handlers, and accesses from within are refused.
 */
bool gaudi_guard_enter(GaudiState *s)
{
    MemReentrancyGuard *guard = &DEVICE(s)->mem_reentrancy_guard;
    bool before = guard->engaged_in_io;

    guard->engaged_in_io = true;
    return before;
}

void gaudi_guard_leave(GaudiState *s, bool before)
{
    DEVICE(s)->mem_reentrancy_guard.engaged_in_io = before;
}

/* --- interrupts --------------------------------------------------------- */

static void gaudi_msi_deliver(GaudiState *s, unsigned int vector)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    bool before;

    if (!gaudi_may_dma(s) || !msi_enabled(pdev)) {
        return;
    }
    /* With fewer vectors granted the low bits of the message count. */
    vector &= msi_nr_vectors_allocated(pdev) - 1;
    trace_gaudi_msi(gaudi_name(s), vector);
    before = gaudi_guard_enter(s);
    msi_notify(pdev, vector);
    gaudi_guard_leave(s, before);
}

static void gaudi_msi_pending(GaudiState *s)
{
    uint32_t pending;

    if (s->stopped) {
        return;             /* asked for again when the machine goes on */
    }
    pending = qatomic_xchg(&s->msi_pending, 0);
    while (pending) {
        gaudi_msi_deliver(s, ctz32(pending));
        pending &= pending - 1;
    }
}

static void gaudi_msi(void *opaque, unsigned int vector)
{
    GaudiState *s = opaque;

    vector %= GAUDI_MSI_VECTORS;
    if (bql_locked() && !s->stopped) {
        gaudi_msi_deliver(s, vector);
        return;
    }
    qatomic_or(&s->msi_pending, 1u << vector);
    gaudi_later(&s->msi, GAUDI_SOON_NS);
}

/* --- the HBM window ----------------------------------------------------- */

/* Shows the part of HBM behind the BAR; what is no HBM the chip answers. */
static void gaudi_window_apply(GaudiState *s)
{
    uint64_t target = qatomic_read(&s->hbm_target);
    uint64_t size = 0;

    if (!s->windows_ready || s->gone) {
        return;
    }
    if (!s->absent && !s->journal && target < s->hbm_size &&
        !(target & ~qemu_real_host_page_mask())) {
        size = MIN(s->hbm_bar_size, s->hbm_size - target);
    }
    trace_gaudi_window(gaudi_name(s), target, size);
    memory_region_transaction_begin();
    memory_region_set_enabled(&s->hbm_window, size != 0);
    if (size) {
        memory_region_set_size(&s->hbm_window, size);
        memory_region_set_alias_offset(&s->hbm_window, target);
    }
    memory_region_transaction_commit();
}

void gaudi_windows_update(GaudiState *s)
{
    memory_region_transaction_begin();
    memory_region_set_enabled(&s->sram, !s->absent && !s->journal);
    gaudi_window_apply(s);
    memory_region_transaction_commit();
}

static void gaudi_hbm_window(void *opaque, uint64_t target)
{
    GaudiState *s = opaque;

    qatomic_set(&s->hbm_target, target);
    if (bql_locked()) {
        gaudi_window_apply(s);
    } else {
        gaudi_later(&s->window, GAUDI_SOON_NS);
    }
}

/* --- time, scheduling --------------------------------------------------- */

static uint64_t gaudi_now(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void gaudi_timer_set(void *opaque, uint64_t deadline_ns)
{
    GaudiState *s = opaque;

    if (deadline_ns > INT64_MAX) {
        timer_del(s->timer);
    } else {
        timer_mod_ns(s->timer, deadline_ns);
    }
}

static void gaudi_timer_cb(void *opaque)
{
    GaudiState *s = opaque;
    bool before = gaudi_guard_enter(s);

    gaudi_chip_timer(s->chip);
    gaudi_guard_leave(s, before);
}

static void gaudi_run(GaudiState *s)
{
    bool before = gaudi_guard_enter(s);

    s->running = true;
    if (!s->gone) {
        gaudi_chip_run(s->chip);
    }
    s->running = false;
    gaudi_guard_leave(s, before);
}

static void gaudi_kick(void *opaque)
{
    GaudiState *s = opaque;

    gaudi_later(&s->run, s->running ? GAUDI_RUN_NS : GAUDI_SOON_NS);
}

static const struct gaudi_host_ops gaudi_host_ops = {
    .dma_read = gaudi_dma_read,
    .dma_write = gaudi_dma_write,
    .dma_map = gaudi_dma_map,
    .dma_unmap = gaudi_dma_unmap,
    .msi = gaudi_msi,
    .hbm_window = gaudi_hbm_window,
    .now_ns = gaudi_now,
    .timer = gaudi_timer_set,
    .kick = gaudi_kick,
    .log = gaudi_host_log,
    .traced = gaudi_host_traced,
    .resetting = gaudi_host_resetting,
    .trace = gaudi_host_trace,
    .host_fault = gaudi_host_fault,
    .frame = gaudi_net_frame,
};

/* --- BARs --------------------------------------------------------------- */

/* A card that is not there: writes get lost, reads give all ones. */
static uint64_t gaudi_bar_read(GaudiState *s, unsigned bar, hwaddr addr,
                               unsigned size)
{
    return qatomic_read(&s->absent) ?
           UINT64_MAX : gaudi_chip_bar_read(s->chip, bar, addr, size);
}

static void gaudi_bar_write(GaudiState *s, unsigned bar, hwaddr addr,
                            uint64_t val, unsigned size)
{
    if (!qatomic_read(&s->absent)) {
        gaudi_chip_bar_write(s->chip, bar, addr, val, size);
    }
}

#define GAUDI_BAR_ACCESSORS(bar)                                        \
    static uint64_t gaudi_bar##bar##_read(void *opaque, hwaddr addr,    \
                                          unsigned size)                \
    {                                                                   \
        return gaudi_bar_read(opaque, bar, addr, size);                 \
    }                                                                   \
                                                                        \
    static void gaudi_bar##bar##_write(void *opaque, hwaddr addr,       \
                                       uint64_t val, unsigned size)     \
    {                                                                   \
        gaudi_bar_write(opaque, bar, addr, val, size);                  \
    }

GAUDI_BAR_ACCESSORS(0)
GAUDI_BAR_ACCESSORS(2)
GAUDI_BAR_ACCESSORS(4)

#define GAUDI_BAR_OPS(bar) {                                            \
        .read = gaudi_##bar##_read,                                     \
        .write = gaudi_##bar##_write,                                   \
        .endianness = DEVICE_LITTLE_ENDIAN,                             \
        .valid = { .min_access_size = 1, .max_access_size = 8,          \
                   .unaligned = true },                                 \
        .impl = { .min_access_size = 1, .max_access_size = 8,           \
                  .unaligned = true },                                  \
    }

static const MemoryRegionOps gaudi_bar0_ops = GAUDI_BAR_OPS(bar0);
static const MemoryRegionOps gaudi_bar2_ops = GAUDI_BAR_OPS(bar2);
static const MemoryRegionOps gaudi_bar4_ops = GAUDI_BAR_OPS(bar4);

static void gaudi_init_bars(GaudiState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    Object *owner = OBJECT(s);
    uint8_t type = PCI_BASE_ADDRESS_SPACE_MEMORY |
                   PCI_BASE_ADDRESS_MEM_TYPE_64 |
                   PCI_BASE_ADDRESS_MEM_PREFETCH;
    uint64_t size;
    void *ptr;

    memory_region_init(&s->sram_bar, owner, "gaudi-bar0", GAUDI_BAR_SRAM_SIZE);
    memory_region_init_io(&s->sram_io, owner, &gaudi_bar0_ops, s,
                          "gaudi-bar0-io", GAUDI_BAR_SRAM_SIZE);
    ptr = gaudi_chip_sram(s->chip, &size, NULL);
    memory_region_init_ram_ptr(&s->sram, owner, "gaudi-sram", size, ptr);
    memory_region_add_subregion(&s->sram_bar, 0, &s->sram_io);
    memory_region_add_subregion_overlap(&s->sram_bar, 0, &s->sram, 1);
    pci_register_bar(pdev, GAUDI_BAR_SRAM, type, &s->sram_bar);

    memory_region_init_io(&s->cfg_bar, owner, &gaudi_bar2_ops, s,
                          "gaudi-bar2", GAUDI_BAR_CFG_SIZE);
    pci_register_bar(pdev, GAUDI_BAR_CFG, type, &s->cfg_bar);

    memory_region_init(&s->hbm_bar, owner, "gaudi-bar4", s->hbm_bar_size);
    memory_region_init_io(&s->hbm_io, owner, &gaudi_bar4_ops, s,
                          "gaudi-bar4-io", s->hbm_bar_size);
    ptr = gaudi_chip_hbm(s->chip, &size, NULL);
    memory_region_init_ram_ptr(&s->hbm, owner, "gaudi-hbm", size, ptr);
    memory_region_init_alias(&s->hbm_window, owner, "gaudi-hbm-window",
                             &s->hbm, 0, MIN(size, s->hbm_bar_size));
    memory_region_add_subregion(&s->hbm_bar, 0, &s->hbm_io);
    memory_region_add_subregion_overlap(&s->hbm_bar, 0, &s->hbm_window, 1);
    pci_register_bar(pdev, GAUDI_BAR_HBM, type, &s->hbm_bar);

    s->windows_ready = true;
    gaudi_windows_update(s);
}

/* Each holds a reference to its owner, the card: else it would never go. */
static void gaudi_fini_bars(GaudiState *s)
{
    s->windows_ready = false;
    memory_region_del_subregion(&s->hbm_bar, &s->hbm_window);
    memory_region_del_subregion(&s->hbm_bar, &s->hbm_io);
    memory_region_del_subregion(&s->sram_bar, &s->sram);
    memory_region_del_subregion(&s->sram_bar, &s->sram_io);
}

/* --- configuration space ------------------------------------------------ */

static uint32_t gaudi_config_read(PCIDevice *pdev, uint32_t addr, int len)
{
    GaudiState *s = GAUDI(pdev);
    uint32_t val;

    if (qatomic_read(&s->absent)) {
        return UINT32_MAX;
    }
    if (addr < GAUDI_CFG_ELBI) {
        return pci_default_read_config(pdev, addr, len);
    }
    if (DEVICE(s)->mem_reentrancy_guard.engaged_in_io) {
        return UINT32_MAX;
    }
    val = gaudi_chip_elbi_read(s->chip, addr & ~3) >> (addr % 4 * 8);
    return len < 4 ? val & MAKE_64BIT_MASK(0, len * 8) : val;
}

static void gaudi_elbi_write(GaudiState *s, uint32_t addr, uint32_t val,
                             int len)
{
    if (len < 4) {
        uint32_t old = gaudi_chip_elbi_read(s->chip, addr & ~3);

        val = deposit32(old, addr % 4 * 8, MIN(len, 4 - addr % 4) * 8, val);
    }
    gaudi_chip_elbi_write(s->chip, addr & ~3, val);
}

static void gaudi_config_write(PCIDevice *pdev, uint32_t addr, uint32_t val,
                               int len)
{
    GaudiState *s = GAUDI(pdev);
    bool before = gaudi_guard_enter(s), dma = gaudi_may_dma(s);

    if (qatomic_read(&s->absent)) {
        /* lost on the way */
    } else if (before) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "%s: the card writes to its own configuration space\n",
                      gaudi_name(s));
    } else if (addr >= GAUDI_CFG_ELBI) {
        gaudi_elbi_write(s, addr, val, len);
    } else {
        pci_default_write_config(pdev, addr, val, len);
        pcie_cap_flr_write_config(pdev, addr, val, len);
        pcie_aer_write_config(pdev, addr, val, len);
    }
    if (dma && !gaudi_may_dma(s)) {
        /* Whoever takes the bus away relies on silence from here on. */
        gaudi_chip_drain(s->chip);
    }
    gaudi_guard_leave(s, before);
}

static bool gaudi_init_config(GaudiState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    int pos;

    pos = pci_pm_init(pdev, GAUDI_CAP_PM, errp);
    if (pos < 0) {
        return false;
    }
    pci_set_word(pdev->config + pos + PCI_PM_PMC, 3);
    pci_set_word(pdev->config + pos + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
    pci_set_word(pdev->wmask + pos + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);

    if (msi_init(pdev, GAUDI_CAP_MSI, GAUDI_MSI_VECTORS, true, false, errp)) {
        return false;
    }
    pos = pcie_endpoint_cap_init(pdev, GAUDI_CAP_EXP);
    if (pos < 0) {
        error_setg(errp, "no room for the PCI Express capability");
        return false;
    }
    if (pcie_cap_get_type(pdev) == PCI_EXP_TYPE_ENDPOINT) {
        pcie_cap_fill_link_ep_usp(pdev, QEMU_PCI_EXP_LNK_X16,
                                  QEMU_PCI_EXP_LNK_16GT);
    }
    pcie_cap_deverr_init(pdev);
    pcie_cap_flr_init(pdev);
    pci_word_test_and_set_mask(pdev->wmask + pos + PCI_EXP_DEVCTL,
                               GAUDI_DEVCTL_WRITABLE);
    pci_word_test_and_set_mask(pdev->config + pos + PCI_EXP_DEVCTL,
                               GAUDI_DEVCTL_DEFAULT);
    if (pcie_aer_init(pdev, PCI_ERR_VER, GAUDI_CAP_AER, PCI_ERR_SIZEOF,
                      errp) < 0) {
        return false;
    }
    if (s->dsn) {
        pcie_dev_ser_num_init(pdev, GAUDI_CAP_DSN, s->dsn);
    }
    memcpy(s->config_default, pdev->config, sizeof(s->config_default));
    return true;
}

/* --- life cycle --------------------------------------------------------- */

static void gaudi_exit_notify(Notifier *n, void *data)
{
    GaudiState *s = container_of(n, GaudiState, exit_notifier);

    gaudi_report_write(s);
    gaudi_journal_finish(s);
}

static void gaudi_pool_put(void)
{
    if (!--gaudi_shared.users) {
        gaudi_pool_free(gaudi_shared.pool);
        gaudi_shared.pool = NULL;
    }
}

static bool gaudi_pool_get(GaudiState *s, Error **errp)
{
    int err = 0;

    if (!gaudi_shared.users) {
        gaudi_shared.pool = gaudi_pool_new(s->workers, rcu_register_thread,
                                           rcu_unregister_thread, &err);
        if (!gaudi_shared.pool) {
            error_setg_errno(errp, -err, "cannot start worker threads");
            return false;
        }
        gaudi_shared.workers = s->workers;
    } else if (s->workers && s->workers != gaudi_shared.workers) {
        warn_report("%s: workers=%u ignored, all cards share the pool of the "
                    "first (workers=%u)", gaudi_name(s), s->workers,
                    gaudi_shared.workers);
    }
    gaudi_shared.users++;
    s->in_pool = true;
    return true;
}

static bool gaudi_init_chip(GaudiState *s, Error **errp)
{
    struct gaudi_config config = {
        .hbm_size = s->hbm_size,
        .module_id = s->module_id,
        .serial = s->serial,
        .boot_dev_sts0 = s->boot_sts0,
        .boot_delay_ms = s->boot_delay_ms,
        .flash_boot = s->flash_boot,
        .comms = s->loader && !strcmp(s->loader, "dynamic"),
        .profile = s->profile,
        .profile_size = s->profile_size,
        .slot = s->slot,
        .mme = s->mme && !strcmp(s->mme, "spec") ? GAUDI_MME_SPEC :
               s->mme && !strcmp(s->mme, "fast") ? GAUDI_MME_FAST :
                                                   GAUDI_MME_EXACT,
        .sched_seed = s->sched_seed,
        .tpc_max_words = s->tpc_max_words,
        .tpc_check = s->tpc_check,
        .record_events = s->record_events,
        .journal = s->journal,
        .timing = s->timing,
    };
    int err = 0, n = 0;

    if (!s->deterministic && !gaudi_pool_get(s, errp)) {
        return false;
    }
    /* As for all RAM, but RAM is mapped once. */
    config.memory_advice[n++] = QEMU_MADV_HUGEPAGE;
    if (!qtest_enabled()) {
        config.memory_advice[n++] = QEMU_MADV_DONTFORK;
    }
    if (!machine_dump_guest_core(current_machine)) {
        config.memory_advice[n++] = QEMU_MADV_DONTDUMP;
    }
    s->chip = gaudi_chip_new(&config, &gaudi_host_ops, s,
                             s->in_pool ? gaudi_shared.pool : NULL, &err);
    if (!s->chip) {
        error_setg_errno(errp, -err, "cannot make the card");
        return false;
    }
    return true;
}

/*
 * A translating IOMMU may take the BQL to report a fault. Then engines have to
 * run under it.
 */
static bool gaudi_behind_iommu(GaudiState *s)
{
    return pci_device_iommu_address_space(PCI_DEVICE(s)) !=
           &address_space_memory;
}

static void gaudi_machine_done(Notifier *n, void *data)
{
    GaudiState *s = container_of(n, GaudiState, machine_done);

    if (s->in_pool && gaudi_behind_iommu(s)) {
        error_report("%s: an IOMMU came after the card; put it before the "
                     "card on the command line, or give the card "
                     "deterministic=on", gaudi_name(s));
        exit(EXIT_FAILURE);
    }
}

/* The box's profile: what the owner did not set is as it says. */
static bool gaudi_read_board(GaudiState *s, Error **errp)
{
    g_autoptr(GError) gerr = NULL;
    struct gaudi_fw_card card;
    char err[128];

    if (!s->board) {
        return true;
    }
    if (!g_file_get_contents(s->board, &s->profile, &s->profile_size, &gerr)) {
        error_setg(errp, "board: %s", gerr->message);
        return false;
    }
    if (gaudi_fw_profile_check(s->profile, s->profile_size, s->slot, &card,
                               err, sizeof(err))) {
        error_setg(errp, "%s: %s", s->board, err);
        return false;
    }
    if (!s->module_id) {
        s->module_id = card.module_id;
    }
    if (!s->boot_sts0) {
        s->boot_sts0 = card.boot_dev_sts0;
    }
    return true;
}

static bool gaudi_check_properties(GaudiState *s, Error **errp)
{
    if (!gaudi_read_board(s, errp) || !gaudi_check_wires(s, errp)) {
        return false;
    }
    if (s->timing && s->journal_file) {
        error_setg(errp, "timing=on and journal cannot be together");
        return false;
    }
    if (!s->hbm_size || s->hbm_size % GiB || s->hbm_size > GAUDI_HBM_SIZE) {
        error_setg(errp, "hbm-size must be 1 to %d GiB in whole GiB",
                   (int)(GAUDI_HBM_SIZE / GiB));
        return false;
    }
    if (!s->hbm_bar_size) {
        s->hbm_bar_size = pow2ceil(s->hbm_size);
    }
    if (!is_power_of_2(s->hbm_bar_size) ||
        s->hbm_bar_size < GAUDI_MIN_HBM_BAR) {
        error_setg(errp, "hbm-bar-size must be a power of two of at least "
                   "512 MiB");
        return false;
    }
    if (s->module_id > 7) {
        error_setg(errp, "module-id must be 0 to 7");
        return false;
    }
    if (s->mme && strcmp(s->mme, "exact") && strcmp(s->mme, "spec") &&
        strcmp(s->mme, "fast")) {
        error_setg(errp, "mme must be exact, fast or spec");
        return false;
    }
    if (s->loader && strcmp(s->loader, "static") &&
        strcmp(s->loader, "dynamic")) {
        error_setg(errp, "loader must be static or dynamic");
        return false;
    }
    if (s->journal_file) {
        s->deterministic = true;
    }
    if (!s->deterministic && gaudi_behind_iommu(s)) {
        info_report("%s: behind an IOMMU, engines run in the main loop",
                    gaudi_name(s));
        s->deterministic = true;
    }
    return true;
}

static void gaudi_realize(PCIDevice *pdev, Error **errp)
{
    GaudiState *s = GAUDI(pdev);

    if (!gaudi_check_properties(s, errp) || !gaudi_journal_begin(s, errp) ||
        !gaudi_init_chip(s, errp) ||
        !gaudi_faults_realize(s, errp) || !gaudi_init_config(s, errp) ||
        !gaudi_net_realize(s, errp)) {
        /* The object lives on for a moment, its configuration space not. */
        qatomic_store_release(&s->gone, true);
        return;
    }
    gaudi_init_bars(s);
    s->exit_notifier.notify = gaudi_exit_notify;
    qemu_add_exit_notifier(&s->exit_notifier);
    s->machine_done.notify = gaudi_machine_done;
    qemu_add_machine_init_done_notifier(&s->machine_done);
    gaudi_life_begin(s);
}

/*
 * Unplug. The guest's mappings of SRAM and HBM may live on for a moment, so
 * the chip goes with the object, not here; from here on it reaches nothing.
 */
static void gaudi_exit(PCIDevice *pdev)
{
    GaudiState *s = GAUDI(pdev);

    qatomic_store_release(&s->gone, true);
    gaudi_life_end(s);
    qemu_remove_exit_notifier(&s->exit_notifier);
    qemu_remove_machine_init_done_notifier(&s->machine_done);
    gaudi_report_write(s);
    gaudi_chip_power_on(s->chip);
    gaudi_net_exit(s);
    gaudi_fini_bars(s);
    pcie_aer_exit(pdev);
    pcie_cap_exit(pdev);
    msi_uninit(pdev);
}

static void gaudi_instance_init(Object *obj)
{
    GaudiState *s = GAUDI(obj);

    gaudi_pci_dma_init(s);
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, gaudi_timer_cb, s);
    gaudi_later_init(s, &s->run, gaudi_run);
    gaudi_later_init(s, &s->msi, gaudi_msi_pending);
    gaudi_later_init(s, &s->window, gaudi_window_apply);
    gaudi_faults_init(s);
    gaudi_net_init(s);
    gaudi_life_init(s);
}

static void gaudi_instance_finalize(Object *obj)
{
    GaudiState *s = GAUDI(obj);

    s->gone = true;
    if (s->chip) {
        gaudi_chip_free(s->chip);
    }
    gaudi_journal_leave(s);
    g_free(s->profile);
    if (s->in_pool) {
        gaudi_pool_put();
    }
    timer_free(s->timer);
    gaudi_later_fini(&s->run);
    gaudi_later_fini(&s->msi);
    gaudi_later_fini(&s->window);
    gaudi_faults_fini(s);
    gaudi_net_fini(s);
    gaudi_life_fini(s);
    gaudi_pci_dma_fini(s);
}

#define GAUDI_PORT_PROPERTIES(n)                                            \
    DEFINE_PROP_NETDEV("nic" #n, GaudiState, ports[n].conf.peers),          \
    DEFINE_PROP_MACADDR("mac" #n, GaudiState, ports[n].conf.macaddr)

static const Property gaudi_properties[] = {
    DEFINE_PROP_SIZE("hbm-size", GaudiState, hbm_size, GAUDI_HBM_SIZE),
    DEFINE_PROP_SIZE("hbm-bar-size", GaudiState, hbm_bar_size, 0),
    DEFINE_PROP_UINT32("module-id", GaudiState, module_id, 0),
    DEFINE_PROP_STRING("serial", GaudiState, serial),
    DEFINE_PROP_UINT64("dsn", GaudiState, dsn, 0),
    DEFINE_PROP_UINT32("boot-sts0", GaudiState, boot_sts0, 0),
    DEFINE_PROP_UINT32("boot-delay-ms", GaudiState, boot_delay_ms, 0),
    DEFINE_PROP_BOOL("flash-boot", GaudiState, flash_boot, false),
    DEFINE_PROP_STRING("loader", GaudiState, loader),
    DEFINE_PROP_STRING("mme", GaudiState, mme),
    DEFINE_PROP_STRING("board", GaudiState, board),
    DEFINE_PROP_UINT32("slot", GaudiState, slot, 0),
    DEFINE_PROP_BOOL("deterministic", GaudiState, deterministic, false),
    DEFINE_PROP_BOOL("timing", GaudiState, timing, false),
    DEFINE_PROP_UINT32("workers", GaudiState, workers, 0),
    DEFINE_PROP_UINT64("sched-seed", GaudiState, sched_seed, 0),
    DEFINE_PROP_UINT64("tpc-max-words", GaudiState, tpc_max_words, 0),
    DEFINE_PROP_BOOL("tpc-check", GaudiState, tpc_check, false),
    DEFINE_PROP_STRING("fidelity-report", GaudiState, fidelity_report),
    DEFINE_PROP_STRING("record-file", GaudiState, record_file),
    DEFINE_PROP_STRING("record-prefix", GaudiState, record_prefix),
    DEFINE_PROP_UINT32("record-events", GaudiState, record_events, 0),
    DEFINE_PROP_STRING("journal", GaudiState, journal_file),
    DEFINE_PROP_STRING("fault-file", GaudiState, fault_file),
    DEFINE_PROP_STRING("cabling", GaudiState, cabling),
    DEFINE_PROP_STRING("fabric", GaudiState, fabric_name),
    DEFINE_PROP_STRING("fabric-cabling", GaudiState, fabric_cabling),
    DEFINE_PROP_INT32("box", GaudiState, box, GAUDI_ANY_BOX),
    DEFINE_PROP_INT32("fabric-fd", GaudiState, fabric_fd, -1),
    DEFINE_PROP_UINT32("mtu", GaudiState, mtu, 1024),
    GAUDI_PORT_PROPERTIES(0), GAUDI_PORT_PROPERTIES(1),
    GAUDI_PORT_PROPERTIES(2), GAUDI_PORT_PROPERTIES(3),
    GAUDI_PORT_PROPERTIES(4), GAUDI_PORT_PROPERTIES(5),
    GAUDI_PORT_PROPERTIES(6), GAUDI_PORT_PROPERTIES(7),
    GAUDI_PORT_PROPERTIES(8), GAUDI_PORT_PROPERTIES(9),
};

static void gaudi_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    pc->realize = gaudi_realize;
    pc->exit = gaudi_exit;
    pc->config_read = gaudi_config_read;
    pc->config_write = gaudi_config_write;
    pc->vendor_id = GAUDI_PCI_VENDOR_ID;
    pc->device_id = GAUDI_PCI_DEVICE_ID;
    pc->subsystem_vendor_id = GAUDI_PCI_VENDOR_ID;
    pc->subsystem_id = GAUDI_PCI_DEVICE_ID;
    pc->revision = GAUDI_REVISION;
    pc->class_id = GAUDI_CLASS_ID;
    rc->phases.hold = gaudi_reset_hold;
    dc->desc = "Habana Gaudi (HL-205) accelerator";
    dc->vmsd = &gaudi_vmstate;
    device_class_set_props(dc, gaudi_properties);
    gaudi_faults_properties(klass);
    gaudi_report_class_init(klass);
    gaudi_life_properties(klass);
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo gaudi_info = {
    .name = TYPE_GAUDI,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(GaudiState),
    .instance_init = gaudi_instance_init,
    .instance_finalize = gaudi_instance_finalize,
    .class_init = gaudi_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { },
    },
};

static void gaudi_register_types(void)
{
    type_register_static(&gaudi_info);
}
type_init(gaudi_register_types)
