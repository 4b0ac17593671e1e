// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: the text form, triggers by time, count, address, queue and
 * job, and what each kind does to the card. What the stock driver makes of
 * them is tested in tests/suites.d/faults.
 */
#include <errno.h>

#include "../card.h"

#define RING		0x10000
#define CBUF		0x40000
#define BUF		0x100000
#define BUF2		0x1000000
#define LIN		0x8
#define MS		1000000ull
#define ERR_CAUSE	0x164
#define HBW_RD		1
#define HBW_WR		2
#define LBW_WR		4
#define GLBL_STS1	0x40
#define UNDEF_CMD	(1u << 3)

static char reason[512];

static int inject(struct card *card, const char *spec)
{
	reason[0] = '\0';
	return gaudi_chip_inject(card->chip, spec, reason, sizeof(reason));
}

static void arm(struct card *card, const char *spec)
{
	int err = inject(card, spec);

	if (err)
		fail_msg("%s: %d: %s", spec, err, reason);
}

/* The state of all faults; of the only one: "state seen hits". */
static char *states(struct card *card)
{
	static char text[65536];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	assert_int_equal(gaudi_chip_faults_print(card->chip, out), 0);
	fclose(out);
	return text;
}

static void expect_state(struct card *card, const char *state,
			 unsigned int seen, unsigned int hits)
{
	char want[100];

	snprintf(want, sizeof(want),
		 "\"state\": \"%s\", \"seen\": %u, \"hits\": %u }\n]",
		 state, seen, hits);
	if (!strstr(states(card), want))
		fail_msg("%s is not in %s", want, states(card));
}

/* --- the text ---------------------------------------------------------------- */

/* What is wrong is said, and nothing is armed. */
CARD_TEST(mistakes_are_named)
{
	static const struct { const char *spec, *why; } bad[] = {
		{ "", "''" },
		{ "no-such-fault", "'no-such-fault'" },
		{ "msi-lost,", "key=value" },
		{ "msi-lost,vector", "'vector': must be key=value" },
		{ "msi-lost,colour=3", "'colour': no such key" },
		{ "msi-lost,addr=3", "addr: msi-lost takes no such key" },
		{ "msi-lost,vector=1,vector=2", "vector: given twice" },
		{ "msi-lost,vector=", "vector=: not a number" },
		{ "msi-lost,vector=x", "vector=x: not a number" },
		{ "msi-lost,vector=3x", "vector=3x: not a number" },
		{ "msi-lost,vector=-1", "vector=-1: not a number" },
		{ "msi-lost,vector=+1", "vector=+1: not a number" },
		{ "msi-lost,vector=0x", "vector=0x: not a number" },
		{ "msi-lost,vector=32", "vector=32: must be 0 to 31" },
		{ "msi-lost,count=0", "count=0: must be 1 to" },
		{ "msi-lost,every=0", "every=0: must be 1 to" },
		{ "event,id=99999999999999999999", "must be 0 to 662" },
		{ "event,id=663", "must be 0 to 662" },
		{ "event", "event needs id" },
		{ "dma-short", "dma-short needs bytes" },
		{ "dma-slow", "needs ns-per-kib or ms" },
		{ "dma-error,error=what", "one of hbw-rd hbw-wr" },
		{ "bad-opcode,queue=dma8", "queue=dma8: no such queue" },
		{ "bad-opcode,queue=mme1", "queue=mme1: no such queue" },
		{ "bad-opcode,queue=dma01", "queue=dma01: no such queue" },
		{ "bad-opcode,queue=dma0,stream=5", "must be 0 to 4" },
		{ "bad-opcode,job=3", "job: needs queue" },
		{ "hbm-ecc-single,unit=4", "unit=4: must be 0 to 3" },
		{ "ecc-single,block=tpc,unit=8", "unit=8: must be 0 to 7" },
		{ "ecc-double,unit=4,block=hbm-mc", "must be 0 to 3" },
		{ "ecc-double,block=mmu,unit=1", "must be 0 to 0" },
		{ "qman-error,queue=dma1,stream=4,error=pqf-rd", "no PQ" },
		{ "hbm-ecc-single,size=8", "size: needs addr" },
		{ "hbm-ecc-single,addr=0xffffffffffffffff,size=2",
		  "beyond all addresses" },
		{ "hbm-ecc-single,after=1", "need addr" },
		{ "hbm-ecc-single,ppm=5", "need addr" },
		{ "dma-error,seed=5", "seed: needs ppm" },
		{ "dma-error,ppm=1000001", "ppm=1000001: must be 1 to 1000000" },
		{ "hbm-ecc-single,queue=dma0", "queue: needs job or addr" },
		{ "ecc-single,block=tpc,queue=tpc0", "queue: needs job" },
		{ "hbm-ecc-single,addr=1,queue=dma0,job=1", "one of them" },
		{ "hbm-ecc-single,addr=1,every-ms=5", "every-ms" },
		{ "nic-frame-lost,unit=10", "unit=10: must be 0 to 9" },
		{ "nic-frame-lost,way=up", "way=up: must be one of out in" },
		{ "nic-frame-reordered,way=in", "takes no such key" },
		{ "nic-slow", "nic-slow needs ns-per-kib or us" },
		{ "boot-error", "boot-error needs error" },
		{ "boot-error,error=all", "dram-init-fail" },
		{ "msi-lost vector=1", "blanks" },
		{ "msi-lost,vector=\"1\"", "blanks" },
		{ "msi-lost,vector=1\n", "blanks" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(inject(card, bad[i].spec), -EINVAL);
		if (!strstr(reason, bad[i].why))
			fail_msg("'%s': '%s' does not say '%s'", bad[i].spec,
				 reason, bad[i].why);
		assert_string_equal(states(card), "[\n]\n");
	}
}

CARD_TEST(long_texts_are_refused)
{
	char spec[1000];

	memset(spec, 'a', sizeof(spec));
	spec[999] = '\0';
	assert_int_equal(inject(card, spec), -EINVAL);
	spec[256] = '\0';
	assert_int_equal(inject(card, spec), -EINVAL);
	assert_non_null(strstr(reason, "longer"));
	spec[255] = '\0';
	assert_int_equal(inject(card, spec), -EINVAL);
	assert_non_null(strstr(reason, "no such fault"));
}

/* Every entry of the catalogue can be armed when it has what it needs. */
CARD_TEST(all_can_be_armed)
{
	static const char *const specs[] = {
		"hbm-ecc-single,unit=3,channel=15,report=0x7ffffffff",
		"hbm-ecc-double", "sram-ecc-single,unit=31,syndrome=7",
		"sram-ecc-double", "ecc-single,block=tpc,unit=7",
		"ecc-double,block=mme-sbab,unit=3",
		"mem-flip,addr=0x20000000,mask=0x80",
		"razwi,queue=tpc7,addr=0x7ffc000000,write=1",
		"access-refused,queue=dma2", "page-fault,addr=0,size=0x1000",
		"mmu-access-error", "message-lost,addr=0x7ffc492000",
		"bad-opcode,queue=nic9,stream=2", "stuck-fence,fence=2",
		"qman-error,queue=mme2,stream=4,error=cp-wreg",
		"dma-slow,ns-per-kib=10", "dma-short,bytes=4",
		"dma-error,error=lbw-wr", "msi-lost,vector=31", "msi-double",
		"msi-late,ms=5", "msi-storm,vector=3",
		"event,id=421,data=0xffffffffffffffff", "event-lost", "eq-overflow",
		"thermal-throttle,ms=5", "power-throttle",
		"high-temperature,data=1", "pll-error,unit=17",
		"heartbeat-lost,count=all", "fw-never,opcode=0x12",
		"fw-late,ms=100", "fw-rc,rc=3,opcode=7", "fw-result,result=1",
		"fw-garbage", "fw-silent", "fw-alive,error=critical",
		"fw-reset-request", "boot-error,error=eeprom-fail",
		"boot-stuck,stage=in-uboot", "boot-late,ms=10",
		"boot-descriptor,error=magic", "boot-answer,error=noop",
		"nic-link-loss,unit=9", "nic-frame-lost,unit=9,way=in",
		"nic-frame-doubled,opcode=0x11", "nic-frame-reordered,us=9",
		"nic-frame-corrupted,ppm=10000,seed=7", "nic-bad-qp,way=out",
		"nic-bad-key", "nic-slow,ns-per-kib=80", "nic-cq-overrun",
		"nic-link-down,unit=1", "nic-peer-gone,ms=10",
		"link-down,ms=10",
		"surprise-removal", "mmio-all-ones,addr=0x7ffc492000",
		"completion-timeout", "aer-correctable,error=bad-tlp",
		"aer-nonfatal,error=completion-timeout",
		"aer-fatal,error=malformed-tlp",
	};
	char spec[300], *text = NULL, *at;
	unsigned int i, n = 0;
	size_t size;
	FILE *out;

	/* With a time, so that none of them happens. */
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		snprintf(spec, sizeof(spec), "%s,at-ms=1000", specs[i]);
		arm(card, spec);
		assert_non_null(strstr(states(card), spec));
	}
	out = open_memstream(&text, &size);
	assert_int_equal(gaudi_chip_faults_catalogue(out), 0);
	fclose(out);
	for (at = text; (at = strstr(at, "\"name\": \"")); at++, n++) {
		snprintf(spec, sizeof(spec), "%.*s",
			 (int)strcspn(at + 9, "\""), at + 9);
		for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
			if (!strncmp(specs[i], spec, strlen(spec)) &&
			    strchr(",", specs[i][strlen(spec)]))
				break;
		if (i == sizeof(specs) / sizeof(specs[0]))
			fail_msg("this test forgets %s", spec);
	}
	assert_int_equal(n, sizeof(specs) / sizeof(specs[0]));
	free(text);
}

CARD_TEST(too_many_are_refused)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		arm(card, "msi-lost,vector=9");
	assert_int_equal(inject(card, "msi-lost"), -ENOSPC);
	assert_non_null(strstr(reason, "64"));
	gaudi_chip_faults_clear(card->chip);
	assert_string_equal(states(card), "[\n]\n");
	/* What is over gives its place away, the oldest first. */
	for (i = 0; i < 70; i++)
		arm(card, "mem-flip,addr=0x20000000");
	arm(card, "msi-lost,vector=9");
}

/* --- memory ----------------------------------------------------------------------- */

CARD_TEST(bits_turn_over)
{
	uint64_t *hbm = (uint64_t *)(void *)(card_hbm(card) + USER_HBM);
	uint64_t *sram = (uint64_t *)(void *)(card_sram(card) + 0x100);

	*hbm = 0x1122334455667788;
	*sram = 0;
	arm(card, "mem-flip,addr=0x20000000,mask=0xff00000000000001");
	assert_int_equal(*hbm, 0xee22334455667789);
	arm(card, "mem-flip,addr=0x7ff0000100,count=3,every-ms=2");
	assert_int_equal(*sram, 1);
	card_advance(card, 2 * MS);
	assert_int_equal(*sram, 0);
	card_advance(card, 2 * MS);
	assert_int_equal(*sram, 1);
	card_advance(card, 10 * MS);
	assert_int_equal(*sram, 1);
	/* Where no memory is, nothing happens. */
	arm(card, "mem-flip,addr=0xffffffffffffffff");
	arm(card, "mem-flip,addr=0x40000000");
	arm(card, "mem-flip,addr=0x3ffffff9");
	arm(card, "mem-flip,addr=0x7ff1400000");
}

CARD_TEST(time_triggers)
{
	uint64_t *sram = (uint64_t *)(void *)card_sram(card);

	*sram = 0;
	arm(card, "mem-flip,addr=0x7ff0000000,at-ms=500");
	expect_state(card, "waiting", 0, 0);
	card_advance(card, 499 * MS);
	assert_int_equal(*sram, 0);
	card_advance(card, 1 * MS);
	assert_int_equal(*sram, 1);
	expect_state(card, "done", 0, 1);
}

/* A reset forgets timers of the card, but no faults. */
CARD_TEST(faults_outlive_resets)
{
	uint64_t *sram = (uint64_t *)(void *)card_sram(card);

	arm(card, "mem-flip,addr=0x7ff0000000,at-ms=500");
	card_advance(card, 100 * MS);
	gaudi_chip_power_on(card->chip);
	card_advance(card, 399 * MS);
	assert_int_equal(*sram, 0);
	card_advance(card, 1 * MS);
	assert_int_equal(*sram, 1);
}

/* --- queues and DMA ------------------------------------------------------------------ */

static void copy(struct card *card, struct queue *q, uint64_t src,
		 uint64_t dst, uint32_t size)
{
	struct cb cb = cb_host(card, CBUF);

	put_lin_dma(&cb, src, dst, size, LIN);
	queue_run(card, q, &cb);
}

/* Was the 4 KiB block n of the destination written by the last copy? */
static bool copied(struct card *card, unsigned int n)
{
	return !memcmp(card->ram + BUF + 4096 * n,
		       card_hbm(card) + USER_HBM + 4096 * n, 4096);
}

static void copy_block(struct card *card, struct queue *q, unsigned int n)
{
	fill(card->ram + BUF + 4096 * n, 4096, n + 1);
	copy(card, q, ram_dev(BUF) + 4096 * n, USER_HBM + 4096 * n, 4096);
}

QUEUE_TEST(address_after_and_count, queue_external(card, 0, RING))
{
	/* Of the copies to the second block the third and fourth fail. */
	arm(card, "access-refused,addr=0x20001800,size=16,after=2,count=2");
	copy_block(card, &q, 0);
	copy_block(card, &q, 1);
	copy_block(card, &q, 2);
	copy_block(card, &q, 1);
	expect_state(card, "armed", 2, 0);
	assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), 0);
	fill(card_hbm(card) + USER_HBM + 4096, 4096, 99);
	copy_block(card, &q, 1);
	assert_false(copied(card, 1));
	assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), HBW_WR);
	expect_state(card, "armed", 3, 1);
	wr(card, DMA_CORE(0) + ERR_CAUSE, HBW_WR);
	copy_block(card, &q, 1);
	assert_false(copied(card, 1));
	expect_state(card, "done", 4, 2);
	wr(card, DMA_CORE(0) + ERR_CAUSE, HBW_WR);
	copy_block(card, &q, 1);
	assert_true(copied(card, 1));
}

QUEUE_TEST(every_nth, queue_external(card, 0, RING))
{
	unsigned int i;

	arm(card, "dma-error,queue=dma0,error=hbw-rd,after=1,every=3,count=all");
	for (i = 1; i <= 10; i++) {
		copy_block(card, &q, i);
		assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE),
				 i == 4 || i == 7 || i == 10 ? HBW_RD : 0);
		wr(card, DMA_CORE(0) + ERR_CAUSE, HBW_RD);
	}
	expect_state(card, "armed", 10, 3);
}

/* Which of 128 copies are struck, as bits. */
static void by_chance(struct card *card, const char *spec, uint32_t *struck)
{
	struct queue q = queue_external(card, 0, RING);
	unsigned int i;

	arm(card, spec);
	for (i = 0; i < 128; i++) {
		copy_block(card, &q, 0);
		if (rd(card, DMA_CORE(0) + ERR_CAUSE))
			struck[i / 32] |= 1u << i % 32;
		wr(card, DMA_CORE(0) + ERR_CAUSE, HBW_WR);
	}
	gaudi_chip_faults_clear(card->chip);
}

CARD_TEST(chance_and_its_seed)
{
	static const char *const specs[] = {
		"dma-error,ppm=250000,count=all",
		"dma-error,ppm=250000,seed=0,count=all",
		"dma-error,ppm=250000,seed=9,count=all",
		"dma-error,ppm=1000000,count=2",
	};
	uint32_t struck[4][4] = { 0 };
	unsigned int i, j, n;

	for (i = 0; i < 4; i++) {
		by_chance(card, specs[i], struck[i]);
		for (j = n = 0; j < 4; j++)
			n += __builtin_popcount(struck[i][j]);
		if (i < 3)
			assert_in_range(n, 16, 48);
		else
			assert_int_equal(struck[i][0], 3);
	}
	assert_memory_equal(struck[0], struck[1], sizeof(struck[0]));
	assert_memory_not_equal(struck[0], struck[2], sizeof(struck[0]));
}

CARD_TEST(queue_is_chosen)
{
	struct queue q0 = queue_external(card, 0, RING);
	struct queue q1 = queue_external(card, 4, RING + 0x4000);

	arm(card, "dma-error,queue=dma1,error=lbw-wr");
	copy_block(card, &q0, 0);
	assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), 0);
	copy_block(card, &q1, 1);
	assert_int_equal(rd(card, DMA_CORE(1) + ERR_CAUSE), LBW_WR);
	assert_false(copied(card, 1));
}

/* Command buffers of stream 1 do not count for stream 0. */
CARD_TEST(job_number)
{
	struct queue q0 = queue_external(card, 0, RING);
	struct queue q1 = queue_external(card, 1, RING + 0x4000);
	unsigned int i;

	copy_block(card, &q0, 0);
	arm(card, "dma-error,queue=dma0,stream=0,job=3");
	for (i = 1; i <= 4; i++) {
		copy_block(card, &q1, 10 + i);
		assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), 0);
		copy_block(card, &q0, i);
		assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE),
				 i == 3 ? HBW_WR : 0);
		wr(card, DMA_CORE(0) + ERR_CAUSE, HBW_WR);
	}
	expect_state(card, "done", 1, 1);
}

QUEUE_TEST(action_at_a_job, queue_external(card, 0, RING))
{
	uint64_t *sram = (uint64_t *)(void *)card_sram(card);

	*sram = 0;
	arm(card, "mem-flip,addr=0x7ff0000000,queue=dma0,job=2");
	copy_block(card, &q, 0);
	assert_int_equal(*sram, 0);
	copy_block(card, &q, 1);
	assert_int_equal(*sram, 1);
	copy_block(card, &q, 2);
	assert_int_equal(*sram, 1);
	expect_state(card, "done", 1, 1);
}

QUEUE_TEST(packet_of_a_job, queue_external(card, 0, RING))
{
	struct cb cb;
	unsigned int i;

	/* The third packet of the second command buffer. */
	arm(card, "bad-opcode,queue=dma0,job=2,after=2");
	for (i = 1; i <= 2; i++) {
		cb = cb_host(card, CBUF);
		put_msg_long(&cb, SRAM + 0x100, i);
		put_msg_long(&cb, SRAM + 0x104, i);
		put_msg_long(&cb, SRAM + 0x108, i);
		put_msg_long(&cb, SRAM + 0x10c, i);
		queue_run(card, &q, &cb);
	}
	assert_int_equal(rd(card, DMA_QM(0) + GLBL_STS1), UNDEF_CMD);
	assert_int_equal(card_sram(card)[0x104], 2);
	assert_int_equal(card_sram(card)[0x108], 1);
	assert_int_equal(card_sram(card)[0x10c], 1);
}

JOB_TEST(fence_increment_is_lost, queue_external(card, 0, RING))
{
	arm(card, "stuck-fence,queue=dma0,stream=0,fence=1");
	put_fence(&cb, 1, 1, 1);
	put_msg_long(&cb, SRAM, 7);
	card_sram(card)[0] = 0;
	queue_run(card, &q, &cb);
	/* CP_FENCE1_RDATA of stream 0 */
	wr_settle(card, DMA_QM(0) + 0x31c, 1);
	assert_int_equal(card_sram(card)[0], 0);
	expect_state(card, "done", 1, 1);
	wr_settle(card, DMA_QM(0) + 0x31c, 1);
	assert_int_equal(card_sram(card)[0], 7);
}

JOB_TEST(message_is_lost, queue_external(card, 0, RING))
{
	memset(card_sram(card), 0, 16);
	arm(card, "message-lost,addr=0x7ff0000004,size=4");
	put_msg_long(&cb, SRAM, 1);
	put_msg_long(&cb, SRAM + 4, 2);
	put_msg_long(&cb, SRAM + 8, 3);
	put_msg_long(&cb, SRAM + 4, 4);
	queue_run(card, &q, &cb);
	assert_int_equal(card_sram(card)[0], 1);
	assert_int_equal(card_sram(card)[4], 4);
	assert_int_equal(card_sram(card)[8], 3);
	expect_state(card, "done", 1, 1);
}

JOB_TEST(slow_dma, queue_external(card, 0, RING))
{
	uint64_t start = card->now;

	/* 1 MiB at 2000 ns for each KiB: 2.048 ms late. */
	arm(card, "dma-slow,queue=dma0,ns-per-kib=2000");
	fill(card->ram + BUF, 1 << 20, 5);
	put_lin_dma(&cb, ram_dev(BUF), USER_HBM, 1 << 20, LIN);
	put_msg_long(&cb, SRAM, 1);
	/* The message waits for the engine: its barrier bit. */
	cb.at[24 + 7] |= EB >> 24;
	card_sram(card)[0] = 0;
	queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
	card_settle(card);
	assert_int_equal(card_sram(card)[0], 0);
	card_advance(card, start + 2047000 - card->now);
	assert_int_equal(card_sram(card)[0], 0);
	card_advance(card, 1000);
	assert_int_equal(card_sram(card)[0], 1);
	assert_true(copied(card, 0));
	expect_state(card, "done", 1, 1);
	copy_block(card, &q, 3);
	assert_true(copied(card, 3));
}

/* Held back once more by each transfer, and not twice by one. */
QUEUE_TEST(slow_dmas_in_a_row, queue_external(card, 0, RING))
{
	unsigned int i;

	arm(card, "dma-slow,ms=3,count=all");
	for (i = 0; i < 3; i++) {
		copy_block(card, &q, i);
		assert_true(rd(card, DMA_CORE(0) + 0x190) >> 31);
		card_advance(card, 3 * MS);
		assert_false(rd(card, DMA_CORE(0) + 0x190) >> 31);
	}
	expect_state(card, "armed", 3, 3);
	/* Cleared while it holds one back. */
	copy_block(card, &q, 9);
	assert_true(rd(card, DMA_CORE(0) + 0x190) >> 31);
	gaudi_chip_faults_clear(card->chip);
	card_settle(card);
	assert_false(rd(card, DMA_CORE(0) + 0x190) >> 31);
	/* The next one armed strikes at once. */
	arm(card, "dma-slow,ms=3");
	copy_block(card, &q, 4);
	assert_true(rd(card, DMA_CORE(0) + 0x190) >> 31);
	card_advance(card, 3 * MS);
	assert_false(rd(card, DMA_CORE(0) + 0x190) >> 31);
}

QUEUE_TEST(short_dma, queue_external(card, 0, RING))
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;

	fill(card->ram + BUF, 4096, 1);
	memset(hbm, 0, 4096);
	arm(card, "dma-short,bytes=100");
	copy(card, &q, ram_dev(BUF), USER_HBM, 4096);
	assert_memory_equal(hbm, card->ram + BUF, 3996);
	assert_int_equal(hbm[3996], 0);
	assert_int_equal(hbm[4095], 0);
	assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), 0);
	/* More than all of it: nothing. */
	memset(hbm, 0, 4096);
	arm(card, "dma-short,bytes=5000");
	copy(card, &q, ram_dev(BUF), USER_HBM, 4096);
	assert_int_equal(hbm[0], 0);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x190) >> 31, 0);
}

/* --- interrupts ---------------------------------------------------------------------- */

/* PCIE_MSI_INTR_n: the driver's way to raise vector n. */
static void raise(struct card *card, unsigned int n)
{
	wr_settle(card, 0xc13000 + 4 * n, 1);
}

CARD_TEST(msi_faults)
{
	raise(card, 5);
	assert_int_equal(card->msi[5], 1);
	arm(card, "msi-lost,vector=5");
	raise(card, 4);
	raise(card, 5);
	assert_int_equal(card->msi[4], 1);
	assert_int_equal(card->msi[5], 1);
	raise(card, 5);
	assert_int_equal(card->msi[5], 2);
	arm(card, "msi-double");
	raise(card, 6);
	card_advance(card, 1);
	assert_int_equal(card->msi[6], 2);
	arm(card, "msi-late,ms=20");
	raise(card, 7);
	card_advance(card, 19 * MS);
	assert_int_equal(card->msi[7], 0);
	card_advance(card, 1 * MS);
	assert_int_equal(card->msi[7], 1);
	arm(card, "msi-storm,vector=8,count=10");
	card_advance(card, 100 * MS);
	assert_int_equal(card->msi[8], 10);
	expect_state(card, "done", 0, 10);
}

/* --- PCIe ------------------------------------------------------------------------------ */

CARD_TEST(registers_read_as_ones)
{
	wr(card, SM_W_S + SOB(4), 77);
	arm(card, "mmio-all-ones,addr=0x7ffc492010,count=2");
	assert_int_equal(rd(card, SM_W_S + SOB(5)), 0);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 0xffffffff);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 0xffffffff);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 77);
}

CARD_TEST(link_down)
{
	wr(card, SM_W_S + SOB(4), 77);
	arm(card, "link-down,ms=50");
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 0xffffffff);
	wr(card, SM_W_S + SOB(4), 78);
	raise(card, 3);
	card_advance(card, 49 * MS);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 0xffffffff);
	card_advance(card, 1 * MS);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 77);
	assert_int_equal(card->msi[3], 0);
	arm(card, "link-down,ms=50000");
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 0xffffffff);
	gaudi_chip_faults_clear(card->chip);
	assert_int_equal(rd(card, SM_W_S + SOB(4)), 77);
}

QUEUE_TEST(completion_timeout, queue_external(card, 0, RING))
{
	arm(card, "completion-timeout,addr=0x40100000,size=0x1000");
	copy_block(card, &q, 0);
	assert_int_equal(rd(card, DMA_CORE(0) + ERR_CAUSE), HBW_RD);
	assert_false(copied(card, 0));
	expect_state(card, "done", 1, 1);
	wr(card, DMA_CORE(0) + ERR_CAUSE, HBW_RD);
	copy_block(card, &q, 0);
	assert_true(copied(card, 0));
}

/* --- reports ------------------------------------------------------------------------------ */

CARD_TEST(ecc_registers)
{
	/* TPC3_CFG and its ECC registers */
	arm(card, "ecc-double,block=tpc,unit=3,report=0x1234,syndrome=0x55");
	assert_int_equal(rd(card, 0xec6000 + 0xf40), 2);
	assert_int_equal(rd(card, 0xec6000 + 0xf1c), 0x1234);
	assert_int_equal(rd(card, 0xec6000 + 0xf20), 0x55);
	assert_int_equal(rd(card, 0xec6000 + 0xf30), 0);
	/* HBM2, pseudo channel 5: page 2, second half */
	arm(card, "hbm-ecc-single,unit=2,channel=5,report=0x123456780");
	assert_int_equal(rd(card, 0x700000 + 0x2000 + 0x7c), 8);
	assert_int_equal(rd(card, 0x700000 + 0x2000 + 0x70), 1 << 16);
	assert_int_equal(rd(card, 0x700000 + 0x2000 + 0x74), 0x23456780);
	/* The driver takes no events: these wait. */
	assert_non_null(strstr(states(card), "\"hits\": 0"));
	assert_null(strstr(states(card), "\"hits\": 1"));
}

CARD_TEST(razwi_registers)
{
	arm(card, "razwi,queue=dma1,addr=0x7ffc000000,write=1");
	/* MMU_UP: RAZWI_WRITE_VLD, RAZWI_WRITE_ID, RAZWI_READ_VLD */
	assert_int_equal(rd(card, 0xc11000 + 0x5c), 1);
	assert_int_equal(rd(card, 0xc11000 + 0x64), 0);
	expect_state(card, "done", 0, 1);
}

CARD_TEST(qman_error_bits)
{
	queue_external(card, 0, RING);
	arm(card, "qman-error,queue=dma0,stream=2,error=cp-wreg");
	assert_int_equal(rd(card, DMA_QM(0) + GLBL_STS1 + 8), 1 << 6);
	arm(card, "qman-error,queue=dma0,stream=4,error=fence3-udf");
	assert_int_equal(rd(card, DMA_QM(0) + GLBL_STS1 + 16), 1 << 15);
}
