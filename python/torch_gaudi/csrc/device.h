/* SPDX-License-Identifier: MIT */
/*
 * The card of this process, its streams, and the errors of libgaudi as exceptions. A
 * process has one card, hpu:0; it is opened when it is used first.
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
 * Streams have numbers; 0 is the default one. The current one is the thread's. What lazy mode has
 * collected for a stream goes to it before anyone gets it by stream(): see lazy.h.
 */
gaudi_stream *raw_stream(c10::StreamId id);
void flush(c10::StreamId id);
inline gaudi_stream *stream(c10::StreamId id)
{
	flush(id);
	return raw_stream(id);
}
c10::StreamId current_stream();
c10::StreamId exchange_stream(c10::StreamId id);
c10::StreamId new_stream();
/* All work has ended; streams that had failed work as new ones. */
void recover_streams();
/* One that is a synStreamHandle as well, for collectives. */
c10::StreamId new_shared_stream(void **handle);
inline gaudi_stream *stream()
{
	return stream(current_stream());
}

inline c10::Device hpu()
{
	return c10::Device(c10::DeviceType::HPU, 0);
}

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_DEVICE_H */
