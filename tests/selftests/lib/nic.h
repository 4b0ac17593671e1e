/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two cards with a cable between them, and a connection on it: what the tests of the
 * ports share. Layouts of entries and contexts stand here once more, as numbers.
 */
#ifndef GAUDI_TEST_NIC_H
#define GAUDI_TEST_NIC_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#include "../../../uapi/drm/gaudi_accel.h"
#include "../../../uapi/drm/gaudi_nic.h"
#include "gaudi_test.h"

#define NIC_QUEUE(port)		(73 + 4 * (port))
#define WQ_ENTRIES		64
#define NUM_WQS			8
#define CQ_ENTRIES		16
/* Of one card's end: all of it is host memory that the card sees from va on. */
#define SEND_WQS		0x00000
#define RECV_WQS		0x10000
#define CQ			0x20000
#define BELL			0x30000
#define NUM_BELLS		4096
#define RING			0x40000
#define RING_LOG2		12
#define SRC			0x100000
#define DST			0x200000
#define DATA_SIZE		0x100000
#define END_SIZE		0x300000
/* Where a sync object is in the registers, as entries name it. */
#define SOB_LBW(n)		((uint32_t)(SOB_E_N(n) - CFG_BASE))
#define SOB_ADD_1		0x80000001u
#define SECOND_US		1000000ull

enum { WQE_NOP, WQE_SEND, WQE_LINEAR, WQE_STRIDED };

/* One card's end of a cable. */
struct end {
	int fd;
	unsigned int card;
	uint32_t port;
	uint8_t *mem;
	uint64_t va;
	struct gt_cb cb;
	uint32_t conn, pi;
	uint32_t bells;		/* rung so far */
	uint32_t sob;		/* value so far of sync object 20 */
};

/* An entry of a send queue. */
struct wqe {
	unsigned int opcode;
	uint64_t local, remote;
	uint32_t size;
	uint32_t sob, sob_data;	/* LBW address; 0 with data: an immediate */
	bool told;		/* sob and sob_data count */
};

/* One call; ctx is 0. */
int nic_call(int fd, uint32_t op, const void *in, uint32_t in_size, void *out,
	     uint32_t out_size);
int nic_port_info(int fd, uint32_t port, struct drm_gaudi_nic_port_info *info);
int nic_alloc(int fd, uint32_t port, uint32_t *conn);
int nic_destroy(int fd, uint32_t port, uint32_t conn);
int nic_dump(int fd, uint32_t port, uint32_t conn, struct drm_gaudi_nic_qp *qp);
/* The oldest error; -ENODATA: there is none. */
int nic_error(int fd, struct drm_gaudi_nic_error *error);
/* The same, and it may take a while; events that were there are read. */
int nic_wait_error(int fd, struct drm_gaudi_nic_error *error);
/* The first port whose link is up; -ENOLINK. */
int nic_find_link(int fd);
/* Wait until the link is up, or not. */
int nic_wait_link(int fd, uint32_t port, bool up);
/* Wait until it has changed so often since the driver was loaded; not missed if it is short. */
int nic_wait_changes(int fd, uint32_t port, uint32_t changes);

/* "/sys/class/accel/accelN/device/<name>" gets a value. */
int card_write(unsigned int card, const char *name, const char *value);
/* As gt_open(), for card n. */
int card_open(unsigned int card);
uint64_t card_hbm(int fd, uint64_t size);

/* A card with memory and queues; the port is the one with a link. */
int end_open(struct end *e, unsigned int card);
void end_close(struct end *e);
/*
 * The first two cards, with queues, connected by the cable between them. 0 or -errno;
 * also 0, with *why and neither open, if there is no such pair.
 */
int pair_open(struct end *a, struct end *b, const char **why);
/* WQs and CQ of the port. */
int end_queues(struct end *e);
/* A connection from a to b, and back: 0 or -errno. */
int connect_ends(struct end *a, struct end *b);
/* b's card has another user's end: both anew, and data go through. 0 or -errno. */
int connect_again(struct end *a, struct end *b);
/* Contexts for connections that are there. */
int set_req_ctx(struct end *e, uint32_t dst, uint32_t rkey, uint8_t timer);
/* When it is idle: all is acknowledged, or the tries are used up. */
int replace_req_ctx(struct end *e, uint32_t dst, uint32_t rkey, uint8_t timer);
int set_res_ctx(struct end *e, uint32_t dst, uint32_t lkey, uint32_t *key);

/* Entry index of the end's send queue, and of its other one. */
void put_wqe(struct end *e, uint32_t index, const struct wqe *wqe);
void put_local(struct end *e, uint32_t index, uint32_t sob, uint32_t data,
	       bool cq);
/* A doorbell by the port's queue: any number, any index. */
int ring_bell(struct end *e, uint32_t conn, uint32_t pi);
/* The next entry, and its doorbell. */
int post(struct end *e, const struct wqe *wqe);
/* By a fence on DMA 1 that a monitor opens. */
int wait_sob(struct end *e, uint32_t sob, uint32_t value);
/* Wait until a word of the end's memory has this bit. */
int wait_bit(struct end *e, uint32_t offset, uint32_t bit);
/* Write and wait for b's sync object 20. */
int write_through(struct end *a, struct end *b, uint32_t size, uint32_t seed);

/* Keeps a's queue busy until it fails or is stopped. */
struct traffic {
	struct end *a, *b;
	pthread_t thread;
	atomic_int stop, rounds;
	int result;
};

/* Five turns of it have begun. 0 or -errno. */
int traffic_start(struct traffic *t, struct end *a, struct end *b);
/* What ended it: 0 or -errno. */
int traffic_stop(struct traffic *t);
/* b's user is another process from now on; both ends send. Its number, or -1. */
pid_t peer_start(struct end *a, struct end *b, struct traffic *t);

#define EXPECT_KILLED(pid)						\
	do {								\
		int status;						\
									\
		ASSERT_EQ(pid, waitpid(pid, &status, 0));		\
		EXPECT_TRUE(WIFSIGNALED(status) &&			\
			    WTERMSIG(status) == SIGKILL);		\
	} while (0)

#endif /* GAUDI_TEST_NIC_H */
