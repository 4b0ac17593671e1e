// SPDX-License-Identifier: MIT
/* In the place of fabric.c where libfabric's headers were missing when this was built. */
#if !__has_include("rdma/fabric.h")
#include <errno.h>

#include "fabric.h"
#include "../base/error.h"

int coll_fabric_open(void *memory, uint64_t bytes, uint32_t ranks, uint32_t ip,
		     bool here, struct coll_fabric **fabric,
		     struct coll_fabric_address *own)
{
	(void)memory;
	(void)bytes;
	(void)ranks;
	(void)ip;
	(void)here;
	(void)fabric;
	(void)own;

	return coll_fail(-ENOTSUP, "this library was built without libfabric");
}

int coll_fabric_add(struct coll_fabric *fabric, uint32_t rank,
		    const struct coll_fabric_address *address)
{
	(void)fabric;
	(void)rank;
	(void)address;

	return -ENOTSUP;
}

int coll_fabric_start(struct coll_fabric *fabric)
{
	(void)fabric;

	return -ENOTSUP;
}

void coll_fabric_give(struct coll_fabric *fabric, struct coll_message *message)
{
	(void)fabric;
	(void)message;
}

int coll_fabric_await(struct coll_fabric *fabric, struct coll_message *message)
{
	(void)fabric;
	(void)message;

	return -ENOTSUP;
}

void coll_fabric_stop(struct coll_fabric *fabric)
{
	(void)fabric;
}

void coll_fabric_close(struct coll_fabric *fabric)
{
	(void)fabric;
}
#endif
