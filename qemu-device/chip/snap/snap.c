// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Fields, and the parts that they are in; see snap.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "snap.h"

/* "GAUDSNAP" on a little-endian host: another byte order does not match. */
#define MAGIC		0x50414e5344554147ull
#define FORMAT		1u
/* Longer than any part is, so that a wrong length takes no memory for nothing. */
#define MAX_PART	(64u << 20)
/* The stream is read in such pieces: one that ends early has taken no more than that. */
#define STEP		(1u << 20)

struct part_head {
	char name[16];
	uint32_t version;
	uint32_t len;
	uint32_t crc;
	uint32_t head_crc;		/* of what stands before it */
};

static void fail(struct gaudi_snap *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void fail(struct gaudi_snap *s, int err, const char *fmt, ...)
{
	va_list ap;

	if (s->err)
		return;
	s->err = err;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
}

void gaudi_snap_refuse(struct gaudi_snap *s, const char *fmt, ...)
{
	va_list ap;

	if (s->err)
		return;
	s->err = -EBUSY;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
}

bool gaudi_snap_check(struct gaudi_snap *s, bool good, const char *what)
{
	if (s->load && !good)
		fail(s, -EINVAL, "part %s: %s", s->part, what);
	return !s->err;
}

/* --- the stream ------------------------------------------------------------- */

static void put(struct gaudi_snap *s, const void *buf, size_t len)
{
	int err = s->err || s->dry ? 0 :
		  s->stream->write(s->stream->opaque, buf, len);

	if (err)
		fail(s, err, "the snapshot cannot be written: %s", strerror(-err));
}

/* Nothing of a stream that ends early is used. */
static void get(struct gaudi_snap *s, void *buf, size_t len)
{
	int err = s->err ? 0 : s->stream->read(s->stream->opaque, buf, len);

	if (err)
		fail(s, err, "the snapshot ends early, or cannot be read: %s",
		     strerror(-err));
	if (s->err)
		memset(buf, 0, len);
}

/* Room for so many bytes more in the part. */
static bool grow(struct gaudi_snap *s, size_t more)
{
	size_t room = s->room ? s->room : 4096;
	uint8_t *buf;

	if (s->err)
		return false;
	while (room < s->len + more)
		room *= 2;
	if (room == s->room)
		return true;
	buf = realloc(s->buf, room);
	if (!buf) {
		fail(s, -ENOMEM, "part %s: no memory", s->part);
		return false;
	}
	s->buf = buf;
	s->room = room;
	return true;
}

void gaudi_snap_head(struct gaudi_snap *s)
{
	uint64_t head[2] = { MAGIC, FORMAT };

	if (!s->load) {
		put(s, head, sizeof(head));
		return;
	}
	get(s, head, sizeof(head));
	if (!s->err && head[0] != MAGIC)
		fail(s, -EINVAL, "this is no snapshot of a card");
	if (head[1] != FORMAT)
		fail(s, -EINVAL, "its format is %llu, of which nothing is known",
		     (unsigned long long)head[1]);
}

/* --- parts ------------------------------------------------------------------ */

static uint32_t head_crc(const struct part_head *head)
{
	return crc32(0, (const void *)head, offsetof(struct part_head, head_crc));
}

static void get_part(struct gaudi_snap *s)
{
	struct part_head head;
	uint32_t n, crc = 0;

	get(s, &head, sizeof(head));
	if (s->err)
		return;
	if (head_crc(&head) != head.head_crc)
		fail(s, -EINVAL, "part %s: its head is damaged", s->part);
	else if (strncmp(head.name, s->part, sizeof(head.name)))
		fail(s, -EINVAL, "there is another part where %s should be", s->part);
	else if (head.version != s->version)
		fail(s, -EINVAL, "part %s has version %u, not %u", s->part,
		     head.version, s->version);
	else if (head.len > MAX_PART)
		fail(s, -EINVAL, "part %s is too long", s->part);
	while (!s->err && s->len < head.len) {
		n = head.len - s->len < STEP ? head.len - s->len : STEP;
		if (!grow(s, n))
			break;
		get(s, s->buf + s->len, n);
		crc = crc32(crc, s->buf + s->len, n);
		s->len += n;
	}
	if (!s->err && crc != head.crc)
		fail(s, -EINVAL, "part %s is damaged", s->part);
}

void gaudi_snap_begin(struct gaudi_snap *s, const char *part, uint32_t version)
{
	s->part = part;
	s->version = version;
	s->len = 0;
	s->pos = 0;
	if (s->load)
		get_part(s);
}

void gaudi_snap_end(struct gaudi_snap *s)
{
	struct part_head head = { .version = s->version, .len = s->len };

	if (s->load) {
		if (s->pos != s->len)
			fail(s, -EINVAL, "part %s is longer than it should be",
			     s->part);
		return;
	}
	if (s->err || s->dry)
		return;
	memcpy(head.name, s->part, strnlen(s->part, sizeof(head.name)));
	head.crc = crc32(0, s->buf, s->len);
	head.head_crc = head_crc(&head);
	put(s, &head, sizeof(head));
	put(s, s->buf, s->len);
}

void gaudi_snap_free(struct gaudi_snap *s)
{
	free(s->buf);
	s->buf = NULL;
	s->room = 0;
}

/* --- fields ----------------------------------------------------------------- */

void gaudi_snap_field(struct gaudi_snap *s, void *value, size_t size,
		      size_t count)
{
	size_t len = size * count;

	if (!s->load) {
		if (s->dry || !grow(s, len))
			return;
		memcpy(s->buf + s->len, value, len);
		s->len += len;
		return;
	}
	if (len > s->len - s->pos)
		fail(s, -EINVAL, "part %s is shorter than it should be", s->part);
	if (s->err) {
		memset(value, 0, len);
		return;
	}
	memcpy(value, s->buf + s->pos, len);
	s->pos += len;
}

void gaudi_snap_bool(struct gaudi_snap *s, bool *value)
{
	uint8_t byte = s->load ? 0 : *value;

	GAUDI_SNAP(s, byte);
	gaudi_snap_check(s, byte <= 1, "what is yes or no is neither");
	if (s->load)
		*value = byte == 1;
}

void gaudi_snap_time(struct gaudi_snap *s, uint64_t *ns)
{
	bool never = !s->load && *ns == UINT64_MAX;
	int64_t in = s->load ? 0 : *ns - s->now_ns;

	gaudi_snap_bool(s, &never);
	GAUDI_SNAP(s, in);
	if (!s->load)
		return;
	if (never)
		*ns = UINT64_MAX;
	else if (in < 0 && -(uint64_t)in > s->now_ns)
		*ns = 0;
	else
		*ns = s->now_ns + in;
}

void gaudi_snap_timer(struct gaudi_snap *s, struct gaudi_timer *timer)
{
	uint64_t deadline = timer->deadline_ns;
	bool armed = timer->armed;

	gaudi_snap_bool(s, &armed);
	if (s->load && !armed)
		gaudi_timer_cancel(s->chip, timer);
	if (!armed)
		return;
	gaudi_snap_time(s, &deadline);
	if (s->load && !s->err)
		gaudi_timer_arm(s->chip, timer, deadline > s->now_ns ?
				deadline - s->now_ns : 0);
}
