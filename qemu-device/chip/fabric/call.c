// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * One wire's connection: the box that calls says which ports it means and sends memory
 * for both, the one that is called welcomes it or refuses. From then on a byte on it
 * means that something has changed in the memory.
 *
 * Both may call at once: then the box with the lower number has called. What comes
 * to nothing without a refusal is tried again; refused is who asks for a card that
 * is not there, which will call when it is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fabric.h"

#define VERSION		1u
/* The first time, and then twice as long, so many times. */
#define RETRY_NS	50000000ull
#define RETRY_DOUBLED	8
#define MAX_BYTES	64		/* that are taken at once */

enum what { HELLO = 1, WELCOME, REFUSED };

static const char magic[8] = "GaudiFab";

struct words {
	char magic[8];
	uint32_t version;
	uint32_t what;
	uint64_t life;
	struct fabric_end from, to;
	uint32_t ring_bytes, unused;
};

static struct words words_of(const struct gaudi_fabric *f,
			     const struct fabric_wire *wire, enum what what)
{
	struct words words = {
		.version = VERSION,
		.what = what,
		.life = f->life,
		.ring_bytes = GAUDI_RING_BYTES,
	};

	memcpy(words.magic, magic, sizeof(magic));
	if (wire) {
		words.from = wire->mine;
		words.to = wire->theirs;
	}
	return words;
}

/* fd -1: none is sent with it. */
static int say(int sock, const struct words *words, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)words, sizeof(*words) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	return sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) ==
		       sizeof(*words) ? 0 : -errno;
}

/* The first descriptor of a message; others are closed. -1: there was none. */
static int take_fd(struct msghdr *msg)
{
	struct cmsghdr *c;
	int fd, first = -1;
	size_t at;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (at = CMSG_LEN(0); at + sizeof(fd) <= c->cmsg_len;
		     at += sizeof(fd)) {
			memcpy(&fd, (char *)c + at, sizeof(fd));
			if (first < 0)
				first = fd;
			else
				close(fd);
		}
	}
	return first;
}

/*
 * -EAGAIN: nothing has come; -EPROTO: not in these words, -EPIPE: the end. *fd, if
 * asked for, is what was sent with them, or -1.
 */
static int hear(int sock, struct words *words, int *fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { words, sizeof(*words) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t len;

	if (fd) {
		*fd = -1;
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
	}
	len = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -EPIPE;
	if (fd)
		*fd = take_fd(&msg);
	if (!len)
		return -EPIPE;
	if (len != sizeof(*words) || msg.msg_flags & MSG_TRUNC ||
	    memcmp(words->magic, magic, sizeof(magic)) ||
	    words->version != VERSION || words->ring_bytes != GAUDI_RING_BYTES)
		return -EPROTO;
	return 0;
}

/* --- calls begin and end ------------------------------------------------ */

static struct fabric_call *new_call(struct gaudi_fabric *f, int sock,
				    enum fabric_stage stage, uint64_t now)
{
	struct fabric_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->stage = stage;
	call->sock = sock;
	call->deadline_ns = now + FABRIC_PATIENCE_NS;
	call->next = f->calls;
	f->calls = call;
	f->strangers += stage == FABRIC_STRANGER;
	return call;
}

static void try_again(struct fabric_wire *wire, uint64_t now)
{
	wire->retry_ns = now + (RETRY_NS << wire->tries);
	if (wire->tries < RETRY_DOUBLED)
		wire->tries++;
}

void fabric_drop(struct gaudi_fabric *f, struct fabric_call *call, bool again,
		 uint64_t now)
{
	struct fabric_wire *wire = call->wire;
	struct fabric_call **at;

	for (at = &f->calls; *at != call; at = &(*at)->next)
		;
	*at = call->next;
	f->strangers -= call->stage == FABRIC_STRANGER;
	if (wire) {
		wire->call = NULL;
		if (call->stage == FABRIC_JOINED)
			gaudi_link_close(wire->link);
		wire->retry_ns = 0;
		if (again)
			try_again(wire, now);
	}
	close(call->sock);
	gaudi_ring_free(call->ring);
	free(call);
}

/* The memory is theirs now, and the socket has two users. */
static int join(struct fabric_call *call, struct fabric_wire *wire)
{
	int sock = fcntl(call->sock, F_DUPFD_CLOEXEC, 0), err;

	if (sock < 0)
		return -errno;
	err = gaudi_link_join(wire->link, call->ring, sock);
	if (err) {
		close(sock);
		return err;
	}
	call->ring = NULL;
	wire->tries = 0;
	wire->retry_ns = 0;
	return 0;
}

/* --- we call ------------------------------------------------------------ */

void fabric_try(struct gaudi_fabric *f, struct fabric_wire *wire, uint64_t now)
{
	struct words words = words_of(f, wire, HELLO);
	struct fabric_call *call;
	int sock, fd, err;
	pid_t pid;

	wire->retry_ns = 0;
	err = fabric_dial(f, wire->theirs.box, &sock, &pid);
	/* Nobody is there: whoever comes calls us. */
	if (err == -ECONNREFUSED || err == -ENOENT || err == -EPERM)
		return;
	call = err ? NULL : new_call(f, sock, FABRIC_CALLING, now);
	if (!call) {
		if (!err)
			close(sock);
		try_again(wire, now);
		return;
	}
	call->ours = true;
	call->wire = wire;
	wire->call = call;
	call->ring = gaudi_ring_new(&fd, &err);
	if (call->ring) {
		err = say(sock, &words, fd);
		close(fd);
	}
	if (err)
		fabric_drop(f, call, true, now);
}

static void hear_answer(struct gaudi_fabric *f, struct fabric_call *call,
			uint64_t now)
{
	struct fabric_wire *wire = call->wire;
	struct words words;
	int err = hear(call->sock, &words, NULL);

	if (err == -EAGAIN)
		return;
	if (err == -EPROTO)
		gaudi_link_note(wire->link, "no wire: the other box has another version");
	if (err || words.what != WELCOME) {
		fabric_drop(f, call, err || words.what != REFUSED, now);
		return;
	}
	call->life = words.life;
	if (join(call, wire))
		fabric_drop(f, call, true, now);
	else
		call->stage = FABRIC_JOINED;
}

/* --- we are called ------------------------------------------------------ */

void fabric_let_in(struct gaudi_fabric *f, int sock, uint64_t now)
{
	struct fabric_call *call, *oldest = NULL;
	socklen_t len = sizeof(struct ucred);
	struct ucred who;

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &who, &len) ||
	    who.uid != geteuid()) {
		close(sock);
		return;
	}
	/* A stranger that does not say what it wants makes room for others. */
	if (f->strangers >= FABRIC_STRANGERS) {
		for (call = f->calls; call; call = call->next)
			if (call->stage == FABRIC_STRANGER)
				oldest = call;
		fabric_drop(f, oldest, false, now);
	}
	call = new_call(f, sock, FABRIC_STRANGER, now);
	if (call)
		call->pid = who.pid;
	else
		close(sock);
}

static bool has_ended(const struct fabric_call *call)
{
	struct pollfd fd = { .fd = call->sock, .events = POLLRDHUP };

	return poll(&fd, 1, 0) != 0;
}

/* A box has called while another was there: does that one stay? */
static bool stays(const struct gaudi_fabric *f, const struct fabric_wire *wire,
		  const struct words *hello)
{
	const struct fabric_call *old = wire->call;

	if (!old || has_ended(old))
		return false;
	/* The box was started anew since. */
	if (old->life && old->life != hello->life)
		return false;
	/* The caller did not know of our call. */
	return old->ours && f->box < wire->theirs.box;
}

static struct fabric_wire *find_wire(struct gaudi_fabric *f,
				     const struct words *hello)
{
	struct fabric_wire *wire;

	for (wire = f->wires; wire; wire = wire->next)
		if (fabric_is_end(&wire->mine, &hello->to) &&
		    fabric_is_end(&wire->theirs, &hello->from) &&
		    !gaudi_link_is_pulled(wire->link))
			return wire;
	return NULL;
}

/* A caller is the box that it says it is if it is the process that has its name. */
static bool is_box(struct gaudi_fabric *f, unsigned int box, pid_t pid)
{
	pid_t owner;
	int sock;

	if (fabric_dial(f, box, &sock, &owner))
		return false;
	close(sock);
	return owner == pid;
}

/* Takes over fd. */
static void welcome(struct gaudi_fabric *f, struct fabric_call *call,
		    struct fabric_wire *wire, const struct words *hello, int fd,
		    uint64_t now)
{
	struct words words = words_of(f, wire, WELCOME);
	int err = 0;

	call->ring = gaudi_ring_open(fd, &err);
	close(fd);
	if (!call->ring) {
		gaudi_link_note(wire->link, "no wire: the other box gives memory that is none");
		words.what = REFUSED;
		say(call->sock, &words, -1);
		fabric_drop(f, call, false, now);
		return;
	}
	if (wire->call)
		fabric_drop(f, wire->call, false, now);
	call->life = hello->life;
	/* Before it is joined: then bytes mean something else. */
	err = say(call->sock, &words, -1);
	if (!err)
		err = join(call, wire);
	if (err) {
		fabric_drop(f, call, false, now);
		return;
	}
	f->strangers--;
	call->stage = FABRIC_JOINED;
	call->wire = wire;
	wire->call = call;
}

static void hear_hello(struct gaudi_fabric *f, struct fabric_call *call,
		       uint64_t now)
{
	struct words words, answer = words_of(f, NULL, REFUSED);
	struct fabric_wire *wire = NULL;
	int fd, err = hear(call->sock, &words, &fd);

	if (err == -EAGAIN)
		return;
	if (!err && words.what == HELLO && fd >= 0 &&
	    is_box(f, words.from.box, call->pid)) {
		wire = find_wire(f, &words);
		if (!wire)
			say(call->sock, &answer, -1);
	}
	if (wire && !stays(f, wire, &words)) {
		welcome(f, call, wire, &words, fd, now);
		return;
	}
	if (fd >= 0)
		close(fd);
	fabric_drop(f, call, false, now);
}

/* --- whatever comes ------------------------------------------------------- */

static void hear_byte(struct gaudi_fabric *f, struct fabric_call *call,
		      uint64_t now)
{
	unsigned int i;
	ssize_t len = 1;
	char byte;

	for (i = 0; i < MAX_BYTES && len == 1; i++)
		len = recv(call->sock, &byte, 1, MSG_DONTWAIT);
	if (!len || (len < 0 && errno != EAGAIN && errno != EINTR))
		fabric_drop(f, call, false, now);
	else
		gaudi_link_wake(call->wire->link);
}

void fabric_hear(struct gaudi_fabric *f, struct fabric_call *call, uint64_t now)
{
	if (call->stage == FABRIC_STRANGER)
		hear_hello(f, call, now);
	else if (call->stage == FABRIC_CALLING)
		hear_answer(f, call, now);
	else
		hear_byte(f, call, now);
}
