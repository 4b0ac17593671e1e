/* SPDX-License-Identifier: MIT */
/*
 * Beyond the vendor's calls: what handles stand for in libgaudi, for programs that use both.
 * So what libgaudi has and Synapse has not, launches and graphs, goes on the streams
 * that collectives (hccl.h) are given.
 */
#ifndef SYNAPSE_GAUDI_H
#define SYNAPSE_GAUDI_H

#include "synapse_api.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

struct gaudi_device;
struct gaudi_stream;

/* The acquired device; until it is released. It must not be closed. */
synStatus synDeviceGetGaudi(synDeviceId id, struct gaudi_device **device);
/* A stream's; until it is destroyed by synStreamDestroy(), and not otherwise. */
synStatus synStreamGetGaudi(synStreamHandle stream, struct gaudi_stream **out);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* SYNAPSE_GAUDI_H */
