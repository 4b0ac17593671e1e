// SPDX-License-Identifier: MIT
/* Codes in words, and what the thread's last failed call was about. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gaudi.h"
#include "base.h"

static _Thread_local struct gd_error_state last;

int gd_fail(int error, const char *fmt, ...)
{
	va_list args;

	last.error = error;
	va_start(args, fmt);
	vsnprintf(last.text, sizeof(last.text), fmt, args);
	va_end(args);
	gd_log(GD_DEBUG, "%s (%d)", last.text, error);

	return error;
}

void gd_error_save(struct gd_error_state *state)
{
	*state = last;
}

void gd_error_restore(const struct gd_error_state *state)
{
	last = *state;
}

int gd_errno(void)
{
	return errno > 0 ? -errno : -EIO;
}

const char *gaudi_last_error(int *error)
{
	if (error)
		*error = last.error;

	return last.text;
}

static const char *own_text(int error)
{
	switch (error) {
	case GAUDI_ERR_NOT_READY:
		return "not done yet";
	case GAUDI_ERR_DEVICE_LOST:
		return "the card was reset or is gone";
	case GAUDI_ERR_FORKED:
		return "the object belongs to the parent process";
	case GAUDI_ERR_UNSUPPORTED:
		return "the driver or the card has no such feature";
	case GAUDI_ERR_CAPTURE:
		return "this cannot be captured";
	case GAUDI_ERR_CAPTURE_INVALID:
		return "the capture is invalid since an earlier call";
	case GAUDI_ERR_RECIPE:
		return "not a valid recipe";
	case GAUDI_ERR_RECIPE_VERSION:
		return "the recipe is for another chip or version";
	case GAUDI_ERR_BINDING:
		return "what a tensor is bound to does not fit it";
	case GAUDI_ERR_ADDRESS:
		return "not an address of this device's memory";
	case GAUDI_ERR_LINK:
		return "a link to another card has failed";
	default:
		return NULL;
	}
}

const char *gaudi_strerror(int error)
{
	const char *text = own_text(error);

	if (text)
		return text;
	if (!error)
		return "success";
	/* The text must stay valid: strerror()'s may not. */
	text = error < 0 && error > -4096 ? strerrordesc_np(-error) : NULL;

	return text ? text : "unknown error";
}

uint32_t gaudi_version(void)
{
	return GAUDI_VERSION_MAJOR << 16 | GAUDI_VERSION_MINOR << 8 |
	       GAUDI_VERSION_PATCH;
}
