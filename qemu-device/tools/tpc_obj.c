// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Object files of TPC kernels, by libelf: sections .text and .tpc_metadata, and
 * symbols. Loaders copy .text as it is: there are no relocations.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../chip/tpc/isa/tpc_isa.h"
#include "tpc_obj.h"

#define MAX_WORDS		(1u << 20)
#define MAX_FILE		(256u << 20)

/* Sections by number, and where their names are in .shstrtab. */
enum { TEXT = 1, METADATA, SYMTAB, STRTAB, SHSTRTAB };
static const char section_names[] =
	"\0.text\0.tpc_metadata\0.symtab\0.strtab\0.shstrtab";

static void put(uint8_t *bytes, unsigned int size, uint32_t value)
{
	for (; size; size--, value >>= 8)
		*bytes++ = value;
}

static uint32_t get(const uint8_t *bytes, unsigned int size)
{
	uint32_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

static void metadata_pack(const struct gaudi_tpc_metadata *metadata,
			  uint8_t *bytes)
{
	memset(bytes, 0, GAUDI_TPC_METADATA_SIZE);
	put(bytes, 4, GAUDI_TPC_METADATA_VERSION);
	bytes[4] = metadata->special_functions;
	bytes[5] = metadata->printf_used;
	bytes[6] = metadata->lock_unlock;
	bytes[7] = metadata->mmio_used;
	put(bytes + 8, 2, metadata->march);
	bytes[12] = metadata->scalars;
	bytes[13] = metadata->printf_tensor;
	bytes[14] = metadata->threads;
	bytes[15] = metadata->direct_mmio;
	bytes[16] = metadata->dnorm;
	put(bytes + 26, 2, metadata->scalar_loads);
	put(bytes + 28, 2, metadata->rmw_stores);
}

/* False: not of the version that is known here. */
static bool metadata_unpack(const uint8_t *bytes, size_t size,
			    struct gaudi_tpc_metadata *metadata)
{
	memset(metadata, 0, sizeof(*metadata));
	if (size < GAUDI_TPC_METADATA_SIZE ||
	    get(bytes, 4) != GAUDI_TPC_METADATA_VERSION)
		return false;
	metadata->special_functions = bytes[4];
	metadata->printf_used = bytes[5];
	metadata->lock_unlock = bytes[6];
	metadata->mmio_used = bytes[7];
	metadata->march = get(bytes + 8, 2);
	metadata->scalars = bytes[12];
	metadata->printf_tensor = bytes[13];
	metadata->threads = bytes[14];
	metadata->direct_mmio = bytes[15];
	metadata->dnorm = bytes[16];
	metadata->scalar_loads = get(bytes + 26, 2);
	metadata->rmw_stores = get(bytes + 28, 2);
	return true;
}

/* Symbols and their names, as they grow. */
struct symbols {
	Elf32_Sym *list;
	size_t count;
	char *names;
	size_t names_size;
};

static void symbol(struct symbols *to, const char *name, uint32_t value,
		   uint32_t size, uint8_t info, uint16_t section)
{
	Elf32_Sym *s = &to->list[to->count++];

	s->st_name = to->names_size;
	s->st_value = value;
	s->st_size = size;
	s->st_info = info;
	s->st_shndx = section;
	strcpy(to->names + to->names_size, name);
	to->names_size += strlen(name) + 1;
}

/* Local ones first, as ELF wants it: *locals is how many. */
static bool symbols_of(const struct gaudi_tpc_program *program,
		       const char *file_name, struct symbols *to,
		       uint32_t *locals)
{
	size_t names = strlen(file_name) + 64, i;

	for (i = 0; i < program->label_count; i++)
		names += strlen(program->labels[i].name) + 1;
	to->list = calloc(program->label_count + 4, sizeof(*to->list));
	to->names = calloc(1, names);
	if (!to->list || !to->names)
		return false;
	to->count = 1;
	to->names_size = 1;
	symbol(to, file_name, 0, 0, ELF32_ST_INFO(STB_LOCAL, STT_FILE),
	       SHN_ABS);
	for (i = 0; i < program->label_count; i++)
		if (strcmp(program->labels[i].name, "main"))
			symbol(to, program->labels[i].name,
			       program->labels[i].offset, 0,
			       ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT);
	*locals = to->count;
	symbol(to, "main", 0, program->words * GAUDI_TPC_WORD,
	       ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), TEXT);
	symbol(to, "tpc_metadata", 0, GAUDI_TPC_METADATA_SIZE,
	       ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT), METADATA);
	return true;
}

static uint32_t name_at(const char *name)
{
	uint32_t at = 1;

	while (strcmp(section_names + at, name))
		at += strlen(section_names + at) + 1;
	return at;
}

static bool section(Elf *elf, const char *name, const Elf32_Shdr *like,
		    const void *bytes, size_t size)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf32_Shdr *head = scn ? elf32_getshdr(scn) : NULL;
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;

	if (!head || !data)
		return false;
	*head = *like;
	head->sh_name = name_at(name);
	data->d_buf = (void *)bytes;
	data->d_size = size;
	data->d_align = like->sh_addralign;
	data->d_type = like->sh_type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	return true;
}

static bool build(Elf *elf, const struct gaudi_tpc_program *program,
		  const uint8_t *metadata, const struct symbols *symbols,
		  uint32_t locals)
{
	static const Elf32_Shdr text = {
		.sh_type = SHT_PROGBITS, .sh_addralign = 4,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	}, meta = {
		.sh_type = SHT_PROGBITS, .sh_addralign = 16,
		.sh_flags = SHF_ALLOC | SHF_WRITE,
	}, strings = { .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	Elf32_Shdr symtab = {
		.sh_type = SHT_SYMTAB, .sh_addralign = 4, .sh_link = STRTAB,
		.sh_info = locals, .sh_entsize = sizeof(Elf32_Sym),
	};
	Elf32_Ehdr *head = elf32_newehdr(elf);

	if (!head)
		return false;
	head->e_ident[EI_DATA] = ELFDATA2LSB;
	head->e_type = ET_REL;
	head->e_machine = EM_386;
	head->e_version = EV_CURRENT;
	head->e_shstrndx = SHSTRTAB;
	return section(elf, ".text", &text, program->code,
		       program->words * GAUDI_TPC_WORD) &&
	       section(elf, ".tpc_metadata", &meta, metadata,
		       GAUDI_TPC_METADATA_SIZE) &&
	       section(elf, ".symtab", &symtab, symbols->list,
		       symbols->count * sizeof(Elf32_Sym)) &&
	       section(elf, ".strtab", &strings, symbols->names,
		       symbols->names_size) &&
	       section(elf, ".shstrtab", &strings, section_names,
		       sizeof(section_names)) &&
	       elf_update(elf, ELF_C_WRITE) >= 0;
}

static uint8_t *read_fd(int fd, size_t *size)
{
	uint8_t *bytes = NULL, *more;
	size_t room = 0;
	ssize_t n;

	*size = 0;
	for (;;) {
		if (*size == room) {
			room = room ? 2 * room : 65536;
			more = room <= MAX_FILE ? realloc(bytes, room) : NULL;
			if (!more) {
				free(bytes);
				errno = room <= MAX_FILE ? ENOMEM : EFBIG;
				return NULL;
			}
			bytes = more;
		}
		n = read(fd, bytes + *size, room - *size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(bytes);
			return NULL;
		}
		if (!n)
			return bytes;
		*size += n;
	}
}

uint8_t *gaudi_tpc_read_file(const char *path, size_t *size)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : 0;
	uint8_t *bytes;
	int error;

	if (fd < 0)
		return NULL;
	bytes = read_fd(fd, size);
	error = errno;
	if (fd)
		close(fd);
	errno = error;
	return bytes;
}

uint8_t *gaudi_tpc_object_make(const struct gaudi_tpc_program *program,
			       const char *file_name, size_t *size,
			       char *why, size_t why_size)
{
	uint8_t metadata[GAUDI_TPC_METADATA_SIZE], *bytes = NULL;
	int fd = memfd_create("gaudi-tpc-object", MFD_CLOEXEC);
	struct symbols symbols = { };
	uint32_t locals = 0;
	Elf *elf = NULL;
	bool done = false;

	metadata_pack(&program->metadata, metadata);
	elf_version(EV_CURRENT);
	if (fd >= 0 && symbols_of(program, file_name, &symbols, &locals))
		elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (elf)
		done = build(elf, program, metadata, &symbols, locals);
	if (!done)
		snprintf(why, why_size, "%s", elf ? elf_errmsg(-1) :
			 strerror(errno));
	elf_end(elf);
	if (done && lseek(fd, 0, SEEK_SET) == 0) {
		bytes = read_fd(fd, size);
		if (!bytes)
			snprintf(why, why_size, "%s", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	free(symbols.list);
	free(symbols.names);
	return bytes;
}

/* A symbol of .text becomes a label. */
static bool parse_symbols(Elf_Data *data, Elf *elf, uint32_t strings,
			  size_t text, struct gaudi_tpc_program *program)
{
	size_t count = data->d_size / sizeof(Elf32_Sym), i;
	struct gaudi_tpc_label *labels;
	const char *name;
	GElf_Sym s;

	labels = calloc(count + 1, sizeof(*labels));
	if (!labels)
		return false;
	program->labels = labels;
	for (i = 1; i < count && gelf_getsym(data, i, &s); i++) {
		if (s.st_shndx != text || s.st_value % GAUDI_TPC_WORD ||
		    s.st_value / GAUDI_TPC_WORD > program->words)
			continue;
		name = elf_strptr(elf, strings, s.st_name);
		if (!name || !*name)
			continue;
		labels->offset = s.st_value;
		labels->name = strdup(name);
		if (!labels->name)
			return false;
		program->label_count++;
		labels++;
	}
	return true;
}

static const char *parse_text(Elf_Scn *scn, struct gaudi_tpc_program *program)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !data->d_buf || !data->d_size)
		return "section .text is empty";
	if (data->d_size % GAUDI_TPC_WORD)
		return "the size of section .text is not a multiple of 32";
	if (data->d_size / GAUDI_TPC_WORD > MAX_WORDS)
		return "section .text is too long";
	program->words = data->d_size / GAUDI_TPC_WORD;
	program->code = malloc(data->d_size);
	if (!program->code)
		return "no memory";
	memcpy(program->code, data->d_buf, data->d_size);
	return NULL;
}

/* Sections by name; symbols once .text is known. */
static const char *parse(Elf *elf, struct gaudi_tpc_object *object)
{
	struct gaudi_tpc_program *program = &object->program;
	Elf_Scn *scn = NULL, *symtab = NULL;
	size_t names, text = 0;
	uint32_t strings = 0;
	const char *name, *wrong;
	Elf_Data *data;
	GElf_Shdr head;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS32)
		return "this is no 32-bit ELF file";
	if (elf_getshdrstrndx(elf, &names))
		return "there are no names of sections";
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head))
			return "a section header is broken";
		name = elf_strptr(elf, names, head.sh_name);
		if (!name)
			continue;
		if (head.sh_type == SHT_SYMTAB) {
			symtab = scn;
			strings = head.sh_link;
		} else if (!strcmp(name, ".text") && !text) {
			text = elf_ndxscn(scn);
			wrong = parse_text(scn, program);
			if (wrong)
				return wrong;
		} else if (!strcmp(name, ".tpc_metadata")) {
			data = elf_getdata(scn, NULL);
			object->has_metadata = data && data->d_buf &&
				metadata_unpack(data->d_buf, data->d_size,
						&program->metadata);
		}
	}
	if (!text)
		return "there is no section .text";
	data = symtab ? elf_getdata(symtab, NULL) : NULL;
	if (data && data->d_buf && data->d_type == ELF_T_SYM &&
	    !parse_symbols(data, elf, strings, text, program))
		return "no memory";
	return NULL;
}

int gaudi_tpc_object_parse(const uint8_t *image, size_t size,
			   struct gaudi_tpc_object *object, char *why,
			   size_t why_size)
{
	const char *wrong = "no memory";
	uint8_t *copy = malloc(size + 1);
	Elf *elf;

	memset(object, 0, sizeof(*object));
	elf_version(EV_CURRENT);
	if (copy) {
		/* libelf wants what it may write to. */
		memcpy(copy, image, size);
		elf = elf_memory((char *)copy, size);
		wrong = elf ? parse(elf, object) : "this is no ELF file";
		elf_end(elf);
	}
	free(copy);
	if (!wrong)
		return 0;
	snprintf(why, why_size, "%s", wrong);
	gaudi_tpc_program_free(&object->program);
	return -1;
}
