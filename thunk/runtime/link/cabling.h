/* SPDX-License-Identifier: MIT */
/* Which ports of the cards in a box are joined. */
#ifndef GAUDI_RUNTIME_CABLING_H
#define GAUDI_RUNTIME_CABLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/gaudi_cabling.h"

#define GD_PORTS	10u

struct gd_cables {
	uint32_t num;
	struct gaudi_cable at[GAUDI_MAX_CABLES];
};

/*
 * All to all by the internal ports: of an HLS-1 the public says that it is so, and which
 * ports are external. By which port is not public: this is what QEMU's cards have.
 */
void gd_cables_hls1(struct gd_cables *cables);
/*
 * A cable a line, MODULE:PORT MODULE:PORT, comments behind #. -EINVAL; @name is for the
 * message.
 */
int gd_cables_parse(struct gd_cables *cables, const char *text,
		    const char *name);
/* What GAUDI_CABLING says: "hls1" (or nothing), "none", or a file with a / in its name. */
int gd_cables_read(struct gd_cables *cables);
/* The other end of @port; false: there is no cable. */
bool gd_cables_other_end(const struct gd_cables *cables, uint32_t module,
			 uint32_t port, uint32_t *other_module,
			 uint32_t *other_port);

#endif /* GAUDI_RUNTIME_CABLING_H */
