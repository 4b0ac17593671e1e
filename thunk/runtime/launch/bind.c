// SPDX-License-Identifier: MIT
/* Tensors of recipes and the memory that they are bound to. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "gaudi_launch.h"
#include "launch.h"
#include "../recipe/recipe.h"

bool gd_is_bound(const struct recipe_tensor *t)
{
	return t->kind <= GAUDI_TENSOR_OUTPUT;
}

static int find(struct gaudi_recipe *r, const struct gaudi_binding *b,
		uint32_t *tensor)
{
	int rc = 0;

	if (b->reserved)
		return gd_fail(-EINVAL, "a binding with %u in its reserved field",
			       b->reserved);
	*tensor = b->tensor;
	if (b->name)
		rc = gaudi_recipe_find_tensor(r, b->name, tensor);
	if (rc)
		return rc;
	if (*tensor >= r->num_tensors)
		return gd_fail(-EINVAL, "'%s' has %u tensors, none is number %u",
			       r->name, r->num_tensors, *tensor);
	if (!gd_is_bound(&r->tensors[*tensor]))
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' of '%s' is a %s and cannot be bound",
			       r->tensors[*tensor].name, r->name,
			       r->tensors[*tensor].kind ==
			       GAUDI_TENSOR_CONSTANT ? "constant" :
						       "workspace");

	return 0;
}

static int bind_host(struct gaudi_device *device, const struct recipe_tensor *t,
		     const struct gaudi_binding *b, struct gd_arg *arg)
{
	struct gd_range *range;

	if (!b->memory || b->address)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' is on the host: memory %p, address %#" PRIx64,
			       t->name, b->memory, b->address);
	range = gd_range_get(device, b->memory, t->bytes);
	if (!range)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s': %" PRIu64 " bytes at %p are not in one range of pinned memory",
			       t->name, t->bytes, b->memory);
	arg->memory = b->memory;
	arg->address = gd_range_address(range, b->memory);
	arg->owner = range->number;
	gd_range_put(device, range);

	return 0;
}

static int bind_device(struct gaudi_device *device,
		       const struct recipe_tensor *t,
		       const struct gaudi_binding *b, struct gd_arg *arg)
{
	if (b->memory || !b->address)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' is on the device: address %#" PRIx64 ", memory %p",
			       t->name, b->address, b->memory);
	arg->address = b->address;

	return gd_range_check(device, b->address, t->bytes, NULL, &arg->owner);
}

int gd_bind(struct gaudi_device *device, struct gaudi_recipe *r,
	    const struct gaudi_binding *b, struct gd_arg *args)
{
	const struct recipe_tensor *t;
	struct gd_arg *arg;
	uint32_t tensor;
	int rc = find(r, b, &tensor);

	if (rc)
		return rc;
	t = &r->tensors[tensor];
	arg = &args[tensor];
	*arg = (struct gd_arg) { .bytes = t->bytes };
	if (b->bytes && b->bytes < t->bytes)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' has %" PRIu64 " bytes and is bound to %" PRIu64,
			       t->name, t->bytes, b->bytes);
	rc = t->place == GAUDI_PLACE_HOST ? bind_host(device, t, b, arg) :
					    bind_device(device, t, b, arg);

	return rc ? rc : gd_bind_aligned(t, arg);
}

int gd_bind_aligned(const struct recipe_tensor *t, const struct gd_arg *arg)
{
	if (arg->address % gaudi_type_size(t->type))
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' at %#" PRIx64 ", not a multiple of %s's %u bytes",
			       t->name, arg->address, gaudi_type_name(t->type),
			       gaudi_type_size(t->type));

	return 0;
}

struct place {
	uint64_t begin, end;
	uint32_t tensor;
};

static int by_begin(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Places in order: does what is written overlap what is before it, or behind? */
static int find_overlap(const struct gaudi_recipe *r, const struct place *places,
			uint32_t num)
{
	const struct place *any = NULL, *written = NULL;

	for (uint32_t i = 0; i < num; i++) {
		const struct place *p = &places[i], *other = NULL;
		bool write = r->tensors[p->tensor].kind == GAUDI_TENSOR_OUTPUT;

		if (written && written->end > p->begin)
			other = written;
		else if (write && any && any->end > p->begin)
			other = any;
		if (other)
			return gd_fail(GAUDI_ERR_BINDING,
				       "tensors '%s' at %#" PRIx64 " and '%s' at %#" PRIx64 " overlap, and one is written",
				       r->tensors[other->tensor].name,
				       other->begin,
				       r->tensors[p->tensor].name, p->begin);
		if (!any || any->end < p->end)
			any = p;
		if (write && (!written || written->end < p->end))
			written = p;
	}

	return 0;
}

static bool is_used(const struct gaudi_recipe *r, uint32_t tensor)
{
	for (; r; r = r->next)
		if (r->program.first_ref[tensor] !=
		    r->program.first_ref[tensor + 1])
			return true;

	return false;
}

int gd_bindings_check(const struct gaudi_recipe *r, const struct gd_arg *args)
{
	struct place *places;
	uint32_t num = 0;
	int rc;

	places = calloc(r->num_tensors + 1u, sizeof(*places));
	if (!places)
		return gd_fail(-ENOMEM, "no memory to compare %u tensors",
			       r->num_tensors);
	for (uint32_t t = 0; t < r->num_tensors; t++) {
		if (!gd_is_bound(&r->tensors[t]))
			continue;
		if (args[t].address) {
			places[num++] = (struct place) {
				.begin = args[t].address,
				.end = args[t].address + r->tensors[t].bytes,
				.tensor = t,
			};
		} else if (is_used(r, t)) {
			free(places);
			return gd_fail(GAUDI_ERR_BINDING,
				       "tensor '%s' of '%s' is not bound",
				       r->tensors[t].name, r->name);
		}
	}
	qsort(places, num, sizeof(*places), by_begin);
	rc = find_overlap(r, places, num);
	free(places);

	return rc;
}
