// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recipe files: what is written is read back the same, and each way to spoil a
 * file is refused for its own reason. Where a reason needs a valid checksum, the
 * file gets one.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <libelf.h>

#include "../../unit.h"
#include "../demo.h"
#include "gaudi_link.h"
#include "hostile.h"
#include "recipe/recipe.h"

static struct image image;

static void load(enum demo demo)
{
	struct gaudi_recipe *r;
	void *data;

	free(image.data);
	WORKS(demo_build(demo, &r));
	WORKS(gaudi_recipe_to_memory(r, &data, &image.size));
	image.data = data;
	gaudi_recipe_release(r);
}

static int end(void **state)
{
	(void)state;
	free(image.data);
	image.data = NULL;

	return 0;
}

#define FORMAT_TEST(fn) TEST_WITH(fn, NULL, end)

/* The image is refused with @code and a message that has @text. */
static void refused(int code, const char *text)
{
	struct gaudi_recipe *r = NULL;
	int rc;

	rc = gaudi_recipe_from_memory(image.data, image.size, &r);
	if (r)
		fail_msg("loaded, and not '%s'", text);
	if (rc != code || !strstr(gaudi_last_error(NULL), text))
		fail_msg("%d '%s', not %d '%s'", rc, gaudi_last_error(NULL),
			 code, text);
}

/* One change to a fresh image; @change and @text as in refused(). */
#define SPOIL(demo, change, text) do { \
	load(demo); \
	change; \
	mend(&image); \
	refused(GAUDI_ERR_RECIPE, text); \
} while (0)

#define E		ehdr_of(&image)
#define S(type, nth)	section_of(&image, type, nth)
#define H		header_of(&image)

static void *bytes_of(uint32_t type, uint32_t nth)
{
	return image.data + S(type, nth)->sh_offset;
}

static struct recipe_file_tensor *tensors(void)
{
	return bytes_of(RECIPE_SHT_TENSORS, 0);
}

static struct recipe_file_patch *patches(uint32_t nth)
{
	return bytes_of(RECIPE_SHT_PATCHES, nth);
}

static uint32_t *words(uint32_t nth)
{
	return bytes_of(RECIPE_SHT_PACKETS, nth);
}

FORMAT_TEST(round_trips)
{
	enum demo demo;

	for (demo = 0; demo < NUM_DEMOS; demo++) {
		struct gaudi_recipe *r;
		void *again;
		size_t size;
		char *text;
		FILE *f;

		load(demo);
		WORKS(gaudi_recipe_from_memory(image.data, image.size, &r));
		WORKS(gaudi_recipe_to_memory(r, &again, &size));
		assert_int_equal(size, image.size);
		assert_memory_equal(again, image.data, size);
		f = open_memstream(&text, &size);
		WORKS(gaudi_recipe_disassemble(r, f));
		fclose(f);
		assert_true(size > 0);
		free(text);
		free(again);
		gaudi_recipe_release(r);
	}
}

/* libelf, which has its own idea of ELF, sees the same sections. */
FORMAT_TEST(libelf_reads_it)
{
	size_t num = 0;
	Elf *elf;

	load(DEMO_WIDE);
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image.data, image.size);
	assert_non_null(elf);
	assert_int_equal(elf_kind(elf), ELF_K_ELF);
	WORKS(elf_getshdrnum(elf, &num));
	assert_int_equal(num, E->e_shnum);
	assert_string_equal(elf_strptr(elf, E->e_shstrndx, shdr_of(&image, 2)->sh_name),
			    ".gaudi.recipe");
	elf_end(elf);
}

FORMAT_TEST(any_flipped_bit_is_seen)
{
	struct gaudi_recipe *r;
	size_t i;

	load(DEMO_HOST);
	for (i = 0; i < image.size * 8; i++) {
		int rc;

		image.data[i / 8] ^= 1 << i % 8;
		rc = gaudi_recipe_from_memory(image.data, image.size, &r);
		if (rc != GAUDI_ERR_RECIPE && rc != GAUDI_ERR_RECIPE_VERSION)
			fail_msg("bit %zu: %d", i, rc);
		image.data[i / 8] ^= 1 << i % 8;
	}
}

FORMAT_TEST(any_truncation_is_seen)
{
	size_t size;

	load(DEMO_ONE);
	size = image.size;
	while (size--) {
		struct gaudi_recipe *r;
		/* As long as it says, so that a read beyond is seen. */
		uint8_t *part = malloc(size + !size);

		memcpy(part, image.data, size);
		assert_int_equal(gaudi_recipe_from_memory(part, size, &r),
				 GAUDI_ERR_RECIPE);
		free(part);
	}
}

FORMAT_TEST(versions)
{
	load(DEMO_ONE);
	H->major++;
	refused(GAUDI_ERR_RECIPE_VERSION, "2.0");
	H->major = RECIPE_MAJOR;
	H->minor = RECIPE_MINOR + 1;
	refused(GAUDI_ERR_RECIPE_VERSION, "format 1.6");
	H->minor = RECIPE_MINOR;
	H->chip = 2;
	refused(GAUDI_ERR_RECIPE_VERSION, "chip 2");
	H->chip = RECIPE_CHIP_GAUDI;
	H->magic[0] = 'X';
	refused(GAUDI_ERR_RECIPE, "GAUDIREC");
}

FORMAT_TEST(elf_headers)
{
	SPOIL(DEMO_ONE, E->e_ident[0] = 0, "e_ident[0]");
	SPOIL(DEMO_ONE, E->e_ident[EI_CLASS] = ELFCLASS32, "e_ident[4]");
	SPOIL(DEMO_ONE, E->e_ident[EI_DATA] = ELFDATA2MSB, "e_ident[5]");
	SPOIL(DEMO_ONE, E->e_ident[EI_OSABI] = 0, "e_ident[7]");
	SPOIL(DEMO_ONE, E->e_ident[15] = 1, "e_ident[15]");
	SPOIL(DEMO_ONE, E->e_type = ET_EXEC, "e_type");
	SPOIL(DEMO_ONE, E->e_machine = EM_X86_64, "e_machine");
	SPOIL(DEMO_ONE, E->e_version = 0, "e_version");
	SPOIL(DEMO_ONE, E->e_entry = 8, "entry point");
	SPOIL(DEMO_ONE, E->e_phnum = 1, "segments");
	SPOIL(DEMO_ONE, E->e_ehsize = 0, "e_ehsize");
	SPOIL(DEMO_ONE, E->e_shentsize = 32, "e_shentsize");
	SPOIL(DEMO_ONE, E->e_shnum = 1, "1 sections");
	SPOIL(DEMO_ONE, E->e_shnum = 833, "833 sections");
	SPOIL(DEMO_ONE, E->e_shnum = 832, "section header table");
	SPOIL(DEMO_ONE, E->e_shstrndx = 0, "e_shstrndx");
	SPOIL(DEMO_ONE, E->e_shstrndx = 60, "e_shstrndx");
	SPOIL(DEMO_ONE, E->e_shstrndx = 3, "has no strings");
	SPOIL(DEMO_ONE, E->e_shoff = 8, "section header table");
	SPOIL(DEMO_ONE, E->e_shoff = image.size, "section header table");
	SPOIL(DEMO_ONE, E->e_shoff = -8, "section header table");
}

FORMAT_TEST(sections)
{
	SPOIL(DEMO_ONE, shdr_of(&image, 0)->sh_size = 1, "section 0");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_type = SHT_NOBITS,
	      "type 0x8");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_flags = 1, "flags");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_addr = 1, "address");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_entsize = 8,
	      "entries of 8");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_size -= 8, "not of 152");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_size = 152ull << 50,
	      ".gaudi.tensors");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_offset = -152ull,
	      ".gaudi.tensors");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_offset = 0,
	      ".gaudi.tensors");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_offset += 8, "overlap");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_PACKETS, 0)->sh_offset =
			S(RECIPE_SHT_PATCHES, 0)->sh_offset, "overlap");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_type = RECIPE_SHT_KEY,
	      "0 entries");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_TENSORS, 0)->sh_type = SHT_STRTAB,
	      "2 sections .strtab");
	SPOIL(DEMO_HOST, S(RECIPE_SHT_PACKETS, 1)->sh_type =
			 RECIPE_SHT_CONSTANTS, "patches");
	SPOIL(DEMO_HOST, S(RECIPE_SHT_PATCHES, 1)->sh_link = 4,
	      "in two sections");
	SPOIL(DEMO_HOST, S(RECIPE_SHT_PATCHES, 1)->sh_info = 0,
	      "another engine");
	SPOIL(DEMO_HOST, (S(RECIPE_SHT_PACKETS, 0)->sh_info = 99,
			  S(RECIPE_SHT_PATCHES, 0)->sh_info = 99), "engine 99");
	SPOIL(DEMO_HOST, (S(RECIPE_SHT_PACKETS, 1)->sh_info = 0,
			  S(RECIPE_SHT_PATCHES, 1)->sh_info = 0),
	      "not in order");
	SPOIL(DEMO_ONE, (S(RECIPE_SHT_PACKETS, 0)->sh_info = 3,
			 S(RECIPE_SHT_PATCHES, 0)->sh_info = 3), "DMA_1's");
}

FORMAT_TEST(headers)
{
	load(DEMO_ONE);
	H->checksum++;
	refused(GAUDI_ERR_RECIPE, "checksum");
	SPOIL(DEMO_ONE, H->file_size++, "a file of");
	SPOIL(DEMO_ONE, H->reserved[4] = 1, "reserved[4]");
	SPOIL(DEMO_ONE, H->num_tensors++, "by the header 3");
	SPOIL(DEMO_ONE, H->num_tensors = UINT32_MAX, "entries");
	SPOIL(DEMO_WIDE, H->num_events--, "by the header 1");
	SPOIL(DEMO_ONE, H->num_streams++, "by the header 2");
	SPOIL(DEMO_ONE, H->num_sobs = 1, "sync objects");
	SPOIL(DEMO_HOST, H->num_sobs = 3, "never signalled");
	SPOIL(DEMO_HOST, H->num_sobs = 1, "sync object 1 of 1");
	SPOIL(DEMO_HOST, H->num_sobs = 1u << 31, "sync objects");
}

static void name_is(const char *text, bool good)
{
	struct gaudi_recipe *r = NULL;
	char *name;

	load(DEMO_ONE);
	name = (char *)bytes_of(SHT_STRTAB, 0) + tensors()[1].name;
	assert_true(strlen(text) <= strlen(name));
	memset(name, 'x', strlen(name));
	memcpy(name, text, strlen(text));
	mend(&image);
	if (!good) {
		refused(GAUDI_ERR_RECIPE, "not UTF-8 or has control");
		return;
	}
	if (gaudi_recipe_from_memory(image.data, image.size, &r))
		fail_msg("%s", gaudi_last_error(NULL));
	gaudi_recipe_release(r);
}

/* Others print names, as JSON and in Python, and on terminals. */
FORMAT_TEST(names_are_text)
{
	static const char * const good[] = {
		"\xc3\xa4", "\xc2\xa0", "\xe2\x82\xac", "\xed\x9f\xbf",
		"\xee\x80\x80",
	};
	static const char * const bad[] = {
		"\x80", "\xbfx", "\xc3x", "\xc2\x9b", "\xc0\xaf", "\xc1\xbf",
		"\xe2\x82x", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xff\xfe",
		"\xf8\x88\x80", "x\x7f", "\x1b[x",
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		name_is(good[i], true);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		name_is(bad[i], false);
	/* The longest code, in a name of its own length. */
	assert_true(recipe_name_ok("\xf0\x9f\x98\x80"));
	assert_true(recipe_name_ok("\xf4\x8f\xbf\xbf"));
	assert_false(recipe_name_ok("\xf4\x90\x80\x80"));
	assert_false(recipe_name_ok("\xf0\x8f\xbf\xbf"));
	assert_false(recipe_name_ok("\xf0\x9f\x98"));
}

/* 65536 names in one string without an end cost no more than their limit. */
FORMAT_TEST(names_in_a_long_string)
{
	const size_t strings = 64u << 20, num = 65536;
	struct recipe_file_tensor *t;
	size_t at, i;

	load(DEMO_ONE);
	at = (image.size + 7) & ~(size_t)7;
	i = image.size;
	image.size = at + num * sizeof(*t) + strings;
	image.data = realloc(image.data, image.size);
	assert_non_null(image.data);
	memset(image.data + i, 0, at - i);
	t = (struct recipe_file_tensor *)(image.data + at);
	for (i = 0; i < num; i++)
		t[i] = tensors()[0];
	S(RECIPE_SHT_TENSORS, 0)->sh_offset = at;
	S(RECIPE_SHT_TENSORS, 0)->sh_size = num * sizeof(*t);
	at += num * sizeof(*t);
	memset(image.data + at, 'x', strings);
	image.data[at + strings - 1] = '\0';
	S(SHT_STRTAB, 0)->sh_offset = at;
	S(SHT_STRTAB, 0)->sh_size = strings;
	H->file_size = image.size;
	H->num_tensors = num;
	H->name = (uint32_t)strings - 2;
	mend(&image);
	refused(GAUDI_ERR_RECIPE, "without an end within 255 bytes");
}

FORMAT_TEST(names)
{
	SPOIL(DEMO_ONE, H->name = 1u << 30, "recipe 0: a name");
	SPOIL(DEMO_ONE, tensors()[1].name = S(SHT_STRTAB, 0)->sh_size,
	      "tensor 1: a name");
	SPOIL(DEMO_ONE, tensors()[0].name = --S(SHT_STRTAB, 0)->sh_size - 3,
	      "without an end");
	SPOIL(DEMO_ONE, tensors()[1].name = tensors()[0].name, "twice");
	SPOIL(DEMO_ONE, tensors()[1].name = 0, "empty");
	SPOIL(DEMO_ONE,
	      ((char *)bytes_of(SHT_STRTAB, 0))[tensors()[0].name] = '\n',
	      "control");
	SPOIL(DEMO_WIDE, ((struct recipe_file_event *)
			  bytes_of(RECIPE_SHT_EVENTS, 0))[1].reserved = 1,
	      "reserved");
}

FORMAT_TEST(shapes)
{
	SPOIL(DEMO_HOST, tensors()[0].kind = 5, "kind 5");
	SPOIL(DEMO_HOST, tensors()[0].type = 0, "type 0");
	SPOIL(DEMO_HOST, tensors()[0].place = 2, "place 2");
	SPOIL(DEMO_HOST, tensors()[1].place = 1, "place 1");
	SPOIL(DEMO_HOST, tensors()[0].rank = 9, "rank 9");
	SPOIL(DEMO_HOST, tensors()[0].rank = 0, "by its shape 1");
	SPOIL(DEMO_HOST, tensors()[0].dims[0] = 0, "dim 0 is 0");
	SPOIL(DEMO_HOST, tensors()[0].dims[7] = 1, "beyond rank");
	SPOIL(DEMO_HOST, tensors()[0].strides[0] = 1ull << 60, "more than");
	SPOIL(DEMO_HOST, tensors()[0].bytes++, "by its shape 5000");
	SPOIL(DEMO_HOST, tensors()[0].offset = 128, "offset");
	SPOIL(DEMO_HOST, tensors()[1].offset = 64, "at 0x40");
	SPOIL(DEMO_HOST, tensors()[1].offset = 256, "at 0x100");
	SPOIL(DEMO_HOST, tensors()[1].offset = -128ull, "at 0xff");
	SPOIL(DEMO_HOST, H->workspace_size = 1, "'work'");
	SPOIL(DEMO_HOST, H->workspace_size = -1ull, "workspace");
	SPOIL(DEMO_CONSTANT, S(RECIPE_SHT_CONSTANTS, 0)->sh_size = 299,
	      "'table'");
	SPOIL(DEMO_CONSTANT, S(RECIPE_SHT_CONSTANTS, 0)->sh_type =
			     RECIPE_SHT_KEY, "'table'");
}

/* DEMO_ONE: one LIN_DMA of 24 bytes with two patches. */
FORMAT_TEST(packets)
{
	static const uint8_t opcodes[] = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0a,
		0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x1f,
	};
	char text[32];
	size_t i;

	for (i = 0; i < sizeof(opcodes); i++) {
		snprintf(text, sizeof(text), "opcode %#x,", opcodes[i]);
		SPOIL(DEMO_ONE, words(0)[1] = opcodes[i] << 24, text);
	}
	/* Transposition, compression, completion, other barriers, addresses. */
	for (i = 0; i < 32; i++) {
		if (i == 4 || i == 29 || (i >= 24 && i < 29))
			continue;
		SPOIL(DEMO_ONE, words(0)[1] ^= 1u << i, "packet at offset 0");
	}
	for (i = 2; i < 6; i++)
		SPOIL(DEMO_ONE, words(0)[i] = 1, "packet at offset 0");
	SPOIL(DEMO_ONE, words(0)[1] |= 0x10, "packet at offset 0");
	SPOIL(DEMO_ONE, words(0)[0] = 0, "size 0");
	SPOIL(DEMO_ONE, words(0)[0] = 1001, "0x3e9 bytes");
	SPOIL(DEMO_ONE, words(0)[0] = 0xffffffff, "size 0xffffffff");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_PACKETS, 0)->sh_size = 16, "opcode 0x9");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_PACKETS, 0)->sh_size = 20,
	      "upper part of 0x14");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_PACKETS, 0)->sh_size = 0,
	      "is no packet's");
}

FORMAT_TEST(patch_points)
{
	SPOIL(DEMO_ONE, patches(0)[0].reserved = 1, "reserved");
	SPOIL(DEMO_ONE, patches(0)[0].offset = 8, "packet at offset 0");
	SPOIL(DEMO_ONE, patches(0)[1].offset = 8, "packet at offset 0");
	SPOIL(DEMO_ONE, patches(0)[1].offset = 24, "packet at offset 0");
	SPOIL(DEMO_ONE, patches(0)[0].kind = 0, "patch 0");
	SPOIL(DEMO_ONE, patches(0)[0].kind = 2, "patch 1");
	SPOIL(DEMO_ONE, patches(0)[1].kind = 12, "kind 12");
	SPOIL(DEMO_ONE, patches(0)[1].kind = 7, "packet at offset 0");
	SPOIL(DEMO_ONE, patches(0)[1].kind = 3, "packet at offset 0");
	SPOIL(DEMO_ONE, patches(0)[0].object = 1, "object");
	SPOIL(DEMO_ONE, patches(0)[0].buffer = 2, "tensor 2 of 2");
	SPOIL(DEMO_ONE, patches(0)[0].buffer = UINT32_MAX, "tensor");
	SPOIL(DEMO_ONE, patches(0)[1].buffer = 0, "only read");
	SPOIL(DEMO_ONE, patches(0)[0].addend = 1, "at 0x1 of tensor 'in'");
	SPOIL(DEMO_ONE, patches(0)[1].addend = -1ull, "tensor 'out'");
	SPOIL(DEMO_ONE, tensors()[1].kind = GAUDI_TENSOR_CONSTANT, "'out'");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_PATCHES, 0)->sh_size -= 24,
	      "packet at offset 0");
	SPOIL(DEMO_ONE, S(RECIPE_SHT_PATCHES, 0)->sh_size = 0,
	      "packet at offset 0");
}

/*
 * DEMO_HOST. DMA_0: wait (0x0), copy (0x28), signal (0x40). DMA_1: signal
 * (0x0), wait (0x8), copy (0x30), two resets (0x48, 0x50).
 */
FORMAT_TEST(engines_together)
{
	/* Sync objects 0: DMA_1's, 1: DMA_0's. Patches in order of offsets. */
	SPOIL(DEMO_HOST, patches(0)[3].object = 0, "is DMA_0's");
	SPOIL(DEMO_HOST, patches(0)[0].object = 1, "begin with a wait");
	SPOIL(DEMO_HOST, patches(0)[0].object = 2, "sync object 2 of 2");
	SPOIL(DEMO_HOST, words(0)[6] = 2u << 17 | 0xfe00, "begin with a wait");
	SPOIL(DEMO_HOST, words(0)[6] = 0xfe00, "begin with a wait");
	SPOIL(DEMO_HOST, words(0)[6] |= 1u << 16, "packet at offset 0 ");
	SPOIL(DEMO_HOST, words(0)[4] = 2, "packet at offset 0 ");
	SPOIL(DEMO_HOST, words(0)[8] = 0x00010002, "packet at offset 0 ");
	SPOIL(DEMO_HOST, words(0)[8] = 0x00020001, "packet at offset 0 ");
	SPOIL(DEMO_HOST, words(0)[0x40 / 4] = 0x80000002,
	      "packet at offset 0x40");
	SPOIL(DEMO_HOST, words(0)[0x44 / 4] &= ~0x20000000u,
	      "packet at offset 0x40");
	SPOIL(DEMO_HOST, words(1)[8 / 4 + 6] = 2u << 17 | 0xfe00,
	      "is 2; it gets from 1 to 1");
	SPOIL(DEMO_HOST, words(1)[8 / 4 + 6] = 0xfe00, "is 0; it gets");
	SPOIL(DEMO_HOST, patches(1)[1].object = 0, "waited for the end");
	SPOIL(DEMO_HOST, patches(1)[5].object = 0, "which has been done");
	SPOIL(DEMO_HOST, patches(0)[3].buffer = 1, "has a tensor");
	SPOIL(DEMO_HOST, patches(0)[3].kind = 6, "event 1 of 0");
	/* The end of DMA_0 is cut off, and nobody sees it ending. */
	SPOIL(DEMO_HOST, (S(RECIPE_SHT_PACKETS, 0)->sh_size -= 8,
			  S(RECIPE_SHT_PATCHES, 0)->sh_size -= 24),
	      "end with a signal");
	/* The last reset is cut off. */
	SPOIL(DEMO_HOST, (S(RECIPE_SHT_PACKETS, 1)->sh_size -= 8,
			  S(RECIPE_SHT_PATCHES, 1)->sh_size -= 24),
	      "never set to 0");
}

/*
 * DEMO_WIDE. DMA_2, the second stream: upper part with waits and runs, each of
 * what stands in .gaudi.runs next.
 */
FORMAT_TEST(runs)
{
	struct recipe_file_patch *p;
	Elf64_Shdr *upper, *lower;
	uint32_t i, n, w;

	load(DEMO_WIDE);
	upper = S(RECIPE_SHT_PACKETS, 1);
	lower = S(RECIPE_SHT_RUNS, 0);
	assert_int_equal(upper->sh_info, 2);
	assert_int_equal(lower->sh_info, 2);
	p = patches(1);
	n = S(RECIPE_SHT_PATCHES, 1)->sh_size / sizeof(*p);
	for (i = 0; i < n && p[i].kind != 7; i++)
		;
	assert_in_range(i, 1, n - 1);
	w = p[i].offset / 4;
	SPOIL(DEMO_WIDE, words(1)[w] += 8, "run of");
	SPOIL(DEMO_WIDE, words(1)[w] -= 8, "DMA_2: ");
	SPOIL(DEMO_WIDE, words(1)[w] = 0, "run of 0");
	SPOIL(DEMO_WIDE, words(1)[w + 2] = 1, "CP_DMA");
	SPOIL(DEMO_WIDE, words(1)[w + 1] |= 1u << 29, "CP_DMA");
	SPOIL(DEMO_WIDE, patches(1)[i].addend -= 8, "run of");
	SPOIL(DEMO_WIDE, patches(1)[i].addend = -8ull, "run of");
	SPOIL(DEMO_WIDE, patches(1)[i].buffer = 1, "the patch of a run");
	SPOIL(DEMO_WIDE, patches(1)[i].object = 1, "the patch of a run");
	SPOIL(DEMO_WIDE, patches(1)[n - 1].offset += 8, "DMA_2");
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_RUNS, 0)->sh_size -= 8, "run of");
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_RUNS, 0)->sh_type = RECIPE_SHT_KEY,
	      "run of");
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_RUNS, 0)->sh_link = 0,
	      "no section of packets");
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_RUNS, 0)->sh_link = 99,
	      "no section of packets");
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_RUNS, 0)->sh_info = 3,
	      "another engine");
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_RUNS, 1)->sh_link =
			 S(RECIPE_SHT_RUNS, 0)->sh_link, "in two sections");
	/* The last run is cut off: nobody hands over the lower part's end. */
	SPOIL(DEMO_WIDE, S(RECIPE_SHT_PACKETS, 1)->sh_size -= 16, "DMA_2");
	/* An external engine has no lower part. */
	SPOIL(DEMO_WIDE, (S(RECIPE_SHT_PACKETS, 1)->sh_info = 0,
			  S(RECIPE_SHT_PATCHES, 1)->sh_info = 0,
			  S(RECIPE_SHT_RUNS, 0)->sh_info = 0), "in order");
}

/* A wait in a lower part could stop other streams' work for ever. */
TEST(waits_below)
{
	struct gaudi_recipe *r;
	struct prog_stream *s;
	struct prog_buffer buffers[5];
	uint32_t i;

	WORKS(demo_build(DEMO_WIDE, &r));
	for (i = 0; i < 5; i++)
		buffers[i] = (struct prog_buffer) { "t", r->tensors[i].bytes,
						    true };
	WORKS(program_check(&r->program, buffers));
	/* All of it lower, or all of it upper. */
	s = &r->program.streams[1];
	i = s->upper;
	s->upper = 0;
	assert_int_equal(program_check(&r->program, buffers),
			 GAUDI_ERR_RECIPE);
	s->upper = s->size;
	assert_int_equal(program_check(&r->program, buffers),
			 GAUDI_ERR_RECIPE);
	s->upper = s->size + 8;
	assert_int_equal(program_check(&r->program, buffers),
			 GAUDI_ERR_RECIPE);
	s->upper = i;
	gaudi_recipe_release(r);
}

static struct recipe_file_link *links(void)
{
	return bytes_of(RECIPE_SHT_LINKS, 0);
}

/* DEMO_LINKS: two waits, two writes; the first of them of all of tensor 1. */
FORMAT_TEST(work_of_links)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	struct gaudi_recipe *r;

	load(DEMO_LINKS);
	assert_int_equal(H->minor, RECIPE_MINOR_LINKS);
	WORKS(gaudi_recipe_from_memory(image.data, image.size, &r));
	WORKS(gaudi_recipe_get_info(r, &info));
	assert_int_equal(info.num_links, 2);
	assert_string_equal(gaudi_recipe_get_link(r, 0), "left");
	assert_string_equal(gaudi_recipe_get_link(r, 1), "right");
	assert_null(gaudi_recipe_get_link(r, 2));
	assert_null(gaudi_recipe_get_link(NULL, 0));
	gaudi_recipe_release(r);

	SPOIL(DEMO_LINKS, H->minor = RECIPE_MINOR_TPC, "in format 1.2");
	SPOIL(DEMO_LINKS, links()[0].name = 1u << 30, "link 0: a name");
	SPOIL(DEMO_LINKS, links()[0].name = 0, "its name is none");
	SPOIL(DEMO_LINKS, links()[0].kind = 0, "unknown");
	SPOIL(DEMO_LINKS, links()[0].kind = GAUDI_LINK_WRITE_STRIDED, "unknown");
	SPOIL(DEMO_LINKS, links()[0].count = 0, "for no notification");
	SPOIL(DEMO_LINKS, links()[1].count = 8193, "for too many");
	SPOIL(DEMO_LINKS, links()[0].bytes = 1, "a wait with data");
	SPOIL(DEMO_LINKS, links()[0].flags = 1, "a wait with data");
	SPOIL(DEMO_LINKS, links()[2].tensor = 2, "no such tensor");
	SPOIL(DEMO_LINKS, links()[2].count = 1, "with a count");
	SPOIL(DEMO_LINKS, links()[2].flags = 2, "unknown flags");
	SPOIL(DEMO_LINKS, links()[2].offset = 1, "more than the tensor");
	SPOIL(DEMO_LINKS, links()[2].offset = UINT64_MAX, "more than the tensor");
	SPOIL(DEMO_LINKS, links()[2].bytes = UINT64_MAX, "more than the tensor");
	SPOIL(DEMO_LINKS, links()[2].to_offset = UINT64_MAX, "beyond all");
	SPOIL(DEMO_LINKS, tensors()[0].place = GAUDI_PLACE_HOST,
	      "no input or output on the device");
	SPOIL(DEMO_LINKS, S(RECIPE_SHT_LINKS, 0)->sh_size -= 8, "entries of");
}

FORMAT_TEST(work_of_links_is_printed)
{
	struct gaudi_recipe *r;
	size_t size;
	char *text;
	FILE *f;

	WORKS(demo_build(DEMO_LINKS, &r));
	f = open_memstream(&text, &size);
	WORKS(gaudi_recipe_disassemble(r, f));
	fclose(f);
	assert_ptr_equal(strstr(text, "before: link 'left' waits for 1\n"
				"before: link 'right' waits for 8192\n"), text);
	assert_non_null(strstr(text, "\nafter: link 'right' writes 0x3e8 bytes "
			       "from 'out'+0 to +0x40, and notifies\n"
			       "after: link 'left' writes 0x1 bytes from "
			       "'in'+0x3e7 to +0\n"));
	free(text);
	gaudi_recipe_release(r);
}

static struct recipe_file_part *parts(void)
{
	return bytes_of(RECIPE_SHT_PARTS, 0);
}

/* DEMO_PARTS: three, with 1, 1 and 2 of the entries of links. */
FORMAT_TEST(parts_are_what_they_say)
{
	struct gaudi_recipe *r, *part;
	uint32_t n = 0;

	load(DEMO_PARTS);
	assert_int_equal(H->minor, RECIPE_MINOR_PARTS);
	WORKS(gaudi_recipe_from_memory(image.data, image.size, &r));
	assert_int_equal(recipe_count_parts(r), 3);
	assert_int_equal(r->links.num_ops, 4);
	assert_int_equal(r->links.ops[1].part, 1);
	assert_int_equal(r->links.ops[2].part, 2);
	assert_int_equal(r->links.ops[3].part, 2);
	for (part = r; part; part = part->next, n++)
		assert_int_equal(part->program.num_streams,
				 parts()[n].num_streams);
	gaudi_recipe_release(r);

	SPOIL(DEMO_PARTS, H->minor = RECIPE_MINOR_LINKS, "in format 1.3");
	SPOIL(DEMO_PARTS, parts()[1].reserved = 1, "entry 1: reserved");
	SPOIL(DEMO_PARTS, parts()[1].num_links++, "there are others");
	SPOIL(DEMO_PARTS, parts()[0].num_streams++, "there are others");
	SPOIL(DEMO_PARTS, parts()[0].num_streams += UINT32_MAX, "there are others");
	SPOIL(DEMO_PARTS, parts()[2].num_sobs = 9, "there are others");
	SPOIL(DEMO_PARTS, H->num_streams++, "there are others");
	SPOIL(DEMO_PARTS, S(RECIPE_SHT_PARTS, 0)->sh_size = 16, "1 parts, not 2");
	SPOIL(DEMO_PARTS, S(RECIPE_SHT_PARTS, 0)->sh_size = 40, "entries of");
	/* The last one has fewer packets than it says, the first one more. */
	SPOIL(DEMO_PARTS, parts()[0].num_streams++; parts()[2].num_streams--, "");
}

/* DEMO_COMPUTE: the lower part of each TPC's stream begins with its launch. */
FORMAT_TEST(kernels)
{
	uint32_t i, num = 0, *w;
	Elf64_Shdr *lower;

	load(DEMO_COMPUTE);
	for (i = 0; (lower = S(RECIPE_SHT_RUNS, i)); i++) {
		if (lower->sh_info < PROG_TPC_0)
			continue;
		w = bytes_of(RECIPE_SHT_RUNS, i);
		assert_int_equal(w[1], 0x220a0000);
		w[1] &= ~(1u << 29);
		mend(&image);
		refused(GAUDI_ERR_RECIPE, "does not wait until its TPC is idle");
		w[1] |= 1u << 29;
		num++;
	}
	assert_int_equal(num, 3);
	/* Of a library that wrote them with other offsets. */
	load(DEMO_COMPUTE);
	assert_int_equal(H->minor, RECIPE_MINOR_SHORT);
	for (H->minor = 0; H->minor < 2; H->minor++) {
		mend(&image);
		refused(GAUDI_ERR_RECIPE_VERSION, "build it again");
	}
}

/*
 * DEMO_CHAIN: DMA_0 and DMA_1 wait for each other again and again. A wait for more
 * than the other one signals would never end.
 */
FORMAT_TEST(wait_for_too_much)
{
	struct recipe_file_patch *p;
	uint32_t i, n, *w;

	load(DEMO_CHAIN);
	p = patches(0);
	w = words(0);
	n = S(RECIPE_SHT_PATCHES, 0)->sh_size / sizeof(*p);
	for (i = 1; i < n && p[i].kind != 5; i++)
		;
	assert_in_range(i, 1, n - 1);
	w[p[i].offset / 4 + 6] += 16000u << 17;
	mend(&image);
	refused(GAUDI_ERR_RECIPE, "it gets from 1 to");
}

TEST(files)
{
	char dir[] = "/tmp/recipe.XXXXXX", path[64];
	struct gaudi_recipe *r;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.recipe", dir);
	assert_int_equal(gaudi_recipe_load(path, &r), -ENOENT);
	assert_int_equal(gaudi_recipe_load(dir, &r), -EINVAL);
	WORKS(demo_build(DEMO_WIDE, &r));
	WORKS(gaudi_recipe_save(r, path));
	assert_int_equal(gaudi_recipe_save(r, "/nowhere/x"), -ENOENT);
	gaudi_recipe_release(r);
	WORKS(gaudi_recipe_load(path, &r));
	assert_string_equal(gaudi_recipe_get_event(r, 1), "done");
	gaudi_recipe_release(r);
	/* Nothing is left beside it. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}
