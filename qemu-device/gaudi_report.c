/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The card's fidelity report: to a file when QEMU ends or the card is unplugged
 * (property "fidelity-report"), and at any time to whoever reads the QOM
 * property "fidelity". What it says is the chip library's business.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qom/object.h"

#include "gaudi_pci.h"

void gaudi_report_write(GaudiState *s)
{
    FILE *out;
    int err;

    if (!s->fidelity_report || !s->chip) {
        return;
    }
    out = fopen(s->fidelity_report, "w");
    if (!out) {
        warn_report("%s: cannot write the fidelity report '%s': %s",
                    gaudi_name(s), s->fidelity_report, strerror(errno));
        return;
    }
    err = gaudi_chip_report(s->chip, out);
    if (fclose(out) || err) {
        warn_report("%s: the fidelity report '%s' is incomplete",
                    gaudi_name(s), s->fidelity_report);
    }
}

static char *gaudi_report_get(Object *obj, Error **errp)
{
    GaudiState *s = GAUDI(obj);
    char *text = NULL, *copy;
    size_t size = 0;
    FILE *out;
    int err;

    if (!s->chip) {
        error_setg(errp, "the card is not realized");
        return NULL;
    }
    out = open_memstream(&text, &size);
    if (!out) {
        error_setg_errno(errp, errno, "the fidelity report");
        return NULL;
    }
    err = gaudi_chip_report(s->chip, out);
    if (fclose(out) || err) {
        error_setg(errp, "the fidelity report is incomplete");
        free(text);
        return NULL;
    }
    /* The caller frees it by GLib. */
    copy = g_strdup(text);
    free(text);
    return copy;
}

void gaudi_report_class_init(ObjectClass *klass)
{
    object_class_property_add_str(klass, "fidelity", gaudi_report_get, NULL);
    object_class_property_set_description(klass, "fidelity",
        "What was used of the card, and how well it models that (JSON)");
}
