/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A NIC port of a card that no driver has, through its BARs, as root: what a driver
 * would write into tables and registers. All numbers are from the facts about the
 * hardware, not from the model's headers.
 */
#ifndef INTEROP_PORT_H
#define INTEROP_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HBM that the tests use for data: 64 MiB each, and a ring for SENDs. */
#define PORT_SRC	0x30000000ull
#define PORT_DST	0x38000000ull
#define PORT_DATA	(64u << 20)
#define PORT_RAW	0x2c000000ull
#define PORT_RAW_LOG	16
#define PORT_KEY	0x1234u

struct port {
	volatile uint8_t *cfg;		/* BAR 2, at the card's registers */
	uint8_t *hbm;			/* BAR 4, HBM from 0 on */
	unsigned int id;
	uint32_t qp;
	uint32_t pi;			/* entries so far */
};

struct port_peer {
	uint32_t qp, key;
	uint32_t psn;			/* of the first packet from there */
	uint32_t my_ip, ip;		/* host order */
	uint8_t mac[6];
};

/* Opens the first card of the guest and puts its port on; exits with a message. */
void port_on(struct port *port, unsigned int id);
/* A queue pair, past the MMU, that begins with packet number 0. */
void port_connect(struct port *port, uint32_t qp, const struct port_peer *peer);

struct port_write {
	uint64_t local, remote;
	uint32_t size;		/* any; made entries of at most 8 KiB */
	bool send;		/* a SEND, at most 8 KiB: remote is not used */
	bool imm;		/* the last entry has one ... */
	uint32_t imm_data;
};

/* Posts it and waits until it is complete: false, after seconds or an error. */
bool port_write(struct port *port, const struct port_write *write,
		unsigned int seconds);
/* How many completions of responders so far; the immediate of the last one. */
uint32_t port_immediates(struct port *port, uint32_t *last);
/* Where the next SEND goes in the ring. */
uint32_t port_raw_at(struct port *port);
/* The last entry of the port's error FIFO; 0: there is none. */
uint32_t port_error(struct port *port);

/* A MAC address of text; false: it is none. */
bool read_mac(const char *text, uint8_t mac[6]);

#endif /* INTEROP_PORT_H */
