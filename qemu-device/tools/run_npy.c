// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays in files of NumPy's, version 1.0 and 2.0: a magic number, the length
 * of a header, a Python dictionary with three keys, and the elements. Read
 * strictly: what is not understood in full is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_npy.h"

#define MAGIC		"\x93NUMPY"
#define MAGIC_SIZE	6
#define ALIGN		64

const struct gaudi_npy_name gaudi_npy_types[GAUDI_NPY_TYPES] = {
	{ "i8", "|i1", 1 },
	{ "i16", "<i2", 2 },
	{ "i32", "<i4", 4 },
	{ "u8", "|u1", 1 },
	{ "u16", "<u2", 2 },
	{ "u32", "<u4", 4 },
	{ "bf16", "<V2", 2 },
	{ "f32", "<f4", 4 },
};

/* The text of a header that is being read. */
struct text {
	const char *at;
	const char *end;
	char *why;
	size_t why_size;
};

static int wrong(struct text *t, const char *why)
{
	snprintf(t->why, t->why_size, "%s", why);
	return -1;
}

int gaudi_npy_type_of(const char *name, size_t len)
{
	int i;

	for (i = 0; i < GAUDI_NPY_TYPES; i++)
		if (strlen(gaudi_npy_types[i].name) == len &&
		    !memcmp(gaudi_npy_types[i].name, name, len))
			return i;
	return -1;
}

size_t gaudi_npy_bytes(const struct gaudi_npy *array)
{
	size_t n = gaudi_npy_types[array->type].bytes;
	unsigned int d;

	for (d = 0; d < GAUDI_NPY_DIMS; d++)
		if (__builtin_mul_overflow(n, array->size[d], &n))
			return SIZE_MAX;
	return n;
}

/* --- reading --------------------------------------------------------------- */

static void spaces(struct text *t)
{
	while (t->at < t->end && *t->at == ' ')
		t->at++;
}

static bool sign(struct text *t, char c)
{
	spaces(t);
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

static bool word(struct text *t, const char *what)
{
	size_t len = strlen(what);

	spaces(t);
	if ((size_t)(t->end - t->at) < len || memcmp(t->at, what, len))
		return false;
	t->at += len;
	return true;
}

/* A string without escapes; its length, or -1. */
static int string(struct text *t, const char **from)
{
	char quote;

	spaces(t);
	if (t->at == t->end || (*t->at != '\'' && *t->at != '"'))
		return -1;
	quote = *t->at++;
	*from = t->at;
	while (t->at < t->end && *t->at != quote && *t->at != '\\')
		t->at++;
	if (t->at == t->end || *t->at != quote)
		return -1;
	return t->at++ - *from;
}

static int wrong_descr(struct text *t, const char *descr, int len)
{
	bool known = len > 1 && len < 6;
	int i;

	for (i = 0; i < len; i++)
		known &= descr[i] > ' ' && descr[i] < 0x7f;
	if (!known)
		return wrong(t, "its element type is none that a tensor can have");
	if (descr[0] == '>')
		snprintf(t->why, t->why_size,
			 "its elements are big-endian ('%.*s'); the card is little-endian",
			 len, descr);
	else
		snprintf(t->why, t->why_size,
			 "no tensor has elements of type '%.*s' (use one of f32 bf16 i32 u32 i16 u16 i8 u8)",
			 len, descr);
	return -1;
}

static int descr(struct text *t, struct gaudi_npy *array)
{
	const char *from, *want;
	bool any_order;
	int i, len = string(t, &from);

	if (len < 0)
		return wrong(t, "'descr' is no plain type");
	for (i = 0; i < GAUDI_NPY_TYPES && len == 3; i++) {
		want = gaudi_npy_types[i].descr;
		/* Bytes, and what NumPy only carries, have no order. */
		any_order = gaudi_npy_types[i].bytes == 1 ||
			    i == GAUDI_NPY_BF16;
		if (memcmp(from + 1, want + 1, 2))
			continue;
		if (*from != *want &&
		    !(any_order && (*from == '|' || *from == '<')))
			continue;
		array->type = i;
		return 0;
	}
	return wrong_descr(t, from, len);
}

static int number(struct text *t, uint32_t *to)
{
	uint64_t n = 0;
	const char *from;

	spaces(t);
	from = t->at;
	for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
		n = 10 * n + (*t->at - '0');
		if (n > INT32_MAX)
			return wrong(t, "a size is beyond 2^31 - 1");
	}
	if (t->at == from)
		return wrong(t, "'shape' is no tuple of numbers");
	*to = n;
	return 0;
}

static int shape(struct text *t, struct gaudi_npy *array)
{
	uint32_t sizes[GAUDI_NPY_DIMS];
	unsigned int d, n = 0;
	bool comma = false;

	if (!sign(t, '('))
		return wrong(t, "'shape' is no tuple of numbers");
	while (!sign(t, ')')) {
		if (n && !comma)
			return wrong(t, "'shape' is no tuple of numbers");
		if (n == GAUDI_NPY_DIMS)
			return wrong(t, "it has more than five dimensions");
		if (number(t, &sizes[n++]))
			return -1;
		comma = sign(t, ',');
	}
	if (n == 1 && !comma)
		return wrong(t, "'shape' is no tuple of numbers");
	array->dims = n;
	for (d = 0; d < GAUDI_NPY_DIMS; d++)
		array->size[d] = d < n ? sizes[n - 1 - d] : 1;
	return 0;
}

static int order(struct text *t)
{
	if (word(t, "True"))
		return wrong(t, "its order is Fortran's; save numpy.ascontiguousarray() of it");
	if (word(t, "False"))
		return 0;
	return wrong(t, "'fortran_order' is neither True nor False");
}

static int entry(struct text *t, struct gaudi_npy *array, unsigned int *seen)
{
	static const char *const keys[] = { "descr", "fortran_order", "shape" };
	const char *key;
	int k, len = string(t, &key);

	for (k = 0; k < 3; k++)
		if (len == (int)strlen(keys[k]) && !memcmp(key, keys[k], len))
			break;
	if (k == 3)
		return wrong(t, "its header has a key that is none of descr, fortran_order, shape");
	if (*seen & 1u << k)
		return wrong(t, "its header has a key twice");
	*seen |= 1u << k;
	if (!sign(t, ':'))
		return wrong(t, "its header is no dictionary");
	return k == 0 ? descr(t, array) : k == 1 ? order(t) : shape(t, array);
}

static int dictionary(struct text *t, struct gaudi_npy *array)
{
	unsigned int seen = 0;
	bool comma = true;

	if (!sign(t, '{'))
		return wrong(t, "its header is no dictionary");
	while (!sign(t, '}')) {
		if (!comma)
			return wrong(t, "its header is no dictionary");
		if (entry(t, array, &seen))
			return -1;
		comma = sign(t, ',');
	}
	if (seen != 7)
		return wrong(t, "its header lacks one of descr, fortran_order, shape");
	spaces(t);
	if (t->end - t->at != 1 || *t->at != '\n')
		return wrong(t, "there is something behind its header's dictionary");
	return 0;
}

/* The header's text; -1 if it is no such file. */
static int find_header(const uint8_t *file, size_t len, struct text *t)
{
	size_t at, size;

	if (len < MAGIC_SIZE + 4 || memcmp(file, MAGIC, MAGIC_SIZE))
		return wrong(t, "this is no .npy file");
	if ((file[6] != 1 && file[6] != 2) || file[7]) {
		snprintf(t->why, t->why_size,
			 "its format is %u.%u; known are 1.0 and 2.0", file[6],
			 file[7]);
		return -1;
	}
	at = file[6] == 1 ? 10 : 12;
	if (len < at)
		return wrong(t, "it ends in its header");
	size = file[8] | file[9] << 8;
	if (file[6] == 2)
		size |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
	if (size > len - at)
		return wrong(t, "it ends in its header");
	t->at = (const char *)file + at;
	t->end = t->at + size;
	return 0;
}

int gaudi_npy_parse(const uint8_t *file, size_t len, struct gaudi_npy *array,
		    char *why, size_t why_size)
{
	struct text t = { .why = why, .why_size = why_size };
	size_t left;

	memset(array, 0, sizeof(*array));
	if (find_header(file, len, &t) || dictionary(&t, array))
		return -1;
	left = file + len - (const uint8_t *)t.end;
	array->bytes = gaudi_npy_bytes(array);
	if (array->bytes != left) {
		snprintf(why, why_size,
			 "its shape needs %zu bytes of elements, and it has %zu",
			 array->bytes, left);
		return -1;
	}
	array->data = malloc(left ? left : 1);
	if (!array->data)
		return wrong(&t, "no memory");
	memcpy(array->data, t.end, left);
	return 0;
}

/* --- writing --------------------------------------------------------------- */

static int header(const struct gaudi_npy *array, char *to, size_t size)
{
	size_t len;
	unsigned int d;

	len = snprintf(to, size,
		       "{'descr': '%s', 'fortran_order': False, 'shape': (",
		       gaudi_npy_types[array->type].descr);
	for (d = array->dims; d--;)
		len += snprintf(to + len, size - len, "%u%s", array->size[d],
				array->dims == 1 ? "," : d ? ", " : "");
	len += snprintf(to + len, size - len, "), }");
	/* Elements begin at a multiple of 64, behind spaces and a new line. */
	while ((MAGIC_SIZE + 4 + len + 1) % ALIGN)
		to[len++] = ' ';
	to[len++] = '\n';
	return len;
}

int gaudi_npy_write(const char *path, const struct gaudi_npy *array)
{
	char text[4 * ALIGN];
	int len = header(array, text, sizeof(text)), err;
	uint8_t head[10] = MAGIC "\x01";
	FILE *to = fopen(path, "wb");
	bool good;

	if (!to)
		return -1;
	head[8] = len;
	head[9] = len >> 8;
	good = fwrite(head, sizeof(head), 1, to) == 1 &&
	       fwrite(text, len, 1, to) == 1 &&
	       (!array->bytes || fwrite(array->data, array->bytes, 1, to) == 1);
	err = errno;
	if (fclose(to)) {
		err = good ? errno : err;
		good = false;
	}
	errno = err;
	return good ? 0 : -1;
}
