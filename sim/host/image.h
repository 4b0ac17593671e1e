/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What a card reaches of the host's memory, by bus address: in a snapshot, and later as a
 * copy of it that the card has instead of this process's.
 */
#ifndef SIM_IMAGE_H
#define SIM_IMAGE_H

#include <stdio.h>

#include "../kernel/kernel.h"

struct gaudi_device;
struct sim_image;

/*
 * That of a card as it is now, behind what the file has. from: what the card has instead
 * of the process's, or NULL. Its engines stand still. 0, or -errno and why.
 */
int sim_image_save(struct gaudi_device *gdev, const struct sim_image *from,
		   FILE *out, char *why, size_t size);
/* The copy; NULL with *err = -errno, and why: it is damaged, or there is no memory. */
struct sim_image *sim_image_load(FILE *in, int *err, char *why, size_t size);
void sim_image_free(struct sim_image *image);
/* Where that address is, and how much follows it there, at most *size; NULL: nowhere. */
void *sim_image_at(const struct sim_image *image, u64 at, size_t *size);

#endif /* SIM_IMAGE_H */
