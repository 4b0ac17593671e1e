/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults on demand, the QEMU side: how a user says which (the properties
 * inject, faults, clear-faults and fault-file), and what of them only the slot
 * can make happen: the link, a surprise removal, AER messages.
 *
 * What a fault is, and when it strikes, is the chip library's business.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "hw/pci/msi.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "trace/trace-hw_misc_gaudi_qemu_device.h"

#include "gaudi_pci.h"

#define GAUDI_FAULT_REASON      512

/* --- what the slot does --------------------------------------------------- */

static void gaudi_aer(GaudiState *s, enum gaudi_host_fault kind,
                      uint32_t status)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    PCIEAERErr err = {
        .status = status,
        .source_id = pci_requester_id(pdev),
        .flags = kind == GAUDI_HOST_AER_COR ? PCIE_AER_ERR_IS_CORRECTABLE : 0,
    };
    uint8_t *severity = pdev->config + pdev->exp.aer_cap + PCI_ERR_UNCOR_SEVER;

    /* The card knows best how bad it is. */
    if (kind == GAUDI_HOST_AER_FATAL) {
        pci_long_test_and_set_mask(severity, status);
    } else if (kind == GAUDI_HOST_AER_NONFATAL) {
        pci_long_test_and_clear_mask(severity, status);
    }
    pcie_aer_inject_error(pdev, &err);
}

static void gaudi_host_fault_do(GaudiState *s, enum gaudi_host_fault what)
{
    trace_gaudi_host_fault(gaudi_name(s), what);
    switch (what) {
    case GAUDI_HOST_LINK_DOWN:
        gaudi_link_set(s, false);
        break;
    case GAUDI_HOST_LINK_UP:
        gaudi_link_set(s, true);
        break;
    default:
        gaudi_aer(s, what, s->aer_status[what - GAUDI_HOST_AER_COR]);
        break;
    }
}

static void gaudi_host_faults_do(GaudiState *s)
{
    uint32_t pending = qatomic_xchg(&s->host_faults, 0);

    while (pending && !s->gone) {
        gaudi_host_fault_do(s, ctz32(pending));
        pending &= pending - 1;
    }
}

/*
 * Later but for a removal, which silences the card at once: the card may be in
 * the middle of an access of the guest.
 */
void gaudi_host_fault(void *opaque, enum gaudi_host_fault what, uint32_t arg)
{
    GaudiState *s = opaque;

    if (what == GAUDI_HOST_SURPRISE_REMOVE) {
        gaudi_surprise_remove(s);
        return;
    }

    if (what >= GAUDI_HOST_AER_COR) {
        s->aer_status[what - GAUDI_HOST_AER_COR] = arg;
    }
    qatomic_or(&s->host_faults, 1u << what);
    gaudi_later(&s->host_fault, GAUDI_SOON_NS);
}

/* --- what the user says ------------------------------------------------------ */

static bool gaudi_inject(GaudiState *s, const char *spec, Error **errp)
{
    char reason[GAUDI_FAULT_REASON];
    bool before = gaudi_guard_enter(s);
    int err = gaudi_chip_inject(s->chip, spec, reason, sizeof(reason));

    gaudi_guard_leave(s, before);
    if (err) {
        error_setg(errp, "fault '%s': %s", spec, reason);
    }
    return !err;
}

static bool gaudi_load_file(GaudiState *s, Error **errp)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    g_autoptr(GError) gerr = NULL;
    char reason[GAUDI_FAULT_REASON];
    unsigned int i;

    if (!g_file_get_contents(s->fault_file, &text, NULL, &gerr)) {
        error_setg(errp, "fault-file: %s", gerr->message);
        return false;
    }
    lines = g_strsplit(text, "\n", -1);
    for (i = 0; lines[i]; i++) {
        char *end = strchr(lines[i], '#');

        if (end) {
            *end = '\0';
        }
        g_strstrip(lines[i]);
        if (lines[i][0] &&
            gaudi_chip_inject(s->chip, lines[i], reason, sizeof(reason))) {
            error_setg(errp, "%s:%u: fault '%s': %s", s->fault_file, i + 1,
                       lines[i], reason);
            return false;
        }
    }
    return true;
}

bool gaudi_faults_realize(GaudiState *s, Error **errp)
{
    unsigned int i;

    if (s->fault_file && !gaudi_load_file(s, errp)) {
        return false;
    }
    for (i = 0; s->early_faults && i < s->early_faults->len; i++) {
        if (!gaudi_inject(s, g_ptr_array_index(s->early_faults, i), errp)) {
            return false;
        }
    }
    return true;
}

static void gaudi_set_inject(Object *obj, const char *value, Error **errp)
{
    GaudiState *s = GAUDI(obj);

    if (s->gone) {
        error_setg(errp, "the card is gone");
    } else if (s->chip) {
        gaudi_inject(s, value, errp);
    } else {
        if (!s->early_faults) {
            s->early_faults = g_ptr_array_new_with_free_func(g_free);
        }
        g_ptr_array_add(s->early_faults, g_strdup(value));
    }
}

/* For tools that list all properties. */
static char *gaudi_get_inject(Object *obj, Error **errp)
{
    return g_strdup("");
}

/* Text that one of the chip's functions writes; the caller frees it. */
static char *gaudi_text_of(GaudiState *s, bool catalogue)
{
    char *text = NULL, *copy;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        if (catalogue) {
            gaudi_chip_faults_catalogue(out);
        } else if (s->chip) {
            gaudi_chip_faults_print(s->chip, out);
        } else {
            fputs("[\n]\n", out);
        }
        fclose(out);
    }
    copy = g_strdup(text ?: "");
    free(text);
    return copy;
}

static char *gaudi_get_faults(Object *obj, Error **errp)
{
    return gaudi_text_of(GAUDI(obj), false);
}

static char *gaudi_get_catalogue(Object *obj, Error **errp)
{
    return gaudi_text_of(GAUDI(obj), true);
}

static void gaudi_set_clear(Object *obj, bool value, Error **errp)
{
    GaudiState *s = GAUDI(obj);
    bool before;

    if (value && s->chip && !s->gone) {
        before = gaudi_guard_enter(s);
        gaudi_chip_faults_clear(s->chip);
        gaudi_guard_leave(s, before);
    }
}

static bool gaudi_get_clear(Object *obj, Error **errp)
{
    return false;
}

void gaudi_faults_properties(ObjectClass *klass)
{
    object_class_property_add_str(klass, "inject", gaudi_get_inject,
                                  gaudi_set_inject);
    object_class_property_set_description(klass, "inject",
        "arms a fault on demand: NAME[,key=value]...");
    object_class_property_add_str(klass, "faults", gaudi_get_faults, NULL);
    object_class_property_set_description(klass, "faults",
        "the faults that are armed, and how often each has struck (JSON)");
    object_class_property_add_str(klass, "fault-catalogue",
                                  gaudi_get_catalogue, NULL);
    object_class_property_set_description(klass, "fault-catalogue",
        "all faults on demand and their keys (JSON)");
    object_class_property_add_bool(klass, "clear-faults", gaudi_get_clear,
                                   gaudi_set_clear);
    object_class_property_set_description(klass, "clear-faults",
        "on: ends all faults on demand");
}

void gaudi_faults_init(GaudiState *s)
{
    gaudi_later_init(s, &s->host_fault, gaudi_host_faults_do);
}

void gaudi_faults_fini(GaudiState *s)
{
    gaudi_later_fini(&s->host_fault);
    if (s->early_faults) {
        g_ptr_array_free(s->early_faults, true);
    }
}
