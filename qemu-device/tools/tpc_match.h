/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An operation as it was written, and which row of the table it is. */
#ifndef GAUDI_TPC_MATCH_H
#define GAUDI_TPC_MATCH_H

#include "../chip/tpc/isa/tpc_isa_table.h"
#include "tpc_lex.h"

#define GAUDI_TPC_MAX_ARGS	8
#define GAUDI_TPC_MAX_GIVEN	16

enum gaudi_tpc_arg_kind {
	GAUDI_TPC_ARG_REG,		/* reg */
	GAUDI_TPC_ARG_INT,		/* number */
	GAUDI_TPC_ARG_REAL,		/* real */
	GAUDI_TPC_ARG_NAME,		/* a label */
	GAUDI_TPC_ARG_MASK,		/* number: b and five digits */
	GAUDI_TPC_ARG_CMP,		/* number: enum gaudi_tpc_loop_cmp */
	GAUDI_TPC_ARG_END,		/* number: end= of a loop */
};

struct gaudi_tpc_arg {
	uint8_t kind;			/* enum gaudi_tpc_arg_kind */
	bool negate;			/* there is a ! */
	bool decimal;			/* one number, without 0x */
	const struct gaudi_tpc_token *at;
	struct gaudi_tpc_operand reg;
	int64_t number;
	double real;
};

/* A switch as written: name, name=value, a mask, or a number alone. */
struct gaudi_tpc_given {
	const struct gaudi_tpc_token *at;
	const char *name;		/* name_length characters; NULL: alone */
	size_t name_length;
	const struct gaudi_tpc_token *value;	/* behind =; or NULL */
	bool mask;
	int64_t number;			/* mask; alone; value if a number */
};

struct gaudi_tpc_written {
	unsigned int op;		/* enum gaudi_tpc_op */
	unsigned int type;
	const struct gaudi_tpc_token *at;
	struct gaudi_tpc_given given[GAUDI_TPC_MAX_GIVEN];
	unsigned int given_count;
	struct gaudi_tpc_arg arg[GAUDI_TPC_MAX_ARGS];
	unsigned int arg_count;
};

/* What is wrong, and where. */
struct gaudi_tpc_wrong {
	const struct gaudi_tpc_token *at;
	char text[200];
};

/* Operands that may have several orders, into that of the table. */
void gaudi_tpc_sort_operands(struct gaudi_tpc_written *written);

/* What was written, as an operation of slot: 0, or -1 and *wrong; better is
 * how far the best row came, so that errors of slots can be compared.
 * *label: the argument that is a label, or NULL.
 */
int gaudi_tpc_match(const struct gaudi_tpc_written *written, unsigned int slot,
		    struct gaudi_tpc_insn *insn,
		    const struct gaudi_tpc_token **label,
		    struct gaudi_tpc_wrong *wrong, unsigned int *better);

/* True if name is a modifier of op in any slot; alone: without a value. */
bool gaudi_tpc_is_switch(unsigned int op, const char *name, size_t length);

/* Are these characters that word, in upper or lower case? */
bool gaudi_tpc_same_word(const char *a, size_t length, const char *b);

/* A register's name: 1; 0: it is none; -1: there is none of that number. */
int gaudi_tpc_register(const char *name, size_t length,
		       struct gaudi_tpc_operand *operand);

/* 32 bits of a number for an operand of type; false if it does not fit. */
bool gaudi_tpc_bits(const struct gaudi_tpc_arg *arg, unsigned int type,
		    uint32_t *bits);

#endif /* GAUDI_TPC_MATCH_H */
