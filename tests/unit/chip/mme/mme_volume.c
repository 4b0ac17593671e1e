// SPDX-License-Identifier: GPL-2.0-only
/* See mme_volume.h. */
#include "mme_volume.h"

void mme_conv_random(struct mme_conv *v)
{
	unsigned int i, far;

	for (i = 0; i < 3; i++) {
		v->taps[i] = 1 + mme_any(3);
		v->stride[i] = 1 + mme_any(3);
		v->dilation[i] = 1 + mme_any(2);
		v->pad[i] = mme_any(3);
		far = v->dilation[i] * (v->taps[i] - 1) + 1;
		v->in[i] = 1 + mme_any(i ? 5 : 12);
		if (v->in[i] + 2 * v->pad[i] < far)
			v->in[i] = far;
		v->out[i] = (v->in[i] + 2 * v->pad[i] - far) / v->stride[i] + 1;
	}
	v->n = 1 + mme_any(3);
}

uint64_t mme_volume(const uint32_t *size)
{
	return (uint64_t)size[0] * size[1] * size[2];
}

uint64_t mme_conv_work(const struct mme_conv *v)
{
	return v->n * mme_volume(v->out) * v->k * v->c * mme_volume(v->taps);
}

bool mme_conv_reads(const struct mme_conv *v, uint32_t n, const uint32_t *at,
		    const uint32_t *tap, uint64_t *pixel)
{
	bool inside = true;
	uint64_t p = n;
	int64_t i;
	int dim;

	for (dim = 2; dim >= 0; dim--) {
		i = (int64_t)at[dim] * v->stride[dim] +
		    tap[dim] * v->dilation[dim] - v->pad[dim];
		inside = inside && i >= 0 && i < v->in[dim];
		p = p * v->in[dim] + i;
	}
	*pixel = p;
	return inside;
}

void mme_places_put(struct mme_desc *d, unsigned int op,
		    const struct mme_places *p, const int32_t *loop)
{
	uint32_t unit = p->channels;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		mme_dim(d, op, 1 + i, unit * p->size[i],
			p->count[i] * p->apart[i] * unit, loop[i] * (int)unit,
			p->apart[i] * unit * (i ? 1 : p->ports));
		unit *= p->size[i];
	}
	mme_dim(d, op, 4, p->n * unit, 0, 0, unit);
}

void mme_places_offset(struct mme_desc *d, unsigned int agu,
		       const struct mme_places *p, const int32_t *more,
		       uint32_t at)
{
	uint32_t unit = p->channels;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		mme_offset(d, agu, 1 + i, more[i] * (int)unit,
			   at % p->count[i] * p->apart[i] * unit);
		at /= p->count[i];
		unit *= p->size[i];
	}
	mme_offset(d, agu, 4, 0, at * unit);
}
