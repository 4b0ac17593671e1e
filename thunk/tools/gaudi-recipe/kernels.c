// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "json.h"
#include "show.h"
#include "text.h"

typedef struct gaudi_kernel_description description;

static int describe(const char *name, description *d)
{
	d->size = sizeof(*d);
	if (!gaudi_kernel_describe(name, d))
		return 0;
	complain("%s", gaudi_last_error(NULL));

	return -1;
}

static const char *access_name(uint32_t access)
{
	static const char * const names[] = { "", "in", "out", "in out" };

	return names[access & 3];
}

/* Room for any number. */
static const char *value_text(uint32_t type, uint32_t bits, char text[16])
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	if (type == GAUDI_TYPE_F32)
		snprintf(text, 16, "%g", (double)f);
	else if (type == GAUDI_TYPE_I32)
		snprintf(text, 16, "%" PRId32, (int32_t)bits);
	else
		snprintf(text, 16, "%" PRIu32, bits);

	return text;
}

static void print_kernel(const description *d)
{
	char value[16];
	uint32_t i;

	printf("%s: %s\n", d->name, d->computes);
	for (i = 0; i < d->num_tensors; i++) {
		const struct gaudi_kernel_operand *t = &d->tensors[i];

		printf("  %-6s  %-8s %-4s  %s\n", access_name(t->access),
		       t->name, gaudi_type_name(t->type), t->shape);
	}
	for (i = 0; i < d->num_scalars; i++) {
		const struct gaudi_kernel_scalar *s = &d->scalars[i];

		printf("  scalar  %-8s %-4s  %s", s->name,
		       gaudi_type_name(s->type), s->meaning);
		if (s->has_default)
			printf("; %s if missing",
			       value_text(s->type, s->default_value, value));
		printf("\n");
	}
}

static cJSON *tensor_object(const struct gaudi_kernel_operand *t)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "name", t->name);
	cJSON_AddBoolToObject(o, "reads", !!(t->access & GAUDI_KERNEL_READS));
	cJSON_AddBoolToObject(o, "writes",
			      !!(t->access & GAUDI_KERNEL_WRITES));
	cJSON_AddStringToObject(o, "type", gaudi_type_name(t->type));
	cJSON_AddNumberToObject(o, "rank", t->rank);
	cJSON_AddStringToObject(o, "shape", t->shape);

	return o;
}

static cJSON *scalar_object(const struct gaudi_kernel_scalar *s)
{
	cJSON *o = cJSON_CreateObject();
	char value[16];

	cJSON_AddStringToObject(o, "name", s->name);
	cJSON_AddStringToObject(o, "type", gaudi_type_name(s->type));
	cJSON_AddStringToObject(o, "meaning", s->meaning);
	if (s->has_default)
		cJSON_AddRawToObject(o, "default",
				     value_text(s->type, s->default_value,
						value));

	return o;
}

static cJSON *kernel_object(const description *d)
{
	cJSON *o = cJSON_CreateObject(), *list;
	uint32_t i;

	cJSON_AddStringToObject(o, "name", d->name);
	cJSON_AddStringToObject(o, "computes", d->computes);
	list = cJSON_AddArrayToObject(o, "tensors");
	for (i = 0; i < d->num_tensors; i++)
		cJSON_AddItemToArray(list, tensor_object(&d->tensors[i]));
	list = cJSON_AddArrayToObject(o, "scalars");
	for (i = 0; i < d->num_scalars; i++)
		cJSON_AddItemToArray(list, scalar_object(&d->scalars[i]));

	return o;
}

/* @list is NULL for text. */
static int show_one(const char *name, cJSON *list)
{
	description d;

	if (describe(name, &d))
		return -1;
	if (list)
		cJSON_AddItemToArray(list, kernel_object(&d));
	else
		print_kernel(&d);

	return 0;
}

int show_kernels(char **names, uint32_t num, bool json)
{
	cJSON *list = json ? cJSON_CreateArray() : NULL;
	const char *name;
	int rc = 0;
	uint32_t i;

	for (i = 0; i < num; i++)
		if (show_one(names[i], list))
			rc = -1;
	for (i = 0; !num; i++) {
		name = gaudi_kernel_name(i);
		if (!name)
			break;
		show_one(name, list);
	}
	if (json && json_print(stdout, list)) {
		complain("no memory");
		return -1;
	}

	return rc;
}
