/* SPDX-License-Identifier: MIT */
/*
 * Launching recipes. A launcher is a recipe made ready for one device: what the
 * tensors are bound to can change with each launch, and nothing is compiled.
 *
 * The conventions of gaudi.h hold.
 */
#ifndef GAUDI_LAUNCH_H
#define GAUDI_LAUNCH_H

#include "gaudi_recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gaudi_launcher;
struct gaudi_link;

/*
 * Launchers (launch.c)
 *
 * What a launch needs besides the bound tensors (workspace from the pool, sync
 * objects, a copy of the packets) is kept and used again when that launch has
 * ended; several launches under way have it several times. Device memory of a
 * launcher counts as memory in use, and does until it is destroyed.
 */

/*
 * The launcher has a use of the recipe. Blocks: until constants are on the
 * device. -ENOMEM: memory, or sync objects; GAUDI_ERR_RECIPE_VERSION: the recipe
 * is for other revisions of the card; GAUDI_ERR_UNSUPPORTED: this recipe needs
 * more sync objects, or command buffers, than the driver gives to a process.
 */
gaudi_public int gaudi_launcher_create(struct gaudi_device *device,
				       struct gaudi_recipe *recipe,
				       struct gaudi_launcher **launcher);
/* Blocks until its launches have ended. NULL is allowed. */
gaudi_public int gaudi_launcher_destroy(struct gaudi_launcher *launcher);

/*
 * What an input or output is to be. To be initialised with { 0 }, or by naming
 * members: later versions may give a meaning to @reserved.
 */
struct gaudi_binding {
	const char *name;		/* of the tensor; NULL: see @tensor */
	uint32_t tensor;		/* its number, if @name is NULL */
	uint32_t reserved;		/* 0 */
	gaudi_ptr address;		/* of a tensor on the device, else 0 */
	void *memory;			/* of one on the host: pinned; else NULL */
	uint64_t bytes;			/* there are from there on; 0: not told */
};

/*
 * For all launches from now on. All or none. GAUDI_ERR_BINDING: a constant or
 * workspace tensor, a place of the wrong kind, host memory that is not pinned,
 * @bytes below the tensor's, an address that is no multiple of its element's
 * size. GAUDI_ERR_ADDRESS: it goes beyond a block of the pool, and the SRAM.
 * -ENOENT: no tensor of this name. -EINVAL: no such number.
 */
gaudi_public int gaudi_launcher_bind(struct gaudi_launcher *launcher,
				     const struct gaudi_binding *bindings,
				     uint32_t count);
/*
 * @event is recorded by each launch from now on: it stands for the moment in the
 * launch at which the recipe's nodes have signalled @name for the last time. NULL:
 * no longer. -ENOENT: no event of this name; -EINVAL: @event is of another
 * device. It must not be destroyed while it is bound.
 */
gaudi_public int gaudi_launcher_bind_event(struct gaudi_launcher *launcher,
					   const char *name,
					   struct gaudi_event *event);
/*
 * For all launches from now on, what the recipe calls @name is @link, and its writes go to
 * what begins at @to, an address of the peer's device; 0 if there are none. NULL: no link any
 * more. -ENOENT: no link of this name; -EINVAL: @link is of another device. It must not be
 * destroyed while it is bound.
 */
gaudi_public int gaudi_launcher_bind_link(struct gaudi_launcher *launcher,
					  const char *name,
					  struct gaudi_link *link, uint64_t to);
/*
 * Run the recipe once, as one piece of work of @stream. @bindings, @count of
 * them, are for this launch only and instead of those of gaudi_launcher_bind();
 * NULL with 0: none. Threads may launch at the same time, on one stream or on
 * several; launches on different streams are not ordered, so it is for the
 * caller that they do not write the same memory.
 *
 * Memory must stay as it is until the launch has ended. Freeing it before is
 * safe: see gaudi_free() and gaudi_host_free(). Waits for an earlier launch if
 * the launcher has many under way, or memory is short. On a captured stream it is a
 * node of the graph: see gaudi_graph.h.
 *
 * One with work of links is up to three pieces: waits, nodes, writes; all are checked
 * before the first. Captured, each of them is a node. Errors are those of
 * gaudi_link_post_async(), too.
 *
 * GAUDI_ERR_BINDING: as for gaudi_launcher_bind(); an input or output, or a link, is not
 * bound; one that is written overlaps another one. GAUDI_ERR_ADDRESS: memory
 * bound before was freed, whoever has its place by now. If it runs but a bound event could not be recorded, it
 * says why, and the event keeps what it had.
 */
gaudi_public int gaudi_launch(struct gaudi_launcher *launcher,
			      const struct gaudi_binding *bindings,
			      uint32_t count, struct gaudi_stream *stream);

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_LAUNCH_H */
