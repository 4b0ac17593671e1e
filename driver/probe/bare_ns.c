// SPDX-License-Identifier: GPL-2.0-only
/* Whether a symbol namespace is a bare word; it is a string since 6.13. */
#include <linux/module.h>

#if PROBE
MODULE_IMPORT_NS(DMA_BUF);
#else
MODULE_IMPORT_NS("DMA_BUF");
#endif
