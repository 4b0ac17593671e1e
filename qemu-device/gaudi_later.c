/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that waits for the big lock (BQL): in a bottom half, as soon as the main
 * loop runs. When that is, compared with the guest's instructions, is the
 * host's business. So where both the card is deterministic and the guest's
 * clock counts instructions (-icount), it waits for a moment of that clock.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "system/cpu-timers.h"

#include "gaudi_pci.h"

static void gaudi_later_timer(void *opaque)
{
    GaudiLater *later = opaque;

    later->fn(later->s);
}

static void gaudi_later_bh(void *opaque)
{
    GaudiLater *later = opaque;

    later->fn(later->s);
}

void gaudi_later_init(GaudiState *s, GaudiLater *later,
                      void (*fn)(GaudiState *s))
{
    later->s = s;
    later->fn = fn;
    later->bh = qemu_bh_new(gaudi_later_bh, later);
    later->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, gaudi_later_timer, later);
}

void gaudi_later_fini(GaudiLater *later)
{
    qemu_bh_delete(later->bh);
    timer_free(later->timer);
}

void gaudi_later(GaudiLater *later, int64_t delay_ns)
{
    if (later->s->deterministic && icount_enabled()) {
        timer_mod_anticipate_ns(later->timer, delay_ns +
                                qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    } else {
        qemu_bh_schedule(later->bh);
    }
}
