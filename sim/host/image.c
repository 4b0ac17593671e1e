// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The host's memory of a card; see image.h. In a file it is ranges of pages, one after the
 * other, each followed by pieces of it that are not zero.
 */
#include <zlib.h>

#include "../../driver/core/gaudi_ctx.h"
#include "../../driver/core/gaudi_device.h"
#include "../../driver/memory/gaudi_memory.h"
#include "image.h"

#define PIECE_BYTES	(64u << 10)

enum kind { RANGE, DATA, END };

struct piece {
	u64 at, size;
	u32 kind;			/* enum kind */
	u32 crc;			/* of the data behind it */
	u32 zero;
	u32 head_crc;			/* of what stands before it */
};

struct range {
	u64 at, size;
	char *copy;			/* NULL: the process's own */
};

struct sim_image {
	struct range *ranges;		/* by address, with something between two */
	size_t num, room;
	int err;			/* while it is made */
};

void sim_image_free(struct sim_image *image)
{
	size_t i;

	for (i = 0; image && i < image->num; i++)
		if (image->ranges[i].copy)
			munmap(image->ranges[i].copy, image->ranges[i].size);
	if (image)
		free(image->ranges);
	free(image);
}

void *sim_image_at(const struct sim_image *image, u64 at, size_t *size)
{
	size_t low = 0, high = image->num, middle;
	const struct range *r;

	while (low < high) {
		middle = (low + high) / 2;
		r = &image->ranges[middle];
		if (at < r->at) {
			high = middle;
		} else if (at - r->at >= r->size) {
			low = middle + 1;
		} else {
			*size = min(*size, (size_t)(r->size - (at - r->at)));
			return r->copy + (at - r->at);
		}
	}
	return NULL;
}

/* Whole pages: what is mapped to the card is. */
static void add_range(void *arg, u64 at, u64 size)
{
	u64 end = PAGE_ALIGN(at + size);
	struct sim_image *image = arg;
	struct range *more;

	at &= PAGE_MASK;
	if (image->err || end == at)
		return;
	if (image->num == image->room) {
		image->room = image->room ? 2 * image->room : 64;
		more = reallocarray(image->ranges, image->room, sizeof(*more));
		if (!more) {
			image->err = -ENOMEM;
			return;
		}
		image->ranges = more;
	}
	image->ranges[image->num++] = (struct range) { at, end - at, NULL };
}

/* --- what a card reaches of this process --------------------------------------- */

static void add_mapping(void *arg, u64 dev_addr,
			const struct gaudi_userptr *host)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(&host->pages.sgt, sg, i)
		add_range(arg, sg_dma_address(sg), sg_dma_len(sg));
}

static int by_address(const void *a, const void *b)
{
	u64 x = ((const struct range *)a)->at, y = ((const struct range *)b)->at;

	return x < y ? -1 : x > y;
}

/* In order, and joined where they meet: memory may have been mapped more than once. */
static void join_ranges(struct sim_image *image)
{
	struct range *last = image->ranges, *r;
	size_t num = image->num, i;

	if (!num)
		return;
	qsort(image->ranges, num, sizeof(*image->ranges), by_address);
	for (i = 1; i < num; i++) {
		r = &image->ranges[i];
		if (r->at > last->at + last->size)
			*++last = *r;
		else
			last->size = max(last->size, r->at + r->size - last->at);
	}
	image->num = last - image->ranges + 1;
}

/* What the driver has allocated may be any card's. */
static struct sim_image *image_of(struct gaudi_device *gdev)
{
	struct sim_image *image = calloc(1, sizeof(*image));
	struct gaudi_ctx *ctx;

	if (!image)
		return NULL;
	sim_dma_walk(add_range, image);
	gaudi_for_each_ctx(gdev, ctx)
		gaudi_vm_walk_host(ctx, add_mapping, image);
	join_ranges(image);
	if (!image->err)
		return image;
	sim_image_free(image);
	return NULL;
}

/* --- saving -------------------------------------------------------------------- */

static int put_piece(FILE *out, struct piece piece, const void *data)
{
	size_t size = data ? piece.size : 0;

	piece.crc = crc32(0, data, size);
	piece.head_crc = crc32(0, (void *)&piece,
			       offsetof(struct piece, head_crc));
	if (fwrite(&piece, sizeof(piece), 1, out) != 1 ||
	    fwrite(data ?: "", 1, size, out) != size)
		return errno ? -errno : -EIO;
	return 0;
}

/* False: not all of it is there. */
static bool read_memory(const struct range *r, u64 at, char *to, size_t size)
{
	if (r->copy)
		memcpy(to, r->copy + (at - r->at), size);
	else if (!sim_dma_read(at, to, size))
		return sim_process_copy(to, (void *)(uintptr_t)at, size,
					false) == (ssize_t)size;
	return true;
}

static int put_range(FILE *out, const struct range *r, char *buf, char *why,
		     size_t size)
{
	struct piece piece = { r->at, r->size, RANGE };
	int err = put_piece(out, piece, NULL);

	piece.kind = DATA;
	for (; !err && piece.at < r->at + r->size; piece.at += piece.size) {
		piece.size = min_t(u64, r->at + r->size - piece.at, PIECE_BYTES);
		if (!read_memory(r, piece.at, buf, piece.size)) {
			scnprintf(why, size,
				  "%llu bytes at %#llx are not there: were they unmapped while the card had them?",
				  piece.size, piece.at);
			return -EFAULT;
		}
		if (memchr_inv(buf, 0, piece.size))
			err = put_piece(out, piece, buf);
	}
	return err;
}

int sim_image_save(struct gaudi_device *gdev, const struct sim_image *from,
		   FILE *out, char *why, size_t size)
{
	struct sim_image *own = from ? NULL : image_of(gdev);
	const struct sim_image *image = from ?: own;
	char *buf = malloc(PIECE_BYTES);
	int err = image && buf ? 0 : -ENOMEM;
	size_t i;

	errno = 0;
	for (i = 0; !err && i < image->num; i++)
		err = put_range(out, &image->ranges[i], buf, why, size);
	if (!err)
		err = put_piece(out, (struct piece) { .kind = END }, NULL);
	sim_image_free(own);
	free(buf);
	if (err && size && !*why)
		scnprintf(why, size, "%s", strerror(-err));
	return err;
}

/* --- loading ------------------------------------------------------------------- */

static int damaged(char *why, size_t size, const char *what)
{
	scnprintf(why, size, "the host's memory in it %s", what);
	return -EINVAL;
}

/* Behind the last one, and not as far as addresses go. */
static int load_range(struct sim_image *image, const struct piece *p, char *why,
		      size_t size)
{
	struct range *last = image->num ? &image->ranges[image->num - 1] : NULL;
	char *copy;

	if (p->at % PAGE_SIZE || p->size % PAGE_SIZE || !p->size ||
	    p->at > TASK_SIZE || p->size > TASK_SIZE - p->at ||
	    (last && p->at <= last->at + last->size - 1))
		return damaged(why, size, "is not in order");
	copy = mmap(NULL, p->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (copy == MAP_FAILED)
		return -ENOMEM;
	add_range(image, p->at, p->size);
	if (image->err) {
		munmap(copy, p->size);
		return image->err;
	}
	image->ranges[image->num - 1].copy = copy;
	return 0;
}

static int load_data(struct sim_image *image, const struct piece *p, FILE *in,
		     char *why, size_t size)
{
	struct range *r = image->num ? &image->ranges[image->num - 1] : NULL;
	char *to;

	if (!r || p->at < r->at || p->size > PIECE_BYTES || p->size > r->size ||
	    p->at - r->at > r->size - p->size)
		return damaged(why, size, "is not in order");
	to = r->copy + (p->at - r->at);
	if (fread(to, 1, p->size, in) != p->size)
		return damaged(why, size, "ends early");
	return crc32(0, (void *)to, p->size) == p->crc ? 0 :
	       damaged(why, size, "is damaged");
}

/* 1: that was the last one. */
static int load_piece(struct sim_image *image, FILE *in, char *why, size_t size)
{
	struct piece p;

	if (fread(&p, sizeof(p), 1, in) != 1)
		return damaged(why, size, "ends early");
	if (crc32(0, (void *)&p, offsetof(struct piece, head_crc)) != p.head_crc)
		return damaged(why, size, "is damaged");
	switch (p.kind) {
	case RANGE:
		return load_range(image, &p, why, size);
	case DATA:
		return load_data(image, &p, in, why, size);
	case END:
		return 1;
	default:
		return damaged(why, size, "has parts of which nothing is known");
	}
}

struct sim_image *sim_image_load(FILE *in, int *err, char *why, size_t size)
{
	struct sim_image *image = calloc(1, sizeof(*image));

	*err = image ? 0 : -ENOMEM;
	while (!*err)
		*err = load_piece(image, in, why, size);
	if (*err == 1 && fgetc(in) != EOF)
		*err = damaged(why, size, "is followed by something else");
	if (*err == 1) {
		*err = 0;
		return image;
	}
	sim_image_free(image);
	if (size && !*why)
		scnprintf(why, size, "%s", strerror(-*err));
	return NULL;
}
