// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: whichever allocation or copy fails, a call of the uAPI ends with an
 * errno that says so, or works all the same; nothing is left half done: the
 * same call works afterwards, and kmemleak (see the suite) finds nothing lost.
 *
 * Each step of a working sequence is taken with its first allocation failing,
 * then its second, and so on, until it ends without having met the failure.
 * Needs CONFIG_FAULT_INJECTION. With arguments "write FILE TEXT", the step is
 * writing TEXT to FILE (bind, unbind), "FROM TO" may follow to take part of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "gaudi_test.h"

#define MAX_FAULTS	5000
#define MEM_SIZE	0x40000
/* What step "fences" waits for. */
#define GATE_SOB	1600

struct state {
	int fd, dmabuf, eventfd, udmabuf;
	struct gt_cb cb, second;
	void *mem, *map;
	uint64_t va, seq, handle, hbm, ts, import;
	uint32_t reserved;
};

struct step {
	const char *name;
	int (*act)(struct state *s);
	/* Undo what act did, so that it can be tried again; may be NULL. */
	int (*undo)(struct state *s);
};

static int nth_fd = -1;

/* The failure may be waiting for this very call: then it is over with it. */
static void nth_set(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth_fd, text, len, 0) == len ||
	    pwrite(nth_fd, text, len, 0) == len)
		return;
	perror("fail-nth");
	exit(4);
}

/* True if the failure was met, and not just by looking whether it was. */
static bool nth_end(void)
{
	char text[16] = "";
	bool looked = pread(nth_fd, text, sizeof(text) - 1, 0) >= 0;

	nth_set(0);
	return looked && !atoi(text);
}

static int mem_op(struct state *s, uint32_t op, union hl_mem_args *args)
{
	args->in.op = op;
	return gt_ioctl(s->fd, DRM_IOCTL_HL_MEMORY, args);
}

static int do_open(struct state *s)
{
	s->fd = gt_open_once();
	return s->fd < 0 ? s->fd : 0;
}

/* A device that was closed is let go of in the background. */
static int undo_open(struct state *s)
{
	close(s->fd);
	s->fd = gt_open();
	if (s->fd < 0)
		return s->fd;
	close(s->fd);
	usleep(100000);
	return 0;
}

static int do_info(struct state *s)
{
	static char buf[65536];
	static const uint8_t ops[] = {
		HL_INFO_HW_IP_INFO, HL_INFO_HW_EVENTS, HL_INFO_DRAM_USAGE,
		HL_INFO_HW_IDLE, HL_INFO_DEVICE_STATUS,
		HL_INFO_DEVICE_UTILIZATION, HL_INFO_HW_EVENTS_AGGREGATE,
		HL_INFO_CLK_RATE, HL_INFO_RESET_COUNT, HL_INFO_TIME_SYNC,
		HL_INFO_CS_COUNTERS, HL_INFO_PCI_COUNTERS,
		HL_INFO_CLK_THROTTLE_REASON, HL_INFO_SYNC_MANAGER,
		HL_INFO_TOTAL_ENERGY, HL_INFO_PLL_FREQUENCY, HL_INFO_POWER,
		HL_INFO_OPEN_STATS, HL_INFO_DRAM_REPLACED_ROWS,
		HL_INFO_DRAM_PENDING_ROWS, HL_INFO_LAST_ERR_OPEN_DEV_TIME,
		HL_INFO_CS_TIMEOUT_EVENT, HL_INFO_RAZWI_EVENT,
		HL_INFO_DEV_MEM_ALLOC_PAGE_SIZES, HL_INFO_GET_EVENTS,
		HL_INFO_UNDEFINED_OPCODE_EVENT, HL_INFO_ENGINE_STATUS,
		HL_INFO_PAGE_FAULT_EVENT, HL_INFO_USER_MAPPINGS,
		HL_INFO_SECURED_ATTESTATION, HL_INFO_DEV_SIGNED,
		HL_INFO_FW_GENERIC_REQ,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < sizeof(ops); i++) {
		ret = gt_info(s->fd, ops[i], buf, sizeof(buf));
		if (ret == -ENOMEM || ret == -EFAULT)
			return ret;
	}
	return 0;
}

static int do_cb(struct state *s)
{
	int ret = gt_cb_create(s->fd, 0x4000, &s->cb);

	s->map = s->cb.map;
	return ret;
}

/* A mapping keeps the file open. Where the fault stops this, it is over then. */
static void unmap_cb(struct state *s)
{
	if (s->map && munmap(s->map, 0x4000) && munmap(s->map, 0x4000))
		perror("munmap");
	s->map = NULL;
	s->cb.map = NULL;
}

static int undo_cb(struct state *s)
{
	unmap_cb(s);
	return gt_cb_destroy(s->fd, &s->cb);
}

static int do_mapped_cb(struct state *s)
{
	union hl_cb_args args = { .in = {
		.op = HL_CB_OP_CREATE, .cb_size = 0x2000,
		.flags = HL_CB_FLAGS_MAP } };
	int ret = gt_ioctl(s->fd, DRM_IOCTL_HL_CB, &args);

	s->second.handle = args.out.cb_handle;
	return ret;
}

static int undo_mapped_cb(struct state *s)
{
	union hl_cb_args args = { .in = {
		.op = HL_CB_OP_DESTROY, .cb_handle = s->second.handle } };

	return gt_ioctl(s->fd, DRM_IOCTL_HL_CB, &args);
}

static int do_map_host(struct state *s)
{
	return gt_map_host(s->fd, s->mem, MEM_SIZE, &s->va);
}

static int undo_map_host(struct state *s)
{
	return gt_unmap(s->fd, s->va);
}

static int do_alloc(struct state *s)
{
	union hl_mem_args args = { .in.alloc.mem_size = 4 << 20 };
	int ret = mem_op(s, HL_MEM_OP_ALLOC, &args);

	s->handle = args.out.handle;
	return ret;
}

static int undo_alloc(struct state *s)
{
	union hl_mem_args args = { .in.free.handle = s->handle };

	return mem_op(s, HL_MEM_OP_FREE, &args);
}

static int do_map_hbm(struct state *s)
{
	union hl_mem_args args = { .in.map_device.handle = s->handle };
	int ret = mem_op(s, HL_MEM_OP_MAP, &args);

	s->hbm = args.out.device_virt_addr;
	return ret;
}

static int undo_map_hbm(struct state *s)
{
	return gt_unmap(s->fd, s->hbm);
}

static int do_dmabuf(struct state *s)
{
	union hl_mem_args args = { 0 };
	int ret;

	args.in.export_dmabuf_fd.addr = s->hbm;
	args.in.export_dmabuf_fd.mem_size = 2 << 20;
	args.in.flags = O_RDWR | O_CLOEXEC;
	ret = mem_op(s, HL_MEM_OP_EXPORT_DMABUF_FD, &args);
	s->dmabuf = args.out.fd;
	return ret;
}

static int undo_dmabuf(struct state *s)
{
	return close(s->dmabuf) ? -errno : 0;
}

static int do_ts(struct state *s)
{
	union hl_mem_args args = { .in.num_of_elements = 16 };
	int ret = mem_op(s, HL_MEM_OP_TS_ALLOC, &args);
	void *map;

	s->ts = args.out.handle;
	if (ret)
		return ret;
	/* The handle is good until its last mapping goes. */
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
		   s->ts);
	if (map == MAP_FAILED)
		return -errno;
	munmap(map, 4096);
	return 0;
}

static int do_cs(struct state *s)
{
	uint32_t status;
	int ret;

	s->cb.len = gt_pkt_lin_dma(s->cb.map, s->va, 0x20000000, 0x1000, EB);
	ret = gt_submit(s->fd, GAUDI_QUEUE_ID_DMA_0_0, &s->cb, &s->seq);
	if (ret)
		return ret;
	ret = gt_wait(s->fd, s->seq, 60000000, &status);
	return ret ? ret : status ? -EIO : 0;
}

static int do_signal(struct state *s)
{
	struct hl_cs_chunk chunk = { .queue_index = GAUDI_QUEUE_ID_DMA_0_0 };
	struct hl_cs_chunk wait = { .queue_index = GAUDI_QUEUE_ID_DMA_1_0 };
	uint64_t seq, wait_seq;
	uint32_t status;
	int ret;

	ret = gt_submit_chunks(s->fd, &chunk, 1, HL_CS_FLAGS_SIGNAL, &seq);
	if (ret)
		return ret;
	wait.signal_seq_arr = (uintptr_t)&seq;
	wait.num_signal_seq_arr = 1;
	ret = gt_submit_chunks(s->fd, &wait, 1, HL_CS_FLAGS_WAIT, &wait_seq);
	/* 0: the signal was first. */
	if (ret < 0)
		return ret;
	ret = gt_wait(s->fd, seq, 60000000, &status);
	return ret ? ret : status ? -EIO : 0;
}

/* More jobs than fit on the kernel's stack, and some before them. */
static int do_many(struct state *s)
{
	struct hl_cs_chunk chunks[6];
	union hl_cs_args args = { .in = {
		.chunks_restore = (uintptr_t)chunks, .num_chunks_restore = 5,
		.chunks_execute = (uintptr_t)chunks, .num_chunks_execute = 6,
		.cs_flags = HL_CS_FLAGS_FORCE_RESTORE } };
	uint32_t status, i;
	int ret;

	s->cb.len = gt_pkt_nop(s->cb.map, 0);
	for (i = 0; i < 6; i++)
		chunks[i] = (struct hl_cs_chunk){ .cb_handle = s->cb.handle,
						  .cb_size = s->cb.len,
						  .queue_index = i };
	ret = gt_ioctl(s->fd, DRM_IOCTL_HL_CS, &args);
	if (ret)
		return ret;
	ret = gt_wait(s->fd, args.out.seq, 60000000, &status);
	return ret ? ret : status ? -EIO : 0;
}

static int do_reserve(struct state *s)
{
	union hl_cs_args args = { .in = {
		.encaps_signals_count = 3,
		.encaps_signals_q_idx = GAUDI_QUEUE_ID_DMA_0_2,
		.cs_flags = HL_CS_FLAGS_RESERVE_SIGNALS_ONLY } };
	int ret = gt_ioctl(s->fd, DRM_IOCTL_HL_CS, &args);

	s->reserved = args.out.handle_id;
	return ret;
}

static int undo_reserve(struct state *s)
{
	union hl_cs_args args = { .in = {
		.encaps_sig_handle_id = s->reserved,
		.cs_flags = HL_CS_FLAGS_UNRESERVE_SIGNALS_ONLY } };

	return gt_ioctl(s->fd, DRM_IOCTL_HL_CS, &args);
}

static int set_gate(struct state *s, uint32_t value)
{
	s->cb.len = gt_pkt_msg_long(s->cb.map, SOB_E_N(GATE_SOB), value, MB);
	return gt_run(s->fd, GAUDI_QUEUE_ID_DMA_0_0, &s->cb);
}

static int cs_sync(struct state *s, uint32_t queue, struct drm_gaudi_cs *cs)
{
	struct hl_cs_chunk chunk = { .cb_handle = s->cb.handle,
				     .cb_size = s->cb.len,
				     .queue_index = queue };

	cs->chunks = (uintptr_t)&chunk;
	cs->num_chunks = 1;
	return gt_ioctl(s->fd, DRM_IOCTL_GAUDI_CS, cs);
}

/* One that waits for the gate, and one that waits for that, by two fences. */
static int cs_chain(struct state *s, uint32_t syncobj, uint64_t *seqs)
{
	struct drm_gaudi_sync sync = { .handle = syncobj, .point = 1 };
	struct drm_gaudi_cs first = {
		.flags = GAUDI_CS_OUT_FENCE_FD, .num_out_syncs = 1,
		.out_syncs = (uintptr_t)&sync };
	struct drm_gaudi_cs second = {
		.flags = GAUDI_CS_IN_FENCE_FD, .num_in_syncs = 1,
		.in_syncs = (uintptr_t)&sync };
	union hl_wait_cs_args any = { .in = {
		.seq = (uintptr_t)seqs, .seq_arr_len = 2,
		.flags = HL_WAIT_CS_FLAGS_MULTI_CS, .timeout_us = 1000 } };
	char *p = s->cb.map;
	int ret;

	p += gt_pkt_monitor(p, 500, GATE_SOB, 1, DMA_FENCE2(1, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	s->cb.len = p - (char *)s->cb.map;
	ret = cs_sync(s, GAUDI_QUEUE_ID_DMA_1_0, &first);
	if (ret)
		return ret;
	seqs[0] = first.seq;
	second.in_fence_fd = first.out_fence_fd;
	s->cb.len = gt_pkt_nop(s->cb.map, 0);
	ret = cs_sync(s, GAUDI_QUEUE_ID_DMA_0_1, &second);
	close(first.out_fence_fd);
	if (ret)
		return ret;
	seqs[1] = second.seq;
	return gt_ioctl(s->fd, DRM_IOCTL_HL_WAIT_CS, &any);
}

static int do_fences(struct state *s)
{
	struct drm_syncobj_create obj = { 0 };
	struct drm_syncobj_destroy gone = { 0 };
	uint64_t seqs[2] = { 0 };
	uint32_t status;
	int ret;

	ret = set_gate(s, 0);
	if (!ret)
		ret = gt_ioctl(s->fd, DRM_IOCTL_SYNCOBJ_CREATE, &obj);
	if (ret)
		return ret;
	ret = cs_chain(s, obj.handle, seqs);
	/* Whatever is queued by now ends; a fault that is met here is over. */
	if (set_gate(s, 1) && set_gate(s, 1))
		return -EIO;
	gone.handle = obj.handle;
	if (gt_ioctl(s->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &gone))
		gt_ioctl(s->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &gone);
	if (ret)
		return ret;
	ret = gt_wait(s->fd, seqs[1], 60000000, &status);
	return ret ? ret : status ? -EIO : 0;
}

static int do_import(struct state *s)
{
	struct drm_gaudi_import args = { .fd = s->udmabuf };
	int ret = gt_ioctl(s->fd, DRM_IOCTL_GAUDI_IMPORT, &args);

	s->import = args.dev_addr;
	return ret;
}

static int undo_import(struct state *s)
{
	return gt_unmap(s->fd, s->import);
}

static int do_eventfd(struct state *s)
{
	struct hl_info_args args = { .op = HL_INFO_REGISTER_EVENTFD,
				     .eventfd = s->eventfd };

	return gt_ioctl(s->fd, DRM_IOCTL_HL_INFO, &args);
}

static int undo_eventfd(struct state *s)
{
	struct hl_info_args args = { .op = HL_INFO_UNREGISTER_EVENTFD };

	return gt_ioctl(s->fd, DRM_IOCTL_HL_INFO, &args);
}

static int do_sysfs(struct state *s)
{
	static const char *const names[] = {
		"status", "clk_cur_freq_mhz", "max_power", "armcp_ver",
		"device_type", "hard_reset_cnt",
	};
	char text[64];
	unsigned int i;
	int ret;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ret = gt_sysfs_read(names[i], text, sizeof(text));
		if (ret < 0)
			return ret;
	}
	return 0;
}

static const struct step steps[] = {
	{ "open", do_open, undo_open },
	{ "info", do_info, NULL },
	{ "cb", do_cb, undo_cb },
	{ "mapped cb", do_mapped_cb, undo_mapped_cb },
	{ "map host", do_map_host, undo_map_host },
	{ "alloc", do_alloc, undo_alloc },
	{ "map hbm", do_map_hbm, undo_map_hbm },
	{ "dmabuf", do_dmabuf, undo_dmabuf },
	{ "timestamps", do_ts, NULL },
	{ "cs", do_cs, NULL },
	{ "signal", do_signal, NULL },
	{ "many jobs", do_many, NULL },
	{ "reserve", do_reserve, undo_reserve },
	{ "fences", do_fences, NULL },
	{ "import", do_import, undo_import },
	{ "eventfd", do_eventfd, undo_eventfd },
	{ "sysfs", do_sysfs, NULL },
	/* What takes things away must work whatever fails. */
	{ "unmap import", undo_import, do_import },
	{ "unreserve", undo_reserve, do_reserve },
	{ "unregister", undo_eventfd, do_eventfd },
	{ "close dmabuf", undo_dmabuf, do_dmabuf },
	{ "unmap hbm", undo_map_hbm, do_map_hbm },
	{ "free", undo_alloc, do_alloc },
	{ "unmap host", undo_map_host, do_map_host },
	{ "destroy mapped cb", undo_mapped_cb, do_mapped_cb },
	{ "destroy cb", undo_cb, do_cb },
};

/*
 * A result that could not be copied out is EFAULT, but what the call has made,
 * or taken away, stays so; DRM leaves no way to undo it. Start over: with that,
 * a close has to clear up what nobody knows the name of.
 */
static int start_over(struct state *s, const struct step *upto)
{
	const struct step *step;
	int ret = 0;

	unmap_cb(s);
	close_range(s->eventfd + 1, ~0u, 0);
	if (upto == steps)
		return undo_open(s);
	s->fd = gt_open();
	if (s->fd < 0)
		return s->fd;
	for (step = steps + 1; step < upto && !ret; step++)
		ret = step->act(s);
	return ret;
}

static bool is_clean(int ret)
{
	switch (-ret) {
	case ENOMEM: case EFAULT: case EAGAIN: case EBUSY: case ENFILE:
	case EMFILE: case ENOSPC:
		return true;
	}
	return false;
}

/* Returns true if the step did what it must. */
static bool sweep(struct state *s, const struct step *step)
{
	unsigned int n, failed = 0, survived = 0;
	int ret;

	for (n = 1; n < MAX_FAULTS; n++) {
		bool hit;

		nth_set(n);
		ret = step->act(s);
		hit = nth_end();
		if (!hit)
			break;
		if (ret && !is_clean(ret)) {
			printf("# %s: %s when fault %u was met\n", step->name,
			       strerror(-ret), n);
			return false;
		}
		if (ret == -EFAULT && step->undo) {
			failed++;
			ret = start_over(s, step);
		} else if (ret) {
			failed++;
			continue;
		} else {
			survived++;
			ret = step->undo ? step->undo(s) : 0;
		}
		if (ret) {
			printf("# %s: cannot undo after fault %u: %s\n",
			       step->name, n, strerror(-ret));
			return false;
		}
	}
	if (ret)
		printf("# %s: %s without a fault, after %u with one\n",
		       step->name, strerror(-ret), n - 1);
	else
		printf("# %s: %u faults, %u refused it\n", step->name,
		       failed + survived, failed);
	return !ret;
}

/* write FILE TEXT [FROM TO]: the step is the write; its undo is by hand. */
static int sweep_write(int argc, char **argv)
{
	unsigned int n = argc > 4 ? atoi(argv[4]) : 1;
	int fd = open(argv[2], O_WRONLY | O_CLOEXEC), ret;
	bool hit;

	if (fd < 0)
		return 1;
	nth_set(n);
	ret = write(fd, argv[3], strlen(argv[3])) < 0 ? -errno : 0;
	hit = nth_end();
	close(fd);
	printf("# fault %u: %s, %s\n", n, hit ? "met" : "not met",
	       ret ? strerror(-ret) : "works");
	/* 0: works, 2: failed in order, 3: the sweep is over, 1: bad */
	if (!hit)
		return ret ? 1 : 3;
	return ret ? 2 : 0;
}

static int make_udmabuf(void)
{
	struct udmabuf_create args = { .flags = UDMABUF_FLAGS_CLOEXEC,
				       .size = MEM_SIZE };
	int dev = open("/dev/udmabuf", O_RDWR), fd = -1;

	args.memfd = memfd_create("gaudi", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (dev >= 0 && !ftruncate(args.memfd, MEM_SIZE) &&
	    !fcntl(args.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		fd = ioctl(dev, UDMABUF_CREATE, &args);
	close(args.memfd);
	close(dev);
	/* To the lowest free number: those above are closed for a new start. */
	dev = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	close(fd);
	return dev;
}

int main(int argc, char **argv)
{
	unsigned int i, n = sizeof(steps) / sizeof(steps[0]);
	struct state s = { .fd = -1 };
	bool bad = false;

	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0) {
		printf("1..0 # SKIP no fault injection in this kernel\n");
		return 4;
	}
	if (argc > 3 && !strcmp(argv[1], "write"))
		return sweep_write(argc, argv);
	s.mem = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s.udmabuf = make_udmabuf();
	/* The last of those that a new start leaves open. */
	s.eventfd = eventfd(0, EFD_CLOEXEC);
	if (s.mem == MAP_FAILED || s.udmabuf < 0 || s.eventfd < s.udmabuf) {
		perror("fail_nth: no memory, udmabuf or eventfd");
		return 1;
	}
	/* From the end on, for pages that do not follow each other. */
	for (i = MEM_SIZE; i; i -= 4096)
		((char *)s.mem)[i - 1] = 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%u\n", n);
	for (i = 0; i < n && !bad; i++) {
		bad = !sweep(&s, &steps[i]);
		printf("%sok %u %s\n", bad ? "not " : "", i + 1, steps[i].name);
	}
	close(s.fd);
	return bad;
}
