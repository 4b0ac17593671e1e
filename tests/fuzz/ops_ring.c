// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hostile process does with a ring: packets of any contents, indices, heads
 * and flags that are none, or nothing at all. It comes when it is first needed, and
 * a new one comes at most a few times in a run.
 */
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../qemu-device/chip/nic/ring/ring.h"
#include "ops_ring.h"

#define WORDS		4096		/* of the memory: indices and flags */
#define MEMORY		(WORDS + 2 * GAUDI_RING_BYTES)
#define MAX_JOINS	3

/* As remote.c has it. */
struct head {
	uint8_t opcode, ack_req, unused[2];
	uint32_t dst_qp, psn, rkey;
	uint64_t va;
	uint32_t dma_len, imm, aeth, damage;
	uint32_t from, to;
};

static struct gaudi_link *wire;
static struct gaudi_ring *foe;
static uint8_t *memory;
static int sock = -1;
static unsigned int joins;
static uint64_t at;		/* bytes that were put into the ring */

static struct gaudi_nic_port *port(void)
{
	return gaudi_nic_port(world.card[0].chip, RING_PORT);
}

void ring_connect(void)
{
	int err;

	wire = gaudi_link_to_process(world.card[0].chip, RING_PORT, 0, 0, &err);
	if (!wire)
		abort();
}

static void leave(void)
{
	if (!foe)
		return;
	gaudi_link_close(wire);
	world_run(16);
	gaudi_ring_free(foe);
	munmap(memory, MEMORY);
	close(sock);
	foe = NULL;
}

void ring_begin(void)
{
	joins = 0;
}

void ring_end(void)
{
	leave();
}

static void wake(void)
{
	world.card[0].used = true;
	world_call("a ring", 0);
	gaudi_link_wake(wire);
	world_called();
	world_run(16);
}

/* false: it has come too often in this run. */
static bool join(void)
{
	struct gaudi_ring *theirs;
	int fd, pair[2], err = 0;

	if (foe || joins++ == MAX_JOINS)
		return foe;
	foe = gaudi_ring_new(&fd, &err);
	if (!foe || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	theirs = gaudi_ring_open(fd, &err);
	close(fd);
	if (memory == MAP_FAILED || !theirs)
		abort();
	sock = pair[1];
	at = 0;
	gaudi_ring_say(foe, 1);
	if (gaudi_link_join(wire, theirs, pair[0]))
		abort();
	wake();
	return true;
}

/* The port goes off, and on: what is on its way is of before. */
static void off_and_on(struct world_card *card, bool at_once)
{
	uint32_t reg = NIC_QPC(RING_PORT) + NIC_QPC_RES_BASE_ADDRESS_49_18;

	reg_wr(card, reg, 0);
	if (!at_once)
		world_run(16);
	reg_wr(card, reg, NIC_RES_TABLE(RING_PORT) >> 18);
}

void op_ring_join(struct world_card *card, const struct rec *r)
{
	if (r->flags & 1)
		leave();
	if (r->flags & 2)
		off_and_on(card, r->flags & 4);
	join();
}

/* The head of the packet that was put last says that it has another length. */
static void lie(uint32_t len, const struct rec *r)
{
	len += r->flags & 0x10 ? r->addr : (uint32_t)(int8_t)r->addr;
	memcpy(memory + WORDS + at % GAUDI_RING_BYTES, &len, sizeof(len));
}

void ring_send(const struct gaudi_nic_packet *p, const struct rec *r)
{
	struct gaudi_ring_record record = {
		.part = { p->part[0] }, .part_len = { p->part_len[0] },
	};
	struct head head = {
		.opcode = p->opcode, .ack_req = p->ack_req,
		.dst_qp = p->dst_qp, .psn = p->psn, .rkey = p->rkey,
		.va = p->va, .dma_len = p->dma_len, .imm = p->imm,
		.aeth = p->aeth,
	};

	if (!join())
		return;
	/* Under the counts that the port expects. */
	head.from = port()->epoch;
	head.to = port()->epoch >> 32;
	memcpy(record.head, &head, sizeof(head));
	if (r->flags & 0x80)
		record.head[r->value % sizeof(head)] ^=
			1u << (r->value >> 16) % 8;
	if (gaudi_ring_put(foe, &record))
		return;
	if (r->flags & 0x20)
		lie(p->part_len[0], r);
	at += GAUDI_RING_RECORD(p->part_len[0]);
	gaudi_ring_flush(foe);
	if (!(r->flags & 0x40))
		wake();
}

/* value: where; addr: what. Indices and flags, or a head. */
void op_ring_word(struct world_card *card, const struct rec *r)
{
	uint32_t at = r->value % 512 & ~7u;
	uint64_t word;

	(void)card;
	if (!join())
		return;
	if (r->flags & 1)
		at = WORDS + r->value % (GAUDI_RING_BYTES - 8) & ~7u;
	memcpy(&word, memory + at, 8);
	/* Near what was there, or anything. */
	word = r->flags & 2 ? r->addr : word + (int8_t)r->addr * 64;
	memcpy(memory + at, &word, 8);
	wake();
}

void op_ring_state(struct world_card *card, const struct rec *r)
{
	(void)card;
	if (!join())
		return;
	gaudi_ring_say(foe, r->flags & 1 ? r->addr : (r->addr << 32) | 1);
	wake();
}

/* What the card has sent: who does not take it stalls the port. */
void op_ring_take(struct world_card *card, const struct rec *r)
{
	struct gaudi_ring_record record;
	unsigned int n = r->value % 64;

	(void)card;
	if (!join() || gaudi_ring_look(foe))
		return;
	while (n-- && gaudi_ring_get(foe, &record) > 0)
		continue;
	gaudi_ring_done(foe);
	wake();
}
