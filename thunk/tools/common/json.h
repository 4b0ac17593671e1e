/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdio.h>

struct cJSON;

/* Print @root, which goes. 0, or -ENOMEM, also if it is NULL. */
int json_print(FILE *out, struct cJSON *root);

#endif /* TOOLS_JSON_H */
