// SPDX-License-Identifier: MIT
/* Settings of the environment, and which algorithm is taken. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"
#include "error.h"

#define ROW_BYTES	(1u << 20)
#define SMALL_BYTES	(8u << 10)

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
	/* A communicator is of one box. */
	for (unsigned int i = 0; i < COLL_HIERARCHICAL; i++)
		if (!strcmp(text, coll_algorithm_name(i))) {
			*algorithm = (int)i;
			return 0;
		}

	return coll_fail(-EINVAL, "GAUDI_COLL_ALGORITHM is %.32s, not direct, ring, halving or tree",
			 text);
}

int coll_settings_read(struct coll_settings *settings)
{
	uint64_t row = ROW_BYTES, small = SMALL_BYTES;
	uint64_t timeout = COLL_TIMEOUT_MS / 1000, init = COLL_STEP_MS / 1000;
	int rc;

	*settings = (struct coll_settings) { .algorithm = -1 };
	rc = read_number("GAUDI_COLL_ROW", 1024, 16u << 20, &row);
	if (!rc && row & (row - 1))
		rc = coll_fail(-EINVAL, "GAUDI_COLL_ROW is no power of two");
	if (!rc)
		rc = read_number("GAUDI_COLL_SMALL", 0, 1u << 20, &small);
	if (!rc)
		rc = read_number("GAUDI_COLL_TIMEOUT", 1, 86400, &timeout);
	if (!rc)
		rc = read_number("HCL_HLCP_OPS_TIMEOUT", 1, 86400, &init);
	if (!rc)
		rc = read_algorithm(&settings->algorithm);
	settings->row_bytes = (uint32_t)row;
	settings->small_bytes = (uint32_t)(small < row ? small : row);
	settings->timeout_ms = (int)timeout * 1000;
	settings->init_ms = (int)init * 1000;

	return rc;
}

struct coll_call coll_choose(const struct coll_settings *settings,
			     uint32_t ranks, const struct coll_op *op)
{
	uint32_t size = coll_type_size(op->type);
	struct coll_call call = {
		.kind = op->kind,
		.algorithm = settings->algorithm < 0 ? COLL_DIRECT :
			     (enum coll_algorithm)settings->algorithm,
		.ranks = ranks,
		.root = op->root,
		.count = op->count,
		.row = settings->row_bytes / size,
		.small = settings->small_bytes / size,
	};

	if (!coll_can(&call))
		call.algorithm = COLL_DIRECT;

	return call;
}
