// SPDX-License-Identifier: GPL-2.0-only
/* A port without a driver; see port.h. */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "port.h"

#define DEVICES		"/sys/bus/pci/devices"
#define CFG_IN_BAR	0x4000000u	/* of the registers, in BAR 2 */
#define CFG_SIZE	0x1000000u

#define MACRO(p)	(((p) / 2) * 0x40000u)
#define QPC(p)		(0xce4000u + MACRO(p) + ((p) & 1) * 0x1000u)
#define RXE(p)		(0xce9000u + MACRO(p) + ((p) & 1) * 0x1000u)
#define TXE(p)		(0xcf2000u + MACRO(p) + ((p) & 1) * 0x1000u)

#define REQ_TABLE	0x1c000000ull
#define RES_TABLE	0x1c200000ull
#define WQS		0x24000000ull
#define RECV_WQS	0x28000000ull
#define CQ		0x2a000000ull
#define ERRORS		0x2a100000ull
#define HBM_USED	0x40000000ull
#define WQ_LOG		10
#define WQ_ENTRIES	(1u << WQ_LOG)
#define CQ_LOG		4
#define WQE_BYTES	8192u

static void bits_set(void *words, unsigned int bit, unsigned int width,
		     uint64_t v)
{
	uint8_t *byte = words;

	for (unsigned int i = 0; i < width; i++, bit++) {
		byte[bit / 8] &= ~(1u << bit % 8);
		byte[bit / 8] |= (v >> i & 1) << bit % 8;
	}
}

static uint64_t bits_get(const void *words, unsigned int bit,
			 unsigned int width)
{
	const uint8_t *byte = words;
	uint64_t v = 0;

	for (unsigned int i = 0; i < width; i++, bit++)
		v |= (uint64_t)(byte[bit / 8] >> bit % 8 & 1) << i;
	return v;
}

static void wr(struct port *port, uint32_t reg, uint32_t value)
{
	*(volatile uint32_t *)(port->cfg + reg) = value;
}

static uint32_t rd(struct port *port, uint32_t reg)
{
	return *(volatile uint32_t *)(port->cfg + reg);
}

static void wr_base(struct port *port, uint32_t hi, uint64_t addr)
{
	wr(port, hi, (uint32_t)(addr >> 18));
	wr(port, hi + 4, addr >> 7 & 0x7ff);
}

/* --- the card ----------------------------------------------------------- */

static bool read_id(const char *name, const char *file, char *id, size_t len)
{
	char path[512];
	bool ok;
	FILE *f;

	snprintf(path, sizeof(path), DEVICES "/%s/%s", name, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	ok = fgets(id, (int)len, f);
	fclose(f);
	return ok;
}

static void find_card(char *name, size_t len)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *e;
	char vendor[16], device[16];
	bool found = false;

	if (!dir)
		err(1, DEVICES);
	while (!found && (e = readdir(dir))) {
		found = read_id(e->d_name, "vendor", vendor, sizeof(vendor)) &&
			read_id(e->d_name, "device", device, sizeof(device)) &&
			!strcmp(vendor, "0x1da3\n") &&
			!strcmp(device, "0x1000\n");
		snprintf(name, len, "%s", e->d_name);
	}
	closedir(dir);
	if (!found)
		errx(1, "no card");
}

static void *map_bar(const char *name, unsigned int bar, off_t offset,
		     size_t len)
{
	char path[512];
	void *ptr;
	int fd;

	snprintf(path, sizeof(path), DEVICES "/%s/resource%u", name, bar);
	fd = open(path, O_RDWR);
	if (fd < 0)
		err(1, "%s", path);
	ptr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (ptr == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return ptr;
}

/* Memory space and bus mastering, which a driver would switch on. */
static void enable(const char *name)
{
	uint16_t command = 0x6;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), DEVICES "/%s/config", name);
	fd = open(path, O_RDWR);
	if (fd < 0 || pwrite(fd, &command, 2, 4) != 2)
		err(1, "%s", path);
	close(fd);
}

void port_on(struct port *port, unsigned int id)
{
	char name[256];

	find_card(name, sizeof(name));
	enable(name);
	memset(port, 0, sizeof(*port));
	port->id = id;
	port->cfg = map_bar(name, 2, CFG_IN_BAR, CFG_SIZE);
	port->hbm = map_bar(name, 4, 0, HBM_USED);
	memset(port->hbm + REQ_TABLE, 0, 1024 * 64);
	memset(port->hbm + RES_TABLE, 0, 1024 * 32);
	wr_base(port, QPC(id) + 0x0c, REQ_TABLE);
	wr(port, QPC(id) + 0x28, 7 << 8 | 7);		/* retries */
	wr(port, QPC(id) + 0x5c, 15);
	wr_base(port, QPC(id) + 0x6c, ERRORS);
	/* The pair of registers for the privileged has their trust. */
	wr(port, QPC(id) + 0x648, 2 << 6);
	wr(port, TXE(id) + 0x10, WQ_LOG - 2);
	wr(port, TXE(id) + 0x20, 0);
	wr(port, TXE(id) + 0x30, WQS);
	wr(port, RXE(id) + 0xa0, PORT_RAW);
	wr(port, RXE(id) + 0x100, RECV_WQS);
	wr(port, RXE(id) + 0x104, (WQ_LOG - 4) << 24);
	wr(port, RXE(id | 1) + 0x160, CQ);
	wr(port, RXE(id | 1) + 0x200, (1 << CQ_LOG) - 1);
	/* The port is on with these. */
	wr_base(port, QPC(id) + 0x40, RES_TABLE);
}

void port_connect(struct port *port, uint32_t qp, const struct port_peer *peer)
{
	uint8_t req[64] = { 0 }, res[32] = { 0 };

	port->qp = qp;
	port->pi = 0;
	bits_set(req, 0, 24, peer->qp);
	bits_set(req, 32, 32, peer->key);
	bits_set(req, 64, 32, peer->ip);
	bits_set(req, 96, 32, peer->my_ip);
	memcpy(req + 16, peer->mac, 6);
	bits_set(req, 248, 7, 15);		/* 4.096 us << 15: 134 ms */
	bits_set(req, 392, 22, WQ_ENTRIES - 1);
	bits_set(req, 480, 24, qp);
	bits_set(req, 507, 2, 2);
	bits_set(req, 511, 1, 1);
	bits_set(res, 0, 24, peer->qp);
	bits_set(res, 32, 32, PORT_KEY);
	bits_set(res, 64, 32, peer->ip);
	bits_set(res, 96, 32, peer->my_ip);
	memcpy(res + 16, peer->mac, 6);
	bits_set(res, 192, 24, peer->psn);
	bits_set(res, 216, 5, PORT_RAW_LOG);
	bits_set(res, 252, 2, 2);
	bits_set(res, 255, 1, 1);
	memcpy(port->hbm + RES_TABLE + 32 * qp, res, sizeof(res));
	memcpy(port->hbm + REQ_TABLE + 64 * qp, req, sizeof(req));
}

/* --- entries ------------------------------------------------------------ */

static void put(struct port *port, const struct port_write *w, uint32_t at,
		uint32_t size)
{
	uint32_t index = port->pi++ % WQ_ENTRIES;
	uint8_t wqe[32] = { 0 };

	bits_set(wqe, 27, 1, 1);
	bits_set(wqe, 28, 4, w->send ? 1 : 2);
	bits_set(wqe, 32, 50, w->local + at);
	bits_set(wqe, 82, 14, size);
	bits_set(wqe, 96, 50, w->remote + at);
	if (w->imm && at + size == w->size) {
		bits_set(wqe, 191, 1, 1);
		bits_set(wqe, 192, 32, w->imm_data);
	}
	memcpy(port->hbm + WQS +
	       ((uint64_t)port->qp * WQ_ENTRIES + index) * 32, wqe, 32);
	memset(port->hbm + RECV_WQS +
	       ((uint64_t)port->qp * WQ_ENTRIES + index) * 8, 0, 8);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/*
 * All that has been rung for is complete: the consumer index, bit 436 on, of which one
 * load gets as much as the ring needs.
 */
static bool wait_idle(struct port *port, unsigned int seconds)
{
	const void *req = port->hbm + REQ_TABLE + 64 * port->qp;
	const volatile uint16_t *word = req;
	uint64_t end = now_ms() + 1000ull * seconds;

	while (word[436 / 16] >> 436 % 16 != port->pi % WQ_ENTRIES) {
		if (bits_get(req, 510, 1) || now_ms() > end)
			return false;
		usleep(100);
	}
	return true;
}

bool port_write(struct port *port, const struct port_write *write,
		unsigned int seconds)
{
	uint32_t at = 0, size, n;

	do {
		/* Half a ring at a time. */
		for (n = 0; n < WQ_ENTRIES / 2; n++) {
			size = write->size - at < WQE_BYTES ?
				       write->size - at : WQE_BYTES;
			put(port, write, at, size);
			at += size;
			if (at == write->size)
				break;
		}
		wr(port, QPC(port->id) + 0x644, port->pi % WQ_ENTRIES);
		wr(port, QPC(port->id) + 0x640, 1u << 31 | port->qp);
		if (!wait_idle(port, seconds))
			return false;
	} while (at < write->size);
	return true;
}

uint32_t port_immediates(struct port *port, uint32_t *last)
{
	uint32_t count = rd(port, RXE(port->id | 1) + 0x1c0);
	const uint8_t *cqe = port->hbm + CQ + 8 * ((count - 1) %
						    (1 << CQ_LOG));

	if (count)
		*last = (uint32_t)(bits_get(cqe, 0, 10) << 22 |
				   bits_get(cqe, 32, 22));
	/* What has been read makes room. */
	wr(port, RXE(port->id | 1) + 0x1e0, count);
	return count;
}

uint32_t port_raw_at(struct port *port)
{
	return (uint32_t)bits_get(port->hbm + RES_TABLE + 32 * port->qp, 221,
				  30) & ((1u << PORT_RAW_LOG) - 1);
}

uint32_t port_error(struct port *port)
{
	uint32_t count = rd(port, QPC(port->id) + 0x54), entry = 0;

	if (count)
		memcpy(&entry, port->hbm + ERRORS + 4 * ((count - 1) % 16), 4);
	return entry;
}

bool read_mac(const char *text, uint8_t mac[6])
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1],
		      &mac[2], &mac[3], &mac[4], &mac[5]) == 6;
}
