/* SPDX-License-Identifier: MIT */
/*
 * The card of this process, its streams, and the errors of libgaudi as exceptions. A
 * process has one card, hpu:0; it is opened when it is used first.
 *
 * The room has, besides, what all others use: what differs between versions of PyTorch
 * (compat.h), seeds (generator.h), and a table of values by key (lru.h). One mutex guards the card
 * and the list of its streams. It is a leaf: nothing is called with it held but libgaudi.
 */
#ifndef TORCH_GAUDI_DEVICE_H
#define TORCH_GAUDI_DEVICE_H

#include <c10/core/Stream.h>

#include <gaudi_launch.h>

namespace torch_gaudi {

/* Throws with @what and libgaudi's own words, if @rc says that a call failed. */
void check(int rc, const char *what);
/* A number of the environment, above 0; @usual if it says nothing of the kind. */
size_t limit_of(const char *variable, size_t usual);
/* Opens the card. Throws. */
gaudi_device *device();
bool device_is_open();
/* Of all cards that the process may see; never throws. */
int device_count() noexcept;

/*
 * Streams have numbers; 0 is the default one. The current one is the thread's. Who gives work to
 * one gets it by stream() of the room work.
 */
gaudi_stream *raw_stream(c10::StreamId id);
c10::StreamId current_stream();
c10::StreamId exchange_stream(c10::StreamId id);
c10::StreamId new_stream();
/* All work has ended; streams that had failed work as new ones. */
void recover_streams();
/* One that is a synStreamHandle as well, for collectives. */
c10::StreamId new_shared_stream(void **handle);
inline c10::Device hpu()
{
	return c10::Device(c10::DeviceType::HPU, 0);
}

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_DEVICE_H */
