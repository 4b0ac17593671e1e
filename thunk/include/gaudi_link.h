/* SPDX-License-Identifier: MIT */
/*
 * Links: queue pairs on the card's network ports, by which streams write to the memory
 * of another card, in this process, on this host or elsewhere, and wait for what the
 * other side has written.
 *
 * They need gaudi.ko with ports that are on, and a card that is not shared: all
 * functions below return GAUDI_ERR_UNSUPPORTED otherwise. The conventions of gaudi.h
 * hold.
 */
#ifndef GAUDI_LINK_H
#define GAUDI_LINK_H

#include "gaudi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gaudi_link;

/*
 * Ports (ports.c)
 *
 * Ports have numbers, 0 to 9. Internal ones lead to other cards of the box, external
 * ones to a network.
 */

/* Bits of the ports that are on; *@mask is 0 where there are none. */
gaudi_public int gaudi_device_get_ports(struct gaudi_device *device,
					uint32_t *mask);

#define GAUDI_PORT_ENABLED	(1u << 0)  /* the driver has it on */
#define GAUDI_PORT_UP		(1u << 1)  /* and so is the other end */
#define GAUDI_PORT_EXTERNAL	(1u << 2)  /* leads out of the box */
#define GAUDI_PORT_PEER		(1u << 3)  /* what is at the other end is known */

struct gaudi_port_info {
	size_t size;
	uint32_t port;
	uint32_t flags;			/* GAUDI_PORT_* */
	uint8_t mac[6];
	uint16_t reserved;
	/* Of its links, if they do not say otherwise; 10.0.0.1 is 0x0a000001. */
	uint32_t ip;
	uint32_t speed_mbps;
	/*
	 * What it is cabled to inside the box, by the cabling that libgaudi assumes:
	 * an HLS-1's, or what the file says that GAUDI_CABLING names; see libgaudi.7.
	 */
	uint32_t peer_module;
	uint32_t peer_port;
	uint32_t links;			/* of this device */
	uint32_t max_links;		/* 0: not opened yet */
	uint32_t link_changes;		/* how often it went up or down */
	uint32_t errors;		/* of queue pairs */
	/* Of the card, since its last reset. */
	uint64_t tx_packets;
	uint64_t tx_bytes;		/* of data */
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t retries;		/* packets were sent again */
	uint64_t out_of_order;		/* packets before which one was missing */
	uint64_t duplicates;
	uint64_t dropped;
	uint32_t timeout_retries;	/* as it was opened with; 0: not opened yet */
};

/*
 * @info->size is set by the caller. Also of a port that is off, of which all counters
 * are 0. -EINVAL: there is no such port.
 */
gaudi_public int gaudi_port_get_info(struct gaudi_device *device,
				     uint32_t port,
				     struct gaudi_port_info *info);

/*
 * The same of any card and port, without a card: what the assumed cabling joins it to.
 * -ENOENT: nothing, -EINVAL: GAUDI_CABLING cannot be understood.
 */
gaudi_public int gaudi_cabling_get_peer(uint32_t module_id, uint32_t port,
					uint32_t *peer_module,
					uint32_t *peer_port);

/* A field that is 0 stands for what the library, or the driver, takes. */
struct gaudi_port_params {
	size_t size;
	uint32_t max_links;		/* 1 to 1023; 63 */
	/* Entries of each link's queue, a power of two, 64 to 65536; 4096 */
	uint32_t entries;
	uint32_t timeout_retries;	/* tries before a link fails, up to 255 */
	uint32_t nack_retries;
};

/*
 * Have queues for @max_links links on @port: device memory, 40 bytes for each entry,
 * which is in use until the device is closed. The first link opens a port that is not
 * open, so this is for other numbers than the usual ones. @params may be NULL. -EEXIST:
 * it is open. -ENXIO: it is off. -ENOMEM: memory of the card's, which is not waited for.
 */
gaudi_public int gaudi_port_open(struct gaudi_device *device, uint32_t port,
				 const struct gaudi_port_params *params);

/*
 * Links (link.c)
 *
 * Both sides create a link, tell each other its address by whatever they have (memory,
 * a file, MPI, a socket), and connect. A side must be connected before the other one
 * gives its link any work, or that fails.
 */
struct gaudi_link_params {
	size_t size;
	uint32_t port;
	uint32_t ip;			/* 0: made of the port's MAC */
	uint32_t priority;		/* 0 to 3 */
	/* An answer is awaited for 4.096 us * 2^this, 1 to 31; 0: the driver's */
	uint32_t timeout_log2;
	/* Of the port's three, 1 to 3; 0: any. See gaudi_link_create(3) */
	uint32_t queue;
};

#define GAUDI_LINK_ADDRESS_VERSION	1

/*
 * All that the other side has to know: 64 bytes without a pointer, to be sent as they
 * are (numbers are little-endian). Of a peer that is no Gaudi only the fields up to
 * @mac count; it gets no notifications if @notify_wrap is 0.
 */
struct gaudi_link_address {
	uint32_t version;		/* GAUDI_LINK_ADDRESS_VERSION */
	uint32_t port;			/* to tell people */
	uint32_t conn_id;		/* number of the queue pair, 24 bits */
	uint32_t key;			/* that packets to it have */
	uint32_t psn;			/* of the first packet that it sends, 24 bits */
	uint32_t ip;			/* as gaudi_port_info's */
	uint8_t mac[6];
	uint8_t reserved[2];		/* 0 */
	/* Notifications: two sync objects in turn, this often each. */
	uint32_t notify[2];
	uint32_t notify_wrap;
	uint32_t module_id;		/* of the card, to tell people */
	uint8_t reserved2[16];		/* 0 */
};

/*
 * A queue pair of its own on @params->port. -ENOSPC: the port has @max_links already.
 * -ENXIO: it is off. -ENOMEM: memory, of the host or the device, or sync objects.
 */
gaudi_public int gaudi_link_create(struct gaudi_device *device,
				   const struct gaudi_link_params *params,
				   struct gaudi_link **link);
gaudi_public int gaudi_link_get_address(struct gaudi_link *link,
					struct gaudi_link_address *address);
/*
 * From now on the peer may write to all memory that this device has, and this side to
 * the peer's. Nothing is sent. -EISCONN: it is connected; -EINVAL: this is no address.
 */
gaudi_public int gaudi_link_connect(struct gaudi_link *link,
				    const struct gaudi_link_address *peer);

enum gaudi_link_state {
	GAUDI_LINK_NEW			= 0,
	GAUDI_LINK_CONNECTED		= 1,
	GAUDI_LINK_FAILED		= 2,	/* or aborted */
};

struct gaudi_link_info {
	size_t size;
	uint32_t port;
	uint32_t conn_id;
	uint32_t state;			/* enum gaudi_link_state */
	/*
	 * What the card said when it failed: 0x09 a wrong key, 0x40 no answer, 0x41
	 * refused by the peer, 0x44 an entry that cannot be done; 0: it was aborted, or
	 * has not failed.
	 */
	uint32_t syndrome;
	uint64_t writes;		/* given to the card so far */
	uint64_t bytes;
	uint64_t notified;		/* notifications for the peer */
	uint64_t waited;		/* and of the peer, waits for */
	uint32_t under_way;		/* pieces of work */
	uint32_t reserved;
};

/*
 * @info->size is set by the caller. Asks the driver for errors; what has ended is looked
 * for only if @under_way is within the size, as that takes longer the more there is.
 */
gaudi_public int gaudi_link_get_info(struct gaudi_link *link,
				     struct gaudi_link_info *info);
/*
 * The link has failed, whatever it is doing. For any thread, and for a peer that will
 * never send what is waited for. Its connection is closed, so writes under way end as well,
 * whether the peer answers or not; the peer's link fails when it writes to this one.
 */
gaudi_public int gaudi_link_abort(struct gaudi_link *link);
/*
 * The same, with the reason for whoever is told that the link has failed, as by
 * gaudi_last_error(): up to 255 characters of @why. Of a link that has failed the first
 * reason stays.
 */
gaudi_public int gaudi_link_abort_because(struct gaudi_link *link, const char *why);
/*
 * Blocks until its work has ended, or failed; NULL is allowed. If it has failed, also until
 * the port's queue, which links share, has passed what it was given. Afterwards the peer
 * cannot write to this side any more. -EBUSY: a capture, or a graph, has work of it.
 */
gaudi_public int gaudi_link_destroy(struct gaudi_link *link);

/*
 * Work (post.c)
 *
 * Writes and waits are work of a stream: they begin after what was given to the stream
 * before, and what comes later begins after them. A write has ended when its data are in
 * the peer's memory and the peer has said so. All writes of a link are done one after
 * the other, whichever stream they are given to; links of one card that share a port
 * share its wire, and may share a queue of the port, of which there are three.
 *
 * A notification comes after all that the link's writes have written before it. Waits
 * take them in order. The peer may be GAUDI_LINK_MAX_AHEAD of them ahead of what this
 * side has waited for; of more, some are lost.
 *
 * If a link fails, or is aborted, its work under way ends at once, and later work is
 * refused: with GAUDI_ERR_LINK, which the streams with such work return from then on,
 * too. What came behind that work was done with data that never came. So streams that wait for
 * it by an event (gaudi_stream_wait_event()) have failed as well, and so have records behind it
 * (gaudi_event_synchronize()); and what was to be written behind it, by whichever link, is not,
 * and that link fails: no peer takes such data for good.
 *
 * It can be captured (gaudi_graph.h). A recipe may have waits before, and writes after, the
 * nodes of each of its parts (gaudi_recipe.h).
 */
#define GAUDI_LINK_MAX_AHEAD	8192u

enum gaudi_link_op_kind {
	GAUDI_LINK_WRITE		= 1,
	GAUDI_LINK_WAIT			= 2,
	GAUDI_LINK_WRITE_STRIDED	= 3,
};

/* Behind the data the peer is notified. */
#define GAUDI_LINK_NOTIFY	(1u << 0)
/*
 * WRITE_STRIDED: one of these says which side's rows are @stride apart. Those of the other
 * side lie one behind the other.
 */
#define GAUDI_LINK_STRIDE_FROM	(1u << 1)
#define GAUDI_LINK_STRIDE_TO	(1u << 2)

/* To be initialised with { 0 }, or by naming members: what a kind does not have is 0. */
struct gaudi_link_op {
	struct gaudi_link *link;
	uint32_t kind;			/* enum gaudi_link_op_kind */
	uint32_t flags;			/* of writes: GAUDI_LINK_* */
	/*
	 * WRITE: any size and alignment; 0 bytes may be to notify alone.
	 * WRITE_STRIDED: @bytes of each row.
	 */
	gaudi_ptr from;			/* in blocks of the pool, or in SRAM */
	uint64_t to;			/* an address of the peer's device */
	uint64_t bytes;
	/* WAIT: for so many notifications more; WRITE_STRIDED: rows */
	uint32_t count;
	/* WRITE_STRIDED: from the first byte of a row to that of the next, >= @bytes */
	uint32_t stride;
};

/*
 * All of @ops, @count of them, as one piece of work of @stream: all links work at the
 * same time, each at its writes in their order, and the stream goes on when all of them
 * and all waits have ended. What one of @ops waits for is not awaited by the others.
 * With more data than a link's queue has entries for, in several pieces. Waits for a
 * place in a full queue.
 *
 * -EINVAL: a link is of another device; a kind or flag is unknown; an address or count
 * makes no sense; the peer has no notifications. -ENOTCONN: a link is not connected.
 * GAUDI_ERR_ADDRESS: as for copies. GAUDI_ERR_LINK. If it fails half way, some may have
 * been done.
 */
gaudi_public int gaudi_link_post_async(struct gaudi_stream *stream,
				       const struct gaudi_link_op *ops,
				       uint32_t count);
/* One write. */
gaudi_public int gaudi_link_write_async(struct gaudi_stream *stream,
					struct gaudi_link *link, uint64_t to,
					gaudi_ptr from, uint64_t bytes,
					uint32_t flags);
/* One wait. */
gaudi_public int gaudi_link_wait_async(struct gaudi_stream *stream,
				       struct gaudi_link *link, uint32_t count);

/*
 * Copies between devices (peer.c)
 *
 * Over the wire between two cards that this process has open, by links of the library's
 * that the first copy makes. @stream is of the device that the data are on. Work of
 * @to_device that reads them waits for an event that is recorded behind the copy; its
 * memory must not be freed before.
 *
 * GAUDI_ERR_UNSUPPORTED: no wire between the two is known (see gaudi_port_info).
 * Captured, it is a write (GAUDI_NODE_LINK) by the link that there is then, which only
 * the library destroys: when it has failed, launches return GAUDI_ERR_LINK, and what is
 * captured anew has a new link. Whether memory of @to_device is there is seen only then.
 * GAUDI_ERR_ADDRESS: as for copies, of either device. GAUDI_ERR_LINK: the wire, or the
 * card at the other end, has failed; a later copy makes new links. -ENOSPC: a port has as many
 * links as the program opened it for. If @to_device is
 * @stream's, it is gaudi_copy_device_async(). Neither device may be closed meanwhile.
 */
gaudi_public int gaudi_copy_peer_async(struct gaudi_stream *stream,
				       struct gaudi_device *to_device,
				       gaudi_ptr to, gaudi_ptr from,
				       size_t size);
/*
 * On a stream of the library's; blocks until done. Not ordered with what is under way
 * on the program's streams.
 */
gaudi_public int gaudi_copy_peer(struct gaudi_device *to_device, gaudi_ptr to,
				 struct gaudi_device *from_device,
				 gaudi_ptr from, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_LINK_H */
