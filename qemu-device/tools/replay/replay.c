// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Does what a journal says; see replay.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* Of all that is different the first thing counts. */
static void __attribute__((format(printf, 2, 3)))
differ(struct replay *r, const char *format, ...)
{
	va_list args;

	if (r->differs)
		return;
	r->differs = true;
	va_start(args, format);
	vsnprintf(r->why, sizeof(r->why), format, args);
	va_end(args);
}

/* --- what cards ask ------------------------------------------------------------- */

/*
 * The journal's next entry is to be this one, in its first @same arguments. False: it is
 * not, or there is none; then it no longer matters what the card is told.
 */
static bool expect(struct replay_card *card, unsigned int kind,
		   unsigned int same, const uint64_t *arg,
		   struct gaudi_journal_entry *got)
{
	struct gaudi_journal_entry mine = { .kind = kind, .card = card->n };
	struct replay *r = card->replay;
	char is[160], was[160];
	int rc;

	if (r->differs || r->cut_off)
		return false;
	rc = gaudi_journal_read(r->file, got);
	if (rc < 0)
		differ(r, "the journal is damaged behind this");
	r->cut_off = !rc;
	if (rc <= 0)
		return false;
	memcpy(mine.arg, arg, same * sizeof(*arg));
	if (got->kind == kind && got->card == card->n &&
	    !memcmp(got->arg, mine.arg, same * sizeof(*arg)))
		return true;
	replay_print(is, sizeof(is), card->chip, &mine);
	replay_print(was, sizeof(was), card->chip, got);
	differ(r, "now: %s; then: %s", is, was);
	return false;
}

static void expect_told(struct replay_card *card, unsigned int kind, uint64_t a,
			uint64_t b)
{
	struct gaudi_journal_entry got;

	card->replay->questions++;
	expect(card, kind, 2, (uint64_t[]){ a, b }, &got);
}

static int dma_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	struct replay_card *card = opaque;
	struct gaudi_journal_entry got;

	/* Who looks at a card, for a record, asks what the journal does not have. */
	if (!card->replay->in_call)
		return -EFAULT;
	card->replay->questions++;
	if (!expect(card, GAUDI_JOURNAL_DMA_READ, 2, (uint64_t[]){ addr, len },
		    &got))
		return -EFAULT;
	if (got.arg[2])
		return -(int)got.arg[2];
	if (got.len != len) {
		differ(card->replay, "the journal has other data than it says");
		return -EFAULT;
	}
	memcpy(buf, got.data, len);
	return 0;
}

static int dma_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	struct replay_card *card = opaque;
	struct gaudi_journal_entry got;
	uint32_t digest = gaudi_journal_digest(0, buf, len);

	card->replay->questions++;
	if (!expect(card, GAUDI_JOURNAL_DMA_WRITE, 2, (uint64_t[]){ addr, len },
		    &got))
		return -EFAULT;
	if (got.arg[3] != digest)
		differ(card->replay,
		       "%zu bytes written to the host's address %#llx are others",
		       len, (unsigned long long)addr);
	return -(int)got.arg[2];
}

static void *dma_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	(void)opaque;
	(void)addr;
	(void)len;
	(void)write;
	return NULL;
}

static void dma_unmap(void *opaque, void *ptr, size_t len, bool write,
		      size_t accessed)
{
	(void)opaque;
	(void)ptr;
	(void)len;
	(void)write;
	(void)accessed;
}

static void msi(void *opaque, unsigned int vector)
{
	expect_told(opaque, GAUDI_JOURNAL_MSI, vector, 0);
}

static void hbm_window(void *opaque, uint64_t target)
{
	expect_told(opaque, GAUDI_JOURNAL_WINDOW, target, 0);
}

static uint64_t now_ns(void *opaque)
{
	struct replay_card *card = opaque;
	struct gaudi_journal_entry got;

	if (!card->replay->in_call)
		return card->replay->time_ns;
	if (expect(card, GAUDI_JOURNAL_TIME, 0, (uint64_t[]){ 0 }, &got))
		card->replay->time_ns += got.arg[0];
	return card->replay->time_ns;
}

static void timer(void *opaque, uint64_t deadline_ns)
{
	expect_told(opaque, GAUDI_JOURNAL_DEADLINE, deadline_ns, 0);
}

static void kick(void *opaque)
{
	(void)opaque;
}

static void log_line(void *opaque, enum gaudi_log_level level, const char *line)
{
	(void)opaque;
	(void)level;
	(void)line;
}

static void resetting(void *opaque, bool at_rest)
{
	expect_told(opaque, GAUDI_JOURNAL_RESETTING, at_rest, 0);
}

static void host_fault(void *opaque, enum gaudi_host_fault what, uint32_t arg)
{
	expect_told(opaque, GAUDI_JOURNAL_HOST_FAULT, what, arg);
}

/* --- what the host asked ---------------------------------------------------------- */

static uint64_t make_card(struct replay_card *card,
			  const struct gaudi_journal_entry *e)
{
	const uint64_t *arg = e->arg, flags = arg[GAUDI_NEW_FLAGS];
	size_t serial = e->len ? strnlen(e->data, e->len) : 0;
	struct gaudi_config config = {
		.hbm_size = arg[GAUDI_NEW_HBM_SIZE],
		.module_id = arg[GAUDI_NEW_MODULE_ID],
		.boot_dev_sts0 = arg[GAUDI_NEW_BOOT_STS0],
		.boot_delay_ms = arg[GAUDI_NEW_BOOT_DELAY_MS],
		.flash_boot = flags & GAUDI_NEW_IS_FLASH_BOOT,
		.comms = flags & GAUDI_NEW_IS_COMMS,
		.tpc_check = flags & GAUDI_NEW_IS_TPC_CHECK,
		.slot = arg[GAUDI_NEW_SLOT],
		.mme = arg[GAUDI_NEW_MME],
		.sched_seed = arg[GAUDI_NEW_SCHED_SEED],
		.tpc_max_words = arg[GAUDI_NEW_TPC_MAX_WORDS],
		.record_events = arg[GAUDI_NEW_RECORD_EVENTS],
	};
	int err;

	if (card->chip || serial == e->len) {
		differ(card->replay, "the journal's card %u cannot be made",
		       card->n);
		return 1;
	}
	if (flags & GAUDI_NEW_HAS_SERIAL)
		config.serial = e->data;
	if (e->len > serial + 1) {
		config.profile = (const char *)e->data + serial + 1;
		config.profile_size = e->len - serial - 1;
	}
	card->ops = (struct gaudi_host_ops) {
		.dma_read = dma_read, .dma_write = dma_write,
		.dma_map = dma_map, .dma_unmap = dma_unmap, .msi = msi,
		.hbm_window = hbm_window, .now_ns = now_ns, .timer = timer,
		.kick = kick, .log = log_line,
		.resetting = flags & GAUDI_NEW_HAS_RESETTING ? resetting : NULL,
		.host_fault = flags & GAUDI_NEW_HAS_FAULTS ? host_fault : NULL,
	};
	card->chip = gaudi_chip_new(&config, &card->ops, card, NULL, &err);
	return !card->chip;
}

/* The journal noted those that were connected, only. */
static uint64_t connect(struct replay_card *card, const uint64_t *arg)
{
	struct replay *r = card->replay;

	if (arg[1] >= GAUDI_JOURNAL_CARDS || !r->card[arg[1]].chip)
		return 1;
	return gaudi_chip_connect(card->chip, arg[0], r->card[arg[1]].chip,
				  arg[2]) ? 1 : 0;
}

static uint64_t inject(struct replay_card *card,
		       const struct gaudi_journal_entry *e)
{
	char *spec = strndup(e->data, e->len), err[128];
	int rc = -ENOMEM;

	if (spec)
		rc = gaudi_chip_inject(card->chip, spec, err, sizeof(err));
	free(spec);
	return (uint32_t)rc;
}

static uint64_t do_call(struct replay_card *card,
			const struct gaudi_journal_entry *e)
{
	struct gaudi_chip *chip = card->chip;
	const uint64_t *arg = e->arg;

	switch (e->kind) {
	case GAUDI_CALL_NEW:
		return make_card(card, e);
	case GAUDI_CALL_FREE:
		card->chip = NULL;
		gaudi_chip_free(chip);
		break;
	case GAUDI_CALL_POWER_ON:
		gaudi_chip_power_on(chip);
		break;
	case GAUDI_CALL_HARD_RESET:
		gaudi_chip_hard_reset(chip);
		break;
	case GAUDI_CALL_PAUSE:
		gaudi_chip_pause(chip);
		break;
	case GAUDI_CALL_RESUME:
		gaudi_chip_resume(chip);
		break;
	case GAUDI_CALL_BAR_READ:
		return gaudi_chip_bar_read(chip, arg[0], arg[1], arg[2]);
	case GAUDI_CALL_BAR_WRITE:
		gaudi_chip_bar_write(chip, arg[0], arg[1], arg[3], arg[2]);
		break;
	case GAUDI_CALL_BAR_COPY:
		return !!gaudi_chip_bar_copy(chip, arg[0], arg[1], e->data,
					     e->len);
	case GAUDI_CALL_ELBI_READ:
		return gaudi_chip_elbi_read(chip, arg[0]);
	case GAUDI_CALL_ELBI_WRITE:
		gaudi_chip_elbi_write(chip, arg[0], arg[1]);
		break;
	case GAUDI_CALL_TIMER:
		gaudi_chip_timer(chip);
		break;
	case GAUDI_CALL_RUN:
		gaudi_chip_run_some(chip, arg[0]);
		break;
	case GAUDI_CALL_CONNECT:
		return connect(card, arg);
	case GAUDI_CALL_PLUG:
		gaudi_chip_plug(chip, arg[0], arg[1]);
		break;
	case GAUDI_CALL_DISCONNECT:
		gaudi_chip_disconnect(chip);
		break;
	case GAUDI_CALL_EVENT:
		return (uint32_t)gaudi_chip_post_event(chip, arg[0], e->data,
						       e->len / 8);
	case GAUDI_CALL_INJECT:
		return inject(card, e);
	case GAUDI_CALL_FAULTS_CLEAR:
		gaudi_chip_faults_clear(chip);
		break;
	}
	return 0;
}

static void compare_return(struct replay_card *card, uint64_t result)
{
	struct gaudi_journal_entry got;
	struct replay *r = card->replay;

	if (card->chip)
		card->digest = gaudi_journal_events(card->chip, &card->events,
						    card->digest);
	if (!expect(card, GAUDI_JOURNAL_RETURN, 0, (uint64_t[]){ 0 }, &got))
		return;
	if (got.arg[0] != result)
		differ(r, "it returns %#llx, and returned %#llx",
		       (unsigned long long)result,
		       (unsigned long long)got.arg[0]);
	else if (got.arg[1] != card->events)
		differ(r, "the card has recorded %llu events, and had %llu",
		       (unsigned long long)card->events,
		       (unsigned long long)got.arg[1]);
	else if (got.arg[2] != card->digest)
		differ(r, "one of the events that it recorded is another");
}

static void compare_memory(struct replay_card *card,
			   const struct gaudi_journal_entry *e)
{
	if (!card->chip)
		differ(card->replay, "the journal has the memory of no card");
	else if (gaudi_journal_memory(&card->chip->hbm) != e->arg[0])
		differ(card->replay, "HBM of card %u is another at the end",
		       card->n);
	else if (gaudi_journal_memory(&card->chip->sram) != e->arg[1])
		differ(card->replay, "SRAM of card %u is another at the end",
		       card->n);
}

/* Its data are kept, as the next entries take their place. 0, or -ENOMEM. */
static int call(struct replay_card *card, struct gaudi_journal_entry *e)
{
	struct replay *r = card->replay;
	/* Text in it ends with a 0. */
	void *data = calloc(1, e->len + 1);
	uint64_t result;

	if (!data)
		return -ENOMEM;
	if (e->len)
		memcpy(data, e->data, e->len);
	e->data = data;
	r->calls++;
	r->call = *e;
	r->call.data = NULL;
	r->in_call = true;
	result = do_call(card, e);
	compare_return(card, result);
	r->in_call = false;
	free(data);
	return 0;
}

static void step(struct replay *r, struct gaudi_journal_entry *e)
{
	struct replay_card *card = &r->card[e->card];

	card->replay = r;
	card->n = e->card;
	if (e->kind == GAUDI_JOURNAL_MEMORY)
		compare_memory(card, e);
	else if (e->kind == GAUDI_JOURNAL_END)
		r->ended = true;
	else if (e->kind >= GAUDI_CALLS)
		differ(r, "the journal has '%s' where no call is",
		       gaudi_journal_name(e->kind));
	else if (!card->chip && e->kind != GAUDI_CALL_NEW)
		differ(r, "the journal has no card %u for '%s'", card->n,
		       gaudi_journal_name(e->kind));
	else if (call(card, e))
		differ(r, "there is no memory for %zu bytes", e->len);
}

int replay_step(struct replay *r)
{
	struct gaudi_journal_entry e;
	uint64_t calls = r->calls;
	int rc;

	while (!r->differs && !r->ended && !r->cut_off && calls == r->calls) {
		rc = gaudi_journal_read(r->file, &e);
		if (rc > 0)
			step(r, &e);
		else if (rc)
			differ(r, "the journal is damaged behind this");
		else
			r->cut_off = true;
	}
	if (r->differs)
		return -1;
	return calls != r->calls;
}

void replay_free(struct replay *r)
{
	for (unsigned int i = 0; i < GAUDI_JOURNAL_CARDS; i++)
		if (r->card[i].chip)
			gaudi_chip_free(r->card[i].chip);
}
