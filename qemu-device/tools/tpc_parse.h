/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the TPC assembler's text: operations, values, what is wrong. */
#ifndef GAUDI_TPC_PARSE_H
#define GAUDI_TPC_PARSE_H

#include "tpc_asm.h"
#include "tpc_expr.h"
#include "tpc_match.h"

struct gaudi_tpc_parser {
	struct gaudi_tpc_reader reader;
	gaudi_tpc_report_fn *report;	/* or NULL */
	void *arg;
	unsigned int errors;
};

/* Reports; counts errors. False, so that it can be returned. */
bool gaudi_tpc_say(struct gaudi_tpc_parser *as,
		   const struct gaudi_tpc_token *at, bool warning,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

struct gaudi_tpc_token *gaudi_tpc_now(struct gaudi_tpc_parser *as);
bool gaudi_tpc_is_sign(struct gaudi_tpc_parser *as, const char *text);
bool gaudi_tpc_line_ends(struct gaudi_tpc_parser *as);

/* False: reported. */
bool gaudi_tpc_value_of(struct gaudi_tpc_parser *as,
			struct gaudi_tpc_value *value);
bool gaudi_tpc_integer(struct gaudi_tpc_parser *as, const char *what,
		       int64_t low, int64_t high, int64_t *number);
bool gaudi_tpc_operation(struct gaudi_tpc_parser *as,
			 struct gaudi_tpc_written *w);

#endif /* GAUDI_TPC_PARSE_H */
