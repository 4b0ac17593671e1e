// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPC's instruction words: decoder, encoder and text against words that the
 * vendor's assembler and compiler made.
 */
#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include "../../../unit.h"
#include "../../../../../qemu-device/chip/tpc/isa/tpc_isa_table.h"

#ifndef TPC_DATA
#error TPC_DATA is the folder of the test data
#endif

typedef void word_fn(const uint8_t *raw, const char *name);

static unsigned int from_hex(const char *hex, uint8_t *raw)
{
	unsigned int n = 0, byte;

	while (n < GAUDI_TPC_WORD && sscanf(hex + 2 * n, "%2x", &byte) == 1)
		raw[n++] = byte;
	return n;
}

static unsigned int each_vector(word_fn *fn)
{
	FILE *file = fopen(TPC_DATA "/vectors.txt", "r");
	uint8_t raw[GAUDI_TPC_WORD];
	unsigned int n = 0;
	char line[512];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *hex = strchr(line, '|');

		if (*line == '#' || !hex)
			continue;
		*hex++ = '\0';
		assert_int_equal(from_hex(hex + 1, raw), GAUDI_TPC_WORD);
		fn(raw, line);
		n++;
	}
	fclose(file);
	return n;
}

static unsigned int each_word_of(const char *path, word_fn *fn)
{
	unsigned int n = 0;
	Elf_Scn *section = NULL;
	Elf_Data *data;
	GElf_Shdr head;
	size_t names;
	int fd = open(path, O_RDONLY);
	Elf *elf;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section))) {
		assert_non_null(gelf_getshdr(section, &head));
		if (strcmp(elf_strptr(elf, names, head.sh_name), ".text"))
			continue;
		data = elf_getdata(section, NULL);
		assert_int_equal(data->d_size % GAUDI_TPC_WORD, 0);
		for (; n < data->d_size / GAUDI_TPC_WORD; n++)
			fn((uint8_t *)data->d_buf + n * GAUDI_TPC_WORD, path);
	}
	elf_end(elf);
	close(fd);
	return n;
}

static unsigned int each_kernel_word(word_fn *fn)
{
	DIR *dir = opendir(TPC_DATA "/kernels");
	struct dirent *entry;
	unsigned int n = 0;
	char path[1024];

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length < 3 || strcmp(entry->d_name + length - 2, ".o"))
			continue;
		snprintf(path, sizeof(path), TPC_DATA "/kernels/%s",
			 entry->d_name);
		n += each_word_of(path, fn);
	}
	closedir(dir);
	return n;
}

static void round_trip(const uint8_t *raw, const char *name)
{
	struct gaudi_tpc_word word, again;
	uint8_t out[GAUDI_TPC_WORD];
	struct gaudi_tpc_error err;

	if (gaudi_tpc_decode(raw, &word, &err))
		fail_msg("%s: %s", name, err.text);
	if (gaudi_tpc_encode(&word, out, &err))
		fail_msg("%s: %s", name, err.text);
	assert_memory_equal(raw, out, sizeof(out));
	assert_int_equal(gaudi_tpc_decode(out, &again, NULL), 0);
	assert_memory_equal(&word, &again, sizeof(word));
}

TEST(vectors)
{
	assert_true(each_vector(round_trip) > 1900);
}

TEST(kernels)
{
	assert_true(each_kernel_word(round_trip) > 1100);
}

/* Every row is reached by some word, but for those that none was made for. */
static uint8_t rows_seen[512];

static void note_rows(const uint8_t *raw, const char *name)
{
	struct gaudi_tpc_word word;
	unsigned int i;

	(void)name;
	assert_int_equal(gaudi_tpc_decode(raw, &word, NULL), 0);
	for (i = 0; i < GAUDI_TPC_SLOTS; i++)
		rows_seen[word.slot[i].form] = 1;
}

TEST(rows)
{
	unsigned int i, unseen = 0;

	each_vector(note_rows);
	each_kernel_word(note_rows);
	assert_true(gaudi_tpc_form_count <= sizeof(rows_seen));
	for (i = 0; i < gaudi_tpc_form_count; i++)
		if (!rows_seen[i]) {
			print_message("row %u: %s in %s\n", i,
				      gaudi_tpc_op_name(gaudi_tpc_forms[i].op),
				      gaudi_tpc_slot_name(
						gaudi_tpc_forms[i].slot));
			unseen++;
		}
	/* MOV.b of VP, MOV.t of special registers. */
	assert_true(unseen <= 2);
}

/* Fields by hand, so that decoder and encoder are not wrong alike. */
TEST(fields)
{
	struct gaudi_tpc_word word;
	uint8_t raw[GAUDI_TPC_WORD];
	const struct gaudi_tpc_insn *insn;

	/* ld_tnsr V3, 2, I4; add.i32 S1, S2, 5; mac.f32 V1, V2, V3; nop */
	gaudi_tpc_nops(&word);
	assert_int_equal(gaudi_tpc_encode(&word, raw, NULL), 0);
	raw[0] = 0x02 | 2 << 6;
	raw[1] = 2 >> 2 | (127 & 7) << 5;
	raw[2] = 127 >> 3 | (1 & 15) << 4;
	raw[3] = 1 >> 4 | GAUDI_TPC_I32 << 3;
	raw[18] |= 0x80 & 5 << 7;
	raw[19] = 5 >> 1;
	assert_int_equal(gaudi_tpc_decode(raw, &word, NULL), 0);
	insn = &word.slot[GAUDI_TPC_SPU];
	assert_int_equal(insn->op, GAUDI_TPC_OP_ADD);
	assert_int_equal(insn->type, GAUDI_TPC_I32);
	assert_int_equal(insn->dest.kind, GAUDI_TPC_K_S);
	assert_int_equal(insn->dest.num, 1);
	assert_int_equal(insn->src[GAUDI_TPC_SRC_A].num, 2);
	assert_int_equal(insn->src[GAUDI_TPC_SRC_B].kind, GAUDI_TPC_K_IMM);
	assert_int_equal(insn->src[GAUDI_TPC_SRC_B].value, 5);
	assert_int_equal(insn->pred.kind, GAUDI_TPC_K_NONE);
}

/* A hostile word is refused by name, or decodes to what encodes again. */
TEST(any_bits)
{
	struct gaudi_tpc_word word, again;
	struct gaudi_tpc_error err;
	uint8_t raw[GAUDI_TPC_WORD], out[GAUDI_TPC_WORD];
	unsigned int i, good = 0;
	uint64_t x = 88172645463325252ull;
	int n;

	for (n = 0; n < 200000; n++) {
		for (i = 0; i < sizeof(raw); i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			raw[i] = x >> 32;
		}
		/* LOAD and STORE, and either SPU or VPU, do nothing. */
		raw[14] |= 0x80;
		raw[15] |= 0x0f;
		raw[17] |= 0xf0;
		raw[18] |= 0x01;
		if (n & 1) {
			raw[5] |= 0xf8;
			raw[6] |= 0x01;
		} else {
			raw[0] |= 0x3f;
		}
		err.text[0] = '\0';
		if (gaudi_tpc_decode(raw, &word, &err)) {
			assert_true(strlen(err.text) > 10);
			assert_non_null(err.field);
			continue;
		}
		good++;
		if (gaudi_tpc_encode(&word, out, &err))
			fail_msg("%s", err.text);
		assert_int_equal(gaudi_tpc_decode(out, &again, NULL), 0);
		assert_memory_equal(&word, &again, sizeof(word));
	}
	assert_true(good > 1000);
}

#define ZEROS	"00000000000000000000000000"
TEST(bad_words)
{
	static const struct {
		const char *hex, *field, *text;
	} bad[] = {
		/* SPU opcode 0x21 */
		{ "2100000000f80100000000000000800f00f001" ZEROS, "opcode",
		  "SPU slot: no opcode 0x21" },
		/* add with type 6; with srcB 36, which is nothing */
		{ "4222433100f80100000000000000800f00f001" ZEROS, "type",
		  "SPU slot: add has no type 6 (b)" },
		{ "4282440100f80100000000000000800f00f001" ZEROS, "srcB",
		  "SPU slot: add does not take operand 0x24 as srcB" },
	};
	struct gaudi_tpc_word word;
	struct gaudi_tpc_error err;
	uint8_t raw[GAUDI_TPC_WORD];
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(from_hex(bad[i].hex, raw), GAUDI_TPC_WORD);
		assert_int_equal(gaudi_tpc_decode(raw, &word, &err), -1);
		assert_string_equal(err.field, bad[i].field);
		assert_string_equal(err.text, bad[i].text);
	}
}

/* What slots share must be the same, and is refused otherwise. */
TEST(conflicts)
{
	struct gaudi_tpc_word word;
	struct gaudi_tpc_error err;
	uint8_t raw[GAUDI_TPC_WORD];
	struct gaudi_tpc_insn *spu = &word.slot[GAUDI_TPC_SPU];
	struct gaudi_tpc_insn *vpu = &word.slot[GAUDI_TPC_VPU];

	gaudi_tpc_nops(&word);
	spu->op = GAUDI_TPC_OP_MOV;
	vpu->op = GAUDI_TPC_OP_MOV;
	spu->type = GAUDI_TPC_I32;
	vpu->type = GAUDI_TPC_I32;
	spu->dest.kind = GAUDI_TPC_K_S;
	vpu->dest.kind = GAUDI_TPC_K_V;
	spu->src[0].kind = GAUDI_TPC_K_IMM;
	vpu->src[0].kind = GAUDI_TPC_K_IMM;
	spu->src[0].value = 7;
	vpu->src[0].value = 7;
	assert_int_equal(gaudi_tpc_encode(&word, raw, &err), 0);
	vpu->src[0].value = 8;
	assert_int_equal(gaudi_tpc_encode(&word, raw, &err), -1);
	assert_string_equal(err.field, "immediate");
	vpu->src[0].kind = GAUDI_TPC_K_I;
	assert_int_equal(gaudi_tpc_encode(&word, raw, &err), -1);
	assert_string_equal(err.field, "srcA");
}

/* --- every source of every operation ---------------------------------------- */

static void zero_switches(struct gaudi_tpc_insn *in,
			  const struct gaudi_tpc_form *form)
{
	const struct gaudi_tpc_place_sw *sw;
	const struct gaudi_tpc_names *names;
	unsigned int k;

	for (sw = form->sw; sw && sw->at != GAUDI_TPC_AT_END; sw++) {
		names = &gaudi_tpc_names[sw->sw];
		while (names->list && !names->list[in->sw[sw->sw]])
			in->sw[sw->sw]++;
	}
	for (k = 0; k < form->needs; k++)
		in->sw[form->need[k].sw] = form->need[k].value;
}

/* The operation with what comes first in all places but one. */
static bool takes(unsigned int row, unsigned int type, unsigned int place,
		  unsigned int kind)
{
	const struct gaudi_tpc_form *form = &gaudi_tpc_forms[row];
	struct gaudi_tpc_operand *o, *back;
	struct gaudi_tpc_word word, again;
	struct gaudi_tpc_insn *in;
	uint8_t raw[GAUDI_TPC_WORD];
	unsigned int k;

	gaudi_tpc_nops(&word);
	in = &word.slot[form->slot];
	memset(in, 0, sizeof(*in));
	in->op = form->op;
	in->slot = form->slot;
	in->type = type;
	in->form = row;
	zero_switches(in, form);
	for (k = 0; form->place[k].at != GAUDI_TPC_AT_END; k++) {
		o = gaudi_tpc_operand_at(in, form->place[k].at);
		if (!o || form->place[k].at == GAUDI_TPC_AT_FIXED ||
		    form->place[k].at == GAUDI_TPC_AT_MASK)
			continue;
		o->kind = k == place ? kind :
			  (unsigned int)__builtin_ctz(form->place[k].kinds);
		if (o->kind == GAUDI_TPC_K_LANE_ID)
			o->num = 32;
		if (o->kind == GAUDI_TPC_K_IMM)
			o->value = 5;
	}
	if (gaudi_tpc_encode(&word, raw, NULL) ||
	    gaudi_tpc_decode(raw, &again, NULL))
		return false;
	o = gaudi_tpc_operand_at(in, form->place[place].at);
	back = gaudi_tpc_operand_at(&again.slot[form->slot],
				    form->place[place].at);
	return again.slot[form->slot].op == form->op &&
	       back->kind == o->kind && back->num == o->num &&
	       back->value == o->value;
}

static unsigned int refused(unsigned int row, unsigned int place)
{
	static const uint8_t vector[] = {
		GAUDI_TPC_K_V, GAUDI_TPC_K_S, GAUDI_TPC_K_S_LFSR,
		GAUDI_TPC_K_LFSR, GAUDI_TPC_K_LANE_ID, GAUDI_TPC_K_IMM,
	};
	static const uint8_t scalar[] = {
		GAUDI_TPC_K_S, GAUDI_TPC_K_S_LFSR, GAUDI_TPC_K_IMM,
	};
	const struct gaudi_tpc_form *form = &gaudi_tpc_forms[row];
	bool vpu = form->slot == GAUDI_TPC_VPU;
	const uint8_t *kinds = vpu ? vector : scalar;
	unsigned int count = vpu ? sizeof(vector) : sizeof(scalar);
	unsigned int type, i, wrong = 0;

	for (type = 0; type <= GAUDI_TPC_NO_TYPE; type++) {
		if (!(form->types ? form->types >> type & 1 :
				    type == GAUDI_TPC_NO_TYPE))
			continue;
		for (i = 0; i < count; i++) {
			if (takes(row, type, place, kinds[i]))
				continue;
			print_message("# %s.%s: source %u, kind %u\n",
				      gaudi_tpc_op_name(form->op),
				      gaudi_tpc_type_name(type), place,
				      kinds[i]);
			wrong++;
		}
	}
	return wrong;
}

/*
 * Arithmetic takes whatever its unit's numbering of sources has: registers,
 * lane numbers, random numbers, the immediate. Moves have a row for each kind.
 */
TEST(sources)
{
	const struct gaudi_tpc_form *form;
	unsigned int row, k, seen = 0, wrong = 0;
	uint32_t base;

	for (row = 0; row < gaudi_tpc_form_count; row++) {
		form = &gaudi_tpc_forms[row];
		if (form->slot != GAUDI_TPC_SPU && form->slot != GAUDI_TPC_VPU)
			continue;
		if (form->op == GAUDI_TPC_OP_MOV ||
		    form->op == GAUDI_TPC_OP_JMPR ||
		    form->op == GAUDI_TPC_OP_JMPA)
			continue;
		base = 1u << (form->slot == GAUDI_TPC_VPU ? GAUDI_TPC_K_V :
							    GAUDI_TPC_K_S);
		for (k = 0; form->place[k].at != GAUDI_TPC_AT_END; k++) {
			if (form->place[k].at == GAUDI_TPC_AT_DEST ||
			    !(form->place[k].kinds & base))
				continue;
			seen++;
			wrong += refused(row, k);
		}
	}
	assert_true(seen > 100);
	assert_int_equal(wrong, 0);
}
