/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uapi-steps: what its scripts share.
 *
 * A script is a function that takes the card through steps. Each step prints
 * one line, "SCRIPT/STEP<tab>RESULT", the same on two drivers that behave
 * alike: nothing in it depends on time, on addresses of this process, or on the
 * order in which unrelated things end. scripts/diff-drivers compares the lines
 * of two drivers by their first column, which is unique.
 */
#ifndef UAPI_STEPS_H
#define UAPI_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include "gaudi_test.h"

struct script {
	const char *name;
	void (*run)(void);
	bool opened;		/* fd below is an open compute node */
	/* It leaves the drivers in different states: both are reset. */
	bool reset_after;
	bool resets;		/* ... it resets the card itself, at its end */
};

/* The scripts, by file; each ends with one that has no name. */
extern const struct script s_node[], s_info[], s_cb[], s_memory[], s_cs[],
	s_signal[], s_wait[], s_files[], s_faults[],
	s_debug[];
void random_script(unsigned long seed, unsigned long num);

/* The name of the script that runs. */
extern const char *script_name;

/* The compute node of the script that runs; steps() act on it. */
extern int fd;

/* One line. The name of the step is formatted by fmt. */
void say(const char *step, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Text for a result of 0 or -errno (a value above 0 as it is). */
const char *errname(long rc);

/*
 * An ioctl on fd, as a step: the result, and each 64-bit word of the argument
 * that the driver changed. Returns 0 or -errno; arg holds the answer.
 */
int step(void *arg, unsigned long request, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same on another file. */
int step_on(int file, void *arg, unsigned long request, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Words of the argument that hold a time: only whether they are 0 is said. */
void hide_words(unsigned int mask);

#define CB(...)		(&(union hl_cb_args){ .in = { __VA_ARGS__ } }),	      \
			DRM_IOCTL_HL_CB
#define CS(...)		(&(union hl_cs_args){ .in = { __VA_ARGS__ } }),	      \
			DRM_IOCTL_HL_CS
#define WAIT(...)	(&(union hl_wait_cs_args){ .in = { __VA_ARGS__ } }),  \
			DRM_IOCTL_HL_WAIT_CS
#define MEM(...)	(&(union hl_mem_args){ .in = { __VA_ARGS__ } }),      \
			DRM_IOCTL_HL_MEMORY
#define DEBUG(...)	(&(struct hl_debug_args){ __VA_ARGS__ }),	      \
			DRM_IOCTL_HL_DEBUG
#define PTR(...)	((uint64_t)(uintptr_t)(__VA_ARGS__))

/* --- common steps (steps.c); each prints -------------------------------- */

/* Create and map a command buffer. Ends the script if that fails. */
struct gt_cb cb_new(uint32_t size, const char *what);
/* Submit chunks; the sequence number or 0. */
uint64_t submit(struct hl_cs_chunk *chunks, uint32_t num, uint32_t flags,
		const char *what);
uint64_t submit_one(uint32_t queue, const struct gt_cb *cb, uint32_t flags,
		    const char *what);
/* Wait for one; hides the time. */
int wait_for(uint64_t seq, uint64_t timeout_us, const char *what);
/* For one whose internal queue may stop at an error before another job ends it: which
 * comes first is a matter of timing, and both are "ended".
 */
void wait_ended(uint64_t seq, const char *what);
/* Give what steps have submitted this many tenths of a second to end. */
void end_submitted(unsigned int tenths);
/* Counters of refused submissions of this context, since the last call. */
void say_drops(const char *what);
/* The record of an INFO opcode, without its time. */
void say_events(const char *what);

/* A CB that waits for a fence of stream s of DMA 0, and what opens it. */
#define BLOCK_FENCE	0
#define BLOCK_RDATA(s)	(CFG_BASE + 0x508308 + 4 * (s))
struct gt_cb cb_block(const char *what);
/* Let queue 0..3 go on, by a message from queue 4. */
void unblock(uint32_t queue, const char *what);

/* Print and leave the script's process. */
void give_up(const char *why) __attribute__((noreturn));

#endif /* UAPI_STEPS_H */
