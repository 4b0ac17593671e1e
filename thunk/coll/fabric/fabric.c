// SPDX-License-Identifier: MIT
/*
 * libfabric: reliable datagrams with tags. Its library is opened when it is needed, so that
 * programs on one box need none of it. Built without its headers: absent.c.
 */
#if __has_include("rdma/fabric.h")
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_tagged.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../base/error.h"
#include "fabric.h"

/* A message that could not be given to libfabric yet is tried again after so long. */
#define RETRY_MS	1
/* How long to wait for news, if libfabric has no descriptor to wait at: busy, idle. */
#define BUSY_US		50
#define IDLE_MS		10
/* Of the message to oneself; no rank's have it (../exec/far.c). */
#define OWN_TAG		UINT64_MAX

struct coll_fabric {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	struct fid_mr *mr;		/* NULL: the provider wants none */
	fi_addr_t *peers;		/* by rank, and behind them its own */
	uint32_t ranks;
	int cq_fd;			/* -1: none */
	int wake;			/* an eventfd */

	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct coll_message *given;	/* for the thread */
	bool stop, stopped;
	pthread_t thread;
	bool has_thread;
	/* The thread's */
	struct coll_message *first, **last;	/* not yet taken by libfabric */
	uint32_t under_way;
	struct coll_message own[2];
};

/*
 * The library
 */
static struct {
	int error;
	char why[128];
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*getinfo)(uint32_t version, const char *node, const char *service,
		       uint64_t flags, const struct fi_info *hints,
		       struct fi_info **info);
	void (*freeinfo)(struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
		      void *context);
	const char *(*strerror)(int error);
} lib;

static void load(void)
{
	static const char file[] = "libfabric.so.1";
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	uint32_t (*version)(void);

	if (!handle) {
		lib.error = -ENOTSUP;
		snprintf(lib.why, sizeof(lib.why), "%s cannot be loaded", file);
		return;
	}
	*(void **)&version = dlsym(handle, "fi_version");
	*(void **)&lib.dupinfo = dlsym(handle, "fi_dupinfo");
	*(void **)&lib.getinfo = dlsym(handle, "fi_getinfo");
	*(void **)&lib.freeinfo = dlsym(handle, "fi_freeinfo");
	*(void **)&lib.fabric = dlsym(handle, "fi_fabric");
	*(void **)&lib.strerror = dlsym(handle, "fi_strerror");
	if (!version || !lib.dupinfo || !lib.getinfo || !lib.freeinfo ||
	    !lib.fabric || !lib.strerror) {
		lib.error = -ENOTSUP;
		snprintf(lib.why, sizeof(lib.why), "%s lacks functions", file);
	} else if (FI_VERSION_LT(version(), FI_VERSION(1, 9))) {
		lib.error = -ENOTSUP;
		snprintf(lib.why, sizeof(lib.why), "%s is of version %u.%u, before 1.9",
			 file, FI_MAJOR(version()), FI_MINOR(version()));
	}
}

static int fail_fi(int rc, const char *what)
{
	return coll_fail(-EIO, "libfabric, %s: %s", what, lib.strerror(-rc));
}

/*
 * Which provider
 */
static struct fi_info *ask(uint64_t caps)
{
	struct fi_info *hints = lib.dupinfo(NULL), *list = NULL;

	if (!hints)
		return NULL;
	hints->caps = FI_TAGGED | caps;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED |
				      FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;
	if (lib.getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &list))
		list = NULL;
	lib.freeinfo(hints);

	return list;
}

/* Of the first provider, which is the best one, where the rank listens, if that is known. */
static const struct fi_info *best(const struct fi_info *list, uint32_t ip)
{
	const struct fi_info *i;

	for (i = list; i; i = i->next) {
		const struct sockaddr_in *at = i->src_addr;

		if (i->addr_format == FI_SOCKADDR_IN && at &&
		    at->sin_addr.s_addr == ip &&
		    !strcmp(i->fabric_attr->prov_name,
			    list->fabric_attr->prov_name))
			return i;
	}

	return list;
}

static int choose(struct coll_fabric *f, uint32_t ip, bool here)
{
	struct fi_info *list = ask(FI_REMOTE_COMM);

	/* Some connect processes of one machine only. */
	if (!list && here)
		list = ask(0);
	if (!list)
		return coll_fail(-ENOTSUP, "libfabric has no provider of tagged messages between machines (FI_PROVIDER=%.32s)",
				 getenv("FI_PROVIDER") ? getenv("FI_PROVIDER") : "");
	f->info = lib.dupinfo(best(list, ip));
	lib.freeinfo(list);

	return f->info ? 0 : coll_fail(-ENOMEM, "no memory for libfabric");
}

/*
 * From the beginning to the end
 */
static int open_cq(struct coll_fabric *f)
{
	struct fi_cq_attr attr = {
		.format = FI_CQ_FORMAT_TAGGED,
		.wait_obj = FI_WAIT_FD,
	};
	int rc = fi_cq_open(f->domain, &attr, &f->cq, NULL);

	if (!rc)
		rc = fi_control(&f->cq->fid, FI_GETWAIT, &f->cq_fd);
	if (rc) {
		if (f->cq)
			fi_close(&f->cq->fid);
		f->cq = NULL;
		f->cq_fd = -1;
		attr.wait_obj = FI_WAIT_NONE;
		rc = fi_cq_open(f->domain, &attr, &f->cq, NULL);
	}

	return rc;
}

static int open_endpoint(struct coll_fabric *f, struct coll_fabric_address *own)
{
	struct fi_av_attr av = { .type = FI_AV_UNSPEC };
	size_t size = sizeof(own->name);
	int rc = lib.fabric(f->info->fabric_attr, &f->fabric, NULL);

	if (!rc)
		rc = fi_domain(f->fabric, f->info, &f->domain, NULL);
	if (!rc)
		rc = fi_av_open(f->domain, &av, &f->av, NULL);
	if (!rc)
		rc = open_cq(f);
	if (!rc)
		rc = fi_endpoint(f->domain, f->info, &f->ep, NULL);
	if (!rc)
		rc = fi_ep_bind(f->ep, &f->av->fid, 0);
	if (!rc)
		rc = fi_ep_bind(f->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV);
	if (!rc)
		rc = fi_enable(f->ep);
	if (!rc)
		rc = fi_getname(&f->ep->fid, own->name, &size);
	own->bytes = (uint32_t)size;
	snprintf(own->provider, sizeof(own->provider), "%s",
		 f->info->fabric_attr->prov_name);

	return rc ? fail_fi(rc, f->info->fabric_attr->prov_name) : 0;
}

static int register_memory(struct coll_fabric *f, void *memory, uint64_t bytes)
{
	int rc;

	if (!(f->info->domain_attr->mr_mode & FI_MR_LOCAL))
		return 0;
	rc = fi_mr_reg(f->domain, memory, bytes, FI_SEND | FI_RECV, 0, 0, 0,
		       &f->mr, NULL);

	return rc ? fail_fi(rc, "memory") : 0;
}

static int insert(struct coll_fabric *f, const struct coll_fabric_address *address,
		  fi_addr_t *peer)
{
	return fi_av_insert(f->av, address->name, 1, peer, 0, NULL) == 1 ? 0 : -EIO;
}

/*
 * A connection to oneself, for as long as there is the endpoint. ofi_rxm of libfabric 1.17
 * looks up who announced a large message when that is received; if the sender's was the last
 * connection, and has ended since, there is no table to look into any more, and it crashes.
 * With one connection left it tells an error. Nobody waits for these messages, which the
 * thread begins with.
 */
static int connect_own(struct coll_fabric *f, const struct coll_fabric_address *own)
{
	if (!strstr(f->info->fabric_attr->prov_name, "ofi_rxm"))
		return 0;
	if (insert(f, own, &f->peers[f->ranks]))
		return coll_fail(-EIO, "libfabric does not take its own address");
	for (unsigned int i = 0; i < 2; i++) {
		f->own[i] = (struct coll_message) {
			.tag = OWN_TAG,
			.peer = f->ranks,
			.send = i,
		};
		*f->last = &f->own[i];
		f->last = &f->own[i].next;
	}

	return 0;
}

int coll_fabric_open(void *memory, uint64_t bytes, uint32_t ranks, uint32_t ip,
		     bool here, struct coll_fabric **out,
		     struct coll_fabric_address *own)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct coll_fabric *f;
	int rc;

	pthread_once(&once, load);
	if (lib.error)
		return coll_fail(lib.error, "%s", lib.why);
	f = calloc(1, sizeof(*f));
	if (!f)
		return coll_fail(-ENOMEM, "no memory for libfabric");
	f->peers = calloc(ranks + 1ul, sizeof(*f->peers));
	f->ranks = ranks;
	f->cq_fd = -1;
	f->last = &f->first;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->ended, NULL);
	f->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = !f->peers || f->wake < 0 ?
	     coll_fail(-ENOMEM, "no memory for libfabric") : 0;
	if (!rc)
		rc = choose(f, ip, here);
	if (!rc)
		rc = open_endpoint(f, own);
	if (!rc)
		rc = connect_own(f, own);
	if (!rc)
		rc = register_memory(f, memory, bytes);
	if (rc) {
		coll_fabric_close(f);
		return rc;
	}
	*out = f;

	return 0;
}

int coll_fabric_add(struct coll_fabric *f, uint32_t rank,
		    const struct coll_fabric_address *address)
{
	if (strncmp(address->provider, f->info->fabric_attr->prov_name,
		    sizeof(address->provider)))
		return coll_fail(-ENOTSUP, "rank %u has provider %.48s of libfabric, this one %s: FI_PROVIDER names one for all",
				 rank, address->provider,
				 f->info->fabric_attr->prov_name);
	if (address->bytes > sizeof(address->name))
		return coll_fail(-EPROTO, "rank %u has no address of libfabric's", rank);
	if (insert(f, address, &f->peers[rank]))
		return coll_fail(-EIO, "libfabric does not take the address of rank %u",
				 rank);

	return 0;
}

static void wake(const struct coll_fabric *f)
{
	uint64_t one = 1;

	/* It cannot fail but for a counter that is not 0 as it is. */
	if (write(f->wake, &one, sizeof(one)) < 0)
		return;
}

void coll_fabric_stop(struct coll_fabric *f)
{
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_mutex_unlock(&f->lock);
	wake(f);
}

static void close_fid(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

#define CLOSE(object) close_fid((object) ? &(object)->fid : NULL)

void coll_fabric_close(struct coll_fabric *f)
{
	if (!f)
		return;
	if (f->has_thread) {
		coll_fabric_stop(f);
		pthread_join(f->thread, NULL);
	}
	CLOSE(f->ep);
	CLOSE(f->mr);
	CLOSE(f->cq);
	CLOSE(f->av);
	CLOSE(f->domain);
	CLOSE(f->fabric);
	if (f->info)
		lib.freeinfo(f->info);
	if (f->wake >= 0)
		close(f->wake);
	pthread_cond_destroy(&f->ended);
	pthread_mutex_destroy(&f->lock);
	free(f->peers);
	free(f);
}

/*
 * The thread
 */
static void end_message(struct coll_fabric *f, struct coll_message *m, int error)
{
	pthread_mutex_lock(&f->lock);
	m->error = error;
	m->ended = true;
	pthread_cond_broadcast(&f->ended);
	pthread_mutex_unlock(&f->lock);
}

static bool take_given(struct coll_fabric *f)
{
	bool stop;

	pthread_mutex_lock(&f->lock);
	stop = f->stop;
	*f->last = f->given;
	f->given = NULL;
	pthread_mutex_unlock(&f->lock);
	while (*f->last)
		f->last = &(*f->last)->next;

	return !stop;
}

static ssize_t start(struct coll_fabric *f, struct coll_message *m)
{
	void *desc = f->mr ? fi_mr_desc(f->mr) : NULL;

	if (m->send)
		return fi_tsend(f->ep, m->at, m->bytes, desc, f->peers[m->peer],
				m->tag, m->context);

	return fi_trecv(f->ep, m->at, m->bytes, desc, FI_ADDR_UNSPEC, m->tag, 0,
			m->context);
}

/*
 * What cannot be started yet stays; it does not hold up what is behind it, which may be what
 * its peer waits for.
 */
static bool start_all(struct coll_fabric *f)
{
	struct coll_message **at = &f->first, *m;
	bool any = false;

	while ((m = *at)) {
		ssize_t rc = start(f, m);

		if (rc == -FI_EAGAIN) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		any = true;
		if (rc)
			end_message(f, m, (int)rc);
		else
			f->under_way++;
	}
	f->last = at;

	return any;
}

/* The next one that has ended with an error. */
static void take_error(struct coll_fabric *f)
{
	struct fi_cq_err_entry entry = {};

	if (fi_cq_readerr(f->cq, &entry, 0) != 1 || !entry.op_context)
		return;
	f->under_way--;
	end_message(f, entry.op_context, entry.err == FI_ETRUNC ? -EMSGSIZE :
					 entry.err ? -entry.err : -EIO);
}

static bool take_ended(struct coll_fabric *f)
{
	struct fi_cq_tagged_entry entries[16];
	ssize_t n = fi_cq_read(f->cq, entries, 16);

	if (n == -FI_EAVAIL) {
		take_error(f);
		return true;
	}
	for (ssize_t i = 0; i < n; i++) {
		struct coll_message *m = entries[i].op_context;

		f->under_way--;
		/* Ranks that call the same send what is awaited. */
		end_message(f, m, m->send || entries[i].len == m->bytes ?
				  0 : -EMSGSIZE);
	}

	return n > 0;
}

/* Nothing can be done now. */
static void await_news(struct coll_fabric *f)
{
	struct pollfd pfds[2] = {
		{ .fd = f->wake, .events = POLLIN },
		{ .fd = f->cq_fd, .events = POLLIN },
	};
	struct fid *fid = &f->cq->fid;
	int ms = f->first ? RETRY_MS : IDLE_MS;
	uint64_t n;

	if (f->cq_fd >= 0) {
		if (fi_trywait(f->fabric, &fid, 1))
			return;
		if (!f->first)
			ms = 1000;
	} else if (f->under_way) {
		usleep(BUSY_US);
		ms = 0;
	}
	if (poll(pfds, 2, ms) > 0 && pfds[0].revents & POLLIN &&
	    read(f->wake, &n, sizeof(n)) < 0)
		return;
}

static void *progress(void *arg)
{
	struct coll_fabric *f = arg;

	pthread_setname_np(pthread_self(), "gaudi-network");
	while (take_given(f)) {
		bool any = start_all(f);

		any |= take_ended(f);
		if (!any)
			await_news(f);
	}
	/* Messages are their owners' again, so libfabric must not know them any more. */
	CLOSE(f->ep);
	f->ep = NULL;
	pthread_mutex_lock(&f->lock);
	f->stopped = true;
	pthread_cond_broadcast(&f->ended);
	pthread_mutex_unlock(&f->lock);

	return NULL;
}

int coll_fabric_start(struct coll_fabric *f)
{
	int rc = pthread_create(&f->thread, NULL, progress, f);

	if (rc)
		return coll_fail(-rc, "no thread for libfabric: %s", strerror(rc));
	f->has_thread = true;

	return 0;
}

/*
 * Messages
 */
void coll_fabric_give(struct coll_fabric *f, struct coll_message *message)
{
	pthread_mutex_lock(&f->lock);
	message->ended = false;
	/* Their order makes no difference. */
	if (!f->stop) {
		message->next = f->given;
		f->given = message;
	}
	pthread_mutex_unlock(&f->lock);
	wake(f);
}

int coll_fabric_await(struct coll_fabric *f, struct coll_message *message)
{
	int rc;

	pthread_mutex_lock(&f->lock);
	while (!message->ended && !f->stopped)
		pthread_cond_wait(&f->ended, &f->lock);
	rc = message->ended ? message->error : -ECANCELED;
	if (rc) {
		f->stop = true;
		wake(f);
	}
	while (rc && !f->stopped)
		pthread_cond_wait(&f->ended, &f->lock);
	pthread_mutex_unlock(&f->lock);
	if (!rc)
		return 0;

	return coll_fail(rc, "libfabric: %s", rc == -EMSGSIZE ?
			 "a message has another size" : lib.strerror(-rc));
}

#endif
