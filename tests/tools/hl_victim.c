// SPDX-License-Identifier: GPL-2.0-only
/*
 * hl_victim [-e] [-s] NAME COMMAND: what a program at work learns when
 * something happens to the card, and how long the card is away.
 *
 * A child keeps the card busy: copies from host memory to HBM on one queue and
 * waits for each. -e: it has an eventfd, and closes when told of a reset. -s: it
 * submits one job that never ends instead, and waits for it. Then COMMAND is run
 * in a shell. One line on standard output says what became of the child's work
 * (the error that ended it), the events and records that it got, whether it was
 * killed, and what state the card came to; another one, with '#', after how many
 * milliseconds each came.
 *
 * Mainline uAPI only, so it runs on either driver.
 */
#define _GNU_SOURCE	/* strerrorname_np() */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

#define SYS "/sys/class/accel/accel0/device/"
#define LEN (1u << 20)

/* What the child writes to its parent, also when it is killed afterwards. */
struct report {
	enum { WORKS, FAILED, EVENTS, RECORDS } kind;
	uint64_t ms;
	int error;			/* FAILED */
	char where[8];
	uint64_t events;		/* EVENTS: all so far */
	char text[96];			/* RECORDS */
};

static int card, out, efd = -1;
static uint64_t all_events;

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static void tell(struct report *r)
{
	r->ms = now_ms();
	if (write(out, r, sizeof(*r)) != sizeof(*r))
		_exit(9);
}

static int info(unsigned int op, void *buf, unsigned int size, unsigned int fd)
{
	struct hl_info_args args = {
		.op = op,
		.return_pointer = (uintptr_t)buf,
		.return_size = size,
		.eventfd = fd,
	};

	if (buf)
		memset(buf, 0, size);
	return ioctl(card, DRM_IOCTL_HL_INFO, &args) ? -errno : 0;
}

static void look_for_events(void)
{
	struct report r = { .kind = EVENTS };
	uint64_t mask = 0;

	if (info(HL_INFO_GET_EVENTS, &mask, sizeof(mask), 0) || !mask)
		return;
	all_events |= mask;
	r.events = all_events;
	tell(&r);
}

static void look_for_records(void)
{
	struct report r = { .kind = RECORDS };
	struct hl_info_undefined_opcode_event undef;
	struct hl_info_cs_timeout_event timeout;
	struct hl_info_razwi_event razwi;
	struct hl_page_fault_info pf;
	struct hl_info_hw_err_event hw;
	struct hl_info_fw_err_event fw;
	size_t n = 0;

#define ADD(...) (n += snprintf(r.text + n, sizeof(r.text) - n, __VA_ARGS__))
	if (!info(HL_INFO_CS_TIMEOUT_EVENT, &timeout, sizeof(timeout), 0) &&
	    timeout.timestamp)
		ADD(" cs-timeout");
	if (!info(HL_INFO_UNDEFINED_OPCODE_EVENT, &undef, sizeof(undef), 0) &&
	    undef.timestamp)
		/* Of a queue that runs the driver's copies no address is told. */
		ADD(" undefined-opcode(%u)%s", undef.engine_id,
		    undef.cq_addr || undef.cb_addr_streams[0][0] ?
		    " with address" : "");
	if (!info(HL_INFO_RAZWI_EVENT, &razwi, sizeof(razwi), 0) &&
	    razwi.timestamp)
		ADD(" razwi");
	if (!info(HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf), 0) && pf.timestamp)
		ADD(" page-fault");
	if (!info(HL_INFO_HW_ERR_EVENT, &hw, sizeof(hw), 0) && hw.timestamp)
		ADD(" hw-err(%u)", hw.event_id);
	if (!info(HL_INFO_FW_ERR_EVENT, &fw, sizeof(fw), 0) && fw.timestamp)
		ADD(" fw-err(%u)", fw.err_type);
#undef ADD
	tell(&r);
}

static uint32_t packet_dma(void *at, uint64_t src, uint64_t dst, uint32_t len)
{
	uint32_t *p = at;

	p[0] = len;
	/* LIN_DMA, linear, engine barrier */
	p[1] = 0x9u << 24 | 1u << 29 | 1u << 3;
	memcpy(p + 2, &src, 8);
	memcpy(p + 4, &dst, 8);
	return 24;
}

/* Waits for fence counter 1 of the stream, which nobody increments. */
static uint32_t packet_fence(void *at)
{
	uint32_t *p = at;

	p[0] = 1u | 1u << 16 | 1u << 30;
	p[1] = 0x8u << 24;
	return 8;
}

static int submit(uint64_t handle, uint32_t len, uint32_t queue, uint64_t *seq)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = handle, .queue_index = queue, .cb_size = len,
	};
	union hl_cs_args args = {
		.in = { .chunks_execute = (uintptr_t)&chunk,
			.num_chunks_execute = 1 },
	};
	int ret = ioctl(card, DRM_IOCTL_HL_CS, &args) ? -errno : 0;

	*seq = args.out.seq;
	return ret;
}

static void failed(const char *where, int error)
{
	struct report r = { .kind = FAILED, .error = error };

	strcpy(r.where, where);
	tell(&r);
}

/*
 * Wait for it; with an eventfd in slices, to look at the events in between. A slice may
 * end just when a reset was announced, and waits were not ended yet; so who was told of
 * one asks once more.
 */
static bool await(uint64_t seq)
{
	bool told = false;

	for (;;) {
		union hl_wait_cs_args args = {
			.in = { .seq = seq,
				.timeout_us = efd >= 0 ? 200000 : 100000000 },
		};

		if (ioctl(card, DRM_IOCTL_HL_WAIT_CS, &args)) {
			failed("wait", errno);
			return false;
		}
		if (efd >= 0)
			look_for_events();
		if (args.out.status == HL_WAIT_CS_STATUS_COMPLETED)
			return true;
		if (told)
			return false;
		told = efd >= 0 && (all_events & HL_NOTIFIER_EVENT_DEVICE_RESET);
	}
}

static void child(bool stuck)
{
	union hl_cb_args cb = {
		.in = { .op = HL_CB_OP_CREATE, .cb_size = 4096 },
	};
	union hl_mem_args mem = {
		.in = { .op = HL_MEM_OP_MAP, .flags = HL_MEM_USERPTR },
	};
	struct report works = { .kind = WORKS };
	uint64_t seq, handle, n;
	uint32_t len;
	void *map, *host;
	int ret;

	card = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
	host = mmap(NULL, LEN, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (card < 0 || host == MAP_FAILED) {
		failed("open", errno);
		_exit(1);
	}
	if (efd >= 0)
		info(HL_INFO_REGISTER_EVENTFD, NULL, 0, efd);
	mem.in.map_host.host_virt_addr = (uintptr_t)host;
	mem.in.map_host.mem_size = LEN;
	if (ioctl(card, DRM_IOCTL_HL_CB, &cb) ||
	    ioctl(card, DRM_IOCTL_HL_MEMORY, &mem)) {
		failed("setup", errno);
		_exit(1);
	}
	handle = cb.out.cb_handle;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, card,
		   handle);
	len = packet_dma(map, mem.out.device_virt_addr, 0x20000000, LEN);
	for (n = 0;; n++) {
		if (n == 10)
			tell(&works);
		if (n == 10 && stuck)
			len = packet_fence(map);
		/* DMA 0 writes to the card. */
		ret = submit(handle, len, GAUDI_QUEUE_ID_DMA_0_0, &seq);
		if (ret) {
			failed("submit", -ret);
			break;
		}
		if (!await(seq))
			break;
	}
	/* Until the reset comes: with an eventfd one may go, else is killed. */
	for (n = 0; n < 3000; n++) {
		look_for_events();
		if (n % 10 == 0)
			look_for_records();
		if (n >= 20 && efd >= 0)
			_exit(0);
		usleep(20000);
	}
	_exit(0);
}

static void read_sys(const char *name, char *buf, size_t size)
{
	char path[128];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), SYS "%s", name);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = 0;
	buf[strcspn(buf, "\n")] = 0;
	if (!buf[0])
		snprintf(buf, size, "gone");
}

static bool coredump(void)
{
	DIR *d = opendir("/sys/class/devcoredump");
	struct dirent *e;
	bool any = false;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "devcd", 5))
			any = true;
	if (d)
		closedir(d);
	return any;
}

static const char *const event_names[] = {
	"tpc-assert", "undefined-opcode", "device-reset", "cs-timeout",
	"device-unavailable", "user-engine-error", "general-hw-error",
	"razwi", "page-fault", "critical-hw-error", "critical-fw-error",
};

/* What became of the child and of the card; times from the start, in ms. */
struct outcome {
	uint64_t start, failed_ms, event_ms, end_ms, up_ms;
	uint64_t events;
	char error[48], records[96], status[64];
	char before[32], after[32];	/* resets counted */
	bool over;			/* the child has ended, ... */
	int wait_status;		/* ... this way */
};

static void note(struct outcome *o, const struct report *r)
{
	if (r->kind == FAILED && !o->failed_ms) {
		snprintf(o->error, sizeof(o->error), "%s %s", r->where,
			 strerrorname_np(r->error));
		o->failed_ms = r->ms - o->start;
	} else if (r->kind == EVENTS) {
		if (!o->events)
			o->event_ms = r->ms - o->start;
		o->events = r->events;
	} else if (r->kind == RECORDS && r->text[0]) {
		snprintf(o->records, sizeof(o->records), "%s", r->text);
	}
}

/*
 * No harm was done, and none is to come: nothing was told for long, or what was
 * told announces no reset.
 */
static bool harmless(const struct outcome *o)
{
	if (o->over || o->failed_ms)
		return false;
	if (o->events && !(o->events & HL_NOTIFIER_EVENT_DEVICE_RESET) &&
	    now_ms() > o->start + o->event_ms + 5000)
		return true;
	return now_ms() > o->start + 45000;
}

/* The child has ended: is the card up again, or given up? */
static bool settled(const struct outcome *o)
{
	if (!strcmp(o->status, "Operational"))
		return strcmp(o->before, o->after);
	return !strcmp(o->status, "Disabled") ||
	       (!strcmp(o->status, "gone") && now_ms() > o->start + 15000);
}

/* Until the child ended and the card is up again, or nothing happens. */
static void watch(struct outcome *o, pid_t pid, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool was_down = false;
	struct report r;

	while (now_ms() < o->start + 120000) {
		if (!o->over && poll(&p, 1, 20) > 0) {
			if (read(fd, &r, sizeof(r)) == sizeof(r)) {
				note(o, &r);
				continue;
			}
			o->over = true;
			o->end_ms = now_ms() - o->start;
			waitpid(pid, &o->wait_status, 0);
			continue;
		}
		if (o->over)
			usleep(20000);
		read_sys("status", o->status, sizeof(o->status));
		read_sys("hard_reset_cnt", o->after, sizeof(o->after));
		was_down |= strcmp(o->status, "Operational");
		if (o->over && settled(o))
			break;
		if (!was_down && harmless(o))
			break;
	}
	o->up_ms = now_ms() - o->start;
}

static void print(const char *name, const struct outcome *o)
{
	unsigned int i;

	printf("%s: work: %s; events:", name, o->error);
	for (i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++)
		if (o->events & 1ull << i)
			printf(" %s", event_names[i]);
	printf("; records:%s; process: %s; card: %s%s; dump: %s\n", o->records,
	       !o->over ? "works on" :
	       WIFSIGNALED(o->wait_status) ? "killed" : "exits",
	       o->status, strcmp(o->before, o->after) &&
	       strcmp(o->status, "gone") ? ", reset" : "",
	       coredump() ? "yes" : "no");
	printf("# %s: failed %llu ms, events %llu ms, process ended %llu ms, card back %llu ms\n",
	       name, (unsigned long long)o->failed_ms,
	       (unsigned long long)o->event_ms, (unsigned long long)o->end_ms,
	       (unsigned long long)o->up_ms);
}

int main(int argc, char **argv)
{
	struct outcome o = { .error = "goes on" };
	bool with_fd = false, stuck = false;
	int pipefd[2], opt;
	struct report r;
	pid_t pid;

	while ((opt = getopt(argc, argv, "es")) != -1) {
		with_fd |= opt == 'e';
		stuck |= opt == 's';
	}
	if (optind + 2 != argc || pipe(pipefd))
		return 2;
	efd = with_fd ? eventfd(0, EFD_CLOEXEC) : -1;
	pid = fork();
	if (!pid) {
		close(pipefd[0]);
		out = pipefd[1];
		child(stuck);
	}
	close(pipefd[1]);
	if (read(pipefd[0], &r, sizeof(r)) != sizeof(r) || r.kind != WORKS) {
		printf("%s: the child does not work: %s %s\n", argv[optind],
		       r.where, strerror(r.error));
		return 1;
	}
	usleep(300000);
	read_sys("hard_reset_cnt", o.before, sizeof(o.before));
	o.start = now_ms();
	if (system(argv[optind + 1]))
		printf("%s: the command failed\n", argv[optind]);
	watch(&o, pid, pipefd[0]);
	if (!o.over) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	print(argv[optind], &o);
	return 0;
}
