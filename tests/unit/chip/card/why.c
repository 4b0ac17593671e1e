// SPDX-License-Identifier: GPL-2.0-only
/* Runs scripts/gaudi-why on records; see why.h. */
#include <sys/wait.h>
#include <unistd.h>

#include "why.h"

char *why_of(struct card *const *cards, unsigned int num, int status)
{
	char path[] = "/tmp/gaudi-why-test.XXXXXX", command[256], *text = NULL;
	FILE *out = fdopen(mkstemp(path), "w"), *words, *pipe;
	unsigned int i;
	size_t size;
	int c, rc;

	assert_non_null(out);
	for (i = 0; i < num; i++)
		WORKS(gaudi_chip_record(cards[i]->chip, out));
	WORKS(fclose(out));
	snprintf(command, sizeof(command), "exec python3 " GAUDI_WHY " %s 2>&1",
		 path);
	/* The sanitizer's library is not the interpreter's. */
	pipe = popen(command, "r");
	assert_non_null(pipe);
	words = open_memstream(&text, &size);
	while ((c = getc(pipe)) != EOF)
		putc(c, words);
	WORKS(fclose(words));
	rc = pclose(pipe);
	unlink(path);
	if (!WIFEXITED(rc) || WEXITSTATUS(rc) != status)
		fail_msg("status 0x%x, and it says: %s", rc, text);
	return text;
}

static void check(struct card *const *cards, unsigned int num, va_list words)
{
	char *text = why_of(cards, num, 1);
	const char *word;

	while ((word = va_arg(words, const char *)))
		if (!strstr(text, word))
			fail_msg("no '%s' in: %s", word, text);
	free(text);
}

void why_says(struct card *card, ...)
{
	va_list words;

	va_start(words, card);
	check(&card, 1, words);
	va_end(words);
}

void why_says_of(struct card *const *cards, unsigned int num, ...)
{
	va_list words;

	va_start(words, num);
	check(cards, num, words);
	va_end(words);
}

void why_is_content(struct card *card)
{
	char *text = why_of(&card, 1, 0);

	if (!strstr(text, "nothing is stuck"))
		fail_msg("%s", text);
	free(text);
}
