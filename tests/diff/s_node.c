// SPDX-License-Identifier: GPL-2.0-only
/* The nodes as files, DEBUG, and what a close leaves behind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <drm/drm.h>

#include "steps.h"

#define NODE		"/dev/accel/accel0"
#define CONTROL		"/dev/accel/accel_controlD0"

static void try_open(const char *path, int flags, const char *what)
{
	char buf[16] = "", name[128];
	int file = open(path, flags | O_CLOEXEC), rc = file < 0 ? -errno : 0;
	struct pollfd p = { .events = POLLIN | POLLOUT | POLLPRI };
	int n;

	say(what, "%s", errname(rc));
	if (file < 0)
		return;
	snprintf(name, sizeof(name), "%s: read", what);
	fcntl(file, F_SETFL, O_NONBLOCK);
	say(name, "%s", errname(read(file, buf, 16) < 0 ? -errno : 0));
	snprintf(name, sizeof(name), "%s: write", what);
	say(name, "%s", errname(write(file, buf, 16) < 0 ? -errno : 0));
	snprintf(name, sizeof(name), "%s: seek", what);
	say(name, "%s", errname(lseek(file, 10, SEEK_SET) < 0 ? -errno : 0));
	snprintf(name, sizeof(name), "%s: poll", what);
	p.fd = file;
	n = poll(&p, 1, 0);
	say(name, "%d %#x", n, p.revents);
	snprintf(name, sizeof(name), "%s: mmap", what);
	say(name, "%s", mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0) ==
	    MAP_FAILED ? errname(-errno) : "mapped");
	snprintf(name, sizeof(name), "%s: truncate", what);
	say(name, "%s", errname(ftruncate(file, 0) ? -errno : 0));
	close(file);
	/* The last user is cleaned up. */
	usleep(300000);
}

static void open_script(void)
{
	struct stat st;
	int a, b;

	try_open(NODE, O_RDWR, "node");
	try_open(NODE, O_RDONLY, "node, read only");
	try_open(NODE, O_WRONLY, "node, write only");
	try_open(CONTROL, O_RDWR, "control");
	try_open(CONTROL, O_RDONLY, "control, read only");
	try_open(CONTROL, O_WRONLY, "control, write only");
	say("node is", "%s", stat(NODE, &st) ? errname(-errno) :
	    S_ISCHR(st.st_mode) ? "a character device" : "something else");
	say("control is", "%s", stat(CONTROL, &st) ? errname(-errno) :
	    S_ISCHR(st.st_mode) ? "a character device" : "something else");
	say("numbers", "control %#o", st.st_mode & 0777);
	a = gt_open_once();
	b = gt_open_once();
	say("open twice", "%s %s", errname(a < 0 ? a : 0),
	    errname(b < 0 ? b : 0));
	close(a);
	a = gt_open();
	say("open again", "%s", errname(a < 0 ? a : 0));
	a = gt_open_control();
	b = gt_open_control();
	say("control twice", "%s %s", errname(a < 0 ? a : 0),
	    errname(b < 0 ? b : 0));
}

static void control_script(void)
{
	struct hl_info_device_status status = { 0 };
	struct hl_info_args args = {
		.return_pointer = PTR(&status), .op = HL_INFO_DEVICE_STATUS,
		.return_size = sizeof(status),
	};
	char arg[512] = "";
	unsigned int nr, type;
	char name[64];
	int ctl, rc;

	ctl = gt_open_control();
	for (nr = 0; nr < 0x60; nr++) {
		if (nr == 0x40)
			continue;
		snprintf(name, sizeof(name), "ioctl d %#x", nr);
		say(name, "%s", errname(gt_ioctl(ctl,
			_IOC(3, 'd', nr, 24), arg)));
	}
	for (type = 'A'; type <= 'z'; type += 7) {
		snprintf(name, sizeof(name), "ioctl %c 0x40", type);
		say(name, "%s", errname(gt_ioctl(ctl,
			_IOC(3, type, 0x40, 24), &args)));
	}
	rc = gt_ioctl(ctl, DRM_IOCTL_HL_INFO, &args);
	say("info", "%s %u", errname(rc), status.status);
	say("mmap", "%s", mmap(NULL, 4096, PROT_READ, MAP_SHARED, ctl, 0) ==
	    MAP_FAILED ? errname(-errno) : "mapped");
}

/* DRM's own ioctls, and numbers that nobody has. */
static void drm_script(void)
{
	char name[64] = "", date[64] = "", desc[64] = "", arg[512];
	struct drm_version version = {
		.name = name, .name_len = sizeof(name) - 1,
		.date = date, .date_len = sizeof(date) - 1,
		.desc = desc, .desc_len = sizeof(desc) - 1,
	};
	struct drm_get_cap cap;
	struct drm_set_client_cap client;
	unsigned int i;
	char what[64];
	int rc;

	say("version", "%s", errname(gt_ioctl(fd, DRM_IOCTL_VERSION,
					      &version)));
	say("version, name", "%s", name);
	say("version, number", "%d.%d.%d", version.version_major,
	    version.version_minor, version.version_patchlevel);
	say("version, description", "%s", desc);
	say("version, date", "%s", date);
	for (i = 0; i < 24; i++) {
		cap = (struct drm_get_cap){ .capability = i };
		snprintf(what, sizeof(what), "capability %u", i);
		rc = gt_ioctl(fd, DRM_IOCTL_GET_CAP, &cap);
		say(what, "%s %llu", errname(rc),
		    (unsigned long long)cap.value);
	}
	for (i = 0; i < 8; i++) {
		client = (struct drm_set_client_cap){ .capability = i,
						      .value = 1 };
		snprintf(what, sizeof(what), "client capability %u", i);
		say(what, "%s", errname(gt_ioctl(fd, DRM_IOCTL_SET_CLIENT_CAP,
						 &client)));
	}
	for (i = 6; i < 0x100; i++) {
		/* What an extension has: see the table. */
		if (i >= 0x40 && i <= 0x45)
			continue;
		memset(arg, 0, sizeof(arg));
		snprintf(what, sizeof(what), "ioctl %#x", i);
		say(what, "%s", errname(gt_ioctl(fd, _IOC(3, 'd', i, 64),
						 arg)));
	}
}

/* Number nr of before 6.7 with zeros, or with those of INFO if it is that. */
static void say_legacy(int file, const char *whose, unsigned int nr,
		       const struct hl_info_args *info)
{
	char arg[512] = "", what[64];

	snprintf(what, sizeof(what), "%sioctl H %u", whose, nr);
	if (nr == 1)
		memcpy(arg, info, sizeof(*info));
	say(what, "%s", errname(gt_ioctl(file, _IOC(3, 'H', nr, 64), arg)));
}

/* The numbers of before 6.7, with arguments of several sizes. */
static void legacy_script(void)
{
	struct hl_info_device_status status = { 0 };
	struct hl_info_args args = {
		.return_pointer = PTR(&status), .op = HL_INFO_DEVICE_STATUS,
		.return_size = sizeof(status),
	};
	int ctl = gt_open_control();
	unsigned int i;

	for (i = 0; i < 10; i++) {
		say_legacy(fd, "", i, &args);
		say_legacy(ctl, "control, ", i, &args);
	}
	say("write only", "%s", errname(gt_ioctl(fd,
		_IOW('H', 1, struct hl_info_args), &args)));
	/* The two that exist in both ways are cut alike. */
	args.pad = 1;
	say("H, padding", "%s", errname(gt_ioctl(fd,
		_IOWR('H', 1, struct hl_info_args), &args)));
	say("H, padding cut off", "%s", errname(gt_ioctl(fd,
		_IOC(3, 'H', 1, 16), &args)));
	say("d, padding", "%s", errname(gt_ioctl(fd,
		_IOC(3, 'd', 0x40, 24), &args)));
	say("d, padding cut off", "%s", errname(gt_ioctl(fd,
		_IOC(3, 'd', 0x40, 16), &args)));
	close(ctl);
}

/* A duplicate, a child, a message: one open file all the same. */
static void share_script(void)
{
	struct hl_info_device_status status;
	int copy = dup(fd), other, state;
	struct gt_cb cb = cb_new(4096, "buffer");
	uint64_t seq;
	pid_t pid;

	close(fd);
	fd = copy;
	say("by a duplicate", "%s", errname(gt_info(fd, HL_INFO_DEVICE_STATUS,
					   &status, sizeof(status))));
	cb.len = gt_pkt_nop(cb.map, 0);
	pid = fork();
	if (!pid) {
		int rc;

		rc = gt_info(fd, HL_INFO_DEVICE_STATUS, &status,
			     sizeof(status));
		say("INFO by a child", "%s", errname(rc));
		step(CB(.op = HL_CB_OP_INFO, .cb_handle = cb.handle),
		     "CB of the parent, by the child");
		step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096),
		     "create by the child");
		seq = submit_one(0, &cb, 0, "submit by the child");
		wait_for(seq, 5000000, "wait by the child");
		step(MEM(.op = HL_MEM_OP_MAP, .flags = HL_MEM_USERPTR,
			 .map_host = { .host_virt_addr = PTR(gt_alloc(4096)),
				       .mem_size = 4096 }),
		     "map by the child");
		say("open by a child", "%s", errname(gt_open_once()));
		close(fd);
		_exit(0);
	}
	waitpid(pid, &state, 0);
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096),
	     "create after the child");
	pid = fork();
	if (!pid) {
		usleep(1500000);
		_exit(0);
	}
	close(fd);
	usleep(300000);
	other = gt_open_once();
	say("open while a child holds it", "%s",
	    errname(other < 0 ? other : 0));
	waitpid(pid, &state, 0);
	fd = gt_open();
	say("open after that", "%s", errname(fd < 0 ? fd : 0));
}

/* A mapping outlives the file. */
static void mmap_outlives_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");

	close(fd);
	usleep(300000);
	fd = gt_open_once();
	say("open while a mapping lives", "%s", errname(fd < 0 ? fd : 0));
	((char *)cb.map)[0] = 1;
	munmap(cb.map, 4096);
	usleep(300000);
	if (fd < 0)
		fd = gt_open_once();
	say("open after munmap()", "%s", errname(fd < 0 ? fd : 0));
}

static void file_info_script(void)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, ":\n")] = 0;
		say(line, "present");
	}
}

static void close_busy_script(void)
{
	struct gt_cb block = cb_block("block");

	submit_one(0, &block, 0, "a job that waits");
	/* The end of this process closes. */
}

static void close_soon_script(void)
{
	struct gt_cb cb = cb_new(4096, "buffer");
	unsigned int i;

	for (i = 0; i < 512; i++)
		cb.len += gt_pkt_nop((char *)cb.map + cb.len, 0);
	for (i = 0; i < 4; i++)
		submit_one(i, &cb, 0, "a job that ends");
	close(fd);
	usleep(200000);
	fd = gt_open();
	say("open", "%s", errname(fd < 0 ? fd : 0));
}

static void killed_script(void)
{
	struct gt_cb block = cb_block("block");
	uint64_t a = submit_one(0, &block, 0, "a job that waits");
	pid_t pid = fork();

	if (!pid) {
		usleep(500000);
		kill(getppid(), SIGKILL);
		_exit(0);
	}
	wait_for(a, 60000000, "wait for ever");
}

static void debug_script(void)
{
	uint64_t in[64] = { 0 }, out[64] = { 0 };
	static const char * const names[] = {
		"ETR", "ETF", "STM", "FUNNEL", "BMON", "SPMU", "TIMESTAMP",
	};
	unsigned int i;

	for (i = 0; i < 7; i++)
		step(DEBUG(.op = i, .input_ptr = PTR(in),
			   .input_size = sizeof(in), .output_ptr = PTR(out),
			   .output_size = sizeof(out), .enable = 1),
		     "%s outside debug mode", names[i]);
	for (i = 8; i < 12; i++)
		step(DEBUG(.op = i), "op %u", i);
	step(DEBUG(.op = ~0u), "op -1");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 0), "leave");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 1), "enter");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 1), "enter again");
	step(DEBUG(.op = HL_DEBUG_OP_TIMESTAMP, .enable = 1), "timestamp");
	step(DEBUG(.op = 8), "op 8 inside");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 0), "leave then");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 0), "leave again");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 2), "enable 2");
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 1, .ctx_id = 9,
		   .reg_idx = 9), "other fields");
	/* The close leaves debug mode. */
}

static void debug_after_script(void)
{
	step(DEBUG(.op = HL_DEBUG_OP_SET_MODE, .enable = 0),
	     "a new user is not in it");
}

const struct script s_node[] = {
	{ "open", open_script, false },
	{ "control", control_script, false },
	{ "drm", drm_script, true },
	{ "legacy", legacy_script, true },
	{ "share", share_script, true },
	{ "fdinfo", file_info_script, true },
	{ "mmap-outlives", mmap_outlives_script, true },
	{ "debug", debug_script, true },
	{ "debug-after", debug_after_script, true },
	{ "close-busy", close_busy_script, true },
	{ "close-soon", close_soon_script, true },
	{ "killed", killed_script, true },
	{ .name = NULL },
};
