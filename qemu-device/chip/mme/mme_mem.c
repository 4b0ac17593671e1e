// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Accesses of a matrix engine to memory, from outside the card's lock.
 *
 * The card's own memory is mapped once, as far as it reaches; the lock is taken
 * for that only. The host's memory and registers are reached piece by piece.
 */
#include "mme_exec.h"

/* As far as it reaches; and what of the host's memory is mapped at a time. */
#define ALL			(1ull << 40)

/* 0: *span holds addr. -EFAULT, or -ENXIO: no memory. */
static int map(struct gaudi_mme_mem *m, struct gaudi_mme_port *p,
	       uint64_t addr, uint64_t len, struct gaudi_span *span)
{
	struct gaudi_chip *chip = m->chip;
	int err;

	if (addr - p->addr < p->len) {
		span->ptr = p->ptr + (addr - p->addr);
		span->len = p->len - (addr - p->addr);
		span->host = false;
		return 0;
	}
	gaudi_bulk_end(chip);
	if (addr < GAUDI_HOST_BASE &&
	    !gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS))
		len = ALL;
	err = gaudi_bus_map(chip, &p->txn, addr, len, p->write, span);
	gaudi_bulk_begin(chip);
	/* Each access may be one to be struck, and only this one was asked for. */
	if (!err && !span->host && len == ALL) {
		p->addr = addr;
		p->ptr = span->ptr;
		p->len = span->len;
	}
	return err;
}

uint8_t *gaudi_mme_map(struct gaudi_mme_mem *m, unsigned int port,
		       uint64_t addr, uint64_t len)
{
	struct gaudi_mme_port *p = &m->port[port];
	struct gaudi_span span;

	if (addr - p->addr < p->len && len <= p->len - (addr - p->addr))
		return p->ptr + (addr - p->addr);
	/* Others are mapped for one access only. */
	if (addr >= GAUDI_HOST_BASE || map(m, p, addr, len, &span))
		return NULL;
	if (addr - p->addr >= p->len || len > p->len - (addr - p->addr))
		return NULL;
	return span.ptr;
}

/* What cannot be mapped, within a page. */
static int bounce(struct gaudi_mme_mem *m, struct gaudi_mme_port *p,
		  uint64_t addr, void *buf, size_t *len)
{
	size_t left = GAUDI_PAGE_SIZE - addr % GAUDI_PAGE_SIZE;
	int err;

	*len = *len < left ? *len : left;
	gaudi_bulk_end(m->chip);
	if (p->write)
		err = gaudi_bus_write(m->chip, &p->txn, addr, buf, *len);
	else
		err = gaudi_bus_read(m->chip, &p->txn, addr, buf, *len);
	gaudi_bulk_begin(m->chip);
	return err;
}

static int move(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		uint8_t *buf, size_t len)
{
	struct gaudi_mme_port *p = &m->port[port];
	struct gaudi_span span;
	size_t n;
	int err;

	for (; len; len -= n, addr += n, buf += n) {
		n = len;
		err = map(m, p, addr, len, &span);
		if (err == -ENXIO) {
			err = bounce(m, p, addr, buf, &n);
			if (err)
				return err;
			continue;
		}
		if (err)
			return err;
		n = len < span.len ? len : span.len;
		if (p->write)
			memcpy(span.ptr, buf, n);
		else
			memcpy(buf, span.ptr, n);
		if (span.host)
			gaudi_bus_unmap(m->chip, &span, n);
	}
	return 0;
}

int gaudi_mme_read(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		   void *buf, size_t len)
{
	return move(m, port, addr, buf, len);
}

int gaudi_mme_write(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		    const void *buf, size_t len)
{
	return move(m, port, addr, (uint8_t *)buf, len);
}

int gaudi_mme_reduce(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		     const void *buf, size_t len, uint32_t user)
{
	unsigned int unit = gaudi_reduce_size(user);
	const uint8_t *src = buf;
	struct gaudi_span span;
	size_t n;
	int err;

	for (; len; len -= n, addr += n, src += n) {
		err = map(m, &m->port[port], addr, len, &span);
		if (err)
			return err;
		n = len < span.len ? len : span.len;
		n -= n % unit;
		if (span.host) {
			gaudi_bus_unmap(m->chip, &span, 0);
			return -ENXIO;
		}
		/* Less than an element in one place. */
		if (!n)
			return -ENXIO;
		gaudi_reduce(m->chip, user, span.ptr, src, n);
	}
	return 0;
}

uint64_t gaudi_mme_at_ps(struct gaudi_mme_mem *m)
{
	uint64_t computed = m->begin_ps + m->cycles * GAUDI_RATE_MME_CYCLE;

	m->hbm_ps = gaudi_hbm_until(m->chip, m->hbm_ps, m->hbm_bytes,
				    GAUDI_RATE_MME);
	m->hbm_bytes = 0;
	return computed > m->hbm_ps ? computed : m->hbm_ps;
}

void gaudi_mme_signal(struct gaudi_mme_mem *m, unsigned int core,
		      uint64_t addr, uint32_t data)
{
	struct gaudi_txn txn = m->port[GAUDI_MME_WRITE_O + core].txn;

	/* Messages to registers are not translated. */
	txn.bypass = true;
	gaudi_bulk_end(m->chip);
	if (m->chip->clock.on)
		m->chip->clock.at_ps = gaudi_mme_at_ps(m);
	gaudi_post_write(m->chip, &txn, addr, data);
	gaudi_bulk_begin(m->chip);
}
