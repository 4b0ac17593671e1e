/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ports that are joined to those of cards in other QEMUs, by the properties fabric,
 * box, fabric-cabling and fabric-fd. This process is one box of each fabric, with
 * all cards that are in it; the first one decides which.
 *
 * The fabric's thread (chip/fabric/) never waits for the BQL, under which all
 * here is.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/rcu.h"
#include "qapi/error.h"

#include "gaudi_pci.h"

struct GaudiFabric {
    char *name;
    struct gaudi_fabric *fabric;
    unsigned int users;
    QLIST_ENTRY(GaudiFabric) next;
};

static QLIST_HEAD(, GaudiFabric) fabrics = QLIST_HEAD_INITIALIZER(fabrics);

static int gaudi_read_table(GaudiState *s, struct gaudi_fabric_cable *cables,
                            Error **errp)
{
    const char *table = s->fabric_cabling ?: "mesh";
    g_autoptr(GError) gerr = NULL;
    g_autofree char *text = NULL;
    char err[128];
    int n;

    if (strcmp(table, "mesh") && strcmp(table, "pairs")) {
        if (!g_file_get_contents(table, &text, NULL, &gerr)) {
            error_setg(errp, "fabric-cabling: %s", gerr->message);
            return -1;
        }
    }
    n = gaudi_fabric_cables(text ?: table, cables, err, sizeof(err));
    if (n < 0) {
        error_setg(errp, "fabric-cabling: %s: %s", table, err);
    }
    return n;
}

static GaudiFabric *gaudi_fabric_begin(GaudiState *s, Error **errp)
{
    struct gaudi_fabric_cable cables[GAUDI_MAX_FABRIC_CABLES];
    struct gaudi_fabric_config config = {
        .name = s->fabric_name,
        .box = s->box,
        .listener = s->fabric_fd,
        .cables = cables,
        .thread_init = rcu_register_thread,
        .thread_exit = rcu_unregister_thread,
    };
    int n = gaudi_read_table(s, cables, errp), err = 0;
    struct gaudi_fabric *fabric;
    GaudiFabric *f;

    if (n < 0) {
        return NULL;
    }
    config.num_cables = n;
    fabric = gaudi_fabric_new(&config, &err);
    if (err == -EINVAL) {
        error_setg(errp, "fabric: a name of up to %d letters, digits, '.', '_' "
                   "and '-', and box -1 (any) to %d (0 and more with fabric-fd)",
                   GAUDI_FABRIC_NAME_LEN, GAUDI_MAX_BOXES - 1);
    } else if (err == -EADDRINUSE) {
        error_setg(errp, s->box < 0 ? "fabric %s has %d boxes already" :
                   "fabric %s: another process is box %d", s->fabric_name,
                   s->box < 0 ? GAUDI_MAX_BOXES : s->box);
    } else if (err) {
        error_setg_errno(errp, -err, "fabric %s", s->fabric_name);
    }
    if (!fabric) {
        return NULL;
    }
    f = g_new0(GaudiFabric, 1);
    f->name = g_strdup(s->fabric_name);
    f->fabric = fabric;
    QLIST_INSERT_HEAD(&fabrics, f, next);
    return f;
}

static GaudiFabric *gaudi_fabric_find(GaudiState *s)
{
    GaudiFabric *f;

    QLIST_FOREACH(f, &fabrics, next) {
        if (!strcmp(f->name, s->fabric_name)) {
            return f;
        }
    }
    return NULL;
}

bool gaudi_fabric_join(GaudiState *s, Error **errp)
{
    GaudiFabric *f;

    if (!s->fabric_name) {
        return true;
    }
    f = gaudi_fabric_find(s);
    if (f && s->box >= 0 && s->box != gaudi_fabric_box(f->fabric)) {
        error_setg(errp, "fabric %s: this QEMU is box %u of it", f->name,
                   gaudi_fabric_box(f->fabric));
        return false;
    }
    f = f ?: gaudi_fabric_begin(s, errp);
    if (!f) {
        return false;
    }
    f->users++;
    s->fabric = f;
    s->box = gaudi_fabric_box(f->fabric);
    if (gaudi_fabric_plug(f->fabric, s->chip) < 0) {
        error_setg(errp, "fabric %s: no memory", f->name);
        return false;
    }
    return true;
}

/* The card's wires have been pulled. */
void gaudi_fabric_leave(GaudiState *s)
{
    GaudiFabric *f = s->fabric;

    s->fabric = NULL;
    if (!f || --f->users) {
        return;
    }
    QLIST_REMOVE(f, next);
    gaudi_fabric_free(f->fabric);
    g_free(f->name);
    g_free(f);
}
