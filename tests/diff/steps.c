// SPDX-License-Identifier: GPL-2.0-only
/* What the scripts share; see steps.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steps.h"

#define MAX_NAMES	8192
#define MAX_SUBMITTED	1024

int fd = -1;
const char *script_name = "";

static uint64_t names[MAX_NAMES];
static unsigned int num_names;
static unsigned int hidden;
/* The last ones that steps submitted. */
static uint64_t submitted[MAX_SUBMITTED];
static unsigned int num_submitted;

static uint64_t hash(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

/* How often this name has been used before. */
static unsigned int used_before(const char *name)
{
	uint64_t h = hash(name) ^ hash(script_name) << 1;
	unsigned int i, n = 0;

	for (i = 0; i < num_names; i++)
		n += names[i] == h;
	if (num_names < MAX_NAMES)
		names[num_names++] = h;
	return n;
}

void say(const char *name, const char *fmt, ...)
{
	char line[4096];
	unsigned int n = used_before(name);
	va_list args;
	size_t len;

	len = snprintf(line, sizeof(line), "%s/%s", script_name, name);
	if (n)
		len += snprintf(line + len, sizeof(line) - len, " (%u)", n + 1);
	line[len++] = '\t';
	va_start(args, fmt);
	len += vsnprintf(line + len, sizeof(line) - len - 1, fmt, args);
	va_end(args);
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	/* One write: the process may be killed in its next call. */
	if (write(STDOUT_FILENO, line, len) < 0)
		_exit(1);
}

const char *errname(long rc)
{
	static char buf[4][32];
	static unsigned int turn;
	const char *name = rc < 0 ? strerrorname_np(-rc) : NULL;

	if (name)
		return name;
	turn = (turn + 1) % 4;
	snprintf(buf[turn], sizeof(buf[turn]), "%ld", rc);
	return buf[turn];
}

void give_up(const char *why)
{
	say("gives up", "%s", why);
	_exit(3);
}

void hide_words(unsigned int mask)
{
	hidden = mask;
}

/* The words that changed: " w1=0x2". */
static void changed_words(char *out, size_t size, const uint64_t *before,
			  const uint64_t *after, unsigned int num)
{
	unsigned int i;
	size_t len = 0;

	out[0] = 0;
	for (i = 0; i < num && len < size; i++) {
		if (before[i] == after[i])
			continue;
		if (hidden & 1u << i && after[i])
			len += snprintf(out + len, size - len, " w%u=time", i);
		else
			len += snprintf(out + len, size - len, " w%u=%#llx", i,
					(unsigned long long)after[i]);
	}
}

static int vstep(int file, void *arg, unsigned long request, const char *fmt,
		 va_list args)
{
	uint64_t before[32];
	char name[256], words[1024];
	size_t size = _IOC_SIZE(request);
	int rc;

	vsnprintf(name, sizeof(name), fmt, args);
	if (size > sizeof(before))
		size = sizeof(before);
	memcpy(before, arg, size);
	rc = gt_ioctl(file, request, arg);
	if (!rc && file == fd && request == DRM_IOCTL_HL_CS)
		submitted[num_submitted++ % MAX_SUBMITTED] =
			((union hl_cs_args *)arg)->out.seq;
	changed_words(words, sizeof(words), before, arg, size / 8);
	say(name, "%s%s", errname(rc), words);
	hidden = 0;
	return rc;
}

int step_on(int file, void *arg, unsigned long request, const char *fmt, ...)
{
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = vstep(file, arg, request, fmt, args);
	va_end(args);
	return rc;
}

int step(void *arg, unsigned long request, const char *fmt, ...)
{
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = vstep(fd, arg, request, fmt, args);
	va_end(args);
	return rc;
}

struct gt_cb cb_new(uint32_t size, const char *what)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_CREATE,
					  .cb_size = size } };
	struct gt_cb cb = { .size = size };

	if (step(&args, DRM_IOCTL_HL_CB, "%s: create", what))
		give_up(what);
	cb.handle = args.out.cb_handle;
	cb.map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)cb.handle);
	if (cb.map == MAP_FAILED)
		give_up(what);
	return cb;
}

uint64_t submit(struct hl_cs_chunk *chunks, uint32_t num, uint32_t flags,
		const char *what)
{
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(chunks),
		.num_chunks_execute = num,
		.cs_flags = flags,
		.timeout = 100,
	} };

	return step(&args, DRM_IOCTL_HL_CS, "%s", what) ? 0 : args.out.seq;
}

uint64_t submit_one(uint32_t queue, const struct gt_cb *cb, uint32_t flags,
		    const char *what)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle,
				     .queue_index = queue,
				     .cb_size = cb->len };

	return submit(&chunk, 1, flags, what);
}

int wait_for(uint64_t seq, uint64_t timeout_us, const char *what)
{
	hide_words(2);
	return step(WAIT(.seq = seq, .timeout_us = timeout_us), "%s", what);
}

void wait_ended(uint64_t seq, const char *what)
{
	uint32_t status = 0;
	int rc = gt_wait(fd, seq, 20000000, &status);

	if (rc == -EIO || (!rc && status == HL_WAIT_CS_STATUS_COMPLETED))
		say(what, "ended");
	else
		say(what, "%s status %u", errname(rc), status);
}

void end_submitted(unsigned int tenths)
{
	unsigned int i, num = num_submitted;
	uint32_t status;

	if (num > MAX_SUBMITTED)
		num = MAX_SUBMITTED;
	for (i = 0; i < num && tenths; i++) {
		while (!gt_wait(fd, submitted[i], 100000, &status) &&
		       status == HL_WAIT_CS_STATUS_BUSY && --tenths)
			;
	}
}

void say_drops(const char *what)
{
	static uint64_t last[6];
	uint64_t now[12];
	unsigned int i;
	char text[128];
	size_t len = 0;

	if (gt_info(fd, HL_INFO_CS_COUNTERS, now, sizeof(now))) {
		say(what, "no counters");
		return;
	}
	for (i = 0; i < 6; i++) {
		len += snprintf(text + len, sizeof(text) - len, " %llu",
				(unsigned long long)(now[2 * i + 1] - last[i]));
		last[i] = now[2 * i + 1];
	}
	say(what, "memory, parsing, full, reset, flight, validation:%s", text);
}

void say_events(const char *what)
{
	uint64_t mask = 0;
	int rc = gt_info(fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask));

	say(what, "%s events %#llx", errname(rc), (unsigned long long)mask);
}

struct gt_cb cb_block(const char *what)
{
	struct gt_cb cb = cb_new(4096, what);

	cb.len = gt_pkt_fence(cb.map, BLOCK_FENCE, 1, 1);
	return cb;
}

void unblock(uint32_t queue, const char *what)
{
	struct gt_cb cb;

	if (gt_cb_create(fd, 4096, &cb))
		give_up(what);
	cb.len = gt_pkt_msg_long(cb.map, BLOCK_RDATA(queue), 1, 0);
	say(what, "%s", errname(gt_run(fd, 4, &cb)));
	gt_cb_destroy(fd, &cb);
}
