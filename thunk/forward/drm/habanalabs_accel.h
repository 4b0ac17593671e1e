/* SPDX-License-Identifier: MIT */
/* The copy of the kernel's header that came with hlthunk.h, by its own name. */
#include "../hl-thunk/drm/habanalabs_accel.h"
