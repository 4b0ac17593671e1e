// SPDX-License-Identifier: MIT
/* What tools print for programs. */
#include <errno.h>
#include <stdlib.h>

#include <cJSON.h>

#include "json.h"

int json_print(FILE *out, struct cJSON *root)
{
	char *text = cJSON_Print(root);

	cJSON_Delete(root);
	if (!text)
		return -ENOMEM;
	fprintf(out, "%s\n", text);
	free(text);

	return 0;
}
