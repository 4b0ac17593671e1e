/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a card in its slot: resets, power, the machine that stops and
 * goes on, a link that is lost, and removal with nobody asked.
 *
 * Not here: realize and exit (gaudi_pci.c), and what a reset does inside the
 * card (chip/card/card.c). All under QEMU's big lock, unless a function says else.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qapi/error.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "system/runstate.h"
#include "trace/trace-hw_misc_gaudi_qemu_device.h"

#include "gaudi_pci.h"
#include "gaudi_port.h"

/* How often, and for how long, a link waits for the guest's hot-plug driver. */
#define GAUDI_LINK_POLL_NS      (100 * SCALE_MS)
#define GAUDI_LINK_POLLS        600

/* --- resets ------------------------------------------------------------- */

typedef enum GaudiReset {
    GAUDI_RESET_FLR,
    GAUDI_RESET_HOT,            /* through the link: secondary bus, link loss */
    GAUDI_RESET_COLD,           /* PERST#, power */
} GaudiReset;

static const char *const gaudi_reset_names[] = {
    [GAUDI_RESET_FLR] = "function level",
    [GAUDI_RESET_HOT] = "hot",
    [GAUDI_RESET_COLD] = "cold",
};

static PCIDevice *gaudi_port(GaudiState *s)
{
    return pci_bridge_get_device(pci_get_bus(PCI_DEVICE(s)));
}

static GaudiReset gaudi_reset_kind(GaudiState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s), *port = gaudi_port(s);
    uint8_t *devctl = pdev->config + pdev->exp.exp_cap + PCI_EXP_DEVCTL;

    if (pci_get_word(devctl) & PCI_EXP_DEVCTL_BCR_FLR) {
        return GAUDI_RESET_FLR;
    }
    if (s->link_reset || (port && IS_PCI_BRIDGE(port) &&
                          pci_get_word(port->config + PCI_BRIDGE_CONTROL) &
                          PCI_BRIDGE_CTL_BUS_RESET)) {
        return GAUDI_RESET_HOT;
    }
    return GAUDI_RESET_COLD;
}

static void gaudi_default_config(GaudiState *s, unsigned int from,
                                 unsigned int len)
{
    memcpy(PCI_DEVICE(s)->config + from, s->config_default + from, len);
}

/*
 * What QEMU's PCI code leaves as it is. FLR keeps the payload size and the
 * link's settings, and only power takes the sticky registers of AER.
 */
static void gaudi_reset_config(GaudiState *s, GaudiReset kind)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    uint16_t keep = PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_BCR_FLR;
    unsigned int devctl = pdev->exp.exp_cap + PCI_EXP_DEVCTL;
    uint16_t old = pci_get_word(pdev->config + devctl);

    if (kind == GAUDI_RESET_FLR) {
        gaudi_default_config(s, devctl, 2);
        pci_set_word(pdev->config + devctl,
                     (pci_get_word(pdev->config + devctl) & ~keep) |
                     (old & keep));
        return;
    }
    gaudi_default_config(s, pdev->exp.exp_cap, PCI_EXP_VER2_SIZEOF);
    if (kind == GAUDI_RESET_COLD) {
        gaudi_default_config(s, pdev->exp.aer_cap, PCI_ERR_SIZEOF);
        pdev->exp.aer_log.log_num = 0;
    }
}

void gaudi_reset_hold(Object *obj, ResetType type)
{
    GaudiState *s = GAUDI(obj);
    GaudiReset kind = gaudi_reset_kind(s);

    trace_gaudi_slot_reset(gaudi_name(s), gaudi_reset_names[kind]);
    gaudi_reset_config(s, kind);
    if (kind == GAUDI_RESET_FLR) {
        /* Like a hard reset from inside: windows and iATU stay. */
        gaudi_chip_hard_reset(s->chip);
    } else {
        gaudi_chip_power_on(s->chip);
    }
    gaudi_dma_drop_posted(s);
    qatomic_set(&s->msi_pending, 0);
}

/* Suspend to RAM takes the power from the slot; waking up is a cold reset. */
static void gaudi_suspended(Notifier *n, void *data)
{
    GaudiState *s = container_of(n, GaudiState, suspend_notifier);

    trace_gaudi_slot_reset(gaudi_name(s), "power lost");
    gaudi_chip_power_on(s->chip);
    gaudi_dma_drop_posted(s);
    qatomic_set(&s->msi_pending, 0);
}

/* --- the machine stops and goes on --------------------------------------- */

static void gaudi_vm_state(void *opaque, bool running, RunState state)
{
    GaudiState *s = opaque;

    trace_gaudi_vm_state(gaudi_name(s), running);
    if (!running) {
        qatomic_set(&s->stopped, true);
        gaudi_chip_pause(s->chip);
        return;
    }
    qatomic_set(&s->stopped, false);
    gaudi_chip_resume(s->chip);
    /* What came from the engines in their last moment. */
    gaudi_later(&s->msi, GAUDI_SOON_NS);
    gaudi_later(&s->post, GAUDI_SOON_NS);
}

void gaudi_life_begin(GaudiState *s)
{
    s->vm_state = qdev_add_vm_change_state_handler(DEVICE(s), gaudi_vm_state,
                                                   s);
    if (!runstate_is_live(runstate_get())) {
        gaudi_vm_state(s, false, runstate_get());
    }
    s->suspend_notifier.notify = gaudi_suspended;
    qemu_register_suspend_notifier(&s->suspend_notifier);
}

void gaudi_life_end(GaudiState *s)
{
    qemu_del_vm_change_state_handler(s->vm_state);
    notifier_remove(&s->suspend_notifier);
    timer_del(s->link_timer);
}

/* --- the link, and removal ----------------------------------------------- */

/* The port, if it is one that tells the guest. */
static PCIDevice *gaudi_telling_port(GaudiState *s)
{
    PCIDevice *port = gaudi_port(s);

    return gaudi_port_has(port, DEVICE(s)) ? port : NULL;
}

/* Shows to the guest, and to the port, what has become of the card. */
static void gaudi_show_absence(GaudiState *s)
{
    PCIDevice *port;

    if (s->gone || !DEVICE(s)->realized) {
        return;
    }
    gaudi_windows_update(s);
    if (!s->removed) {
        return;
    }
    trace_gaudi_removed(gaudi_name(s));
    port = gaudi_telling_port(s);
    if (port) {
        gaudi_port_pulled_out(port, DEVICE(s));
    } else {
        warn_report("%s: removed where the guest is not told: there is no "
                    "gaudi-root-port with hot-plug of its own", gaudi_name(s));
    }
}

void gaudi_surprise_remove(GaudiState *s)
{
    qatomic_set(&s->removed, true);
    qatomic_store_release(&s->absent, true);
    gaudi_later(&s->absence, GAUDI_SOON_NS);
}

static void gaudi_link_changed(GaudiState *s, bool up)
{
    PCIDevice *port = gaudi_telling_port(s);

    trace_gaudi_link(gaudi_name(s), up);
    /* QEMU: do not unplug it when the slot's power goes. */
    PCI_DEVICE(s)->partially_hotplugged = !up;
    qatomic_store_release(&s->absent, !up);
    gaudi_windows_update(s);
    if (port) {
        gaudi_port_link(port, up);
    }
}

static void gaudi_link_timer(void *opaque)
{
    GaudiState *s = opaque;
    PCIDevice *port;

    if (s->gone || s->removed || !s->absent) {
        return;
    }
    port = gaudi_telling_port(s);
    if (s->link_patience && port && gaudi_port_busy(port)) {
        s->link_patience--;
        timer_mod_ns(s->link_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                     GAUDI_LINK_POLL_NS);
    } else {
        gaudi_link_changed(s, true);
    }
}

void gaudi_link_set(GaudiState *s, bool up)
{
    if (s->gone || s->removed) {
        return;
    }
    timer_del(s->link_timer);
    if (s->absent == !up) {
        return;
    }
    if (up) {
        s->link_patience = GAUDI_LINK_POLLS;
        gaudi_link_timer(s);
        return;
    }
    qatomic_store_release(&s->absent, true);
    s->link_reset = true;
    pci_device_reset(PCI_DEVICE(s));
    s->link_reset = false;
    gaudi_link_changed(s, false);
}

static bool gaudi_get_removal(Object *obj, Error **errp)
{
    return GAUDI(obj)->removed;
}

static void gaudi_set_removal(Object *obj, bool value, Error **errp)
{
    GaudiState *s = GAUDI(obj);

    if (!DEVICE(s)->realized) {
        error_setg(errp, "the card is in no slot yet");
    } else if (!value) {
        if (s->removed) {
            error_setg(errp, "a removed card does not come back; "
                       "use device_add");
        }
    } else if (!gaudi_telling_port(s)) {
        error_setg(errp, "the card is not behind a gaudi-root-port with "
                   "hot-plug of its own (see "
                   "ICH9-LPC.acpi-pci-hotplug-with-bridge-support)");
    } else {
        gaudi_surprise_remove(s);
    }
}

static bool gaudi_get_link(Object *obj, Error **errp)
{
    return !GAUDI(obj)->absent;
}

static void gaudi_set_link(Object *obj, bool value, Error **errp)
{
    GaudiState *s = GAUDI(obj);

    if (!DEVICE(s)->realized) {
        error_setg(errp, "the card is in no slot yet");
    } else {
        gaudi_link_set(s, value);
    }
}

void gaudi_life_init(GaudiState *s)
{
    gaudi_later_init(s, &s->absence, gaudi_show_absence);
    s->link_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, gaudi_link_timer, s);
}

void gaudi_life_fini(GaudiState *s)
{
    gaudi_later_fini(&s->absence);
    timer_free(s->link_timer);
}

void gaudi_life_properties(ObjectClass *klass)
{
    object_class_property_add_bool(klass, "surprise-removal",
                                   gaudi_get_removal, gaudi_set_removal);
    object_class_property_set_description(klass, "surprise-removal",
        "set to true: the card is pulled out of its slot");
    object_class_property_add_bool(klass, "link-up", gaudi_get_link,
                                   gaudi_set_link);
    object_class_property_set_description(klass, "link-up",
        "set to false: the PCI Express link is lost, to true: trained again");
}
