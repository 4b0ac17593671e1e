// SPDX-License-Identifier: GPL-2.0-only
/* A hostile process; see foe.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "foe.h"

#define PATIENCE_MS	60000

static socklen_t address(const struct foe *foe, unsigned int box,
			 struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1,
		 "open-gaudi/%u/%s/%u", geteuid(), foe->name, box);
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       strlen(addr->sun_path + 1);
}

void foe_begin(struct foe *foe, const char *name, unsigned int box)
{
	struct sockaddr_un addr;

	memset(foe, 0, sizeof(*foe));
	foe->name = name;
	foe->box = box;
	foe->sock = -1;
	foe->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	CHECK(!bind(foe->listener, (struct sockaddr *)&addr,
		    address(foe, box, &addr)));
	CHECK(!listen(foe->listener, 64));
}

void foe_end(struct foe *foe)
{
	foe_leave(foe);
	close(foe->listener);
}

int foe_dial(struct foe *foe)
{
	int sock = socket(AF_UNIX, SOCK_SEQPACKET, 0), other;
	struct sockaddr_un addr;

	CHECK(!connect(sock, (struct sockaddr *)&addr, address(foe, VICTIM, &addr)));
	/* It has called to see who we are: nobody answers. */
	while ((other = accept(foe->listener, NULL, NULL)) >= 0)
		close(other);
	return sock;
}

struct words foe_words(struct foe *foe)
{
	struct words words = {
		.magic = "GaudiFab", .version = 1, .what = HELLO, .life = 77,
		.from = { foe->box, 0, PORT }, .to = { VICTIM, 0, PORT },
		.ring_bytes = RING_BYTES,
	};

	return words;
}

void foe_say(int sock, const void *what, size_t len, const int *fd,
	     unsigned int fds)
{
	union {
		char buf[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)what, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fds) {
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(fds * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(fds * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fd, fds * sizeof(int));
	}
	/* It may have hung up. */
	sendmsg(sock, &msg, MSG_NOSIGNAL);
}

int foe_answer(int sock)
{
	struct pollfd fd = { .fd = sock, .events = POLLIN };
	struct words words;
	ssize_t len;

	CHECK(poll(&fd, 1, PATIENCE_MS) == 1);
	len = recv(sock, &words, sizeof(words), 0);
	if (len != sizeof(words))
		return 0;
	CHECK(!memcmp(words.magic, "GaudiFab", 8));
	return words.what;
}

int foe_memory(void)
{
	int fd = memfd_create("foe", MFD_ALLOW_SEALING);

	CHECK(fd >= 0 && !ftruncate(fd, MEMORY));
	CHECK(!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	return fd;
}

bool foe_join(struct foe *foe)
{
	struct words words = foe_words(foe);
	int fd = foe_memory();

	foe->mem = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(foe->mem != MAP_FAILED);
	foe->sock = foe_dial(foe);
	foe->written = 0;
	foe_say(foe->sock, &words, sizeof(words), &fd, 1);
	close(fd);
	if (foe_answer(foe->sock) != WELCOME) {
		foe_leave(foe);
		return false;
	}
	fcntl(foe->sock, F_SETFL, O_NONBLOCK);
	foe_set(foe, STATE(0), 5ull << 32 | 1);
	foe_wake(foe);
	return true;
}

void foe_leave(struct foe *foe)
{
	if (foe->sock >= 0)
		close(foe->sock);
	foe->sock = -1;
	if (foe->mem)
		munmap(foe->mem, MEMORY);
	foe->mem = NULL;
}

bool foe_is_cut(struct foe *foe)
{
	char bytes[64];
	ssize_t len;

	do
		len = recv(foe->sock, bytes, sizeof(bytes), MSG_DONTWAIT);
	while (len > 0);
	return !len;
}

void foe_wake(struct foe *foe)
{
	send(foe->sock, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void foe_put(struct foe *foe, struct head head, uint8_t fill)
{
	uint32_t len = head.len <= 4096 ? head.len : 0, i;
	uint8_t *data = foe->mem + DATA(0);

	head.from = foe_get(foe, STATE(0)) >> 32;
	head.to = foe_get(foe, STATE(1)) >> 32;
	memcpy(data + foe->written % RING_BYTES, &head, sizeof(head));
	for (i = 0; i < len; i++)
		data[(foe->written + 64 + i) % RING_BYTES] = fill;
	foe->written += 64 + (len + 63) / 64 * 64;
}
