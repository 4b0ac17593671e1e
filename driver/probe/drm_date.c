// SPDX-License-Identifier: GPL-2.0-only
/* Whether a DRM driver has a date; gone in 6.14. */
#include <drm/drm_drv.h>

const struct drm_driver probe_driver = {
#if PROBE
	.date = "20260101",
#endif
	.name = "probe",
};
