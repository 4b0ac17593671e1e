/* SPDX-License-Identifier: MIT */
/*
 * Lazy mode: work of a stream is collected, and given to the card together: at mark_step(), when
 * there is much of it, and before anything else is asked of the stream. What has come in the same
 * form before is one graph of libgaudi by then, with other addresses.
 *
 * Work keeps the stream's order, so views and writes in place need no care. Memory that is freed
 * may still be used by what is collected: see take_block().
 *
 * One mutex guards what is collected, and the graphs of it; work goes to the card with it held, so
 * that it keeps its order. Within it are taken those of captures (capture.h) and of the card.
 */
#ifndef TORCH_GAUDI_LAZY_H
#define TORCH_GAUDI_LAZY_H

#include <c10/util/SmallVector.h>

#include <memory>

#include "../base/device.h"

namespace torch_gaudi {

/* A recipe made ready, that goes when nobody uses it any more. */
struct Launcher {
	gaudi_launcher *handle;
	uint64_t number;	/* no other one has it, ever */
	~Launcher()
	{
		gaudi_launcher_destroy(handle);
	}
};
using LauncherRef = std::shared_ptr<Launcher>;

/* A launch, a copy within the card, or a fill. */
struct Work {
	enum Kind : uint8_t { LAUNCH, COPY, FILL };
	Kind kind;
	const char *name;	/* for messages; stays as it is for ever */
	LauncherRef launcher;
	/* LAUNCH: by tensor; COPY: to and from; FILL: to */
	c10::SmallVector<gaudi_ptr, 4> at;
	size_t size;		/* COPY: bytes; FILL: bytes of an element */
	size_t count;		/* FILL: elements */
	uint64_t bits;		/* FILL: the element */
};

/* By PT_HPU_LAZY_MODE, which is read when the card is used first. Throws if it makes no sense. */
bool is_lazy();
/* Another mode for the process, from here on. */
void set_lazy(bool lazy);

/*
 * What the thread does in between is collected in eager mode as well, to go to the card at the end:
 * the many launches of an optimizer. In a capture they do nothing. end_together() throws what went
 * wrong.
 */
void begin_together();
void end_together();
/* Whether the thread's work is collected. */
bool collects();
/* Whether anything is collected that may use memory which is freed now. */
bool may_have_work();

/* What was collected for the stream goes to the card. Throws the first error of it. */
void flush(c10::StreamId id);
/* For work that is given to the stream now, behind what was collected for it. */
inline gaudi_stream *stream(c10::StreamId id)
{
	flush(id);
	return raw_stream(id);
}
inline gaudi_stream *stream()
{
	return stream(current_stream());
}

/* On the current stream, at once or collected. */
void submit(Work &&work);
void copy_bytes(gaudi_ptr to, gaudi_ptr from, size_t bytes);
void fill_elements(gaudi_ptr to, uint64_t bits, size_t size, size_t count);
/* The same for all streams, after all was tried. */
void flush_all();
/* Where nothing may be thrown: the next flush does. */
void flush_quietly() noexcept;

/*
 * Blocks of memory that were freed while work was collected. They are given out again on their
 * stream, whose order makes that right; libgaudi has them back when they were not wanted for some
 * flushes, in eager mode at once.
 */
gaudi_ptr take_block(c10::StreamId id, size_t bytes);	/* 0: there is none */
void keep_block(c10::StreamId id, gaudi_ptr address, size_t bytes);
/* All of them go back to libgaudi. */
void give_blocks_back();
size_t kept_bytes();

struct LazyStats {
	uint64_t flushes, graphs, hits, binds, evictions, kept, collected;
};
LazyStats lazy_stats();

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_LAZY_H */
