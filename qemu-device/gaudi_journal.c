/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal of all that the machine asks of its cards and they of it, for
 * gaudi-replay (property "journal", the same path for all cards). Such cards
 * run in the main loop, and their memory is behind registers, so to speak: an
 * access of a CPU, too, is a call that can be noted. Under the BQL, all.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"

#include "gaudi_pci.h"

static struct {
    struct gaudi_journal *journal;
    char *path;
    unsigned int users;
} gaudi_noted;

bool gaudi_journal_begin(GaudiState *s, Error **errp)
{
    int err = 0;

    if (!s->journal_file) {
        return true;
    }
    if (gaudi_noted.users && strcmp(s->journal_file, gaudi_noted.path)) {
        error_setg(errp, "journal: cards of one machine share one, and %s is "
                   "being written", gaudi_noted.path);
        return false;
    }
    if (!gaudi_noted.users) {
        gaudi_noted.journal = gaudi_journal_new(s->journal_file, &err);
        if (!gaudi_noted.journal) {
            error_setg_errno(errp, -err, "journal: %s", s->journal_file);
            return false;
        }
        gaudi_noted.path = g_strdup(s->journal_file);
    }
    gaudi_noted.users++;
    s->journal = gaudi_noted.journal;
    return true;
}

void gaudi_journal_finish(GaudiState *s)
{
    int err = s->journal ? gaudi_journal_end(s->journal) : 0;

    if (err) {
        error_report("journal: %s: %s", s->journal_file, strerror(-err));
    }
}

void gaudi_journal_leave(GaudiState *s)
{
    if (!s->journal || --gaudi_noted.users) {
        return;
    }
    gaudi_journal_finish(s);
    gaudi_journal_free(gaudi_noted.journal);
    g_free(gaudi_noted.path);
}
