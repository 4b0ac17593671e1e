/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel as text that assembles to the same bytes. */
#ifndef GAUDI_TPC_LIST_H
#define GAUDI_TPC_LIST_H

#include <stdio.h>

#include "tpc_asm.h"

struct gaudi_tpc_list_options {
	bool addresses;			/* before each word, as a comment */
	bool bytes;			/* behind each word, as a comment */
};

/* 0, or -1 if there is no memory. */
int gaudi_tpc_list(FILE *to, const struct gaudi_tpc_program *program,
		   const struct gaudi_tpc_list_options *options);
void gaudi_tpc_list_metadata(FILE *to,
			     const struct gaudi_tpc_metadata *metadata);

#endif /* GAUDI_TPC_LIST_H */
