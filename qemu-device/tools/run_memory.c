// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of a TPC as text: local memories, tensors, and whatever has an
 * address; and places that are watched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run_memory.h"
#include "run_show.h"

#define PER_LINE	8

/* --- places ---------------------------------------------------------------- */

static int number(const char *text, const char **end, uint64_t *to)
{
	char *behind;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*to = strtoull(text, &behind, 0);
	*end = behind;
	return errno ? -1 : 0;
}

/* "(3,0)": the byte of an element, or -1. */
static int element(const struct gaudi_npy *a, const char *text,
		   const char **end, uint64_t *off)
{
	uint64_t c, stride = gaudi_npy_types[a->type].bytes;
	unsigned int d = 0;

	*off = 0;
	do {
		if (d == GAUDI_NPY_DIMS || number(text + 1, &text, &c) ||
		    c >= a->size[d])
			return -1;
		*off += c * stride;
		stride *= a->size[d++];
	} while (*text == ',');
	*end = text + 1;
	return *text == ')' ? 0 : -1;
}

/* Behind the name of a memory of so many bytes: "+0x10", or nothing. */
static int offset(struct run_at *at, uint8_t *p, uint64_t size,
		  const char *text, const char **end)
{
	uint64_t off = 0;

	*end = text;
	if (*text == '+' && number(text + 1, end, &off))
		return -1;
	if (off >= size)
		return -1;
	at->p = p + off;
	at->left = size - off;
	return 0;
}

static int tensor(struct run_machine *m, struct run_at *at, const char *text,
		  const char **end)
{
	struct gaudi_npy *a;
	uint64_t n, off;

	if (number(text, &text, &n) || n >= m->tensors)
		return -1;
	a = &m->tensor[n].array;
	at->type = a->type;
	if (*text != '(')
		return offset(at, a->data, a->bytes, text, end);
	if (element(a, text, end, &off) || off >= a->bytes)
		return -1;
	at->p = a->data + off;
	at->left = a->bytes - off;
	return 0;
}

static int address(struct run_machine *m, struct run_at *at, const char *text,
		   const char **end)
{
	uint64_t addr;

	if (number(text, end, &addr))
		return -1;
	at->p = run_machine_at(m, addr, &at->left);
	return at->p ? 0 : -1;
}

static int place(struct run_machine *m, const char *text, struct run_at *at,
		 const char **end)
{
	struct gaudi_tpc_core *core = m->core;

	at->type = -1;
	if (!strncasecmp(text, "slm", 3))
		return offset(at, (uint8_t *)core->slm, sizeof(core->slm),
			      text + 3, end);
	if (!strncasecmp(text, "vlm", 3))
		return offset(at, core->vlm, core->vlm_size ? core->vlm_size :
			      sizeof(core->vlm), text + 3, end);
	if (*text == 't' || *text == 'T')
		return tensor(m, at, text + 1, end);
	return address(m, at, text, end);
}

int run_at_parse(struct run_machine *m, const char *text, struct run_at *at,
		 char *why, size_t size)
{
	const char *end;
	int type;

	snprintf(at->name, sizeof(at->name), "%s", text);
	if (strlen(text) >= sizeof(at->name) || place(m, text, at, &end) ||
	    (*end && *end != ':')) {
		snprintf(why, size,
			 "there is no place '%.60s'; try slm+0x10, vlm+256:f32, t0(3,0) or an address",
			 text);
		return -1;
	}
	if (*end) {
		type = gaudi_npy_type_of(end + 1, strlen(end + 1));
		if (type < 0) {
			snprintf(why, size, "there is no type '%.20s'",
				 end + 1);
			return -1;
		}
		at->type = type;
		at->name[end - text] = '\0';
	}
	if (run_type_bytes(at->type) <= at->left)
		return 0;
	snprintf(why, size, "memory ends within '%.60s'", text);
	return -1;
}

/* --- a view ---------------------------------------------------------------- */

static void show(FILE *to, const struct run_at *at, uint64_t count)
{
	unsigned int size = run_type_bytes(at->type);
	uint64_t i;

	fprintf(to, "%s", at->name);
	for (i = 0; i < count; i++) {
		if (i % PER_LINE == 0)
			fprintf(to, "\n  [%4llu]", (unsigned long long)i);
		fputc(' ', to);
		run_show_value(to, at->p + i * size, at->type);
	}
	fputc('\n', to);
}

void run_memory_show(FILE *to, struct run_machine *m, const char *text)
{
	size_t len = strcspn(text, " \t");
	const char *rest = text + len + strspn(text + len, " \t");
	uint64_t count = PER_LINE, most;
	char name[80], why[160];
	struct run_at at;

	snprintf(name, sizeof(name), "%.*s", (int)(len < 79 ? len : 79), text);
	if (run_at_parse(m, name, &at, why, sizeof(why))) {
		fprintf(to, "%s\n", why);
		return;
	}
	if (*rest && (number(rest, &rest, &count) || *rest || !count)) {
		fputs("a number of elements is expected behind the place\n", to);
		return;
	}
	most = at.left / run_type_bytes(at.type);
	show(to, &at, count < most ? count : most);
	if (count > most)
		fputs("  (here the memory ends)\n", to);
}

/* --- watched places -------------------------------------------------------- */

int run_watch(struct run_machine *m, const char *text, char *why, size_t size)
{
	struct run_watch *w = &m->watch[m->watches];

	if (m->watches == RUN_WATCHES) {
		snprintf(why, size, "more than %u places cannot be watched",
			 RUN_WATCHES);
		return -1;
	}
	if (run_at_parse(m, text, &w->at, why, size))
		return -1;
	memcpy(w->old, w->at.p, run_type_bytes(w->at.type));
	w->hit = false;
	m->watches++;
	return 0;
}

int run_unwatch(struct run_machine *m, unsigned int k)
{
	if (k > m->watches)
		return -1;
	if (!k) {
		m->watches = 0;
		return 0;
	}
	m->watches--;
	memmove(&m->watch[k - 1], &m->watch[k],
		(m->watches - (k - 1)) * sizeof(m->watch[0]));
	return 0;
}

void run_watch_list(FILE *to, const struct run_machine *m)
{
	const struct run_watch *w;

	for (w = m->watch; w < m->watch + m->watches; w++) {
		fprintf(to, "%u  %s = ", (unsigned int)(w - m->watch) + 1,
			w->at.name);
		run_show_value(to, w->at.p, w->at.type);
		fputc('\n', to);
	}
}

bool run_watch_tell(FILE *to, struct run_machine *m)
{
	struct run_watch *w;
	bool any = false;

	for (w = m->watch; w < m->watch + m->watches; w++) {
		if (!w->hit)
			continue;
		if (!any)
			run_show_word(to, m, m->hit_pc - RUN_CODE, "   ");
		any = true;
		w->hit = false;
		fprintf(to, "watch %s: ", w->at.name);
		run_show_value(to, w->before, w->at.type);
		fputs(" -> ", to);
		run_show_value(to, w->old, w->at.type);
		fputc('\n', to);
	}
	return any;
}
