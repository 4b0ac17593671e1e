/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the card tells about itself: log lines, trace events, and the fidelity
 * report, to a file when QEMU ends or the card is unplugged (property
 * "fidelity-report"), and at any time to whoever reads the QOM property
 * "fidelity"; the same of the record ("record-file"; "record", which is set to a
 * path; "record-prefix", with which paths begin of those that come by themselves, when
 * work is lost: before a reset and at the end). What they say is the chip library's
 * business.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qapi/error.h"
#include "qom/object.h"
#include "trace/trace-hw_misc_gaudi_qemu_device.h"

#include "gaudi_pci.h"

/* --- log, trace ---------------------------------------------------------- */

void gaudi_host_log(void *opaque, enum gaudi_log_level level, const char *line)
{
    GaudiState *s = opaque;

    switch (level) {
    case GAUDI_LOG_GUEST_ERROR:
        qemu_log_mask(LOG_GUEST_ERROR, "%s: %s\n", gaudi_name(s), line);
        break;
    case GAUDI_LOG_UNIMP:
        qemu_log_mask(LOG_UNIMP, "%s: %s\n", gaudi_name(s), line);
        break;
    default:
        break;
    }
    trace_gaudi_log(gaudi_name(s), level, line);
}

/* By any backend of QEMU's. */
#define TRACED(kind) \
    ((uint32_t)trace_event_get_state_backends(TRACE_GAUDI_##kind) << \
     GAUDI_TRACE_##kind)

/* Asked all the time: a look at one word of QEMU's if nothing is traced. */
uint32_t gaudi_host_traced(void *opaque)
{
    return TRACED(REG_READ) | TRACED(REG_WRITE) | TRACED(PACKET) |
           TRACED(DMA) | TRACED(EVENT) | TRACED(RESET);
}

void gaudi_host_trace(void *opaque, const struct gaudi_trace *e)
{
    const char *name = gaudi_name(opaque);

    switch (e->kind) {
    case GAUDI_TRACE_REG_READ:
        trace_gaudi_reg_read(name, e->addr, e->value);
        break;
    case GAUDI_TRACE_REG_WRITE:
        trace_gaudi_reg_write(name, e->addr, e->value);
        break;
    case GAUDI_TRACE_PACKET:
        trace_gaudi_packet(name, e->unit / 8, e->unit % 8, e->addr, e->value);
        break;
    case GAUDI_TRACE_DMA:
        trace_gaudi_dma(name, e->unit, e->addr, e->value, e->size);
        break;
    case GAUDI_TRACE_EVENT:
        trace_gaudi_event(name, e->value);
        break;
    case GAUDI_TRACE_RESET:
        trace_gaudi_reset(name);
        break;
    default:                        /* not asked for */
        break;
    }
}

/* --- fidelity ------------------------------------------------------------ */

typedef int write_fn(struct gaudi_chip *chip, FILE *out);

static void write_file(GaudiState *s, const char *path, const char *what,
                       write_fn *write, Error **errp)
{
    FILE *out;
    int err;

    if (!s->chip) {
        error_setg(errp, "%s is not realized", gaudi_name(s));
        return;
    }
    out = fopen(path, "w");
    if (!out) {
        error_setg_errno(errp, errno, "%s: cannot write the %s '%s'",
                         gaudi_name(s), what, path);
        return;
    }
    err = write(s->chip, out);
    if (fclose(out) || err) {
        error_setg(errp, "%s: the %s '%s' is incomplete", gaudi_name(s), what,
                   path);
    }
}

/* At the end, when nobody can be refused any more. */
static void write_last(GaudiState *s, const char *path, const char *what,
                       write_fn *write)
{
    Error *err = NULL;

    if (path && s->chip) {
        write_file(s, path, what, write, &err);
    }
    if (err) {
        warn_report_err(err);
    }
}

void gaudi_report_write(GaudiState *s)
{
    g_autofree char *path = NULL;

    write_last(s, s->fidelity_report, "fidelity report", gaudi_chip_report);
    write_last(s, s->record_file, "record", gaudi_chip_record);
    if (s->record_prefix && s->chip && !gaudi_chip_at_rest(s->chip)) {
        path = g_strdup_printf("%send.rec", s->record_prefix);
        write_last(s, path, "record", gaudi_chip_record);
    }
}

/* What is reset again and again does not fill the disk. */
#define MOST_RESETS 4

void gaudi_host_resetting(void *opaque, bool at_rest)
{
    GaudiState *s = opaque;
    g_autofree char *path = NULL;

    if (!s->record_prefix || at_rest || s->resets_recorded == MOST_RESETS) {
        return;
    }
    path = g_strdup_printf("%sreset%u.rec", s->record_prefix,
                           ++s->resets_recorded);
    write_last(s, path, "record", gaudi_chip_record);
}

static void gaudi_record_set(Object *obj, const char *path, Error **errp)
{
    write_file(GAUDI(obj), path, "record", gaudi_chip_record, errp);
}

/* --- the report, now ------------------------------------------------------ */

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
    object_class_property_add_str(klass, "record", NULL, gaudi_record_set);
    object_class_property_set_description(klass, "record",
        "Set to a path: what last passed through the card is written there");
}
