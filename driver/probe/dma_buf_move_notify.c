// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names under which an exporter tells that memory goes away, and an importer
 * hears of it: newer kernels speak of mappings.
 */
#include <linux/dma-buf.h>

#if PROBE
#define probe_name move_notify
#define probe_function dma_buf_move_notify
#else
#define probe_name invalidate_mappings
#define probe_function dma_buf_invalidate_mappings
#endif

void probe(struct dma_buf *buf);

void probe(struct dma_buf *buf)
{
	probe_function(buf);
}

static void probe_moved(struct dma_buf_attachment *attach)
{
}

const struct dma_buf_attach_ops probe_ops = {
	.probe_name = probe_moved,
};
