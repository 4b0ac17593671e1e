// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "json.h"
#include "show.h"
#include "text.h"

static const char *kind_name(uint32_t kind)
{
	static const char * const names[] = {
		[GAUDI_TENSOR_INPUT]	 = "input",
		[GAUDI_TENSOR_OUTPUT]	 = "output",
		[GAUDI_TENSOR_CONSTANT]	 = "constant",
		[GAUDI_TENSOR_WORKSPACE] = "workspace",
	};

	return names[kind];
}

static const char *place_name(uint32_t place)
{
	return place == GAUDI_PLACE_HOST ? "host" : "device";
}

static bool is_dense(const struct gaudi_tensor_desc *d)
{
	uint64_t step = gaudi_type_size(d->type);
	uint32_t i;

	for (i = d->rank; i-- > 0; step *= d->dims[i])
		if (d->strides[i] != step && d->dims[i] > 1)
			return false;
	return true;
}

static void print_list(const char *what, const uint64_t *values, uint32_t num)
{
	uint32_t i;

	printf("%s[", what);
	for (i = 0; i < num; i++)
		printf("%s%" PRIu64, i ? ", " : "", values[i]);
	printf("]");
}

static int get_tensor(struct gaudi_recipe *r, uint32_t i,
		      struct gaudi_tensor_desc *d)
{
	d->size = sizeof(*d);
	if (!gaudi_recipe_get_tensor(r, i, d))
		return 0;
	complain("%s", gaudi_last_error(NULL));

	return -1;
}

static int get_info(struct gaudi_recipe *r, struct gaudi_recipe_info *info)
{
	info->size = sizeof(*info);
	if (!gaudi_recipe_get_info(r, info))
		return 0;
	complain("%s", gaudi_last_error(NULL));

	return -1;
}

int show_text(struct gaudi_recipe *r)
{
	char workspace[TEXT_LEN], constants[TEXT_LEN];
	struct gaudi_recipe_info info;
	uint32_t i;

	if (get_info(r, &info))
		return -1;
	printf("recipe        %s\n", info.name);
	printf("engines       %u, with %u sync objects\n", info.num_engines,
	       info.num_sync_objects);
	printf("packets       %" PRIu64 " bytes, %" PRIu64 " patch points\n",
	       info.packets_size, info.num_patches);
	printf("workspace     %s\n", text_bytes(info.workspace_size, workspace));
	printf("constants     %s\n", text_bytes(info.constants_size, constants));
	for (i = 0; i < info.num_tensors; i++) {
		struct gaudi_tensor_desc d;

		if (get_tensor(r, i, &d))
			return -1;
		printf("%-13s %s: %s ", kind_name(d.kind), d.name,
		       gaudi_type_name(d.type));
		print_list("", d.dims, d.rank);
		if (!is_dense(&d))
			print_list(", strides ", d.strides, d.rank);
		printf(", %s\n", place_name(d.place));
	}
	for (i = 0; i < info.num_events; i++)
		printf("event         %s\n", gaudi_recipe_get_event(r, i));
	for (i = 0; i < info.num_links; i++)
		printf("link          %s\n", gaudi_recipe_get_link(r, i));

	return 0;
}

/* --- JSON ------------------------------------------------------------- */

static cJSON *numbers(const uint64_t *values, uint32_t num)
{
	cJSON *list = cJSON_CreateArray();
	uint32_t i;

	for (i = 0; i < num; i++)
		cJSON_AddItemToArray(list,
				     cJSON_CreateNumber((double)values[i]));
	return list;
}

static cJSON *tensor_object(const struct gaudi_tensor_desc *d)
{
	cJSON *t = cJSON_CreateObject();

	cJSON_AddStringToObject(t, "name", d->name);
	cJSON_AddStringToObject(t, "kind", kind_name(d->kind));
	cJSON_AddStringToObject(t, "type", gaudi_type_name(d->type));
	cJSON_AddStringToObject(t, "place", place_name(d->place));
	cJSON_AddItemToObject(t, "dims", numbers(d->dims, d->rank));
	cJSON_AddItemToObject(t, "strides", numbers(d->strides, d->rank));
	cJSON_AddNumberToObject(t, "bytes", (double)d->bytes);

	return t;
}

static cJSON *head(const struct gaudi_recipe_info *info, const char *file)
{
	cJSON *root = cJSON_CreateObject();

	cJSON_AddStringToObject(root, "file", file);
	cJSON_AddStringToObject(root, "name", info->name);
	cJSON_AddNumberToObject(root, "engines", info->num_engines);
	cJSON_AddNumberToObject(root, "sync_objects", info->num_sync_objects);
	cJSON_AddNumberToObject(root, "packets_bytes",
				(double)info->packets_size);
	cJSON_AddNumberToObject(root, "patches", (double)info->num_patches);
	cJSON_AddNumberToObject(root, "workspace_bytes",
				(double)info->workspace_size);
	cJSON_AddNumberToObject(root, "constants_bytes",
				(double)info->constants_size);
	cJSON_AddNumberToObject(root, "kernels", info->num_kernels);
	cJSON_AddNumberToObject(root, "revision_min", info->revision_min);
	cJSON_AddNumberToObject(root, "revision_max", info->revision_max);

	return root;
}

int show_json(struct gaudi_recipe *r, const char *file)
{
	struct gaudi_recipe_info info;
	cJSON *root, *tensors, *events, *links;
	uint32_t i;

	if (get_info(r, &info))
		return -1;
	root = head(&info, file);
	tensors = cJSON_AddArrayToObject(root, "tensors");
	events = cJSON_AddArrayToObject(root, "events");
	for (i = 0; i < info.num_tensors; i++) {
		struct gaudi_tensor_desc d;

		if (get_tensor(r, i, &d)) {
			cJSON_Delete(root);
			return -1;
		}
		cJSON_AddItemToArray(tensors, tensor_object(&d));
	}
	for (i = 0; i < info.num_events; i++)
		cJSON_AddItemToArray(events, cJSON_CreateString(
			gaudi_recipe_get_event(r, i)));
	links = cJSON_AddArrayToObject(root, "links");
	for (i = 0; i < info.num_links; i++)
		cJSON_AddItemToArray(links, cJSON_CreateString(
			gaudi_recipe_get_link(r, i)));
	if (json_print(stdout, root)) {
		complain("no memory");
		return -1;
	}

	return 0;
}
