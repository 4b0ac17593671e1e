// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A box of a fabric: its name, the cards that are plugged in, and the thread that
 * serves their wires; see fabric.h.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fabric.h"

#define BACKLOG		64

/* --- names -------------------------------------------------------------- */

static bool is_name(const char *name)
{
	const char *c = name;

	while (((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') ||
	       (*c >= '0' && *c <= '9') || (*c && strchr("._-", *c)))
		c++;
	return *name && !*c && strlen(name) <= GAUDI_FABRIC_NAME_LEN;
}

int gaudi_fabric_address(const char *name, unsigned int box, char *address,
			 size_t len)
{
	int n;

	if (!is_name(name) || box >= GAUDI_MAX_BOXES)
		return -EINVAL;
	n = snprintf(address, len, "open-gaudi/%u/%s/%u", geteuid(), name, box);
	return n < (int)len ? 0 : -ENAMETOOLONG;
}

static socklen_t address_of(const char *name, unsigned int box,
			    struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	/* The 0 before it makes it abstract: of no file system. */
	gaudi_fabric_address(name, box, addr->sun_path + 1,
			     sizeof(addr->sun_path) - 1);
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       strlen(addr->sun_path + 1);
}

static int make_socket(int *sock)
{
	*sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	return *sock < 0 ? -errno : 0;
}

static int bind_box(const char *name, unsigned int box, int *sock)
{
	struct sockaddr_un addr;
	socklen_t len = address_of(name, box, &addr);
	int err = make_socket(sock);

	if (!err && bind(*sock, (struct sockaddr *)&addr, len)) {
		err = -errno;
		close(*sock);
	}
	return err;
}

int fabric_dial(const struct gaudi_fabric *fabric, unsigned int box, int *sock,
		pid_t *pid)
{
	socklen_t len = sizeof(struct ucred);
	struct sockaddr_un addr;
	struct ucred who;
	int err = make_socket(sock);

	if (err)
		return err;
	if (connect(*sock, (struct sockaddr *)&addr,
		    address_of(fabric->name, box, &addr)) ||
	    getsockopt(*sock, SOL_SOCKET, SO_PEERCRED, &who, &len))
		err = -errno;
	else if (who.uid != geteuid())
		err = -EPERM;
	else
		*pid = who.pid;
	if (err)
		close(*sock);
	return err;
}

/* --- the thread --------------------------------------------------------- */

/* Of two cards of one number the first has it. */
static void add_wire(struct gaudi_fabric *f, struct fabric_wire *wire)
{
	const struct fabric_wire *other = f->wires;

	while (other && (!fabric_is_end(&other->mine, &wire->mine) ||
			 gaudi_link_is_pulled(other->link)))
		other = other->next;
	if (other) {
		gaudi_link_note(wire->link, "no wire: a card of the same number has it");
		gaudi_link_release(wire->link);
		free(wire);
		return;
	}
	wire->next = f->wires;
	f->wires = wire;
}

/* false: it is to end. */
static bool take_plugged(struct gaudi_fabric *f)
{
	struct fabric_wire *wire, *next;
	bool stop;

	gaudi_lock(&f->lock);
	wire = f->plugged;
	f->plugged = NULL;
	stop = f->stop;
	gaudi_unlock(&f->lock);
	for (; wire; wire = next) {
		next = wire->next;
		add_wire(f, wire);
	}
	return !stop;
}

static void free_wire(struct gaudi_fabric *f, struct fabric_wire **at)
{
	struct fabric_wire *wire = *at;

	*at = wire->next;
	if (wire->call)
		fabric_drop(f, wire->call, false, 0);
	gaudi_link_release(wire->link);
	free(wire);
}

/* What has been pulled goes, and whose time has come is called (again). */
static void look_at_wires(struct gaudi_fabric *f, uint64_t now)
{
	struct fabric_wire **at = &f->wires;

	while (*at) {
		if (gaudi_link_is_pulled((*at)->link)) {
			free_wire(f, at);
			continue;
		}
		if (!(*at)->call && (*at)->retry_ns && (*at)->retry_ns <= now)
			fabric_try(f, *at, now);
		at = &(*at)->next;
	}
}

static void end_patience(struct gaudi_fabric *f, uint64_t now)
{
	struct fabric_call *call = f->calls, *next;

	for (; call; call = next) {
		next = call->next;
		if (call->stage == FABRIC_STRANGER && call->deadline_ns <= now)
			fabric_drop(f, call, false, now);
	}
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return b && b < a ? b : a;
}

/* In milliseconds, until there is something to do without being called; or -1. */
static int patience(const struct gaudi_fabric *f, uint64_t now)
{
	const struct fabric_wire *wire;
	const struct fabric_call *call;
	uint64_t due = earlier(UINT64_MAX, f->deaf_ns);

	for (wire = f->wires; wire; wire = wire->next)
		if (!wire->call)
			due = earlier(due, wire->retry_ns);
	for (call = f->calls; call; call = call->next)
		if (call->stage == FABRIC_STRANGER)
			due = earlier(due, call->deadline_ns);
	if (due == UINT64_MAX)
		return -1;
	return due <= now ? 0 : (int)((due - now) / 1000000 + 1);
}

static void answer_door(struct gaudi_fabric *f, uint64_t now)
{
	int sock = accept4(f->listener, NULL, NULL,
			   SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (sock >= 0)
		fabric_let_in(f, sock, now);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		f->deaf_ns = now + 100000000;
}

/* Sleeps until something comes, and sees to it. */
static void serve(struct gaudi_fabric *f)
{
	uint64_t now = gaudi_real_ns();
	struct pollfd *fds = f->fd;
	struct fabric_call *call;
	unsigned int n = 2, i;
	eventfd_t times;

	if (f->deaf_ns && f->deaf_ns <= now)
		f->deaf_ns = 0;
	fds[0] = (struct pollfd){ .fd = f->alarm, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = f->deaf_ns ? -1 : f->listener,
				  .events = POLLIN };
	for (call = f->calls; call && n < FABRIC_CALLS + 2;
	     call = call->next, n++) {
		f->called[n] = call;
		fds[n] = (struct pollfd){ .fd = call->sock, .events = POLLIN };
	}
	if (poll(fds, n, patience(f, now)) <= 0)
		return;
	now = gaudi_real_ns();
	if (fds[0].revents)
		eventfd_read(f->alarm, &times);
	/* One call may end another: those are looked up first. */
	for (i = 2; i < n; i++) {
		if (!fds[i].revents)
			continue;
		for (call = f->calls; call && call != f->called[i];)
			call = call->next;
		if (call && call->sock == fds[i].fd)
			fabric_hear(f, call, now);
	}
	if (fds[1].revents)
		answer_door(f, now);
}

static void *run(void *arg)
{
	struct gaudi_fabric *f = arg;
	uint64_t now;

	if (f->thread_init)
		f->thread_init();
	while (take_plugged(f)) {
		now = gaudi_real_ns();
		end_patience(f, now);
		look_at_wires(f, now);
		serve(f);
	}
	while (f->wires)
		free_wire(f, &f->wires);
	while (f->calls)
		fabric_drop(f, f->calls, false, 0);
	if (f->thread_exit)
		f->thread_exit();
	return NULL;
}

/* --- life --------------------------------------------------------------- */

static int find_box(struct gaudi_fabric *f,
		    const struct gaudi_fabric_config *config)
{
	int box, err = -EADDRINUSE;

	if (config->listener >= 0) {
		f->listener = config->listener;
		f->box = config->box;
		return 0;
	}
	if (config->box != GAUDI_ANY_BOX) {
		f->box = config->box;
		return bind_box(f->name, f->box, &f->listener);
	}
	for (box = 0; box < GAUDI_MAX_BOXES && err == -EADDRINUSE; box++) {
		f->box = box;
		err = bind_box(f->name, box, &f->listener);
	}
	return err;
}

static int start(struct gaudi_fabric *f)
{
	sigset_t all, old;
	int err;

	if (listen(f->listener, BACKLOG))
		return -errno;
	f->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->alarm < 0)
		return -errno;
	if (getrandom(&f->life, sizeof(f->life), 0) != sizeof(f->life))
		return -EIO;
	f->life |= 1;
	/* Signals are for the host's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&f->thread, NULL, run, f);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		pthread_setname_np(f->thread, "gaudi-fabric");
	return -err;
}

static void destroy(struct gaudi_fabric *f)
{
	if (f->listener >= 0)
		close(f->listener);
	if (f->alarm >= 0)
		close(f->alarm);
	gaudi_lock_destroy(&f->lock);
	free(f->cables);
	free(f);
}

static bool is_sane(const struct gaudi_fabric_config *config)
{
	return is_name(config->name) &&
	       (config->box == GAUDI_ANY_BOX ?
			config->listener < 0 :
			config->box >= 0 && config->box < GAUDI_MAX_BOXES) &&
	       config->num_cables <= GAUDI_MAX_FABRIC_CABLES;
}

struct gaudi_fabric *gaudi_fabric_new(const struct gaudi_fabric_config *config,
				      int *err)
{
	size_t size = config->num_cables * sizeof(*config->cables);
	struct gaudi_fabric *f;

	*err = is_sane(config) ? -ENOMEM : -EINVAL;
	f = *err == -ENOMEM ? calloc(1, sizeof(*f)) : NULL;
	if (!f)
		return NULL;
	snprintf(f->name, sizeof(f->name), "%s", config->name);
	f->listener = -1;
	f->alarm = -1;
	f->thread_init = config->thread_init;
	f->thread_exit = config->thread_exit;
	gaudi_lock_init(&f->lock, GAUDI_LOCK_FABRIC);
	f->cables = malloc(size ? size : 1);
	if (f->cables) {
		if (size)
			memcpy(f->cables, config->cables, size);
		f->num_cables = config->num_cables;
		*err = find_box(f, config);
		if (!*err)
			*err = start(f);
	}
	if (*err) {
		destroy(f);
		return NULL;
	}
	return f;
}

void gaudi_fabric_free(struct gaudi_fabric *f)
{
	if (!f)
		return;
	gaudi_lock(&f->lock);
	f->stop = true;
	gaudi_unlock(&f->lock);
	eventfd_write(f->alarm, 1);
	pthread_join(f->thread, NULL);
	destroy(f);
}

unsigned int gaudi_fabric_box(const struct gaudi_fabric *f)
{
	return f->box;
}

/* --- cards -------------------------------------------------------------- */

static void leave_plugged(struct gaudi_fabric *f, struct fabric_wire *wire)
{
	gaudi_lock(&f->lock);
	wire->next = f->plugged;
	f->plugged = wire;
	gaudi_unlock(&f->lock);
	eventfd_write(f->alarm, 1);
}

/* 1: there is a wire now; 0: the port has something else; -ENOMEM. */
static int plug_port(struct gaudi_fabric *f, struct gaudi_chip *chip,
		     const struct gaudi_fabric_cable *c, unsigned int end)
{
	struct fabric_wire *wire = calloc(1, sizeof(*wire));
	uint8_t module = chip->config.module_id;
	int err = -ENOMEM;

	if (!wire)
		return err;
	wire->mine = (struct fabric_end){ c->box[end], module, c->port[end], 0 };
	wire->theirs = (struct fabric_end){
		c->box[!end],
		c->module[!end] == GAUDI_ANY_MODULE ? module : c->module[!end],
		c->port[!end], 0,
	};
	/* Called for the first time as soon as the thread sees it. */
	wire->retry_ns = 1;
	wire->link = gaudi_link_to_process(chip, c->port[end], wire->theirs.module,
					   wire->theirs.port, &err);
	if (wire->link) {
		leave_plugged(f, wire);
		return 1;
	}
	free(wire);
	return err == -EBUSY ? 0 : err;
}

int gaudi_fabric_plug(struct gaudi_fabric *f, struct gaudi_chip *chip)
{
	unsigned int i, end;
	int n = 0, added;

	if (chip->calls || chip->clock.on)
		return -EOPNOTSUPP;
	for (i = 0; i < f->num_cables; i++) {
		for (end = 0; end < 2; end++) {
			const struct gaudi_fabric_cable *c = &f->cables[i];

			if (c->box[end] != f->box ||
			    (c->module[end] != GAUDI_ANY_MODULE &&
			     c->module[end] != chip->config.module_id))
				continue;
			added = plug_port(f, chip, c, end);
			if (added < 0)
				return added;
			n += added;
		}
	}
	return n;
}
