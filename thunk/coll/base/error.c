// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>

#include "error.h"
#include "gaudi.h"

static _Thread_local char message[COLL_MESSAGE_SIZE];

int coll_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);

	return error;
}

int coll_gaudi(int error, const char *what)
{
	if (!error)
		return 0;

	return coll_fail(error, "%s: %s", what, gaudi_last_error(NULL));
}

const char *coll_message(void)
{
	return message;
}
