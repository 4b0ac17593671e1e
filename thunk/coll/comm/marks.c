// SPDX-License-Identifier: MIT
/* What ranks call, as marks that are compared, and in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "../schedule/settings.h"

static const char *transfer_text(const struct coll_mark *mark, char *text)
{
	static const char * const names[] = {
		"a receive", "a send", "sends and receives",
	};

	snprintf(text, COLL_MARK_TEXT, "%s (%llu bytes)", names[mark->type % 3],
		 (unsigned long long)mark->count);

	return text;
}

const char *coll_mark_text(const struct coll_mark *mark, char *text)
{
	const char *op = coll_op_name((hcclRedOp_t)mark->op);
	const char *kind = coll_kind_name(mark->kind);
	const char *type = coll_type_name(mark->type);
	bool reduces = mark->kind == COLL_ALLREDUCE ||
		       mark->kind == COLL_REDUCE ||
		       mark->kind == COLL_REDUCE_SCATTER;
	bool rooted = mark->kind == COLL_REDUCE || mark->kind == COLL_BROADCAST;
	char root[24] = "";

	if (mark->kind == COLL_KINDS)
		return transfer_text(mark, text);
	if (rooted)
		snprintf(root, sizeof(root), " of root %u", mark->root);
	snprintf(text, COLL_MARK_TEXT, "%s%s %llu (%llu %s%s%s)%s",
		 mark->captured ? "captured " : "", kind ? kind : "?", (unsigned long long)mark->seq,
		 (unsigned long long)mark->count, type ? type : "?",
		 reduces ? ", " : "",
		 reduces && op ? op : "", root);

	return text;
}

bool coll_marks_push(struct coll_marks *marks, const struct coll_mark *mark)
{
	struct coll_mark *more;

	if (marks->first && marks->first * 2 >= marks->num + marks->first) {
		memmove(marks->at, marks->at + marks->first,
			marks->num * sizeof(*more));
		marks->first = 0;
	}
	if (marks->first + marks->num == marks->max) {
		more = realloc(marks->at, (marks->max * 2 + 16) * sizeof(*more));
		if (!more)
			return false;
		marks->at = more;
		marks->max = marks->max * 2 + 16;
	}
	marks->at[marks->first + marks->num++] = *mark;

	return true;
}

bool coll_marks_pop(struct coll_marks *marks, struct coll_mark *mark)
{
	if (!marks->num)
		return false;
	*mark = marks->at[marks->first++];
	marks->num--;

	return true;
}
