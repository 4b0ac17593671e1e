// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Registers by number, and their description as XML.
 *
 * GDB knows no TPC, and takes a description for a processor that it knows only. So this
 * one is an x86-64, whose addresses have 64 bits and which every GDB for PCs has, with
 * features of our own. Of the x86's registers rip is the program counter. The others
 * are zero, but for rsp: with this one GDB sees one frame without a caller, and looks
 * for none on a stack that is not there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb_priv.h"

#define RSP		7
#define OUTERMOST	8	/* GDB: the frame at 0 has no caller */

enum kind {
	PLAIN,			/* bytes of the core */
	X86,
	PROGRAM_COUNTER,
	PREDICATE_BITS,		/* SP */
	PREDICATES,		/* VP: 0 or 255 each */
	FIXED,			/* offset is the value */
	READ_ONLY,
};

struct file {
	const char *name;
	const char *type;
	unsigned int count;	/* 1: its name has no number */
	unsigned int bytes;
	enum kind kind;
	uint64_t offset;	/* in the core */
};

#define CORE(field)	offsetof(struct gaudi_tpc_core, field)

static const char *const x86_names[GAUDI_GDB_G_REGS] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9",
	"r10", "r11", "r12", "r13", "r14", "r15", "rip", "eflags", "cs", "ss",
	"ds", "es", "fs", "gs", "st0", "st1", "st2", "st3", "st4", "st5",
	"st6", "st7", "fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg",
	"fooff", "fop",
};

static const struct file files[] = {
	{ NULL, "int64", 16, 8, X86 },
	{ NULL, "code_ptr", 1, 8, PROGRAM_COUNTER },
	{ NULL, "int32", 7, 4, X86 },
	{ NULL, "i387_ext", 8, 10, X86 },
	{ NULL, "int32", 8, 4, X86 },
	{ "v", "tpc_vector", 40, 256, PLAIN, CORE(r.v) },
	{ "vp", "tpc_predicate", 16, 256, PREDICATES, CORE(r.vp) },
	{ "lfsr", "tpc_vector", 1, 256, PLAIN, CORE(r.lfsr) },
	{ "carry", "tpc_predicate", 1, 256, PREDICATES, CORE(r.carry) },
	{ "s", "uint32", 36, 4, PLAIN, CORE(r.s) },
	{ "sp", "uint8", 16, 1, PREDICATE_BITS, CORE(r.sp) },
	{ "i", "tpc_index", 32, 20, PLAIN, CORE(r.i) },
	{ "ad", "uint64", 8, 8, PLAIN, CORE(r.ad) },
	{ "s_lfsr", "uint32", 1, 4, PLAIN, CORE(r.s_lfsr) },
	{ "s_carry", "uint8", 1, 1, READ_ONLY, CORE(r.s_carry) },
	{ "div_step", "uint32", 1, 4, READ_ONLY, CORE(r.div_step) },
	{ "semaphore", "uint32", 1, 4, PLAIN, CORE(semaphore) },
	{ "words", "uint64", 1, 8, READ_ONLY, CORE(words) },
	{ "kernel", "uint64", 1, 8, READ_ONLY, CORE(base) },
	{ "slm", "uint64", 1, 8, FIXED, GAUDI_GDB_SLM },
	{ "vlm", "uint64", 1, 8, FIXED, GAUDI_GDB_VLM },
};

#define FILES	(sizeof(files) / sizeof(files[0]))

static const char types[] =
	"<vector id=\"tpc_f32\" type=\"ieee_single\" count=\"64\"/>"
	"<vector id=\"tpc_bf16\" type=\"bfloat16\" count=\"128\"/>"
	"<vector id=\"tpc_i32\" type=\"int32\" count=\"64\"/>"
	"<vector id=\"tpc_u32\" type=\"uint32\" count=\"64\"/>"
	"<vector id=\"tpc_i16\" type=\"int16\" count=\"128\"/>"
	"<vector id=\"tpc_u16\" type=\"uint16\" count=\"128\"/>"
	"<vector id=\"tpc_i8\" type=\"int8\" count=\"256\"/>"
	"<vector id=\"tpc_u8\" type=\"uint8\" count=\"256\"/>"
	"<union id=\"tpc_vector\">"
	"<field name=\"f32\" type=\"tpc_f32\"/>"
	"<field name=\"bf16\" type=\"tpc_bf16\"/>"
	"<field name=\"i32\" type=\"tpc_i32\"/>"
	"<field name=\"u32\" type=\"tpc_u32\"/>"
	"<field name=\"i16\" type=\"tpc_i16\"/>"
	"<field name=\"u16\" type=\"tpc_u16\"/>"
	"<field name=\"i8\" type=\"tpc_i8\"/>"
	"<field name=\"u8\" type=\"tpc_u8\"/></union>"
	/* Of lanes of 4, 2 and 1 bytes: -1 or 0. */
	"<union id=\"tpc_predicate\">"
	"<field name=\"p32\" type=\"tpc_i32\"/>"
	"<field name=\"p16\" type=\"tpc_i16\"/>"
	"<field name=\"p8\" type=\"tpc_i8\"/></union>"
	"<vector id=\"tpc_index\" type=\"int32\" count=\"5\"/>";

/* --- the description --------------------------------------------------------- */

static void describe_file(FILE *out, const struct file *f, unsigned int first)
{
	unsigned int n;

	for (n = 0; n < f->count; n++) {
		fputs("<reg name=\"", out);
		if (!f->name)
			fputs(x86_names[first + n], out);
		else if (f->count > 1)
			fprintf(out, "%s%u", f->name, n);
		else
			fputs(f->name, out);
		fprintf(out, "\" bitsize=\"%u\" type=\"%s\"", f->bytes * 8,
			!f->name && first + n == RSP ? "data_ptr" : f->type);
		fputs("/>", out);
	}
}

char *gaudi_gdb_describe(void)
{
	unsigned int i, first = 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("<?xml version=\"1.0\"?>"
	      "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
	      "<target version=\"1.0\">"
	      "<architecture>i386:x86-64</architecture><osabi>none</osabi>"
	      "<feature name=\"org.gnu.gdb.i386.core\">", out);
	for (i = 0; i < FILES; i++) {
		if (first == GAUDI_GDB_G_REGS)
			fprintf(out, "</feature>"
				"<feature name=\"org.open-gaudi.tpc\">%s",
				types);
		describe_file(out, &files[i], first);
		first += files[i].count;
	}
	fputs("</feature></target>", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* --- values ------------------------------------------------------------------ */

/* n becomes the number within the file. */
static const struct file *find(unsigned int *n)
{
	const struct file *f;

	for (f = files; f < files + FILES; f++) {
		if (*n < f->count)
			return f;
		*n -= f->count;
	}
	return NULL;
}

size_t gaudi_gdb_reg_read(const struct gaudi_tpc_core *core, unsigned int n,
			  uint8_t *buf)
{
	static const uint64_t outermost = OUTERMOST;
	unsigned int at = n;
	const struct file *f = find(&at);

	if (!f)
		return 0;
	memset(buf, 0, f->bytes);
	if (f->kind == X86) {
		if (n == RSP)
			memcpy(buf, &outermost, f->bytes);
	} else if (f->kind == FIXED) {
		memcpy(buf, &f->offset, f->bytes);
	} else if (!core) {
		return f->bytes;
	} else if (f->kind == PROGRAM_COUNTER) {
		memcpy(buf, &core->pc, f->bytes);
	} else if (f->kind == PREDICATE_BITS) {
		*buf = core->r.sp >> at & 1;
	} else {
		memcpy(buf, (const uint8_t *)core + f->offset + at * f->bytes,
		       f->bytes);
	}
	return f->bytes;
}

static int write_pc(struct gaudi_tpc_core *core, const uint8_t *buf)
{
	uint64_t pc;

	memcpy(&pc, buf, sizeof(pc));
	if (pc == core->pc)
		return 0;
	return gaudi_tpc_move(core, pc) ? -EPERM : 0;
}

int gaudi_gdb_reg_write(struct gaudi_tpc_core *core, unsigned int n,
			const uint8_t *buf, size_t len)
{
	unsigned int at = n, i;
	const struct file *f = find(&at);
	uint8_t *to;

	if (!f || len != f->bytes)
		return -EINVAL;
	if (!core)
		return -EPERM;
	to = (uint8_t *)core + f->offset + at * f->bytes;
	switch (f->kind) {
	case PLAIN:
		memcpy(to, buf, len);
		return 0;
	case PROGRAM_COUNTER:
		return write_pc(core, buf);
	case PREDICATE_BITS:
		/* The first one is always true. */
		if (!at)
			return -EPERM;
		core->r.sp &= ~(1u << at);
		core->r.sp |= (*buf & 1) << at;
		return 0;
	case PREDICATES:
		if (!at && f->count > 1)
			return -EPERM;
		for (i = 0; i < len; i++)
			to[i] = buf[i] ? 0xff : 0;
		return 0;
	default:
		return -EPERM;
	}
}
