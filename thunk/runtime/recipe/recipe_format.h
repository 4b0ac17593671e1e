/* SPDX-License-Identifier: MIT */
/*
 * Recipe files, byte by byte; Documentation/recipe-format.rst says the same in
 * words. ELF64, little-endian, no segments.
 */
#ifndef GAUDI_RECIPE_FORMAT_H
#define GAUDI_RECIPE_FORMAT_H

#include <elf.h>
#include <stdint.h>

#include "gaudi_recipe.h"

/* A minor version adds what older libraries must refuse as unknown. */
#define RECIPE_MAJOR		1
#define RECIPE_MINOR		5
/* What the first one does not know: launches of matrix engines ... */
#define RECIPE_MINOR_LAUNCH	1
/* ... and of TPCs; before, these had offsets that no card understands. */
#define RECIPE_MINOR_TPC	2
/* Work of links. */
#define RECIPE_MINOR_LINKS	3
/* Several parts. */
#define RECIPE_MINOR_PARTS	4
/* Launches of TPCs without the tensors and scalars that the kernel has not. */
#define RECIPE_MINOR_SHORT	5
#define RECIPE_MAGIC		"GAUDIREC"
#define RECIPE_CHIP_GAUDI	1u

#define RECIPE_ELF_TYPE		(ET_LOOS + 1)
#define RECIPE_ELF_MACHINE	EM_NONE
#define RECIPE_ELF_OSABI	ELFOSABI_STANDALONE
/* Of each engine in each part up to three, and what there is once. */
#define RECIPE_MAX_SECTIONS	832u
#define RECIPE_MAX_FILE		(1ull << 32)

enum recipe_section {
	RECIPE_SHT_HEADER	= SHT_LOUSER + 1,
	RECIPE_SHT_TENSORS	= SHT_LOUSER + 2,
	RECIPE_SHT_EVENTS	= SHT_LOUSER + 3,
	RECIPE_SHT_PACKETS	= SHT_LOUSER + 4,	/* sh_info: engine */
	RECIPE_SHT_PATCHES	= SHT_LOUSER + 5,	/* sh_link: packets */
	RECIPE_SHT_CONSTANTS	= SHT_LOUSER + 6,
	RECIPE_SHT_KEY		= SHT_LOUSER + 7,
	RECIPE_SHT_RUNS		= SHT_LOUSER + 8,	/* sh_link: packets */
	RECIPE_SHT_LINKS	= SHT_LOUSER + 9,
	RECIPE_SHT_PARTS	= SHT_LOUSER + 10,
};

/* Names are offsets into the only string table, which has section names too. */
struct recipe_file_header {
	char magic[8];
	uint16_t major;
	uint16_t minor;
	uint32_t checksum;	/* CRC-32 of the file with 0 here */
	uint64_t file_size;
	uint32_t chip;
	uint16_t revision_min;
	uint16_t revision_max;
	uint32_t name;
	uint32_t num_sobs;
	uint64_t workspace_size;
	uint32_t num_tensors;
	uint32_t num_events;
	uint32_t num_streams;
	uint32_t reserved[5];
};

struct recipe_file_tensor {
	uint32_t name;
	uint8_t kind;
	uint8_t type;
	uint8_t place;
	uint8_t rank;
	uint64_t bytes;
	uint64_t offset;
	uint64_t dims[GAUDI_MAX_RANK];
	uint64_t strides[GAUDI_MAX_RANK];
};

struct recipe_file_event {
	uint32_t name;
	uint32_t reserved;
};

struct recipe_file_patch {
	uint32_t offset;
	uint16_t kind;
	uint16_t object;
	uint32_t buffer;
	uint32_t reserved;
	uint64_t addend;
};

/* A wait or a write, as struct recipe_link_op. */
struct recipe_file_link {
	uint32_t name;		/* the link's */
	uint16_t kind;
	uint16_t flags;
	uint32_t count;
	uint32_t tensor;
	uint64_t offset;
	uint64_t to_offset;
	uint64_t bytes;
};

/* Sections of packets and entries of links come part by part: so many of each. */
struct recipe_file_part {
	uint32_t num_sobs;
	uint32_t num_streams;
	uint32_t num_links;
	uint32_t reserved;
};

_Static_assert(sizeof(struct recipe_file_header) == 80, "has a hole");
_Static_assert(sizeof(struct recipe_file_tensor) == 152, "has a hole");
_Static_assert(sizeof(struct recipe_file_event) == 8, "has a hole");
_Static_assert(sizeof(struct recipe_file_patch) == 24, "has a hole");
_Static_assert(sizeof(struct recipe_file_link) == 40, "has a hole");
_Static_assert(sizeof(struct recipe_file_part) == 16, "has a hole");

#endif /* GAUDI_RECIPE_FORMAT_H */
