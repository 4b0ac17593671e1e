/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * savevm, loadvm and migration: the slot's state by vmstate, and the card's as
 * the stream that the chip library makes (chip/gaudi_chip.h), HBM included. So
 * the card's memory is no migratable RAM to QEMU, and is saved as the machine
 * stands still. Under QEMU's big lock, all.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "hw/pci/pcie_aer.h"
#include "migration/qemu-file-types.h"
#include "migration/vmstate.h"

#include "gaudi_pci.h"

static int gaudi_stream_write(void *opaque, const void *buf, size_t len)
{
    QEMUFile *f = opaque;

    qemu_put_buffer(f, buf, len);
    return qemu_file_get_error(f);
}

static int gaudi_stream_read(void *opaque, void *buf, size_t len)
{
    QEMUFile *f = opaque;

    if (qemu_get_buffer(f, buf, len) == len) {
        return 0;
    }
    return qemu_file_get_error(f) ?: -EIO;
}

static int gaudi_put_chip(QEMUFile *f, void *pv, size_t size,
                          const VMStateField *field, JSONWriter *vmdesc)
{
    GaudiState *s = pv;
    struct gaudi_stream stream = { .write = gaudi_stream_write, .opaque = f };
    char why[160];
    int err = gaudi_chip_save(s->chip, &stream, why, sizeof(why));

    if (err) {
        error_report("%s: %s", gaudi_name(s), why);
    }
    return err;
}

static int gaudi_get_chip(QEMUFile *f, void *pv, size_t size,
                          const VMStateField *field)
{
    GaudiState *s = pv;
    struct gaudi_stream stream = { .read = gaudi_stream_read, .opaque = f };
    char why[160];
    int err = gaudi_chip_load(s->chip, &stream, why, sizeof(why));

    if (err) {
        error_report("%s: %s", gaudi_name(s), why);
    }
    return err;
}

static const VMStateInfo gaudi_chip_info = {
    .name = "gaudi-chip",
    .get = gaudi_get_chip,
    .put = gaudi_put_chip,
};

static bool gaudi_has_posted(GaudiState *s)
{
    QEMU_LOCK_GUARD(&s->posted_lock);
    return !QSIMPLEQ_EMPTY(&s->posted);
}

/* Before anything is written, so that whoever asks learns why it cannot be. */
static int gaudi_pre_save(void *opaque)
{
    GaudiState *s = opaque;
    char why[160] = "";
    int err = -EBUSY;

    if (!gaudi_on_bus(s)) {
        strcpy(why, "it is out of its slot, or its link is down");
    } else if (gaudi_has_posted(s)) {
        strcpy(why, "writes to other devices are on their way");
    } else {
        err = gaudi_chip_can_save(s->chip, why, sizeof(why));
    }
    if (err) {
        error_report("%s cannot be saved: %s", gaudi_name(s), why);
    }
    return err;
}

static int gaudi_pre_load(void *opaque)
{
    gaudi_dma_drop_posted(opaque);
    return 0;
}

/* What is behind a field is versioned by itself, part by part. */
const VMStateDescription gaudi_vmstate = {
    .name = TYPE_GAUDI,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = gaudi_pre_save,
    .pre_load = gaudi_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, GaudiState),
        VMSTATE_STRUCT(parent_obj.exp.aer_log, GaudiState, 0,
                       vmstate_pcie_aer_log, PCIEAERLog),
        VMSTATE_UINT32(msi_pending, GaudiState),
        {
            .name = "chip",
            .info = &gaudi_chip_info,
            .flags = VMS_SINGLE,
        },
        VMSTATE_END_OF_LIST()
    },
};
