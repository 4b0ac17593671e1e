// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors of the matrix engine, executed one element at a time. */
#include "../../unit.h"
#include "mme_machine.h"
#include "../../../../qemu-device/chip/mme/walk/mme_walk.h"

#define SIDE	GAUDI_MME_MAX_SIDE
#define HELD	512		/* vectors that an engine holds */

struct stream {
	struct gaudi_mme_walk walk;
	uint32_t round;
	float (*vectors)[SIDE];
	uint64_t num, room;
};

struct run {
	struct mme_machine *m;
	struct gaudi_mme_desc d;
	void *const *memory;
	const uint64_t *bytes;
};

static uint8_t *element(struct run *r, unsigned int op, uint64_t at)
{
	uint32_t size = op == MME_OP_O ? gaudi_mme_size_out(&r->d) :
					 gaudi_mme_size_in(&r->d);

	assert_true((int64_t)at >= 0);
	assert_true((at + 1) * size <= r->bytes[op]);

	return (uint8_t *)r->memory[op] + at * size;
}

static float read_one(struct run *r, unsigned int op, uint64_t at)
{
	const uint8_t *p = element(r, op, at);
	uint16_t half;
	float f;

	r->m->reads++;
	if (gaudi_mme_size_in(&r->d) == 2) {
		memcpy(&half, p, sizeof(half));
		return bf16_to_f32(half);
	}
	memcpy(&f, p, sizeof(f));

	return f;
}

static float *vector(struct stream *s, uint64_t k)
{
	if (k >= s->room) {
		s->room = 2 * k + 64;
		s->vectors = realloc(s->vectors,
				     s->room * sizeof(*s->vectors));
		assert_non_null(s->vectors);
	}
	if (k >= s->num) {
		memset(s->vectors[k], 0, sizeof(s->vectors[k]));
		s->num = k + 1;
	}

	return s->vectors[k];
}

/* One box of rows behind the vectors that are there. */
static void take_box(struct run *r, struct stream *s, unsigned int op)
{
	uint64_t first = s->num, i, e;
	struct gaudi_mme_cursor c;
	struct gaudi_mme_row row;

	gaudi_mme_cursor_begin(&c, &s->walk);
	for (i = 0; i < s->walk.rows; i++) {
		gaudi_mme_cursor_row(&c, &s->walk, &row);
		for (e = 0; e < s->walk.width; e++) {
			bool inside = e >= row.from && e < row.to;
			float v = inside ? read_one(r, op, row.offset + e) : 0;

			if (s->walk.op->trans)
				vector(s, first + e)[i] = v;
			else
				vector(s, first + i)[e] = v;
		}
		gaudi_mme_cursor_next(&c, &s->walk);
	}
}

/* The next group of vectors, or the same again; false: there is none. */
static bool take_group(struct run *r, struct stream *s, unsigned int op)
{
	if (!s->round && s->walk.done)
		return false;
	if (!s->round) {
		s->num = 0;
		do {
			gaudi_mme_walk_next(&s->walk);
			take_box(r, s, op);
		} while ((s->walk.last & r->d.accum_mask) !=
			 r->d.accum_mask);
	}
	s->round = (s->round + 1) % s->walk.op->repeat;
	/* What is used again must fit. */
	assert_true(s->walk.op->repeat == 1 || s->num <= HELD);

	return true;
}

static void write_one(struct run *r, uint64_t at, float v)
{
	uint8_t *p = element(r, MME_OP_O, at);
	bool add = r->d.user_first & 1;
	uint16_t half;
	float old;

	r->m->writes++;
	if (r->d.relu && !(v > 0))
		v = 0;
	if (gaudi_mme_size_out(&r->d) == 2) {
		memcpy(&half, p, sizeof(half));
		half = f32_to_bf16(v + (add ? bf16_to_f32(half) : 0));
		memcpy(p, &half, sizeof(half));
		return;
	}
	memcpy(&old, p, sizeof(old));
	v += add ? old : 0;
	memcpy(p, &v, sizeof(v));
}

static void store(struct run *r, struct gaudi_mme_walk *w, const float *tile)
{
	struct gaudi_mme_cursor c;
	struct gaudi_mme_row row;
	uint64_t i, e;

	gaudi_mme_cursor_begin(&c, w);
	for (i = 0; i < w->rows; i++) {
		gaudi_mme_cursor_row(&c, w, &row);
		for (e = row.from; e < row.to; e++)
			write_one(r, row.offset + e, w->op->trans ?
				  tile[e * SIDE + i] : tile[i * SIDE + e]);
		gaudi_mme_cursor_next(&c, w);
	}
}

/*
 * One vector by one. All bounds are constants, so nothing is looked for here: with
 * sanitizers this loop was most of the test's time.
 */
__attribute__((no_sanitize("address", "undefined", "thread"), optimize("O3")))
static void outer_product(float *restrict tile, const float *restrict a,
			  const float *restrict b)
{
	unsigned int i, j;

	for (i = 0; i < SIDE; i++)
		for (j = 0; j < SIDE; j++)
			tile[i * SIDE + j] += a[i] * b[j];
}

static void multiply(struct run *r, const struct stream *s,
		     const struct stream *l, float *tile)
{
	uint64_t k;

	assert_int_equal(s->num, l->num);
	if (!r->d.accum)
		memset(tile, 0, SIDE * SIDE * sizeof(*tile));
	for (k = 0; k < s->num; k++)
		outer_product(tile, s->vectors[k], l->vectors[k]);
}

void mme_machine_run(struct mme_machine *m, const uint32_t *words,
		     void *const *memory, const uint64_t *bytes)
{
	struct run r = { .m = m, .memory = memory, .bytes = bytes };
	struct stream s = {}, l[2] = {};
	struct gaudi_mme_walk out[2];
	unsigned int h;

	gaudi_mme_unpack(words, &r.d);
	assert_null(gaudi_mme_check(&r.d));
	gaudi_mme_walk_begin(&s.walk, &r.d, MME_OP_S, 0);
	for (h = 0; h < 2; h++) {
		gaudi_mme_walk_begin(&l[h].walk, &r.d, MME_OP_L, h);
		gaudi_mme_walk_begin(&out[h], &r.d, MME_OP_O, h);
	}
	while (take_group(&r, &s, MME_OP_S)) {
		for (h = 0; h < 2; h++) {
			assert_true(take_group(&r, &l[h], MME_OP_L));
			multiply(&r, &s, &l[h], m->acc[h][m->next]);
			assert_false(out[h].done);
			gaudi_mme_walk_next(&out[h]);
			if (r.d.store)
				store(&r, &out[h], m->acc[h][m->next]);
		}
		m->next = (m->next + 1) % 16;
	}
	for (h = 0; h < 2; h++) {
		assert_true(l[h].walk.done && out[h].done);
		free(l[h].vectors);
	}
	free(s.vectors);
	m->next = (m->next + r.d.roll) % 16;
}
