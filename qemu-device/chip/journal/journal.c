// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Notes what a host asks of its cards, and what they ask of it: between a card and its
 * host stand a begin and an end around each call (struct gaudi_calls), and host functions of
 * the journal's own in place of the host's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"

/* How much a program that is killed takes with it. */
#define FLUSH_NS	500000000ull

/* What the host is told when the call has ended, in order. */
struct later {
	struct later *next;
	struct journal_card *card;
	unsigned int kind;
	uint64_t a, b;
};

struct journal_card {
	struct gaudi_calls calls;
	struct gaudi_journal *journal;
	struct gaudi_chip *chip;	/* NULL: freed */
	unsigned int n;
	const struct gaudi_host_ops *ops;	/* the host's */
	void *opaque;
	struct gaudi_host_ops mine;
	uint64_t events;		/* those that are noted */
	uint32_t digest;
};

struct gaudi_journal {
	struct gaudi_lock lock;		/* guards all; a call holds it */
	struct gaudi_journal_file *file;	/* NULL: it has ended */
	struct journal_card *card[GAUDI_JOURNAL_CARDS];
	unsigned int num_cards;
	struct later *first, **last;
	bool delivering;		/* one thread, so that the order is kept */
	uint64_t time;			/* the last one noted, ns */
	uint64_t flushed_ns;
	int err;
};

/* Calls that this thread is in: what they call in turn is no host's. */
static _Thread_local unsigned int depth;

static void note(struct journal_card *card, unsigned int kind, uint64_t a,
		 uint64_t b, uint64_t c, uint64_t d)
{
	const struct gaudi_journal_entry entry = {
		.kind = kind, .card = card->n, .arg = { a, b, c, d },
	};

	if (card->journal->file && depth)
		gaudi_journal_write(card->journal->file, &entry);
}

/* --- what waits for the end of the call ---------------------------------------- */

static void tell_later(struct journal_card *card, unsigned int kind, uint64_t a,
		       uint64_t b)
{
	struct gaudi_journal *journal = card->journal;
	struct later *later = malloc(sizeof(*later));

	note(card, kind, a, b, 0, 0);
	if (!later) {
		/* An interrupt that is lost would be a bug of the card's. */
		abort();
	}
	*later = (struct later) { .card = card, .kind = kind, .a = a, .b = b };
	*journal->last = later;
	journal->last = &later->next;
}

static void tell(const struct later *later)
{
	const struct gaudi_host_ops *ops = later->card->ops;
	void *opaque = later->card->opaque;

	switch (later->kind) {
	case GAUDI_JOURNAL_MSI:
		ops->msi(opaque, later->a);
		break;
	case GAUDI_JOURNAL_WINDOW:
		ops->hbm_window(opaque, later->a);
		break;
	case GAUDI_JOURNAL_DEADLINE:
		ops->timer(opaque, later->a);
		break;
	case GAUDI_JOURNAL_HOST_FAULT:
		ops->host_fault(opaque, later->a, later->b);
		break;
	case GAUDI_JOURNAL_RESETTING:
		ops->resetting(opaque, later->a);
		break;
	}
}

/* The lock is held, and dropped meanwhile. Another thread that is at it does all. */
static void deliver(struct gaudi_journal *journal)
{
	struct later *later;

	if (journal->delivering)
		return;
	journal->delivering = true;
	while ((later = journal->first)) {
		journal->first = later->next;
		if (!journal->first)
			journal->last = &journal->first;
		gaudi_unlock(&journal->lock);
		tell(later);
		free(later);
		gaudi_lock(&journal->lock);
	}
	journal->delivering = false;
}

/* --- calls ------------------------------------------------------------------------ */

static unsigned int number_of(const struct gaudi_journal *journal,
			      uintptr_t chip)
{
	unsigned int n = 0;

	while (n < journal->num_cards &&
	       (uintptr_t)journal->card[n]->chip != chip)
		n++;
	return n;
}

static void call_begin(struct gaudi_calls *calls, enum gaudi_call call,
		       const uint64_t arg[GAUDI_CALL_ARGS], const void *data,
		       size_t len)
{
	struct journal_card *card = (struct journal_card *)calls;
	struct gaudi_journal_entry entry = {
		.kind = call, .card = card->n, .data = data, .len = len,
	};

	if (depth++)
		return;
	gaudi_lock(&card->journal->lock);
	if (call == GAUDI_CALL_FREE)
		card->chip = NULL;
	memcpy(entry.arg, arg, GAUDI_CALL_ARGS * sizeof(*arg));
	if (call == GAUDI_CALL_CONNECT)
		entry.arg[1] = number_of(card->journal, arg[1]);
	if (card->journal->file)
		gaudi_journal_write(card->journal->file, &entry);
}

static void flush_now_and_then(struct gaudi_journal *journal)
{
	uint64_t now = gaudi_real_ns();

	if (!journal->file || now - journal->flushed_ns < FLUSH_NS)
		return;
	gaudi_journal_flush(journal->file);
	journal->flushed_ns = now;
}

static void call_end(struct gaudi_calls *calls, uint64_t result)
{
	struct journal_card *card = (struct journal_card *)calls;
	struct gaudi_journal *journal = card->journal;

	if (depth > 1) {
		depth--;
		return;
	}
	if (card->chip)
		card->digest = gaudi_journal_events(card->chip, &card->events,
						    card->digest);
	note(card, GAUDI_JOURNAL_RETURN, result, card->events, card->digest, 0);
	depth = 0;
	flush_now_and_then(journal);
	deliver(journal);
	gaudi_unlock(&journal->lock);
}

/* --- the host, as the card sees it ----------------------------------------------- */

static int dma_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	struct journal_card *card = opaque;
	int err = card->ops->dma_read(card->opaque, addr, buf, len);
	const struct gaudi_journal_entry entry = {
		.kind = GAUDI_JOURNAL_DMA_READ, .card = card->n,
		.arg = { addr, len, err ? -err : 0 },
		.data = buf, .len = err ? 0 : len,
	};

	if (card->journal->file && depth)
		gaudi_journal_write(card->journal->file, &entry);
	return err;
}

static int dma_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	struct journal_card *card = opaque;
	int err = card->ops->dma_write(card->opaque, addr, buf, len);

	note(card, GAUDI_JOURNAL_DMA_WRITE, addr, len, err ? -err : 0,
	     gaudi_journal_digest(0, buf, len));
	return err;
}

/* All is copied, as all is noted. */
static void *dma_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	(void)opaque;
	(void)addr;
	(void)len;
	(void)write;
	return NULL;
}

static void msi(void *opaque, unsigned int vector)
{
	tell_later(opaque, GAUDI_JOURNAL_MSI, vector, 0);
}

static void hbm_window(void *opaque, uint64_t target)
{
	tell_later(opaque, GAUDI_JOURNAL_WINDOW, target, 0);
}

static uint64_t now_ns(void *opaque)
{
	struct journal_card *card = opaque;
	uint64_t now = card->ops->now_ns(card->opaque);

	if (depth) {
		note(card, GAUDI_JOURNAL_TIME, now - card->journal->time, 0, 0,
		     0);
		card->journal->time = now;
	}
	return now;
}

static void timer(void *opaque, uint64_t deadline_ns)
{
	tell_later(opaque, GAUDI_JOURNAL_DEADLINE, deadline_ns, 0);
}

static void kick(void *opaque)
{
	struct journal_card *card = opaque;

	card->ops->kick(card->opaque);
}

static void log_line(void *opaque, enum gaudi_log_level level, const char *line)
{
	struct journal_card *card = opaque;

	card->ops->log(card->opaque, level, line);
}

static uint32_t traced(void *opaque)
{
	struct journal_card *card = opaque;

	return card->ops->traced(card->opaque);
}

static void trace(void *opaque, const struct gaudi_trace *e)
{
	struct journal_card *card = opaque;

	card->ops->trace(card->opaque, e);
}

static void resetting(void *opaque, bool at_rest)
{
	tell_later(opaque, GAUDI_JOURNAL_RESETTING, at_rest, 0);
}

static void host_fault(void *opaque, enum gaudi_host_fault what, uint32_t arg)
{
	tell_later(opaque, GAUDI_JOURNAL_HOST_FAULT, what, arg);
}

/* --- cards ------------------------------------------------------------------------- */

static void note_new(struct journal_card *card, const struct gaudi_config *c)
{
	size_t serial = c->serial ? strlen(c->serial) : 0;
	size_t profile = c->profile ? c->profile_size : 0;
	struct gaudi_journal_entry entry = {
		.kind = GAUDI_CALL_NEW, .card = card->n,
		.len = serial + 1 + profile,
	};
	char *data = calloc(1, entry.len);

	if (!card->journal->file || !data) {
		card->journal->err = data ? 0 : -ENOMEM;
		free(data);
		return;
	}
	memcpy(data, c->serial ? c->serial : "", serial);
	memcpy(data + serial + 1, c->profile ? c->profile : "", profile);
	entry.data = data;
	entry.arg[GAUDI_NEW_HBM_SIZE] = c->hbm_size;
	entry.arg[GAUDI_NEW_MODULE_ID] = c->module_id;
	entry.arg[GAUDI_NEW_BOOT_STS0] = c->boot_dev_sts0;
	entry.arg[GAUDI_NEW_BOOT_DELAY_MS] = c->boot_delay_ms;
	entry.arg[GAUDI_NEW_FLAGS] =
		(c->flash_boot ? GAUDI_NEW_IS_FLASH_BOOT : 0) |
		(c->comms ? GAUDI_NEW_IS_COMMS : 0) |
		(c->tpc_check ? GAUDI_NEW_IS_TPC_CHECK : 0) |
		(c->serial ? GAUDI_NEW_HAS_SERIAL : 0) |
		(card->ops->resetting ? GAUDI_NEW_HAS_RESETTING : 0) |
		(card->ops->host_fault ? GAUDI_NEW_HAS_FAULTS : 0);
	entry.arg[GAUDI_NEW_SLOT] = c->slot;
	entry.arg[GAUDI_NEW_MME] = c->mme;
	entry.arg[GAUDI_NEW_SCHED_SEED] = c->sched_seed;
	entry.arg[GAUDI_NEW_TPC_MAX_WORDS] = c->tpc_max_words;
	entry.arg[GAUDI_NEW_RECORD_EVENTS] = c->record_events;
	gaudi_journal_write(card->journal->file, &entry);
	free(data);
}

int gaudi_journal_add(struct gaudi_journal *journal, struct gaudi_chip *chip,
		      const struct gaudi_config *config)
{
	struct journal_card *card;

	if (chip->pool)
		return -EINVAL;
	card = calloc(1, sizeof(*card));
	if (!card)
		return -ENOMEM;
	*card = (struct journal_card) {
		.calls = { call_begin, call_end },
		.journal = journal,
		.chip = chip,
		.ops = chip->ops,
		.opaque = chip->opaque,
		.mine = {
			.dma_read = dma_read, .dma_write = dma_write,
			.dma_map = dma_map, .dma_unmap = chip->ops->dma_unmap,
			.msi = msi, .hbm_window = hbm_window, .now_ns = now_ns,
			.timer = timer, .kick = kick, .log = log_line,
			.traced = chip->ops->traced ? traced : NULL,
			.trace = chip->ops->trace ? trace : NULL,
			.resetting = chip->ops->resetting ? resetting : NULL,
			.host_fault = chip->ops->host_fault ? host_fault : NULL,
		},
	};
	gaudi_lock(&journal->lock);
	card->n = journal->num_cards;
	if (card->n == GAUDI_JOURNAL_CARDS) {
		gaudi_unlock(&journal->lock);
		free(card);
		return -ENOSPC;
	}
	journal->card[journal->num_cards++] = card;
	note_new(card, config);
	depth = 1;
	chip->calls = &card->calls;
	chip->ops = &card->mine;
	chip->opaque = card;
	return 0;
}

/* --- life cycle ---------------------------------------------------------------------- */

struct gaudi_journal *gaudi_journal_new(const char *path, int *err)
{
	struct gaudi_journal *journal = calloc(1, sizeof(*journal));

	*err = -ENOMEM;
	if (!journal)
		return NULL;
	journal->file = gaudi_journal_create(path, err);
	if (!journal->file) {
		free(journal);
		return NULL;
	}
	gaudi_lock_init(&journal->lock, GAUDI_LOCK_JOURNAL);
	journal->last = &journal->first;
	journal->flushed_ns = gaudi_real_ns();
	return journal;
}

static void note_memory(struct gaudi_journal *journal, unsigned int n)
{
	const struct gaudi_chip *chip = journal->card[n]->chip;
	struct gaudi_journal_entry entry = {
		.kind = GAUDI_JOURNAL_MEMORY, .card = n,
	};

	if (!chip)
		return;
	entry.arg[0] = gaudi_journal_memory(&chip->hbm);
	entry.arg[1] = gaudi_journal_memory(&chip->sram);
	gaudi_journal_write(journal->file, &entry);
}

int gaudi_journal_end(struct gaudi_journal *journal)
{
	const struct gaudi_journal_entry end = { .kind = GAUDI_JOURNAL_END };
	unsigned int i;
	int err;

	gaudi_lock(&journal->lock);
	if (journal->file) {
		for (i = 0; i < journal->num_cards; i++)
			note_memory(journal, i);
		gaudi_journal_write(journal->file, &end);
		err = gaudi_journal_close(journal->file);
		journal->file = NULL;
		if (!journal->err)
			journal->err = err;
	}
	err = journal->err;
	gaudi_unlock(&journal->lock);
	return err;
}

void gaudi_journal_free(struct gaudi_journal *journal)
{
	gaudi_journal_end(journal);
	for (unsigned int i = 0; i < journal->num_cards; i++)
		free(journal->card[i]);
	gaudi_lock_destroy(&journal->lock);
	free(journal);
}
