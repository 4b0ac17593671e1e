// SPDX-License-Identifier: MIT
/* Settings of the environment, and which algorithm is taken. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"
#include "../base/error.h"

#define ROW_BYTES	(1u << 20)

static int read_number(const char *name, uint64_t least, uint64_t most,
		       uint64_t *value)
{
	const char *text = getenv(name);
	unsigned long long n;
	char *end;

	if (!text || !*text)
		return 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n < least || n > most)
		return coll_fail(-EINVAL, "%s is %.32s, not %llu to %llu", name,
				 text, (unsigned long long)least,
				 (unsigned long long)most);
	*value = n;

	return 0;
}

static int read_algorithm(int *algorithm)
{
	const char *text = getenv("GAUDI_COLL_ALGORITHM");

	if (!text || !*text)
		return 0;
	for (unsigned int i = 0; i < COLL_ALGORITHMS; i++)
		if (!strcmp(text, coll_algorithm_name(i))) {
			*algorithm = (int)i;
			return 0;
		}

	return coll_fail(-EINVAL, "GAUDI_COLL_ALGORITHM is %.32s, not direct, ring, halving, tree or hierarchical",
			 text);
}

/* Constants of a file, measured ones, or the usual ones. */
static int read_tune(struct coll_settings *settings)
{
	const char *text = getenv("GAUDI_COLL_TUNE");
	int rc;

	settings->costs = coll_costs_usual;
	if (!text || !*text)
		return 0;
	settings->measure = !strcmp(text, "measure");
	if (settings->measure)
		return 0;
	if (!strchr(text, '/') || strlen(text) >= sizeof(settings->tune_path))
		return coll_fail(-EINVAL, "GAUDI_COLL_TUNE is %.64s, neither measure nor a path of a file",
				 text);
	rc = coll_costs_read(text, &settings->costs);
	if (rc != -ENOENT)
		return rc;
	settings->measure = true;
	strcpy(settings->tune_path, text);

	return 0;
}

static int read_init(int *ms)
{
	uint64_t init = COLL_STEP_MS / 1000;
	int rc = read_number("HCL_HLCP_OPS_TIMEOUT", 1, 86400, &init);

	*ms = (int)init * 1000;

	return rc;
}

int coll_init_ms(void)
{
	int ms;

	read_init(&ms);

	return ms;
}

int coll_settings_read(struct coll_settings *settings)
{
	uint64_t row = ROW_BYTES, small = UINT32_MAX;
	uint64_t timeout = COLL_TIMEOUT_MS / 1000;
	int init = COLL_STEP_MS, rc;

	*settings = (struct coll_settings) { .algorithm = -1 };
	rc = read_number("GAUDI_COLL_ROW", 1024, 16u << 20, &row);
	if (!rc && row & (row - 1))
		rc = coll_fail(-EINVAL, "GAUDI_COLL_ROW is no power of two");
	if (!rc)
		rc = read_number("GAUDI_COLL_SMALL", 0, 1u << 20, &small);
	if (!rc)
		rc = read_number("GAUDI_COLL_TIMEOUT", 1, 86400, &timeout);
	if (!rc)
		rc = read_init(&init);
	if (!rc)
		rc = read_algorithm(&settings->algorithm);
	if (!rc)
		rc = read_tune(settings);
	settings->row_bytes = (uint32_t)row;
	settings->small_bytes = (uint32_t)small;
	settings->timeout_ms = (int)timeout * 1000;
	settings->init_ms = init;

	return rc;
}

uint64_t coll_cheapest(struct coll_call *call, const struct coll_settings *settings,
		       uint32_t size)
{
	uint64_t one, two;

	call->small = settings->small_bytes / size;
	if (call->algorithm != COLL_DIRECT || call->kind != COLL_ALLREDUCE ||
	    settings->small_bytes != UINT32_MAX || call->count > call->row)
		return coll_cost(call, size, &settings->costs);
	one = coll_cost(call, size, &settings->costs);
	call->small = 0;
	two = coll_cost(call, size, &settings->costs);
	if (one > two)
		return two;
	call->small = call->count;

	return one;
}

void coll_settings_boxes(struct coll_settings *settings, const uint32_t *sizes,
			 uint32_t num)
{
	uint32_t first = 0;
	bool differ = false;

	settings->box = 0;
	settings->boxes = 0;
	if (num < 2)
		return;
	for (uint32_t i = 0; i < num; i++) {
		settings->firsts[i] = first;
		first += sizes[i];
		differ |= sizes[i] != sizes[0];
	}
	if (differ)
		settings->boxes = num;
	else
		settings->box = sizes[0];
}

struct coll_call coll_choose(const struct coll_settings *settings,
			     uint32_t ranks, const struct coll_op *op)
{
	uint32_t size = coll_type_size(op->type);
	struct coll_call best = {
		.kind = op->kind,
		.algorithm = settings->algorithm < 0 ? COLL_DIRECT :
			     (enum coll_algorithm)settings->algorithm,
		.ranks = ranks,
		.root = op->root,
		.count = op->count,
		.row = settings->row_bytes / size,
		.box = settings->box,
		.boxes = settings->boxes,
		.firsts = settings->boxes ? settings->firsts : NULL,
	};
	struct coll_call call = best;
	bool is_mean = op->op == hcclAvg;
	uint64_t least, cost;

	/* A mean is made of all at once. */
	if (!coll_can(&best) || is_mean)
		best.algorithm = COLL_DIRECT;
	least = coll_cheapest(&best, settings, size);
	for (int i = 0; !is_mean && settings->algorithm < 0 && i < COLL_ALGORITHMS; i++) {
		call.algorithm = (enum coll_algorithm)i;
		cost = coll_cheapest(&call, settings, size);
		if (cost >= least)
			continue;
		least = cost;
		best = call;
	}

	return best;
}
