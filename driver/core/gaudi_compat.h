/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels that the driver builds on, as probe/ found
 * them. Nothing here or elsewhere asks for a version.
 */
#ifndef GAUDI_COMPAT_H
#define GAUDI_COMPAT_H

#include "gaudi_kernel.h"

#if GAUDI_HAVE_DRM_DATE
#define GAUDI_DRM_DRIVER_DATE	.date = "20261121",
#else
#define GAUDI_DRM_DRIVER_DATE
#endif

#if GAUDI_HAVE_BARE_NS
#define GAUDI_IMPORT_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#define GAUDI_IMPORT_KUNIT	MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING)
#else
#define GAUDI_IMPORT_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#define GAUDI_IMPORT_KUNIT	MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING")
#endif

#if GAUDI_HAVE_CONST_BIN_ATTR
#define gaudi_bin_attr_const	const
#else
#define gaudi_bin_attr_const
#endif

#if GAUDI_HAVE_DMA_BUF_MOVE_NOTIFY
#define GAUDI_DMA_BUF_MOVED	move_notify
#else
#define GAUDI_DMA_BUF_MOVED	invalidate_mappings
#define dma_buf_move_notify	dma_buf_invalidate_mappings
#endif

#if !GAUDI_HAVE_ZAP_VMA_PTES
#define zap_vma_ptes		zap_special_vma_range
#endif

#endif /* GAUDI_COMPAT_H */
