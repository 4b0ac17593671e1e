/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A root port whose slot shows what happens to a card with nobody asked: it is
 * pulled out, its link is lost or trained again.
 *
 * It is QEMU's "pcie-root-port" and more: a change of the link's state is an
 * event of the slot (Data Link Layer State Changed), which a guest with an
 * attention button asks for, and what no device behind the port takes is
 * answered with all ones, which is how a driver notices, in place of zeros.
 *
 * All under QEMU's big lock.
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/hotplug.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_port.h"

#include "gaudi_port.h"

#define GAUDI_VOID      "gaudi-void"

typedef struct GaudiPortClass {
    PCIERootPortClass parent_class;
    DeviceRealize parent_realize;
    PCIUnregisterFunc *parent_exit;
} GaudiPortClass;

DECLARE_CLASS_CHECKERS(GaudiPortClass, GAUDI_PORT, TYPE_GAUDI_PORT)

/* --- events of the slot --------------------------------------------------- */

static void gaudi_port_event(PCIDevice *port, bool present, bool link)
{
    uint8_t *exp = port->config + port->exp.exp_cap;
    uint16_t old = pci_get_word(exp + PCI_EXP_SLTSTA);
    uint16_t sta = old & ~PCI_EXP_SLTSTA_PDS, lnk, ctl;

    lnk = pci_get_word(exp + PCI_EXP_LNKSTA);
    if (!(lnk & PCI_EXP_LNKSTA_DLLLA) != !link) {
        sta |= PCI_EXP_SLTSTA_DLLSC;
        pci_set_word(exp + PCI_EXP_LNKSTA, lnk ^ PCI_EXP_LNKSTA_DLLLA);
    }
    if (!(old & PCI_EXP_SLTSTA_PDS) != !present) {
        sta |= PCI_EXP_SLTSTA_PDC;
    }
    pci_set_word(exp + PCI_EXP_SLTSTA,
                 sta | (present ? PCI_EXP_SLTSTA_PDS : 0));

    ctl = pci_get_word(exp + PCI_EXP_SLTCTL);
    if (!(ctl & PCI_EXP_SLTCTL_HPIE) ||
        !(sta & ctl & (PCI_EXP_SLTSTA_PDC | PCI_EXP_SLTSTA_DLLSC))) {
        return;
    }
    if (msix_enabled(port)) {
        msix_notify(port, pcie_cap_flags_get_vector(port));
    } else if (msi_enabled(port)) {
        msi_notify(port, pcie_cap_flags_get_vector(port));
    } else if (pci_intx(port) != -1) {
        pci_set_irq(port, 1);
    }
}

bool gaudi_port_has(PCIDevice *port, DeviceState *dev)
{
    return port && object_dynamic_cast(OBJECT(port), TYPE_GAUDI_PORT) &&
           qdev_get_hotplug_handler(dev) == HOTPLUG_HANDLER(port);
}

bool gaudi_port_busy(PCIDevice *port)
{
    uint8_t *exp = port->config + port->exp.exp_cap;

    return pci_get_long(exp + PCI_EXP_SLTCAP) & PCI_EXP_SLTCAP_PCP &&
           pci_get_word(exp + PCI_EXP_SLTCTL) & PCI_EXP_SLTCTL_HPIE &&
           pci_get_word(exp + PCI_EXP_SLTSTA) & PCI_EXP_SLTSTA_PDS;
}

void gaudi_port_link(PCIDevice *port, bool up)
{
    gaudi_port_event(port, true, up);
}

void gaudi_port_pulled_out(PCIDevice *port, DeviceState *dev)
{
    Error *err = NULL;

    object_ref(OBJECT(dev));
    hotplug_handler_unplug(HOTPLUG_HANDLER(port), dev, &err);
    if (err) {
        warn_report_err(err);
    } else {
        object_unparent(OBJECT(dev));
        gaudi_port_event(port, false, false);
    }
    object_unref(OBJECT(dev));
}

/* --- where nobody answers ------------------------------------------------- */

static uint64_t gaudi_void_read(void *opaque, hwaddr addr, unsigned size)
{
    return UINT64_MAX;
}

static void gaudi_void_write(void *opaque, hwaddr addr, uint64_t val,
                             unsigned size)
{
}

static const MemoryRegionOps gaudi_void_ops = {
    .read = gaudi_void_read,
    .write = gaudi_void_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

static MemoryRegion *gaudi_port_memory(PCIDevice *port)
{
    return pci_bridge_get_sec_bus(PCI_BRIDGE(port))->address_space_mem;
}

static void gaudi_port_realize(DeviceState *dev, Error **errp)
{
    PCIDevice *port = PCI_DEVICE(dev);
    unsigned int pos;
    MemoryRegion *mr;
    ERRP_GUARD();

    GAUDI_PORT_GET_CLASS(dev)->parent_realize(dev, errp);
    if (*errp) {
        return;
    }
    pos = port->exp.exp_cap;
    pci_word_test_and_set_mask(port->wmask + pos + PCI_EXP_SLTCTL,
                               PCI_EXP_SLTCTL_DLLSCE);
    pci_word_test_and_set_mask(port->w1cmask + pos + PCI_EXP_SLTSTA,
                               PCI_EXP_SLTSTA_DLLSC);
    /* The port's size as an object is its parent's business. */
    mr = g_new0(MemoryRegion, 1);
    memory_region_init_io(mr, OBJECT(port), &gaudi_void_ops, NULL, GAUDI_VOID,
                          UINT64_MAX);
    OBJECT(mr)->free = g_free;
    memory_region_add_subregion_overlap(gaudi_port_memory(port), 0, mr,
                                        INT_MIN);
}

static void gaudi_port_exit(PCIDevice *port)
{
    Object *mr = object_resolve_path_component(OBJECT(port), GAUDI_VOID "[0]");

    memory_region_del_subregion(gaudi_port_memory(port), MEMORY_REGION(mr));
    object_unparent(mr);
    GAUDI_PORT_GET_CLASS(port)->parent_exit(port);
}

static void gaudi_port_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    GaudiPortClass *gc = GAUDI_PORT_CLASS(klass);

    dc->desc = "PCI Express root port whose card may be pulled out";
    device_class_set_parent_realize(dc, gaudi_port_realize,
                                    &gc->parent_realize);
    gc->parent_exit = pc->exit;
    pc->exit = gaudi_port_exit;
}

static const TypeInfo gaudi_port_info = {
    .name = TYPE_GAUDI_PORT,
    .parent = "pcie-root-port",
    .class_size = sizeof(GaudiPortClass),
    .class_init = gaudi_port_class_init,
};

static void gaudi_port_register_types(void)
{
    type_register_static(&gaudi_port_info);
}
type_init(gaudi_port_register_types)
