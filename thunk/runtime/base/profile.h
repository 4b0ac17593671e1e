/* SPDX-License-Identifier: MIT */
/*
 * What the host does, as spans of its calls, in the file that GAUDI_PROFILE asks for; see
 * Documentation/profile.rst. libhl-thunk, libgaudi, libSynapse and PyTorch's bridge have a
 * copy each, and append whole lines to one file.
 *
 * While nothing is asked for, a call costs two branches that always go the same way.
 */
#ifndef THUNK_PROFILE_H
#define THUNK_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether to write; set before main(), or when the library is loaded. */
extern bool profile_on __attribute__((visibility("hidden")));

/*
 * Tells of a template of the environment that is none, once. For libhl-thunk, when it opens
 * a card: one copy is enough.
 */
void profile_check(void);

struct profile_span {
	const char *name;	/* NULL: nothing is to be written */
	const char *key;	/* of @value, which is written, too; NULL: of none */
	const char *text;	/* what it is about; NULL: nothing. Valid until the end */
	uint64_t value;
	uint64_t begin_ns;
};

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t profile_now(void);
/* Both keep errno. Thread-safe, as all here. */
void profile_start(struct profile_span *span);
void profile_write(const struct profile_span *span);
/* A wait, within whatever call, takes long and may have no end: what was before is written. */
void profile_wait(void);
/* From now on a quantity is @value; module: which card's, by its module id. */
void profile_count(const char *name, uint32_t module, const char *unit,
		   uint64_t value);
/*
 * What an engine does, in words, from an offset in its packets on, in launches @of a recipe or
 * a graph; recipe: whose the job is.
 */
void profile_job(const char *of, const char *recipe, const char *engine,
		 uint32_t offset, const char *does);
/* A recipe by that name comes from this file. */
void profile_recipe(const char *name, const char *path);
/* The counter of a card, read at a time of the host's between the two. */
void profile_clock(uint32_t module, uint64_t before_ns, uint64_t counter,
		   uint64_t after_ns);

static inline struct profile_span profile_begin(const char *name,
						const char *key, uint64_t value,
						const char *text)
{
	struct profile_span span = {};

	if (__builtin_expect(profile_on, 0)) {
		span.name = name;
		span.key = key;
		span.text = text;
		span.value = value;
		profile_start(&span);
	}

	return span;
}

static inline void profile_end(struct profile_span *span)
{
	if (__builtin_expect(span->name != NULL, 0))
		profile_write(span);
}

/* Until the end of the function in which it stands. Only if profile_on: text is looked at. */
#define PROFILE_SPAN(name, key, value, text)				\
	struct profile_span profile_span_				\
		__attribute__((cleanup(profile_end), unused)) =	\
		profile_begin(name, key, value, text)
#define PROFILE_CALL()			PROFILE_SPAN(__func__, NULL, 0, NULL)
#define PROFILE_BYTES(bytes)		PROFILE_SPAN(__func__, "bytes", bytes, NULL)

#ifdef __cplusplus
}
#endif

#endif /* THUNK_PROFILE_H */
