// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: binaries from before 6.7, whose ioctls have the type 'H' and numbers
 * from 1 on, work on gaudi.ko as those of today do, with arguments of any size
 * and from 32-bit programs. habanalabs.ko knows these numbers no more.
 */
#include <drm/drm.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

#define OLD_INFO	_IOWR('H', 1, struct hl_info_args)
#define OLD_CB		_IOWR('H', 2, union hl_cb_args)
#define OLD_CS		_IOWR('H', 3, union hl_cs_args)
#define OLD_WAIT_CS	_IOWR('H', 4, union hl_wait_cs_args)
#define OLD_MEMORY	_IOWR('H', 5, union hl_mem_args)
#define OLD_DEBUG	_IOWR('H', 6, struct hl_debug_args)

/* Of another size. */
#define SIZED(cmd, size) \
	_IOC(_IOC_READ | _IOC_WRITE, _IOC_TYPE(cmd), _IOC_NR(cmd), size)

GAUDI_FIXTURE(legacy)

/* What the driver answers where gaudi.ko answers rc. */
static int or_unknown(int fd, int rc)
{
	return gt_has(fd, GAUDI_CAP_SYNCOBJ) ? rc : -ENOTTY;
}

static struct hl_info_args hw_ip(struct hl_info_hw_ip_info *hw)
{
	memset(hw, 0, sizeof(*hw));
	return (struct hl_info_args){
		.return_pointer = (uintptr_t)hw, .return_size = sizeof(*hw),
		.op = HL_INFO_HW_IP_INFO,
	};
}

TEST_F(legacy, info_is_the_same)
{
	struct hl_info_hw_ip_info hw;
	struct hl_info_args args = hw_ip(&hw);

	ASSERT_EQ(or_unknown(self->fd, 0),
		  gt_ioctl(self->fd, OLD_INFO, &args));
	if (or_unknown(self->fd, 0))
		return;
	EXPECT_EQ(0, memcmp(&hw, &self->hw, sizeof(hw)));
	args.op = 0xffff;
	EXPECT_EQ(gt_ioctl(self->fd, DRM_IOCTL_HL_INFO, &args),
		  gt_ioctl(self->fd, OLD_INFO, &args));
}

/* One job by the old number of CS; the sequence number. */
static int old_submit(int fd, uint32_t queue, const struct gt_cb *cb,
		      uint64_t *seq)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle,
				     .cb_size = cb->len,
				     .queue_index = queue };
	union hl_cs_args cs = { .in = { .chunks_execute = (uintptr_t)&chunk,
					.num_chunks_execute = 1 } };
	int ret = gt_ioctl(fd, OLD_CS, &cs);

	*seq = cs.out.seq;
	return ret;
}

/* A buffer, a copy of host memory by the card and back, the waits for it. */
TEST_F(legacy, a_job_by_old_numbers_only)
{
	union hl_cb_args cb = { .in = { .op = HL_CB_OP_CREATE,
					.cb_size = 4096 } };
	union hl_mem_args mem = { .in = { .op = HL_MEM_OP_MAP,
					  .flags = HL_MEM_USERPTR } };
	uint64_t sram = self->hw.sram_base_address, va, seq, next;
	union hl_wait_cs_args wait = { };
	char *host = gt_alloc(8192);
	struct gt_cb buf = { };
	uint32_t status;

	if (or_unknown(self->fd, 0)) {
		EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd, OLD_CB, &cb));
		EXPECT_EQ(-ENOTTY, old_submit(self->fd, 0, &buf, &seq));
		EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd, OLD_WAIT_CS, &wait));
		EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd, OLD_MEMORY, &mem));
		return;
	}
	gt_fill(host, 4096, 7);
	mem.in.map_host.host_virt_addr = (uintptr_t)host;
	mem.in.map_host.mem_size = 8192;
	ASSERT_EQ(0, gt_ioctl(self->fd, OLD_MEMORY, &mem));
	va = mem.out.device_virt_addr;
	ASSERT_EQ(0, gt_ioctl(self->fd, OLD_CB, &cb));
	buf.handle = cb.out.cb_handle;
	buf.map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		       (off_t)buf.handle);
	ASSERT_NE(MAP_FAILED, buf.map);

	buf.len = gt_pkt_lin_dma(buf.map, va, sram, 4096, EB | RB | MB);
	ASSERT_EQ(0, old_submit(self->fd, 0, &buf, &seq));
	wait.in.seq = seq;
	wait.in.timeout_us = 20000000;
	ASSERT_EQ(0, gt_ioctl(self->fd, OLD_WAIT_CS, &wait));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, wait.out.status);
	gt_pkt_lin_dma(buf.map, sram, va + 4096, 4096, EB | RB | MB);
	ASSERT_EQ(0, old_submit(self->fd, 4, &buf, &next));
	EXPECT_EQ(seq + 1, next);
	/* The end of it is seen by today's number as well. */
	ASSERT_EQ(0, gt_wait(self->fd, next, 20000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	EXPECT_EQ(-1, gt_check(host + 4096, 4096, 7));

	munmap(buf.map, 4096);
	cb.in = (struct hl_cb_in){ .op = HL_CB_OP_DESTROY,
				   .cb_handle = buf.handle };
	EXPECT_EQ(0, gt_ioctl(self->fd, OLD_CB, &cb));
	mem.in = (struct hl_mem_in){ .op = HL_MEM_OP_UNMAP,
				     .unmap.device_virt_addr = va };
	EXPECT_EQ(0, gt_ioctl(self->fd, OLD_MEMORY, &mem));
}

TEST_F(legacy, debug_is_the_same)
{
	struct hl_debug_args args = { .op = HL_DEBUG_OP_SET_MODE };

	/* Nobody is in debug mode: it cannot be left. */
	EXPECT_EQ(-EFAULT, gt_ioctl(self->fd, DRM_IOCTL_HL_DEBUG, &args));
	EXPECT_EQ(or_unknown(self->fd, -EFAULT),
		  gt_ioctl(self->fd, OLD_DEBUG, &args));
	args.op = 99;
	EXPECT_EQ(or_unknown(self->fd, gt_ioctl(self->fd, DRM_IOCTL_HL_DEBUG,
						&args)),
		  gt_ioctl(self->fd, OLD_DEBUG, &args));
	/* What works is debug_test's, as the card models no trace units. */
}

TEST_F(legacy, other_numbers_are_unknown)
{
	struct hl_info_hw_ip_info hw;
	struct hl_info_args args = hw_ip(&hw);
	char arg[256] = "";
	unsigned int nr;

	for (nr = 0; nr < 256; nr++)
		if (nr < 1 || nr > 6)
			EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd,
				_IOC(3, 'H', nr, sizeof(arg)), arg))
				TH_LOG("number %u", nr);
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd, _IO('H', 1), &args));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd,
				    _IOW('H', 1, struct hl_info_args), &args));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd,
				    _IOR('H', 1, struct hl_info_args), &args));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd,
				    _IOWR('G', 1, struct hl_info_args), &args));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->fd,
				    _IOWR('h', 1, struct hl_info_args), &args));
	EXPECT_EQ(0, hw.device_id);
}

/* What is missing is 0, and no byte behind the caller's size is written. */
TEST_F(legacy, smaller_arguments)
{
	struct hl_info_hw_ip_info hw;
	struct {
		union hl_wait_cs_args args;
		uint64_t behind;
	} wait;
	struct hl_info_args info;
	uint64_t seq;

	info = hw_ip(&hw);
	info.pad = 0xffffffff;
	EXPECT_EQ(or_unknown(self->fd, 0),
		  gt_ioctl(self->fd, SIZED(OLD_INFO, 16), &info));
	if (or_unknown(self->fd, 0))
		return;
	EXPECT_EQ(0x1000, hw.device_id);
	EXPECT_EQ(0xffffffff, info.pad);
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, OLD_INFO, &info));
	/* Without its opcode it asks for opcode 0, into nothing. */
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, SIZED(OLD_INFO, 0), &info));

	/* 24 bytes: so were WAIT_CS's before 5.12. */
	ASSERT_EQ(0, gt_submit(self->fd, 0, &(struct gt_cb){
			.handle = self->cb.handle,
			.len = gt_pkt_nop(self->cb.map, 0) }, &seq));
	memset(&wait, 0xff, sizeof(wait));
	memset(&wait, 0, 24);
	wait.args.in.seq = seq;
	wait.args.in.timeout_us = 20000000;
	ASSERT_EQ(0, gt_ioctl(self->fd, SIZED(OLD_WAIT_CS, 24), &wait));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, wait.args.out.status);
	EXPECT_EQ(0xff, ((unsigned char *)&wait)[24]);
	EXPECT_EQ(~0ull, wait.behind);

	/* An answer that is cut in the middle. */
	memset(&wait, 0xff, sizeof(wait));
	memset(&wait, 0, 8);
	wait.args.in.seq = seq;
	EXPECT_EQ(0, gt_ioctl(self->fd, SIZED(OLD_WAIT_CS, 8), &wait));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, wait.args.out.status);
	EXPECT_EQ(0xff, ((unsigned char *)&wait)[8]);
}

/* What a later kernel may add: taken, not looked at, and given back. */
TEST_F(legacy, bigger_arguments)
{
	struct hl_info_hw_ip_info hw;
	struct {
		struct hl_info_args args;
		char more[4096];
	} *big = gt_alloc(sizeof(*big));
	unsigned long old = SIZED(OLD_INFO, sizeof(*big));
	unsigned long now = SIZED(DRM_IOCTL_HL_INFO, sizeof(*big));

	big->args = hw_ip(&hw);
	memset(big->more, 0x5a, sizeof(big->more));
	EXPECT_EQ(or_unknown(self->fd, 0), gt_ioctl(self->fd, old, big));
	EXPECT_EQ(or_unknown(self->fd, 0) ? 0 : 0x1000, hw.device_id);
	EXPECT_EQ(0x5a, big->more[0]);
	EXPECT_EQ(0x5a, big->more[sizeof(big->more) - 1]);
	big->args = hw_ip(&hw);
	EXPECT_EQ(0, gt_ioctl(self->fd, now, big));
	EXPECT_EQ(0x1000, hw.device_id);
	/* All that the size says must be there. */
	ASSERT_EQ(0, munmap((char *)big + 4096, 4096));
	EXPECT_EQ(or_unknown(self->fd, -EFAULT),
		  gt_ioctl(self->fd, old, big));
}

TEST_F(legacy, control_node_has_info_only)
{
	struct hl_info_hw_ip_info hw;
	struct hl_info_args args = hw_ip(&hw);
	int fd = gt_open_control(), want = or_unknown(self->fd, 0);
	char arg[256] = "";
	unsigned int nr;

	ASSERT_GE(fd, 0);
	EXPECT_EQ(want, gt_ioctl(fd, OLD_INFO, &args));
	EXPECT_EQ(want ? 0 : 0x1000, hw.device_id);
	args = hw_ip(&hw);
	args.pad = 0xffffffff;
	EXPECT_EQ(want, gt_ioctl(fd, SIZED(OLD_INFO, 16), &args));
	EXPECT_EQ(0xffffffff, args.pad);
	for (nr = 0; nr < 64; nr++)
		if (nr != 1)
			EXPECT_EQ(-ENOTTY, gt_ioctl(fd,
				_IOC(3, 'H', nr, sizeof(arg)), arg))
				TH_LOG("number %u", nr);
	EXPECT_EQ(-ENOTTY, gt_ioctl(fd, _IO('H', 1), &args));
	close(fd);
}

#ifdef __x86_64__
/* A system call as a 32-bit program makes it; 54 is ioctl(). */
static int syscall_32(int nr, unsigned int a, unsigned int b, unsigned int c)
{
	int ret;

	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static bool has_32_bit_calls(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		_exit(syscall_32(20, 0, 0, 0) != getpid());
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

struct low {
	struct hl_info_hw_ip_info hw;
	struct hl_info_args args;
	uint32_t version[9];	/* struct drm_version with pointers of 32 bits */
	char name[64];
};

TEST_F(legacy, from_32_bit_programs)
{
	struct low *low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	unsigned int arg = (uintptr_t)&low->args, request;
	int ctl = gt_open_control();

	if (!has_32_bit_calls())
		SKIP(return, "the kernel takes no 32-bit calls");
	ASSERT_NE(MAP_FAILED, (void *)low);
	low->args = hw_ip(&low->hw);
	EXPECT_EQ(0, syscall_32(54, self->fd, DRM_IOCTL_HL_INFO, arg));
	EXPECT_EQ(0x1000, low->hw.device_id);

	low->args = hw_ip(&low->hw);
	EXPECT_EQ(or_unknown(self->fd, 0), syscall_32(54, ctl, OLD_INFO, arg));
	EXPECT_EQ(or_unknown(self->fd, 0) ? 0 : 0x1000, low->hw.device_id);
	EXPECT_EQ(-ENOTTY, syscall_32(54, self->fd,
				      _IOC(3, 'H', 0x41, 24), arg));
	/*
	 * Not on mainline: DRM takes H's number 1 for one of its own there,
	 * which crashes on accel nodes.
	 */
	if (!or_unknown(self->fd, 0)) {
		low->args = hw_ip(&low->hw);
		EXPECT_EQ(0, syscall_32(54, self->fd, OLD_INFO, arg));
		EXPECT_EQ(0x1000, low->hw.device_id);
		EXPECT_EQ(-ENOTTY, syscall_32(54, self->fd,
					      _IOC(3, 'G', 1, 24), arg));
		EXPECT_EQ(-EACCES, syscall_32(54, self->fd,
					      _IOC(3, 'd', 1, 8), arg));
		EXPECT_EQ(-EACCES, syscall_32(54, self->fd,
					      _IOC(2, 'd', 2, 4), arg));
	}

	/* One of DRM's whose argument is another one for 32 bits. */
	low->version[3] = sizeof(low->name) - 1;
	low->version[4] = (uintptr_t)low->name;
	request = (unsigned int)_IOC(3, 'd', 0, sizeof(low->version));
	EXPECT_EQ(0, syscall_32(54, self->fd, request,
				(uintptr_t)low->version));
	EXPECT_EQ(strlen(low->name), low->version[3]);
	EXPECT_NE('\0', low->name[0]);
	close(ctl);
}
#endif

TEST_HARNESS_MAIN
