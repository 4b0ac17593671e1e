// SPDX-License-Identifier: MIT
/* What libgaudi returns, as Synapse's callers know it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "syn_priv.h"

synStatus syn_status(int error)
{
	switch (error) {
	case 0:
		return synSuccess;
	case -EINVAL:
	case -EFAULT:
	case -EOVERFLOW:
	case GAUDI_ERR_ADDRESS:
		return synInvalidArgument;
	case -ENOMEM:
		return synOutOfHostMemory;
	case -ENODEV:
		return synNoDeviceFound;
	case -EACCES:
	case -EPERM:
		return synUnavailable;
	case -EAGAIN:
	case -EBUSY:
	case GAUDI_ERR_NOT_READY:
		return synBusy;
	case -ETIMEDOUT:
		return synTimeout;
	case -EDEADLK:
		return synResourceBadUsage;
	case GAUDI_ERR_DEVICE_LOST:
		return synDeviceReset;
	case GAUDI_ERR_FORKED:
		return synUninitialized;
	case GAUDI_ERR_UNSUPPORTED:
		return synUnsupported;
	case GAUDI_ERR_LINK:
		return synFailHccl;
	default:
		return synFail;
	}
}

synStatus syn_fail(synStatus status, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	gd_log(GD_DEBUG, "%s (synStatus %d)", text, (int)status);

	return status;
}
