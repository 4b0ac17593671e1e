/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ports of a card are plugged into: each other, by cables, or QEMU's
 * network, by the properties nic0 to nic9. What is left may be in a fabric.
 *
 * Cables join the cards of this process as a table says (chip/gaudi_chip.h). On
 * the network go frames of RoCE v2; the card makes them in any thread, and QEMU
 * takes them under the big lock, so they wait in a queue.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "net/net.h"

#include "gaudi_pci.h"

/* What may wait for the main loop, of all ports; a network may lose the rest. */
#define GAUDI_MAX_FRAME_BYTES   (64 * MiB)

typedef struct GaudiFrame {
    unsigned int port;
    size_t len;
    QSIMPLEQ_ENTRY(GaudiFrame) next;
    uint8_t data[];
} GaudiFrame;

/* Cards that cables may reach. Under the BQL. */
static QLIST_HEAD(, GaudiState) cabled = QLIST_HEAD_INITIALIZER(cabled);

/* --- frames ------------------------------------------------------------- */

void gaudi_net_frame(void *opaque, unsigned int port, const void *buf,
                     size_t len)
{
    GaudiState *s = opaque;
    GaudiFrame *frame = g_malloc(sizeof(*frame) + len);
    bool fits;

    frame->port = port;
    frame->len = len;
    memcpy(frame->data, buf, len);
    WITH_QEMU_LOCK_GUARD(&s->frames_lock) {
        fits = s->frames_bytes + len <= GAUDI_MAX_FRAME_BYTES;
        if (fits) {
            s->frames_bytes += len;
            QSIMPLEQ_INSERT_TAIL(&s->frames, frame, next);
        }
    }
    if (!fits) {
        warn_report_once("%s: frames are lost, as the network is slower than "
                         "the card", gaudi_name(s));
        g_free(frame);
        return;
    }
    gaudi_later(&s->frames_later, GAUDI_SOON_NS);
}

static GaudiFrame *gaudi_next_frame(GaudiState *s)
{
    GaudiFrame *frame;

    QEMU_LOCK_GUARD(&s->frames_lock);
    frame = QSIMPLEQ_FIRST(&s->frames);
    if (frame) {
        QSIMPLEQ_REMOVE_HEAD(&s->frames, next);
        s->frames_bytes -= frame->len;
    }
    return frame;
}

static void gaudi_send_frames(GaudiState *s)
{
    GaudiFrame *frame;

    while ((frame = gaudi_next_frame(s))) {
        NICState *nic = s->ports[frame->port].nic;

        if (nic && gaudi_on_bus(s)) {
            qemu_send_packet(qemu_get_queue(nic), frame->data, frame->len);
        }
        g_free(frame);
    }
}

static ssize_t gaudi_net_receive(NetClientState *nc, const uint8_t *buf,
                                 size_t size)
{
    GaudiPort *port = qemu_get_nic_opaque(nc);
    GaudiState *s = port->s;
    bool before;

    if (gaudi_on_bus(s)) {
        before = gaudi_guard_enter(s);
        /* What is no RoCE, or damaged, is lost, as on any network. */
        gaudi_chip_frame(s->chip, port - s->ports, buf, size);
        gaudi_guard_leave(s, before);
    }
    return size;
}

/* By QMP: set_link. */
static void gaudi_net_link(NetClientState *nc)
{
    GaudiPort *port = qemu_get_nic_opaque(nc);
    bool before = gaudi_guard_enter(port->s);

    gaudi_chip_plug(port->s->chip, port - port->s->ports, !nc->link_down);
    gaudi_guard_leave(port->s, before);
}

static NetClientInfo gaudi_net_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .receive = gaudi_net_receive,
    .link_status_changed = gaudi_net_link,
};

static bool gaudi_join_network(GaudiState *s, unsigned int i, Error **errp)
{
    GaudiPort *port = &s->ports[i];
    g_autofree char *name = NULL;
    int err;

    port->s = s;
    if (!port->conf.peers.ncs[0]) {
        return true;
    }
    qemu_macaddr_default_if_unset(&port->conf.macaddr);
    err = gaudi_chip_connect_network(s->chip, i, port->conf.macaddr.a, s->mtu);
    if (err) {
        error_setg_errno(errp, -err, "port %u and its network", i);
        return false;
    }
    name = g_strdup_printf("%s.nic%u", gaudi_name(s), i);
    port->nic = qemu_new_nic(&gaudi_net_info, &port->conf, TYPE_GAUDI, name,
                             &DEVICE(s)->mem_reentrancy_guard, port);
    qemu_format_nic_info_str(qemu_get_queue(port->nic),
                             port->conf.macaddr.a);
    return true;
}

/* --- cables ------------------------------------------------------------- */

static int gaudi_read_cables(GaudiState *s, struct gaudi_cable *cables,
                             Error **errp)
{
    g_autoptr(GError) gerr = NULL;
    g_autofree char *text = NULL;
    char err[128];
    int n;

    if (!s->cabling || !strcmp(s->cabling, "hls1")) {
        return gaudi_cabling_hls1(cables);
    }
    if (!strcmp(s->cabling, "none")) {
        return 0;
    }
    if (!g_file_get_contents(s->cabling, &text, NULL, &gerr)) {
        error_setg(errp, "cabling: %s", gerr->message);
        return -1;
    }
    n = gaudi_cabling_read(text, cables, err, sizeof(err));
    if (n < 0) {
        error_setg(errp, "cabling: %s: %s", s->cabling, err);
    }
    return n;
}

/* A port on the network has no cable; nor have two cards of one number. */
static void gaudi_plug_cable(GaudiState *s, GaudiState *peer,
                             const struct gaudi_cable *cable, unsigned int end)
{
    unsigned int mine = cable->port[end], other = cable->port[!end];
    int err;

    if (cable->module[end] != s->module_id ||
        cable->module[!end] != peer->module_id) {
        return;
    }
    err = gaudi_chip_connect(s->chip, mine, peer->chip, other);
    if (err) {
        info_report("%s: no cable from port %u to port %u of %s: %s",
                    gaudi_name(s), mine, other, gaudi_name(peer),
                    err == -EBUSY ? "one has something else" :
                    err == -EINVAL ? "only one has a journal, or timing=on" :
                    strerror(-err));
    }
}

static bool gaudi_plug_cables(GaudiState *s, Error **errp)
{
    struct gaudi_cable cables[GAUDI_MAX_CABLES];
    int n = gaudi_read_cables(s, cables, errp);
    GaudiState *peer;

    for (int i = 0; i < n; i++) {
        QLIST_FOREACH(peer, &cabled, next_cabled) {
            gaudi_plug_cable(s, peer, &cables[i], 0);
            gaudi_plug_cable(s, peer, &cables[i], 1);
        }
    }
    return n >= 0;
}

/* --- life ---------------------------------------------------------------- */

void gaudi_net_init(GaudiState *s)
{
    qemu_mutex_init(&s->frames_lock);
    QSIMPLEQ_INIT(&s->frames);
    gaudi_later_init(s, &s->frames_later, gaudi_send_frames);
}

void gaudi_net_fini(GaudiState *s)
{
    GaudiFrame *frame;

    while ((frame = gaudi_next_frame(s))) {
        g_free(frame);
    }
    gaudi_later_fini(&s->frames_later);
    qemu_mutex_destroy(&s->frames_lock);
}

bool gaudi_net_realize(GaudiState *s, Error **errp)
{
    for (unsigned int i = 0; i < ARRAY_SIZE(s->ports); i++) {
        if (!gaudi_join_network(s, i, errp)) {
            gaudi_net_exit(s);
            return false;
        }
    }
    if (!gaudi_plug_cables(s, errp) || !gaudi_fabric_join(s, errp)) {
        gaudi_net_exit(s);
        return false;
    }
    QLIST_INSERT_HEAD(&cabled, s, next_cabled);
    return true;
}

void gaudi_net_exit(GaudiState *s)
{
    QLIST_SAFE_REMOVE(s, next_cabled);
    gaudi_chip_disconnect(s->chip);
    gaudi_fabric_leave(s);
    for (unsigned int i = 0; i < ARRAY_SIZE(s->ports); i++) {
        if (s->ports[i].nic) {
            qemu_del_nic(s->ports[i].nic);
            s->ports[i].nic = NULL;
        }
    }
}

bool gaudi_check_wires(GaudiState *s, Error **errp)
{
    const char *none = s->journal_file ? "journal" : "model of time";
    unsigned int i;

    if (!s->journal_file && !s->timing) {
        return true;
    }
    if (s->fabric_name) {
        error_setg(errp, "fabric %s: what comes from another machine is in no "
                   "%s", s->fabric_name, none);
        return false;
    }
    for (i = 0; i < GAUDI_NUM_PORTS; i++) {
        if (s->ports[i].conf.peers.ncs[0]) {
            error_setg(errp, "port %u: what comes from a network is in no %s",
                       i, none);
            return false;
        }
    }
    return true;
}
