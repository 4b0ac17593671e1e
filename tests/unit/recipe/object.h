/* SPDX-License-Identifier: GPL-2.0-only */
/* The smallest object of a kernel. */
#ifndef TEST_OBJECT_H
#define TEST_OBJECT_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct object {
	Elf32_Ehdr e;
	uint8_t text[64];
	uint8_t meta[262];
	char names[34];
	Elf32_Shdr s[4];
} __attribute__((packed));

/* It reads no argument, and halts. */
static inline struct object make_object(void)
{
	/* { halt; halt } */
	static const uint8_t halt[32] = {
		0x20, [6] = 0x01, [14] = 0x80, 0x0f, 0x00, 0xf0, 0x01,
	};
	struct object o = {
		.e = {
			.e_ident = { 0x7f, 'E', 'L', 'F', 1, 1, 1 },
			.e_type = ET_REL, .e_machine = 3, .e_shnum = 4,
			.e_shoff = offsetof(struct object, s),
			.e_shentsize = sizeof(Elf32_Shdr), .e_shstrndx = 3,
		},
		.meta = { 12, [8] = 2, [12] = 1 },
		.names = "\0.text\0.tpc_metadata\0.shstrtab",
		.s = {
			{},
			{ 1, SHT_PROGBITS, 0, 0, offsetof(struct object, text), 64 },
			{ 7, SHT_PROGBITS, 0, 0, offsetof(struct object, meta), 262 },
			{ 21, SHT_STRTAB, 0, 0, offsetof(struct object, names), 34 },
		},
	};

	memcpy(o.text, halt, sizeof(halt));
	memcpy(o.text + sizeof(halt), halt, sizeof(halt));

	return o;
}

#endif /* TEST_OBJECT_H */
