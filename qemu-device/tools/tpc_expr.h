/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constant expressions of the TPC assembler, and names that .set gives. */
#ifndef GAUDI_TPC_EXPR_H
#define GAUDI_TPC_EXPR_H

#include "tpc_lex.h"

struct gaudi_tpc_value {
	bool is_real;
	int64_t number;			/* if not is_real */
	double real;			/* if is_real */
};

struct gaudi_tpc_symbol {
	const struct gaudi_tpc_token *name;
	struct gaudi_tpc_value value;
};

struct gaudi_tpc_reader {
	struct gaudi_tpc_token *at;	/* the next token */
	struct gaudi_tpc_symbol *symbols;
	size_t symbol_count;
	unsigned int depth;		/* of brackets */
};

/* NULL, or what is wrong at the reader's token. */
const char *gaudi_tpc_expression(struct gaudi_tpc_reader *reader,
				 struct gaudi_tpc_value *value);
bool gaudi_tpc_is_symbol(const struct gaudi_tpc_reader *reader,
			 const struct gaudi_tpc_token *name);
/* Again: the new value from here on. False if there is no memory. */
bool gaudi_tpc_set_symbol(struct gaudi_tpc_reader *reader,
			  const struct gaudi_tpc_token *name,
			  const struct gaudi_tpc_value *value);
void gaudi_tpc_free_symbols(struct gaudi_tpc_reader *reader);

#endif /* GAUDI_TPC_EXPR_H */
