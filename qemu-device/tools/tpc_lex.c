// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TPC assembler's tokens: names, numbers, signs; comments away, and names
 * that .define gives a meaning replaced by it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tpc_lex.h"

#define LONGEST_NUMBER		80
#define MAX_TOKENS		(2u << 20)

struct define {
	struct gaudi_tpc_token name;
	size_t first;			/* of its tokens in bodies */
	size_t count;
};

struct lexer {
	const char *p;
	const char *end;
	const char *line_start;
	unsigned int line;
	bool dotted;			/* the last token is a name with a dot */
	bool value;			/* behind one and =: it ends at a dot */
	struct gaudi_tpc_tokens *tokens;
	struct gaudi_tpc_tokens bodies;
	struct define *defines;
	size_t define_count;
};

bool gaudi_tpc_token_is(const struct gaudi_tpc_token *token, const char *text)
{
	return token->length == strlen(text) &&
	       !memcmp(token->text, text, token->length);
}

static bool append(struct gaudi_tpc_tokens *tokens,
		   const struct gaudi_tpc_token *token)
{
	if (tokens->count == tokens->room) {
		size_t room = tokens->room ? 2 * tokens->room : 256;
		struct gaudi_tpc_token *list;

		if (room > MAX_TOKENS)
			return false;
		list = realloc(tokens->list, room * sizeof(*list));
		if (!list)
			return false;
		tokens->list = list;
		tokens->room = room;
	}
	tokens->list[tokens->count++] = *token;
	return true;
}

static bool name_start(int c)
{
	return isalpha(c) || c == '_' || c == '.' || c == '$';
}

static bool name_part(int c)
{
	return name_start(c) || isdigit(c);
}

static size_t run_of_hex(const struct lexer *lex)
{
	size_t n = 0;

	while (lex->p + n < lex->end && isxdigit((uint8_t)lex->p[n]))
		n++;
	return n;
}

/* NULL, or what is wrong with the number. */
static const char *number(struct lexer *lex, struct gaudi_tpc_token *token)
{
	char text[LONGEST_NUMBER], *end, *end_real;
	size_t n = 0;

	if (run_of_hex(lex) == 64) {
		token->kind = GAUDI_TPC_T_HEX;
		token->length = 64;
		return NULL;
	}
	while (lex->p + n < lex->end && n < sizeof(text) - 1 &&
	       (isalnum((uint8_t)lex->p[n]) ||
		(lex->p[n] == '.' && !lex->value) ||
		(n && (lex->p[n] == '+' || lex->p[n] == '-') &&
		 (((lex->p[n - 1] | 32) == 'e' && (text[1] | 32) != 'x') ||
		  (lex->p[n - 1] | 32) == 'p')))) {
		text[n] = lex->p[n];
		n++;
	}
	text[n] = '\0';
	errno = 0;
	token->kind = GAUDI_TPC_T_INT;
	token->length = n;
	/* As in C and in the vendor's assembler: 010 is eight, 0b10 two. */
	if (text[0] == '0' && (text[1] | 32) == 'b' &&
	    (text[2] == '0' || text[2] == '1'))
		token->number = strtoll(text + 2, &end, 2);
	else
		token->number = strtoll(text, &end, text[0] != '0' ? 10 :
					(text[1] | 32) == 'x' ? 16 : 8);
	if (!*end && !errno)
		return NULL;
	if (!*end)
		return "a number that has no place in 64 bits";
	if (strspn(text, "0123456789") == n)
		return "a number with a leading 0 is octal: 0 to 7";
	token->kind = GAUDI_TPC_T_FLOAT;
	token->real = strtod(text, &end_real);
	if (!*end_real || (end_real[0] == 'f' && !end_real[1]))
		return NULL;
	return "a number is expected: 12, 0x1f, 0b101, 1.5, 2e-3";
}

static const char *sign(struct lexer *lex, struct gaudi_tpc_token *token)
{
	static const char *const two[] = { "<=", ">=", "==", "!=", "<<", ">>" };
	size_t i;

	token->kind = GAUDI_TPC_T_SIGN;
	token->length = 1;
	for (i = 0; i < sizeof(two) / sizeof(two[0]); i++)
		if (lex->end - lex->p >= 2 && !memcmp(lex->p, two[i], 2)) {
			token->length = 2;
			return NULL;
		}
	if (*lex->p && strchr(",;:{}()!+-*/&|~<>=@", *lex->p))
		return NULL;
	return "a character that means nothing here";
}

static const char *string(struct lexer *lex, struct gaudi_tpc_token *token)
{
	size_t n = 1;

	token->kind = GAUDI_TPC_T_STRING;
	while (lex->p + n < lex->end && lex->p[n] != '"' && lex->p[n] != '\n')
		n += lex->p[n] == '\\' && lex->p + n + 1 < lex->end &&
		     lex->p[n + 1] != '\n' ? 2 : 1;
	if (lex->p + n >= lex->end || lex->p[n] != '"')
		return "a string has no end";
	token->length = n + 1;
	return NULL;
}

/* Over blanks and comments. NULL, or what is wrong. */
static const char *skip(struct lexer *lex)
{
	while (lex->p < lex->end) {
		size_t left = lex->end - lex->p;

		if (*lex->p == ' ' || *lex->p == '\t' || *lex->p == '\r') {
			lex->p++;
		} else if (*lex->p == '#' ||
			   (left > 1 && lex->p[0] == '/' && lex->p[1] == '/')) {
			while (lex->p < lex->end && *lex->p != '\n')
				lex->p++;
		} else if (left > 1 && lex->p[0] == '/' && lex->p[1] == '*') {
			const char *start = lex->p;

			for (lex->p += 2; ; lex->p++) {
				if (lex->end - lex->p < 2) {
					lex->p = start;
					return "a comment has no end";
				}
				if (lex->p[0] == '*' && lex->p[1] == '/')
					break;
				if (*lex->p == '\n') {
					lex->line++;
					lex->line_start = lex->p + 1;
				}
			}
			lex->p += 2;
		} else {
			return NULL;
		}
	}
	return NULL;
}

/* One token. NULL, or what is wrong. */
static const char *next(struct lexer *lex, struct gaudi_tpc_token *token)
{
	const char *wrong = skip(lex);

	memset(token, 0, sizeof(*token));
	/* A register of the compiler's listing. */
	if (!wrong && lex->end - lex->p > 1 && *lex->p == '%' &&
	    isalpha((uint8_t)lex->p[1]))
		lex->p++;
	token->text = lex->p;
	token->line = lex->line;
	token->column = lex->p - lex->line_start + 1;
	if (wrong)
		return wrong;
	if (lex->p == lex->end) {
		token->kind = GAUDI_TPC_T_END;
	} else if (*lex->p == '\n') {
		token->kind = GAUDI_TPC_T_NEWLINE;
		token->length = 1;
		lex->line++;
		lex->line_start = lex->p + 1;
	} else if (isdigit((uint8_t)*lex->p) || run_of_hex(lex) == 64) {
		wrong = number(lex, token);
	} else if (name_start((uint8_t)*lex->p)) {
		token->kind = GAUDI_TPC_T_NAME;
		while (lex->p + token->length < lex->end &&
		       name_part((uint8_t)lex->p[token->length]) &&
		       !(lex->value && lex->p[token->length] == '.'))
			token->length++;
	} else if (*lex->p == '"') {
		wrong = string(lex, token);
	} else {
		wrong = sign(lex, token);
	}
	lex->value = lex->dotted && token->length == 1 && *lex->p == '=';
	lex->dotted = token->kind == GAUDI_TPC_T_NAME &&
		      memchr(lex->p, '.', token->length);
	lex->p += token->length;
	return wrong;
}

static struct define *find_define(struct lexer *lex,
				  const struct gaudi_tpc_token *name)
{
	size_t i;

	for (i = 0; i < lex->define_count; i++)
		if (lex->defines[i].name.length == name->length &&
		    !memcmp(lex->defines[i].name.text, name->text,
			    name->length))
			return &lex->defines[i];
	return NULL;
}

/* The token, or what it stands for. */
static bool put(struct lexer *lex, const struct gaudi_tpc_token *token,
		struct gaudi_tpc_tokens *to)
{
	const struct define *define =
		token->kind == GAUDI_TPC_T_NAME ? find_define(lex, token) :
		NULL;
	size_t i;

	if (!define)
		return append(to, token);
	for (i = 0; i < define->count; i++) {
		struct gaudi_tpc_token copy = lex->bodies.list[define->first +
							       i];

		copy.line = token->line;
		copy.column = token->column;
		if (!append(to, &copy))
			return false;
	}
	return true;
}

/* .define NAME what it stands for, to the end of the line */
static const char *define(struct lexer *lex, struct gaudi_tpc_token *token)
{
	struct define *defines, *new;
	const char *wrong = next(lex, token);

	if (wrong)
		return wrong;
	if (token->kind != GAUDI_TPC_T_NAME || find_define(lex, token))
		return token->kind != GAUDI_TPC_T_NAME ?
		       "a name is expected behind .define" :
		       "that name is defined already";
	defines = realloc(lex->defines,
			  (lex->define_count + 1) * sizeof(*defines));
	if (!defines)
		return "";
	lex->defines = defines;
	new = &defines[lex->define_count];
	new->name = *token;
	new->first = lex->bodies.count;
	for (;;) {
		wrong = next(lex, token);
		if (wrong)
			return wrong;
		if (token->kind == GAUDI_TPC_T_NEWLINE ||
		    token->kind == GAUDI_TPC_T_END)
			break;
		if (!put(lex, token, &lex->bodies))
			return "";
	}
	new->count = lex->bodies.count - new->first;
	lex->define_count++;
	return append(lex->tokens, token) ? NULL : "";
}

const char *gaudi_tpc_lex(const char *source, size_t length,
			  struct gaudi_tpc_tokens *tokens,
			  unsigned int *err_line, unsigned int *err_column)
{
	struct lexer lex = {
		.p = source, .end = source + length, .line_start = source,
		.line = 1, .tokens = tokens,
	};
	struct gaudi_tpc_token token;
	const char *wrong;

	memset(tokens, 0, sizeof(*tokens));
	do {
		wrong = next(&lex, &token);
		if (!wrong && token.kind == GAUDI_TPC_T_NAME &&
		    gaudi_tpc_token_is(&token, ".define"))
			wrong = define(&lex, &token);
		else if (!wrong && !put(&lex, &token, tokens))
			wrong = "";
	} while (!wrong && token.kind != GAUDI_TPC_T_END);
	*err_line = token.line;
	*err_column = token.column;
	free(lex.defines);
	free(lex.bodies.list);
	if (wrong) {
		free(tokens->list);
		memset(tokens, 0, sizeof(*tokens));
	}
	return wrong;
}
