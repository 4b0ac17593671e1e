// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Answers who asks for a record; see asked.h.
 *
 * A thread sleeps in accept(), and costs a stack. It takes the record into memory before it
 * sends it, so that who is slow to read holds up nobody else but others that ask. A program
 * that closes descriptors it does not know of, as a daemon does, is answered for no longer.
 */
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../host/options.h"
#include "../kernel/base/raw.h"
#include "../kernel/kernel.h"
#include "asked.h"
#include "record.h"

/* Numbers that programs do not count on. */
#define KEPT_FROM	700
/* Who reads nothing for so long is no longer there. */
#define SEND_S		5

static atomic_bool begun;
static int listener = -1;
static ino_t listener_ino;

/* False: the program has closed it, and the number may be another file's. */
static bool listener_is_ours(void)
{
	struct stat st;

	return listener >= 0 && !raw_fstat(listener, &st) &&
	       st.st_ino == listener_ino;
}

static socklen_t make_name(struct sockaddr_un *a)
{
	const char *box = sim_option("GAUDI_SIM_BOX");

	*a = (struct sockaddr_un) { .sun_family = AF_UNIX };
	/* Without a zero behind it: the name is as long as it is said to be. */
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       scnprintf(a->sun_path + 1, sizeof(a->sun_path) - 1,
			 "open-gaudi-sim/%d/%s", getpid(), box ?: "");
}

/* 0 or -errno. */
static int listen_by_name(void)
{
	struct sockaddr_un a;
	socklen_t len = make_name(&a);
	struct stat st;
	int fd, err;

	fd = raw_move_up(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), KEPT_FROM);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&a, len) || listen(fd, SOMAXCONN) ||
	    raw_fstat(fd, &st)) {
		err = -errno;
		raw_close(fd);
		return err;
	}
	listener = fd;
	listener_ino = st.st_ino;
	return 0;
}

/* The same user's, or root. */
static bool may_ask(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) &&
	       (!who.uid || who.uid == geteuid());
}

static bool send_all(int fd, const char *from, size_t size)
{
	ssize_t n;

	for (; size; size -= n, from += n) {
		n = send(fd, from, size, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
	}
	return true;
}

/* By the number of bytes the other end knows whether it has all. */
static void answer(int fd)
{
	const struct timeval patience = { .tv_sec = SEND_S };
	char *record = NULL, header[96];
	size_t size = 0;
	FILE *out = open_memstream(&record, &size);
	int err = out ? sim_record_write(out) : -ENOMEM;

	if (out && fclose(out) && !err)
		err = -ENOMEM;
	scnprintf(header, sizeof(header),
		  "{\"gaudi-sim\": 1, \"process\": %d, \"error\": %d, \"bytes\": %zu}\n",
		  getpid(), -err, err ? 0 : size);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (send_all(fd, header, strlen(header)) && !err)
		send_all(fd, record, size);
	free(record);
}

/* While it sleeps it has the socket that was there, whoever has the number now. */
static void *serve(void *unused)
{
	int fd;

	while (listener_is_ours()) {
		fd = raw_move_up(accept4(listener, NULL, NULL, SOCK_CLOEXEC), KEPT_FROM);
		if (fd < 0) {
			/* There are no descriptors left, for one: there may be soon. */
			sim_sleep_ns(NSEC_PER_SEC / 10);
			continue;
		}
		if (may_ask(fd))
			answer(fd);
		raw_close(fd);
	}
	return unused;
}

void sim_asked_begin(void)
{
	int err;

	if (atomic_exchange(&begun, true))
		return;
	err = listen_by_name();
	if (err)
		sim_log(NULL, SIM_WARN, "gaudi-why cannot ask this process: %s\n",
			strerror(-err));
	else
		pthread_detach(sim_thread_start(serve, NULL));
}

void sim_asked_in_child(void)
{
	if (listener_is_ours())
		raw_close(listener);
}
