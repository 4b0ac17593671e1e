/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The card's access to guest memory, and to whatever else is on the bus.
 *
 * RAM is reached through host pointers, under RCU, without QEMU's big lock
 * (BQL): callers may hold the card's lock, which comes after it. Writes to
 * something that is not RAM wait in a queue for a bottom half; reads from it
 * are refused.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "trace/trace-hw_misc_gaudi_qemu_device.h"
#include "gaudi_pci.h"

/* Writes to other devices that wait for the BQL: at most this many bytes. */
#define GAUDI_POSTED_MAX        (1 * MiB)
/* ... of which so many are done in one go: each may ring a doorbell. */
#define GAUDI_POSTED_WRITES     16

struct GaudiPosted {
    QSIMPLEQ_ENTRY(GaudiPosted) next;
    hwaddr addr;
    hwaddr len;
    uint8_t data[];
};

/*
 * What is at a bus address. In an RCU critical section; never takes the BQL.
 * Returns the host pointer of up to *len contiguous bytes of RAM, or NULL if
 * something else is there. *len is cut to the extent in both cases.
 */
static void *gaudi_translate(GaudiState *s, hwaddr addr, hwaddr *len,
                             bool is_write, MemoryRegion **mr)
{
    AddressSpace *as = pci_get_address_space(PCI_DEVICE(s));
    hwaddr xlat;

    *mr = address_space_translate(as, addr, &xlat, len, is_write,
                                  MEMTXATTRS_UNSPECIFIED);
    if (!memory_access_is_direct(*mr, is_write, MEMTXATTRS_UNSPECIFIED)) {
        return NULL;
    }
    return qemu_map_ram_ptr((*mr)->ram_block, xlat);
}

/*
 * Read in the RCU critical section of the access: unplugging waits for it
 * before the address space goes away.
 */
bool gaudi_may_dma(GaudiState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    return gaudi_on_bus(s) &&
           (pci_get_word(pdev->config + PCI_COMMAND) & PCI_COMMAND_MASTER) &&
           !(pci_get_word(pdev->config + pdev->pm_cap + PCI_PM_CTRL) &
             PCI_PM_CTRL_STATE_MASK);
}

int gaudi_dma_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
    GaudiState *s = opaque;
    uint8_t *to = buf;

    RCU_READ_LOCK_GUARD();
    if (!gaudi_may_dma(s)) {
        return -EFAULT;
    }
    while (len) {
        hwaddr part = len;
        MemoryRegion *mr;
        void *from = gaudi_translate(s, addr, &part, false, &mr);

        if (!from) {
            return -EFAULT;
        }
        memcpy(to, from, part);
        addr += part;
        to += part;
        len -= part;
    }
    return 0;
}

static int gaudi_post_write(GaudiState *s, hwaddr addr, const void *data,
                            hwaddr len)
{
    GaudiPosted *p;

    QEMU_LOCK_GUARD(&s->posted_lock);
    if (len + sizeof(*p) > GAUDI_POSTED_MAX - s->posted_bytes) {
        return -EFAULT;
    }
    p = g_malloc(sizeof(*p) + len);
    p->addr = addr;
    p->len = len;
    memcpy(p->data, data, len);
    s->posted_bytes += sizeof(*p) + len;
    QSIMPLEQ_INSERT_TAIL(&s->posted, p, next);
    gaudi_later(&s->post, GAUDI_SOON_NS);
    return 0;
}

static GaudiPosted *gaudi_posted_take(GaudiState *s)
{
    GaudiPosted *p;

    QEMU_LOCK_GUARD(&s->posted_lock);
    p = QSIMPLEQ_FIRST(&s->posted);
    if (p) {
        QSIMPLEQ_REMOVE_HEAD(&s->posted, next);
        s->posted_bytes -= sizeof(*p) + p->len;
    }
    return p;
}

static void gaudi_posted_write(GaudiState *s, const GaudiPosted *p)
{
    trace_gaudi_posted_write(gaudi_name(s), p->addr, p->len);
    if (gaudi_may_dma(s) &&
        address_space_write(pci_get_address_space(PCI_DEVICE(s)), p->addr,
                            MEMTXATTRS_UNSPECIFIED, p->data, p->len)) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "%s: nothing takes a write of %" HWADDR_PRIu
                      " bytes at bus address 0x%" HWADDR_PRIx "\n",
                      gaudi_name(s), p->len, p->addr);
    }
}

/*
 * The guard against re-entry is not for this one: the card may write to its own
 * BARs, as its own lock is not held here.
 */
static void gaudi_posted(GaudiState *s)
{
    unsigned int left = GAUDI_POSTED_WRITES;
    GaudiPosted *p;

    while (!s->stopped && (p = gaudi_posted_take(s))) {
        gaudi_posted_write(s, p);
        g_free(p);
        if (!--left) {
            gaudi_later(&s->post, GAUDI_SOON_NS);
            break;
        }
    }
}

static void gaudi_store(void *to, const void *from, hwaddr len)
{
    /* What a driver polls must change in one piece, after the data. */
    if (len == 4 && QEMU_PTR_IS_ALIGNED(to, 4)) {
        qatomic_store_release((uint32_t *)to, ldl_he_p(from));
    } else if (len == 8 && QEMU_PTR_IS_ALIGNED(to, 8)) {
        qatomic_store_release((uint64_t *)to, ldq_he_p(from));
    } else {
        smp_wmb();          /* earlier data before this */
        memcpy(to, from, len);
    }
}

int gaudi_dma_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
    GaudiState *s = opaque;
    AddressSpace *as = pci_get_address_space(PCI_DEVICE(s));
    const uint8_t *from = buf;

    RCU_READ_LOCK_GUARD();
    if (!gaudi_may_dma(s)) {
        return -EFAULT;
    }
    while (len) {
        hwaddr part = len;
        MemoryRegion *mr;
        void *to = gaudi_translate(s, addr, &part, true, &mr);

        if (to) {
            gaudi_store(to, from, part);
            memory_region_ref(mr);
            /* Marks it dirty, drops translated code, gives the ref back. */
            address_space_unmap(as, to, part, true, part);
        } else if (gaudi_post_write(s, addr, from, part)) {
            return -EFAULT;
        }
        addr += part;
        from += part;
        len -= part;
    }
    return 0;
}

/*
 * The memory may be another device's, which the guest ejects meanwhile. Nobody
 * but the BQL's owner may give back the last reference to it. So the thread
 * stays in its RCU critical section until it has unmapped: the address space's
 * reference then outlives ours. A batch of copies takes some milliseconds.
 */
void *gaudi_dma_map(void *opaque, uint64_t addr, size_t *len, bool is_write)
{
    GaudiState *s = opaque;
    hwaddr part = *len;
    MemoryRegion *mr;
    void *ptr = NULL;

    rcu_read_lock();
    if (gaudi_may_dma(s)) {
        ptr = gaudi_translate(s, addr, &part, is_write, &mr);
    }
    if (!ptr) {
        rcu_read_unlock();
        return NULL;
    }
    memory_region_ref(mr);
    *len = part;
    return ptr;
}

void gaudi_dma_unmap(void *opaque, void *ptr, size_t len, bool is_write,
                     size_t accessed)
{
    GaudiState *s = opaque;

    /* Finds the region by the pointer; the address space may be gone. */
    address_space_unmap(pci_get_address_space(PCI_DEVICE(s)), ptr, len,
                        is_write, accessed);
    rcu_read_unlock();
}

void gaudi_pci_dma_init(GaudiState *s)
{
    qemu_mutex_init(&s->posted_lock);
    QSIMPLEQ_INIT(&s->posted);
    gaudi_later_init(s, &s->post, gaudi_posted);
}

void gaudi_dma_drop_posted(GaudiState *s)
{
    GaudiPosted *p;

    while ((p = gaudi_posted_take(s))) {
        g_free(p);
    }
}

void gaudi_pci_dma_fini(GaudiState *s)
{
    gaudi_later_fini(&s->post);
    gaudi_dma_drop_posted(s);
    qemu_mutex_destroy(&s->posted_lock);
}
