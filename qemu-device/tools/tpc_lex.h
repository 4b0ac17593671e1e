/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TPC assembler's tokens. */
#ifndef GAUDI_TPC_LEX_H
#define GAUDI_TPC_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gaudi_tpc_token_kind {
	GAUDI_TPC_T_END,		/* of the text */
	GAUDI_TPC_T_NEWLINE,
	GAUDI_TPC_T_NAME,		/* may have dots; % before it is gone */
	GAUDI_TPC_T_INT,
	GAUDI_TPC_T_FLOAT,
	GAUDI_TPC_T_HEX,		/* 64 hexadecimal digits and no 0x */
	GAUDI_TPC_T_SIGN,		/* one or two characters */
	GAUDI_TPC_T_STRING,		/* of a listing's directives; with quotes */
};

struct gaudi_tpc_token {
	uint8_t kind;			/* enum gaudi_tpc_token_kind */
	const char *text;		/* in the source, length characters */
	size_t length;
	unsigned int line;
	unsigned int column;		/* both from 1, of where it is used */
	int64_t number;			/* INT */
	double real;			/* FLOAT */
};

struct gaudi_tpc_tokens {
	struct gaudi_tpc_token *list;	/* ends with END */
	size_t count;
	size_t room;
};

/*
 * All tokens of a text, with .define replaced. NULL, or what is wrong there
 * (err_line, err_column); "" if there is no memory.
 */
const char *gaudi_tpc_lex(const char *source, size_t length,
			  struct gaudi_tpc_tokens *tokens,
			  unsigned int *err_line, unsigned int *err_column);
bool gaudi_tpc_token_is(const struct gaudi_tpc_token *token, const char *text);

#endif /* GAUDI_TPC_LEX_H */
