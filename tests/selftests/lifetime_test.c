// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: whoever has a file of the card, however he got it, may sleep in any
 * ioctl for as long as he likes, in a wait or in a page fault that he does not
 * resolve; a close, a kill, a suspend and a removal do not wait for him, he
 * comes to no harm, and the card works for the next user.
 *
 * A table of holders (how a process has the file, and what besides) by ends (what
 * happens to the card). In each cell a process sleeps in every way that there is,
 * and each has a line of its own.
 *
 *	lifetime_test			each holder and each end once
 *	lifetime_test all
 *	lifetime_test HOLDER END	one cell, by numbers
 *
 * Only the last form suspends: the guest's files do not survive that, so that
 * whoever asks for it has the program in RAM.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "gaudi_test.h"

/* Longer than any of them takes on a busy machine, shorter than for ever. */
#define END_SECONDS	25

static char pci[64];

/* --- the ways to sleep --------------------------------------------------- */

/* What an opener has made for those who sleep. */
struct made {
	uint64_t stuck;		/* a submission that does not end */
	struct gt_cb cb;
};

/* fault: an address whose page nobody brings. */
struct sleeper {
	const char *name;
	int (*call)(int fd, const struct made *m, void *fault);
	bool faults;
	bool may_succeed;	/* all was done but for the answer */
	int gone;		/* what it is told when the card is; 0: some error */
};

#define PTR(p)	((uint64_t)(uintptr_t)(p))

static int wait_one(int fd, const struct made *m, void *fault)
{
	union hl_wait_cs_args args = { .in = { .seq = m->stuck,
					       .timeout_us = ~0ull } };

	return gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &args);
}

static int wait_multi(int fd, const struct made *m, void *fault)
{
	union hl_wait_cs_args args = { .in = {
		.seq = PTR(&m->stuck), .seq_arr_len = 1, .timeout_us = ~0ull,
		.flags = HL_WAIT_CS_FLAGS_MULTI_CS } };

	return gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &args);
}

static int multi_list(int fd, const struct made *m, void *fault)
{
	union hl_wait_cs_args args = { .in = {
		.seq = PTR(fault), .seq_arr_len = 1,
		.flags = HL_WAIT_CS_FLAGS_MULTI_CS } };

	return gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &args);
}

static int cs_argument(int fd, const struct made *m, void *fault)
{
	return gt_ioctl(fd, DRM_IOCTL_HL_CS, fault);
}

static int cs_chunks(int fd, const struct made *m, void *fault)
{
	union hl_cs_args args = { .in = { .chunks_execute = PTR(fault),
					  .num_chunks_execute = 1 } };

	return gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
}

static int cs_restore(int fd, const struct made *m, void *fault)
{
	union hl_cs_args args = { .in = {
		.chunks_restore = PTR(fault), .num_chunks_restore = 1,
		.cs_flags = HL_CS_FLAGS_FORCE_RESTORE,
		.chunks_execute = PTR(fault), .num_chunks_execute = 1 } };

	return gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
}

static int cs_signal(int fd, const struct made *m, void *fault)
{
	union hl_cs_args args = { .in = {
		.chunks_execute = PTR(fault), .num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_WAIT } };

	return gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
}

static int cs_fences(int fd, const struct made *m, void *fault)
{
	struct hl_cs_chunk chunk = { .cb_handle = m->cb.handle, .cb_size = 8,
				     .queue_index = 4 };
	struct drm_gaudi_cs args = {
		.chunks = PTR(&chunk), .num_chunks = 1,
		.in_syncs = PTR(fault), .num_in_syncs = 1 };

	return gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &args);
}

static int map_memory(int fd, const struct made *m, void *fault)
{
	uint64_t va;

	return gt_map_host(fd, fault, 4096, &va);
}

static int info_answer(int fd, const struct made *m, void *fault)
{
	return gt_info(fd, HL_INFO_HW_IP_INFO, fault,
		       sizeof(struct hl_info_hw_ip_info));
}

/*
 * Of a monitor that is none: whoever is let go on while the card is there still
 * must not write registers that the model does not know.
 */
static int debug_input(int fd, const struct made *m, void *fault)
{
	struct hl_debug_args args = { .op = HL_DEBUG_OP_BMON,
				      .reg_idx = UINT32_MAX,
				      .input_ptr = PTR(fault),
				      .input_size = 64, .enable = 1 };

	return gt_ioctl(fd, DRM_IOCTL_HL_DEBUG, &args);
}

static const struct sleeper sleepers[] = {
	{ .name = "wait", .call = wait_one },
	{ .name = "multi-wait", .call = wait_multi },
	{ .name = "list of a multi-wait", .call = multi_list, .faults = true },
	{ .name = "argument of CS", .call = cs_argument, .faults = true },
	{ .name = "chunks", .call = cs_chunks, .faults = true },
	{ .name = "restore chunks", .call = cs_restore, .faults = true },
	{ .name = "chunk of a wait CS", .call = cs_signal, .faults = true },
	{ .name = "fences of a CS", .call = cs_fences, .faults = true },
	{ .name = "mapped memory", .call = map_memory, .faults = true },
	{ .name = "answer of INFO", .call = info_answer, .faults = true,
	  .may_succeed = true },
	{ .name = "input of DEBUG", .call = debug_input, .faults = true,
	  .gone = -ENODEV },
};

#define NUM_SLEEPERS	(sizeof(sleepers) / sizeof(sleepers[0]))

/* What one process that slept has to say. */
struct report {
	unsigned int sleeper;
	int rc;
	int fault;		/* signal of an access to the mapping; 0: none */
	bool same;		/* ... its contents */
};

/* --- one who sleeps ------------------------------------------------------ */

static void wait_asleep(pid_t tid)
{
	char path[64], text[256];
	FILE *f;
	int n;

	for (;; usleep(1000)) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
		f = fopen(path, "r");
		n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
		text[n] = 0;
		if (f)
			fclose(f);
		/* What runs has no number. */
		if (atoi(text) == SYS_ioctl)
			return;
	}
}

struct helper {
	int uffd, ready, go;
	pid_t tid;
	void *page;
};

/* Says that the other thread sleeps, and lets it go on when told to. */
static void *helper_thread(void *arg)
{
	struct helper *h = arg;
	struct uffdio_range range = { .start = PTR(h->page), .len = 4096 };
	struct pollfd p = { .fd = h->uffd, .events = POLLIN };
	char c = 0;

	/* An error would look like a fault in which somebody sleeps. */
	if (h->uffd < 0)
		wait_asleep(h->tid);
	else if (poll(&p, 1, -1) != 1 || p.revents != POLLIN)
		_exit(1);
	if (write(h->ready, &c, 1) != 1 || read(h->go, &c, 1) != 1)
		_exit(1);
	if (h->uffd >= 0)
		ioctl(h->uffd, UFFDIO_UNREGISTER, &range);
	return NULL;
}

/* A page that is not there until somebody says so. */
static int absent_page(void *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = PTR(page), .len = 4096 },
		.mode = UFFDIO_REGISTER_MODE_MISSING };
	/* One that blocks cannot be polled: it is in error at once. */
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &reg))
		return -1;
	return uffd;
}

static bool pages_can_be_absent(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int uffd = absent_page(page);

	munmap(page, 4096);
	if (uffd < 0)
		return false;
	close(uffd);
	return true;
}

static sigjmp_buf fault_env;

static void on_fault(int sig)
{
	siglongjmp(fault_env, sig);
}

static void look(const volatile char *map, struct report *r)
{
	signal(SIGBUS, on_fault);
	signal(SIGSEGV, on_fault);
	r->fault = sigsetjmp(fault_env, 1);
	if (!r->fault)
		r->same = *map == 42;
}

static void sleep_in(unsigned int n, int fd, const struct made *m, int ready,
		     int go, int out)
{
	struct report r = { .sleeper = n };
	struct helper h = { .uffd = -1, .ready = ready, .go = go,
			    .tid = gettid() };
	pthread_t thread;

	h.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sleepers[n].faults)
		h.uffd = absent_page(h.page);
	if (sleepers[n].faults && h.uffd < 0)
		_exit(2);
	pthread_create(&thread, NULL, helper_thread, &h);
	r.rc = sleepers[n].call(fd, m, h.page);
	/* A wait may have ended before anybody was told to go on. */
	pthread_join(thread, NULL);
	if (m->cb.map)
		look(m->cb.map, &r);
	if (write(out, &r, sizeof(r)) != sizeof(r))
		_exit(3);
	_exit(0);
}

/* --- how a process comes to the file ------------------------------------- */

enum holder { CHILD, DUP, PASSED, MAPPED, EXPORTED, NUM_HOLDERS };

static const char * const holder_names[] = {
	"a child", "a duplicate", "a file that was passed on",
	"a mapping kept", "a dma-buf kept",
};

static int fence_cb(struct gt_cb *cb, int fd)
{
	int ret = gt_cb_create(fd, 4096, cb);

	if (!ret)
		cb->len = gt_pkt_fence(cb->map, 0, 1, 1);
	return ret;
}

static int make(int fd, struct made *m)
{
	struct hl_debug_args mode = { .op = HL_DEBUG_OP_SET_MODE, .enable = 1 };
	struct gt_cb block;
	int ret = fence_cb(&block, fd);

	if (!ret)
		ret = gt_submit(fd, 0, &block, &m->stuck);
	if (!ret)
		ret = gt_ioctl(fd, DRM_IOCTL_HL_DEBUG, &mode);
	return ret;
}

/* The mapping is the sleeper's own: CBs are not inherited. */
static int map_own(int fd, struct made *m)
{
	int ret = gt_cb_create(fd, 4096, &m->cb);

	if (!ret)
		*(char *)m->cb.map = 42;
	return ret;
}

static int export_hbm(int fd)
{
	union hl_mem_args args = { .in = {
		.op = HL_MEM_OP_EXPORT_DMABUF_FD, .flags = O_RDWR | O_CLOEXEC,
		.export_dmabuf_fd = { .addr = 0x20000000,
				      .mem_size = 2 << 20 } } };

	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
}

static void become_sleeper(enum holder holder, unsigned int n, int fd,
			   struct made *m, int ready, int go, int out)
{
	if (holder == DUP) {
		int old = fd;

		fd = dup(old);
		close(old);
	}
	if (holder == MAPPED && map_own(fd, m))
		_exit(4);
	if (holder == EXPORTED && export_hbm(fd))
		_exit(5);
	sleep_in(n, fd, m, ready, go, out);
}

/* The opener's ends of pipes, and what it is told to do. */
struct pipes {
	int ready[2], go[2], out[2], close[2];
};

static pid_t start_one(enum holder holder, unsigned int n, int fd,
		       struct made *m, const struct pipes *p)
{
	int sock[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sock))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (holder == PASSED) {
			close(fd);
			fd = gt_recv_fd(sock[1]);
		}
		become_sleeper(holder, n, fd, m, p->ready[1], p->go[0],
			       p->out[1]);
	}
	if (pid > 0 && holder == PASSED)
		gt_send_fd(sock[0], fd);
	close(sock[0]);
	close(sock[1]);
	return pid;
}

/* Opens the card, lets others sleep in it, and is shot or told to close. */
static void opener(enum holder holder, bool faults, const struct pipes *p)
{
	struct made m = { 0 };
	int fd = gt_open(), ret = fd < 0 ? fd : make(fd, &m);
	unsigned int n;
	char c;

	if (ret) {
		printf("# nothing is made: %s\n", strerror(-ret));
		_exit(1);
	}
	for (n = 0; n < NUM_SLEEPERS; n++)
		if ((faults || !sleepers[n].faults) &&
		    start_one(holder, n, fd, &m, p) < 0)
			_exit(2);
	if (read(p->close[0], &c, 1) != 1)
		_exit(3);
	close(fd);
	if (write(p->ready[1], &c, 1) != 1)
		_exit(4);
	pause();
	_exit(0);
}

/* --- what happens to the card -------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static bool readable(int fd, int seconds)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, seconds * 1000) == 1;
}

static int end_close(pid_t pid, const struct pipes *p)
{
	char c = 0;

	if (write(p->close[1], &c, 1) != 1 || !readable(p->ready[0], END_SECONDS))
		return -ETIMEDOUT;
	return read(p->ready[0], &c, 1) == 1 ? 0 : -EIO;
}

static int end_kill(pid_t pid, const struct pipes *p)
{
	return kill(pid, SIGKILL) ? -errno : 0;
}

static int end_unbind(pid_t pid, const struct pipes *p)
{
	return gt_write_file("/sys/bus/pci/drivers/gaudi/unbind", pci);
}

static int end_unplug(pid_t pid, const struct pipes *p)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", pci);
	return gt_write_file(path, "1");
}

/* All but the sleep itself. Who sleeps in a page fault does not freeze. */
static int end_suspend(pid_t pid, const struct pipes *p)
{
	int ret = gt_write_file("/sys/power/pm_test", "devices");

	/* Else the kernel stays there for some seconds. */
	gt_write_file("/sys/module/suspend/parameters/pm_test_delay", "0");
	if (!ret)
		ret = gt_write_file("/sys/power/state", "freeze");
	gt_write_file("/sys/power/pm_test", "none");
	return ret;
}

static void bind_again(void)
{
	gt_write_file("/sys/bus/pci/drivers/gaudi/bind", pci);
}

static void plug_again(void)
{
	gt_write_file("/sys/bus/pci/rescan", "1");
}

struct end {
	const char *name;
	int (*run)(pid_t opener, const struct pipes *p);
	void (*undo)(void);
	bool gone;		/* the device is, for who has a file */
	bool no_faults;
	bool alone;		/* not among "all" */
};

static const struct end ends[] = {
	{ .name = "closed", .run = end_close },
	{ .name = "killed", .run = end_kill },
	{ .name = "unbound", .run = end_unbind, .undo = bind_again,
	  .gone = true },
	{ .name = "unplugged", .run = end_unplug, .undo = plug_again,
	  .gone = true },
	{ .name = "suspended", .run = end_suspend, .no_faults = true,
	  .alone = true },
};

#define NUM_ENDS	(sizeof(ends) / sizeof(ends[0]))

/* --- a cell of the table ------------------------------------------------- */

static unsigned int results, failures;

static void result(bool good, enum holder holder, const struct end *end,
		   const char *what, const char *why)
{
	results++;
	failures += !good;
	printf("%sok %u %s, %s: %s%s%s\n", good ? "" : "not ", results,
	       holder_names[holder], end->name, what, *why ? ": " : "", why);
}

static const char *judge(const struct report *r, enum holder kept,
			 const struct end *end)
{
	const struct sleeper *s = &sleepers[r->sleeper];

	if (end->gone && r->rc >= 0 && !s->may_succeed)
		return "the call went well";
	if (end->gone && s->gone && r->rc != s->gone)
		return "the call got as far as the card";
	if (kept != MAPPED)
		return "";
	if (end->gone)
		return r->fault == SIGBUS ? "" : "the mapping is still there";
	return !r->fault && r->same ? "" : "the mapping has changed";
}

/* In a process of its own: one that does not come back is left behind. */
static int run_end(const struct end *end, pid_t pid, const struct pipes *p,
		   double *seconds)
{
	double begin = now();
	int done[2], ret = -ETIMEDOUT;
	pid_t child;

	if (pipe(done))
		return -errno;
	child = fork();
	if (!child) {
		ret = end->run(pid, p);
		_exit(write(done[1], &ret, sizeof(ret)) != sizeof(ret));
	}
	if (readable(done[0], END_SECONDS) &&
	    read(done[0], &ret, sizeof(ret)) != sizeof(ret))
		ret = -EIO;
	*seconds = now() - begin;
	if (ret != -ETIMEDOUT)
		waitpid(child, NULL, 0);
	close(done[0]);
	close(done[1]);
	return ret;
}

static int works(void)
{
	char *src = gt_alloc(4096);
	struct gt_cb cb = { .map = NULL };
	uint64_t va;
	int fd, ret;

	if (!src || gt_wait_operational(60))
		return -ETIMEDOUT;
	fd = gt_open();
	if (fd < 0)
		return fd;
	gt_fill(src, 2048, 7);
	ret = gt_map_host(fd, src, 4096, &va);
	if (!ret)
		ret = gt_cb_create(fd, 4096, &cb);
	if (!ret) {
		cb.len = gt_pkt_lin_dma(cb.map, va, SRAM_BASE + 0x10000, 2048,
					EB | MB);
		ret = gt_run(fd, 0, &cb);
	}
	if (!ret) {
		cb.len = gt_pkt_lin_dma(cb.map, SRAM_BASE + 0x10000, va + 2048,
					2048, EB | MB);
		ret = gt_run(fd, 5, &cb);
	}
	/* A mapping would keep the file open. */
	gt_cb_destroy(fd, &cb);
	close(fd);
	if (!ret && gt_check(src + 2048, 2048, 7) != -1)
		ret = -EILSEQ;
	munmap(src, 4096);
	return ret;
}

/* The opener has made all, and all sleep. */
static bool all_sleep(enum holder holder, const struct end *end,
		      unsigned int count, pid_t pid, const struct pipes *p)
{
	char c, why[64];
	unsigned int i;
	int status = 0;

	for (i = 0; i < count; i++) {
		if (readable(p->ready[0], 60) && read(p->ready[0], &c, 1) == 1)
			continue;
		waitpid(pid, &status, WNOHANG);
		snprintf(why, sizeof(why), "%u of %u in 60 s, the opener: %#x",
			 i, count, status);
		result(false, holder, end, "all sleep", why);
		return false;
	}
	return true;
}

/* false: nothing more can be tried on this card. */
static bool run_cell(enum holder holder, const struct end *end)
{
	unsigned int n, i, count = 0;
	struct pipes p;
	struct report r;
	double seconds = 0;
	char why[64] = "";
	pid_t pid;
	int rc;

	if (pipe(p.ready) || pipe(p.go) || pipe(p.out) || pipe(p.close))
		return false;
	for (n = 0; n < NUM_SLEEPERS; n++)
		count += !sleepers[n].faults || !end->no_faults;
	fflush(stdout);
	pid = fork();
	if (!pid)
		opener(holder, !end->no_faults, &p);
	if (!all_sleep(holder, end, count, pid, &p))
		return false;
	rc = run_end(end, pid, &p, &seconds);
	snprintf(why, sizeof(why), rc ? "%s after %.1f s" : "",
		 strerror(-rc), seconds);
	result(!rc, holder, end, "waits for nobody", why);
	printf("# %.1f s\n", seconds);
	for (i = 0; i < count; i++)
		if (write(p.go[1], "", 1) != 1)
			return false;
	/* The file of one that nothing has ended is closed with its process. */
	kill(pid, SIGKILL);
	if (!end->gone && !rc)
		gt_sysfs_write("hard_reset", "1");
	for (i = 0; i < count && readable(p.out[0], 60) &&
	     read(p.out[0], &r, sizeof(r)) == sizeof(r); i++)
		result(!*judge(&r, holder, end), holder, end,
		       sleepers[r.sleeper].name, judge(&r, holder, end));
	if (i < count)
		result(false, holder, end, "all come back", "not in 60 s");
	/* Those who slept as well, with their files: whoever binds is first. */
	while (rc != -ETIMEDOUT && wait(NULL) > 0)
		;
	for (i = 0; i < 2; i++) {
		close(p.ready[i]);
		close(p.go[i]);
		close(p.out[i]);
		close(p.close[i]);
	}
	if (rc == -ETIMEDOUT)
		return false;
	if (end->undo)
		end->undo();
	rc = works();
	result(!rc, holder, end, "the card works afterwards",
	       rc ? strerror(-rc) : "");
	return !rc;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "all"), ours;
	unsigned int h, e;
	int fd = gt_open();

	setvbuf(stdout, NULL, _IOLBF, 0);
	ours = fd >= 0 && gt_has(fd, GAUDI_CAP_HBM_ALLOC);
	if (fd >= 0)
		close(fd);
	if (!ours || gt_sysfs_read("pci_addr", pci, sizeof(pci))) {
		printf("1..0 # SKIP no card, or not how this driver is removed\n");
		return 4;
	}
	if (!pages_can_be_absent()) {
		printf("Bail out! no userfaultfd: %s\n", strerror(errno));
		return 1;
	}
	/* Whose parents are killed. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (e = 0; e < NUM_ENDS; e++)
		for (h = 0; h < NUM_HOLDERS; h++)
			if ((argc > 2 ? atoi(argv[1]) == (int)h &&
					atoi(argv[2]) == (int)e :
			     !ends[e].alone &&
			     (all || (h + 2) % NUM_HOLDERS == e)) &&
			    !run_cell(h, &ends[e]))
				goto out;
out:
	printf("1..%u\n", results);
	return failures ? 1 : 0;
}
