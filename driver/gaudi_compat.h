/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels that the driver builds on. The only file
 * that may look at LINUX_VERSION_CODE.
 */
#ifndef GAUDI_COMPAT_H
#define GAUDI_COMPAT_H

#include <linux/version.h>

/* 6.13 made the module namespace a string, 6.14 dropped drm_driver.date. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define GAUDI_DRM_DRIVER_DATE	.date = "20261121",
#else
#define GAUDI_DRM_DRIVER_DATE
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define GAUDI_IMPORT_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#define GAUDI_IMPORT_KUNIT	MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING)
#else
#define GAUDI_IMPORT_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#define GAUDI_IMPORT_KUNIT	MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING")
#endif

/* 6.13 moved bin_attribute callbacks to const attributes, in two steps. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define gaudi_bin_attr_const
#else
#define gaudi_bin_attr_const	const
#endif

#endif /* GAUDI_COMPAT_H */
