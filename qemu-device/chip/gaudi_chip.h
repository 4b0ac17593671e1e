/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A Gaudi 1 card as a plain C library.
 *
 * The library knows its host (QEMU, a unit test, a fuzzer) only through
 * struct gaudi_host_ops. It prints nothing, keeps no global state, and never
 * calls back into a host with another card's lock held. Several cards may live
 * in one process and share one worker pool.
 *
 * Thread-safety: every function that takes a struct gaudi_chip may be called
 * from any thread, except gaudi_chip_free(), which must be the last call.
 */
#ifndef GAUDI_CHIP_H
#define GAUDI_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../uapi/hw/gaudi_cabling.h"

struct gaudi_chip;
struct gaudi_journal;
struct gaudi_pool;

enum gaudi_log_level {
	GAUDI_LOG_GUEST_ERROR,	/* the guest or a program did something wrong */
	GAUDI_LOG_UNIMP,	/* a register or packet that is not modelled */
	GAUDI_LOG_INFO,
};

/* Something that passed through the card; for tracing and replay. */
enum gaudi_trace_kind {
	GAUDI_TRACE_REG_READ,	/* addr: CFG offset, value */
	GAUDI_TRACE_REG_WRITE,
	/* unit: QMAN * 8 + CP, addr: the packet's, value: its first 8 bytes */
	GAUDI_TRACE_PACKET,
	/* unit: DMA core, addr: destination, value: source or pattern */
	GAUDI_TRACE_DMA,
	GAUDI_TRACE_EVENT,	/* value: event id; whoever raised it */
	GAUDI_TRACE_MSI,	/* value: vector */
	GAUDI_TRACE_RESET,
	/* The rest is for the record only, no host is asked whether it listens. */
	GAUDI_TRACE_TURN,	/* unit: actor, addr: when it began, in ticks */
	/* unit: QMAN * 8 + CP, addr: the packet's, value: enum gaudi_cp_wait,
	 * size: the packet's first word, a fence's number and target
	 */
	GAUDI_TRACE_WAIT,
	GAUDI_TRACE_FENCE,	/* unit: QMAN * 8 + CP, addr: number, value */
	GAUDI_TRACE_SOB,	/* unit: sync manager, addr: object, value */
	GAUDI_TRACE_ARM,	/* unit: sync manager, addr: monitor, value: ARM */
	/* unit: sync manager, addr: monitor, value: payload's address, size: data */
	GAUDI_TRACE_FIRE,
	GAUDI_TRACE_START,	/* unit: QMAN of the engine, value: TPC kernel */
	GAUDI_TRACE_END,	/* ... and its end. DMA: GAUDI_TRACE_DMA */
	GAUDI_TRACE_LINK,	/* unit: port, value: 1 up, 0 down */
	/* Taken up. unit: QMAN * 8 + CP, addr, size: the buffer's; value: the ring's
	 * index behind it, and above 32 bits the mask of such; 0: of no ring
	 */
	GAUDI_TRACE_BUFFER,
	/* A fault on demand has struck what the card did. unit: row of the catalogue;
	 * addr: of an access, or which vector, fence, command; value: QMAN * 8 + CP + 1
	 * (CP 7: not known), 0: no queue's
	 */
	GAUDI_TRACE_FAULT,
	GAUDI_TRACE_BELL,	/* unit: port, addr: queue pair, value: its producer index */
	/* Of an entry the last packet has gone. unit: port; addr: its number, above 24 bits
	 * the peer's queue pair, above 48 bits ours; value: where to, size: bytes
	 */
	GAUDI_TRACE_SEND,
	/* A message has come whose sender asks for an answer. addr: the number of its last
	 * packet, above 24 bits our queue pair; value: where to, if it is but one packet
	 */
	GAUDI_TRACE_RECEIVE,
	GAUDI_TRACE_KINDS,
};

struct gaudi_trace {
	enum gaudi_trace_kind kind;
	unsigned int unit;
	uint64_t addr;
	uint64_t value;
	uint64_t size;
	uint64_t now_ns;
};

/* What only the slot can make happen, for a fault on demand. */
enum gaudi_host_fault {
	GAUDI_HOST_LINK_DOWN,	/* no access reaches the card ... */
	GAUDI_HOST_LINK_UP,	/* ... until now */
	GAUDI_HOST_SURPRISE_REMOVE,
	GAUDI_HOST_AER_COR,	/* arg: bit of the AER status register */
	GAUDI_HOST_AER_NONFATAL,
	GAUDI_HOST_AER_FATAL,
	GAUDI_HOST_FAULTS,
};

/*
 * What a card needs from its host. The functions are called from the threads
 * of the pool and from whatever thread calls into the library.
 *
 * dma_* may be called with the card's lock held: they must not block on a lock
 * under which the host calls into the library (QEMU: the big lock), and must
 * not call into the library for the same card before they return. A write that
 * hits something else than RAM is to be posted (done later, in order), a read
 * from it refused.
 *
 * msi, hbm_window, timer and host_fault are called without the card's lock. A
 * reset waits for them: they must not wait for such a lock of the host either.
 */
struct gaudi_host_ops {
	/* Copy len bytes at PCI bus address addr. 0, or -EFAULT. */
	int (*dma_read)(void *opaque, uint64_t addr, void *buf, size_t len);
	int (*dma_write)(void *opaque, uint64_t addr, const void *buf,
			 size_t len);
	/*
	 * Direct access to host memory at addr. On entry *len is what is wanted,
	 * on return what is contiguous (at least 1). NULL: not RAM; the caller
	 * then copies. Every span is returned by dma_unmap with the number of
	 * bytes that were really written, soon, and by the same thread.
	 */
	void *(*dma_map)(void *opaque, uint64_t addr, size_t *len, bool write);
	void (*dma_unmap)(void *opaque, void *ptr, size_t len, bool write,
			  size_t accessed);
	/* Raise an MSI vector. */
	void (*msi)(void *opaque, unsigned int vector);
	/* The HBM window (BAR 4) now shows the device address target. */
	void (*hbm_window)(void *opaque, uint64_t target);
	/* Time in nanoseconds, monotonic; the guest's clock where there is one. */
	uint64_t (*now_ns)(void *opaque);
	/*
	 * Optional, for a card with a model of time: when, by that model, the thread
	 * that calls into the library does so, in nanoseconds. A host that does not
	 * say has just been told of all interrupts, and of messages into its memory.
	 */
	uint64_t (*model_ns)(void *opaque);
	/*
	 * Optional, for the same: a privileged message to the host's memory, by which a
	 * queue (QMAN * 8 + stream) says that a job has ended, and when by the model.
	 * Called before the value is there; calls nothing of the library.
	 */
	void (*queue_tells)(void *opaque, unsigned int queue, uint32_t value,
			    uint64_t ns);
	/* Call gaudi_chip_timer() at this time; UINT64_MAX: never. */
	void (*timer)(void *opaque, uint64_t deadline_ns);
	/* Without a pool only: call gaudi_chip_run() soon. Any thread. */
	void (*kick)(void *opaque);
	/* One line, no newline. May be called with the card's lock held. */
	void (*log)(void *opaque, enum gaudi_log_level level, const char *line);
	/*
	 * Optional, both. traced: the kinds, as bits 1 << enum gaudi_trace_kind,
	 * that are listened to; asked whenever a thread takes the card's
	 * lock, so it may change at any time. trace gets these and no others.
	 * Called with the card's lock held; must be quick.
	 */
	uint32_t (*traced)(void *opaque);
	void (*trace)(void *opaque, const struct gaudi_trace *event);
	/*
	 * Optional: a frame of a port that gaudi_chip_connect_network() has given
	 * to the host's network. Called without the card's lock, one port's frames in
	 * order; buf is the card's.
	 */
	void (*frame)(void *opaque, unsigned int port, const void *buf,
		      size_t len);
	/*
	 * Optional: the card is about to be reset, but not by its slot. No engine runs,
	 * and the record still says why; at_rest: no queue has work. Called without the
	 * card's lock; the card is not freed meanwhile.
	 */
	void (*resetting)(void *opaque, bool at_rest);
	/* Optional: without it these faults are counted and nothing happens. */
	void (*host_fault)(void *opaque, enum gaudi_host_fault what,
			   uint32_t arg);
};

/* How the matrix engines compute; Documentation/blocks/mme.rst. */
enum gaudi_mme_mode {
	GAUDI_MME_EXACT,	/* vector kernels, the bits of the specification */
	GAUDI_MME_SPEC,		/* element by element: slow, to compare with */
	GAUDI_MME_FAST,		/* faster than exact, rounded differently */
};

/* All zero means the defaults. Strings and the profile are copied. */
struct gaudi_config {
	uint64_t hbm_size;	/* bytes, multiple of 1 GiB; default 32 GiB */
	uint32_t module_id;	/* 0..7, place in the box */
	const char *serial;	/* default: from the board description */
	uint32_t boot_dev_sts0;	/* capability bits; default: firmware's own */
	uint32_t boot_delay_ms;	/* time of a firmware boot stage; default 0 */
	bool flash_boot;	/* firmware needs no image from the driver */
	bool comms;		/* firmware has the dynamic loader */
	const void *profile;	/* of the box; see gaudi_fw_profile_check() */
	size_t profile_size;
	unsigned int slot;	/* which card of the profile */
	enum gaudi_mme_mode mme;
	uint64_t sched_seed;	/* != 0: pick ready engines pseudo-randomly */
	uint64_t tpc_max_words;	/* of a kernel; default 2^32 */
	bool tpc_check;		/* look for hazards in TPC kernels */
	/*
	 * What HBM and SRAM are to the host's kernel: arguments of madvise(), up
	 * to a 0. The host cannot tell it itself, as they are mapped anew when
	 * they are reset or filled.
	 */
	int memory_advice[4];
	/* Of the ring that is always recorded; rounded up to a power of two. */
	uint32_t record_events;		/* default 65,536, of 32 bytes; 1: none */
	/*
	 * The card's counter and its record are of a model of time: how long its engines
	 * and links take by what was published of them. Documentation/timing.rst. Not
	 * with a journal (-EOPNOTSUPP).
	 */
	bool timing;
	/* What is to note all that the host does; only without a pool. */
	struct gaudi_journal *journal;
};

/*
 * A pool of worker threads that runs the engines of all cards given to it.
 * threads: 0 means the number of host cores, at most that many are started.
 * thread_init/thread_exit run in each worker (QEMU: RCU registration); both
 * may be NULL. Returns NULL with *err = -errno on failure.
 */
struct gaudi_pool *gaudi_pool_new(unsigned int threads,
				  void (*thread_init)(void),
				  void (*thread_exit)(void), int *err);
/* All cards of the pool must be freed first. */
void gaudi_pool_free(struct gaudi_pool *pool);

/*
 * Make a card in its power-on state. ops is not copied and must outlive the
 * card. pool NULL: deterministic mode, engines run only in gaudi_chip_run().
 * Returns NULL with *err = -errno on failure.
 */
struct gaudi_chip *gaudi_chip_new(const struct gaudi_config *config,
				  const struct gaudi_host_ops *ops,
				  void *opaque, struct gaudi_pool *pool,
				  int *err);
/* Stops the engines, waits until none runs, frees everything. */
void gaudi_chip_free(struct gaudi_chip *chip);

/* Power-on reset, as at the slot's PERST#: PCI state and HBM window too. */
void gaudi_chip_power_on(struct gaudi_chip *chip);

/*
 * Hard reset, as by PSOC's SW_ALL_RST or a function level reset: PCI state, the
 * iATU and the HBM window stay. For the host; unlike a reset by the register it
 * is complete, no engine is at work, and no interrupt from before will still be
 * raised, when this returns. That takes as long
 * as the engines' current batches (about a millisecond each) and giving back
 * the memory that was in use.
 */
void gaudi_chip_hard_reset(struct gaudi_chip *chip);

/*
 * Wait until no engine is in the middle of an access. For a host that has just
 * made its memory unreachable: nothing that began before still goes on after.
 */
void gaudi_chip_drain(struct gaudi_chip *chip);

/*
 * The host stands still: from the return of pause until resume no engine works
 * and no timer fires. Registers can be accessed and resets are done meanwhile.
 * Not counted: a second pause changes nothing.
 */
void gaudi_chip_pause(struct gaudi_chip *chip);
void gaudi_chip_resume(struct gaudi_chip *chip);

/*
 * Guest access to BAR 0, 2 or 4 at byte offset off; size 1, 2, 4 or 8. Parts
 * that are RAM (SRAM, HBM) may be mapped by the host instead, see
 * gaudi_chip_sram() and gaudi_chip_hbm(); they are served here as well.
 */
uint64_t gaudi_chip_bar_read(struct gaudi_chip *chip, unsigned int bar,
			     uint64_t off, unsigned int size);
void gaudi_chip_bar_write(struct gaudi_chip *chip, unsigned int bar,
			  uint64_t off, uint64_t value, unsigned int size);

/*
 * A write of any length to a part of a BAR that is RAM: for a host that maps it, and
 * has a journal. 0; -EINVAL: it is no such part.
 */
int gaudi_chip_bar_copy(struct gaudi_chip *chip, unsigned int bar, uint64_t off,
			const void *data, size_t len);

/* The four ELBI dwords of PCI configuration space, 0xff0..0xfff. */
uint32_t gaudi_chip_elbi_read(struct gaudi_chip *chip, unsigned int off);
void gaudi_chip_elbi_write(struct gaudi_chip *chip, unsigned int off,
			   uint32_t value);

/*
 * SRAM and HBM as shared memory of this process. With fd, *fd is the memfd (not a
 * dup), or -errno; it shows at any time what the memory holds, and has holes
 * where nothing was written. The card's own reads leave holes; a load through the
 * pointer takes a page there, as the kernel has it for all shared memory, and
 * pread() does not. From then on a memset writes all that it fills, while a
 * card whose file nobody has asked for shares pages of the host. So ask for it
 * while the card stands still. A reset empties the file if little was used, or
 * puts another one behind *fd, which must then be mapped, duplicated or sent
 * again. The file's offset is the card's own: read with pread(), or open it
 * anew below /proc/self/fd.
 */
void *gaudi_chip_sram(struct gaudi_chip *chip, uint64_t *size, int *fd);
void *gaudi_chip_hbm(struct gaudi_chip *chip, uint64_t *size, int *fd);

/*
 * Of a card with a model of time: when, by that, the host was last told of something, by
 * an interrupt or a message into its memory. Nanoseconds.
 */
uint64_t gaudi_chip_told_ns(struct gaudi_chip *chip);

/* The deadline given to ops->timer has come. */
void gaudi_chip_timer(struct gaudi_chip *chip);

/*
 * Run ready engines until all block, or for some milliseconds: ops->kick is
 * called again if there is more to do. Deterministic mode only.
 */
void gaudi_chip_run(struct gaudi_chip *chip);
/*
 * The same, at most so many turns. A turn is up to 64 packets, 256 posted
 * writes or 16 KiB copied; only an actor's last turns may be some more.
 */
void gaudi_chip_run_some(struct gaudi_chip *chip, unsigned int runs);

/*
 * Wait until every engine blocks. For tests; with a pool. Returns false after
 * timeout_ms.
 */
bool gaudi_chip_wait_idle(struct gaudi_chip *chip, unsigned int timeout_ms);

/*
 * Wires of the ten NIC ports. A port is on while it has tables of queue pairs, and a
 * link is up while both of its ends are on and it is plugged in.
 *
 * Join ports of two cards of this process. 0; -EINVAL: there is no such port, it is one
 * card, or only one has a journal, or a model of time; -EBUSY: a port has a wire; -ENOMEM.
 * A wire lasts as long as its cards; when one of them is freed the other's link goes down,
 * and its port can have another.
 */
int gaudi_chip_connect(struct gaudi_chip *a, unsigned int port_a,
		       struct gaudi_chip *b, unsigned int port_b);
/*
 * Give a port to the host's network: what it sends goes to ops->frame as RoCE v2 over
 * IPv4, with this source address, which the firmware gives the driver as the port's. mtu: bytes of data in a packet, 256 to 4096, a
 * power of two. Errors as above; -EINVAL also without ops->frame.
 */
int gaudi_chip_connect_network(struct gaudi_chip *chip, unsigned int port,
			       const uint8_t mac[6], unsigned int mtu);
/*
 * A frame has come for such a port. 0; -EPROTO: it is not RoCE v2, or for another
 * address; -EBADMSG,
 * -EOPNOTSUPP: it is damaged, or not for a port, and dropped; -ENETDOWN: the card
 * stands still; -ENOTCONN, -EINVAL: not such a port.
 */
int gaudi_chip_frame(struct gaudi_chip *chip, unsigned int port,
		     const void *buf, size_t len);
/* Cables within a box, as data: see gaudi_cabling.h. */

/*
 * Wires to cards of other processes of this host. Processes that join a fabric of one
 * name are its boxes; cables say which port of which card of which box is joined to
 * which. A link is up while both ends are on; when the other process ends its link
 * goes down, and up again with the next one that is the same box. Who is there may
 * do no more than a card on a network could.
 */
#define GAUDI_MAX_BOXES		16
#define GAUDI_ANY_BOX		(-1)
#define GAUDI_ANY_MODULE	255
#define GAUDI_FABRIC_NAME_LEN	64
#define GAUDI_MAX_FABRIC_CABLES	320

struct gaudi_fabric;

struct gaudi_fabric_cable {
	uint8_t box[2];
	uint8_t module[2];	/* GAUDI_ANY_MODULE: both, each of its own number */
	uint8_t port[2];
};

/*
 * text: "mesh", four boxes all to all by one external port each (boxes a and b by
 * number a ^ b of the ports 1, 8, 9); "pairs", two boxes by all three; or cables, one
 * a line, "BOX:MODULE:PORT BOX:MODULE:PORT" with '*' for all modules. Returns how
 * many there are, or -EINVAL and why in err. cables has room for
 * GAUDI_MAX_FABRIC_CABLES.
 */
int gaudi_fabric_cables(const char *text, struct gaudi_fabric_cable *cables,
			char *err, size_t err_len);

struct gaudi_fabric_config {
	const char *name;	/* letters, digits, '.', '_' and '-' */
	int box;		/* or GAUDI_ANY_BOX: the first that is free */
	/* -1, or a socket that is bound to the box's address, which is taken over. */
	int listener;
	const struct gaudi_fabric_cable *cables;	/* copied */
	unsigned int num_cables;
	/* As of gaudi_pool_new(), for the thread of the fabric. */
	void (*thread_init)(void);
	void (*thread_exit)(void);
};

/*
 * Become a box. It starts a thread, which runs what cards have to do like the threads
 * of a pool. NULL with *err: -EINVAL: no such name or number; -EADDRINUSE: the box is
 * another process, or all are; -errno.
 */
struct gaudi_fabric *gaudi_fabric_new(const struct gaudi_fabric_config *config,
				      int *err);
unsigned int gaudi_fabric_box(const struct gaudi_fabric *fabric);
/*
 * Plug the cables of a card in: how many, or -ENOMEM. Ports that have a wire keep that;
 * of two cards of one number the first one has them. They are pulled like all
 * others, by gaudi_chip_disconnect() and gaudi_chip_free(), and by
 * gaudi_fabric_free(), which may come before or after that.
 */
int gaudi_fabric_plug(struct gaudi_fabric *fabric, struct gaudi_chip *chip);
void gaudi_fabric_free(struct gaudi_fabric *fabric);
/*
 * The address of a box, a SOCK_SEQPACKET Unix socket's, in the abstract name space: a
 * string behind a 0. 0, -EINVAL, -ENAMETOOLONG.
 */
int gaudi_fabric_address(const char *name, unsigned int box, char *address,
			 size_t len);

/* Pull a port's wire, or plug it in again. 0, -EINVAL, -ENOTCONN. */
int gaudi_chip_plug(struct gaudi_chip *chip, unsigned int port, bool in);
bool gaudi_chip_link_up(struct gaudi_chip *chip, unsigned int port);
/* Pull all wires of a card for good; gaudi_chip_free() does, too. No lock is held. */
void gaudi_chip_disconnect(struct gaudi_chip *chip);

/*
 * Post an event with up to seven payload words as firmware would.
 * 0, -EAGAIN: the driver has not enabled events, -ENOSPC: its queue is full,
 * -EINVAL: there is no such event.
 */
int gaudi_chip_post_event(struct gaudi_chip *chip, unsigned int event_id,
			  const uint64_t *payload, unsigned int words);

/*
 * Write the fidelity report as JSON: what was used, how often, and whether it
 * is modelled exactly, approximately or not at all. Registers of one name come
 * in one row, with '#' for the numbers of instance and index. 0, or -errno.
 */
int gaudi_chip_report(struct gaudi_chip *chip, FILE *out);

/*
 * Write the record: what last passed through the card, as Documentation/record.rst
 * describes it. Those of several cards may follow each other in one file. The card
 * goes on; only the copy of its ring is made with its lock held. 0, or -errno.
 */
int gaudi_chip_record(struct gaudi_chip *chip, FILE *out);
/* How many events there were so far: as long as it is the same, so is the record. */
uint64_t gaudi_chip_recorded(struct gaudi_chip *chip);
/*
 * A journal: in a file, all that the host asks of its cards, in order, and all that they
 * ask of the host meanwhile, with what comes back: what gaudi-replay does again
 * without the host. Its cards are deterministic, their calls come one at a time, and
 * what is to happen without a card's lock (interrupts, windows, deadlines) does when
 * the call has ended. What a host writes through gaudi_chip_hbm() and
 * gaudi_chip_sram() is not in it: see gaudi_chip_bar_copy(). Ports of such cards can
 * be connected with each other only.
 *
 * NULL with *err = -errno: the file cannot be made; -EBUSY: another journal, of this or
 * another process, is being written there. At most GAUDI_JOURNAL_CARDS cards.
 */
#define GAUDI_JOURNAL_CARDS	16

struct gaudi_journal *gaudi_journal_new(const char *path, int *err);
/*
 * The file is complete, and ends with digests of the cards' memories; cards that are
 * still there go on without it. 0, or the -errno of the first thing that could not be
 * written. The journal itself lasts as long as its cards may.
 */
int gaudi_journal_end(struct gaudi_journal *journal);
/* Ends it, if nobody has; all its cards have been freed. */
void gaudi_journal_free(struct gaudi_journal *journal);

/* No queue has work or an error: nothing is stuck. */
bool gaudi_chip_at_rest(struct gaudi_chip *chip);

/*
 * Snapshots; Documentation/snapshots.rst. The stream is the host's: 0, or -errno, for all
 * len bytes. It is called with the card's lock held, and must not call the library for the
 * same card.
 */
struct gaudi_stream {
	int (*write)(void *opaque, const void *buf, size_t len);
	int (*read)(void *opaque, void *buf, size_t len);
	void *opaque;
};

/*
 * Could the card be saved as it is? 0; -EBUSY: not now, and err says in one line what is
 * under way. The answer holds for as long as the card is paused and nobody writes to it.
 */
int gaudi_chip_can_save(struct gaudi_chip *chip, char *err, size_t len);
/*
 * Write the card's state. Engines stand still meanwhile, between two turns, and go on
 * afterwards, whether it could be saved or not. 0; -EBUSY as above, and nothing is
 * written; -ENOMEM, or what the stream has returned; -EOPNOTSUPP: it has a journal.
 */
int gaudi_chip_save(struct gaudi_chip *chip, const struct gaudi_stream *stream,
		    char *err, size_t len);
/*
 * The card becomes the one that was saved, and goes on where that stood; a card that is
 * paused does when it is resumed. It must be configured, and have wires, as that
 * one; its record, report and faults on demand are its own. 0; -EINVAL: it is not so, or
 * the stream is damaged, of another version, or none; -ENOMEM, or what the stream has
 * returned. err says what it is. The card is then as after power-on. -EOPNOTSUPP: it has a
 * journal, and is as before.
 */
int gaudi_chip_load(struct gaudi_chip *chip, const struct gaudi_stream *stream,
		    char *err, size_t len);

/*
 * A debugger of the TPCs of these cards, up to 16, by GDB's remote protocol at where: PORT
 * (of this host alone; 0: any), HOST:PORT, or the path of a Unix socket, with a '/'. The
 * first kernel waits for a client. NULL, and why not. Documentation/tpc-gdb.rst.
 *
 * run() serves clients in a thread of the caller's, who has signals blocked there if
 * that thread is to have none; end(), from another one, makes it return, and all kernels
 * go on. Then the cards are freed, and then the debugger.
 */
struct gaudi_tpc_gdb;
struct gaudi_tpc_gdb *gaudi_tpc_gdb_new(struct gaudi_chip *const *chips,
					unsigned int count, const char *where,
					char *why, size_t size);
/* The same, with the port that it is. */
const char *gaudi_tpc_gdb_where(const struct gaudi_tpc_gdb *gdb);
void gaudi_tpc_gdb_run(struct gaudi_tpc_gdb *gdb);
void gaudi_tpc_gdb_end(struct gaudi_tpc_gdb *gdb);
void gaudi_tpc_gdb_free(struct gaudi_tpc_gdb *gdb);

/*
 * Faults on demand; Documentation/faults.rst. Arms what the text says. 0;
 * -EINVAL: nothing is armed and err says, in one line, what is wrong with the
 * text; -ENOSPC: too many are armed (err says so too); -ENOMEM. A fault that
 * happens by itself, without a time, has happened on return.
 */
int gaudi_chip_inject(struct gaudi_chip *chip, const char *spec, char *err,
		      size_t len);
/* Ends all faults, also those of the firmware and a link that is down. */
void gaudi_chip_faults_clear(struct gaudi_chip *chip);
/* What is armed or was, oldest first, as a JSON array. 0, or -errno. */
int gaudi_chip_faults_print(struct gaudi_chip *chip, FILE *out);
/* The catalogue as JSON: names, what they do, keys. 0, or -errno. */
int gaudi_chip_faults_catalogue(FILE *out);

#endif /* GAUDI_CHIP_H */
