// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program that knows no library of ours does to nodes and files of cards: the C
 * library's calls, one by one. Run by gaudi-sim with two cards.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "../unit/unit.h"

#define NODE	"/dev/accel/accel0"
#define SLOT	"/sys/class/accel/accel0/device"
#define CB_SIZE	8192

static int open_node(void)
{
	int fd = open(NODE, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* 0, or errno. */
static int status_of(int fd)
{
	struct hl_info_device_status status;
	struct hl_info_args args = {
		.op = HL_INFO_DEVICE_STATUS,
		.return_pointer = (uintptr_t)&status,
		.return_size = sizeof(status),
	};

	return ioctl(fd, DRM_IOCTL_HL_INFO, &args) ? errno : 0;
}

TEST(nodes_are_character_devices)
{
	struct stat st, open_st, at_st;
	struct statx stx;
	int fd = open_node(), dir = open("/dev/accel", O_RDONLY | O_DIRECTORY);

	assert_int_equal(stat(NODE, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(major(st.st_rdev), 261);
	assert_int_equal(fstat(fd, &open_st), 0);
	assert_int_equal(open_st.st_rdev, st.st_rdev);
	assert_int_equal(open_st.st_ino, st.st_ino);
	assert_int_equal(fstatat(dir, "accel1", &at_st, 0), 0);
	assert_int_equal(minor(at_st.st_rdev), 1);
	assert_int_equal(statx(AT_FDCWD, NODE, 0, STATX_BASIC_STATS, &stx), 0);
	assert_int_equal(stx.stx_rdev_major, 261);
	assert_int_equal(lstat("/dev/accel/accel7", &st), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(access(NODE, R_OK | W_OK), 0);
	assert_int_equal(lseek(fd, 100, SEEK_SET), 0);
	assert_int_equal(read(fd, &st, 1), -1);
	assert_int_equal(errno, EINVAL);
	close(dir);
	close(fd);
}

static bool lists(const char *path, const char *name)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	bool found = false;

	while (dir && (e = readdir(dir)))
		found |= !strcmp(e->d_name, name);
	if (dir)
		closedir(dir);
	return found;
}

TEST(directories_have_what_is_in_them)
{
	struct dirent **list;
	glob_t found;

	assert_true(lists("/dev", "accel"));
	assert_true(lists("/dev/accel", "accel1"));
	assert_true(lists("/sys/class/accel", "accel_controlD0"));
	assert_true(lists("/sys/bus/pci/devices", "0000:10:00.0"));
	assert_true(lists(SLOT "/", "max_power"));
	assert_true(lists("/sys/kernel/debug/accel/0000:11:00.0", "engines"));
	assert_false(lists("/dev/accel", "null"));
	assert_int_equal(scandir("/dev/accel", &list, NULL, alphasort), 6);
	assert_string_equal(list[2]->d_name, "accel0");
	for (int i = 0; i < 6; i++)
		free(list[i]);
	free(list);
	assert_int_equal(glob(SLOT "/hwmon/hwmon*/temp1_input", 0, NULL,
			      &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	globfree(&found);
}

TEST(links_lead_to_the_slot)
{
	char at[PATH_MAX], expected[64];
	ssize_t n = readlink("/sys/class/accel/accel1/device", at, sizeof(at));
	int fd = open_node();

	assert_true(n > 12 && !strncmp(at + n - 12, "0000:11:00.0", 12));
	assert_non_null(realpath("/sys/dev/char/261:0/device/driver", at));
	assert_string_equal(at, "/sys/bus/pci/drivers/gaudi");
	snprintf(expected, sizeof(expected), "/proc/self/fd/%d", fd);
	n = readlink(expected, at, sizeof(at));
	assert_int_equal(n, strlen(NODE));
	close(fd);
}

static void read_text(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

TEST(attributes_are_read_again_and_written)
{
	char text[32], same[32];
	int fd = open(SLOT "/max_power", O_RDONLY);
	FILE *f;

	assert_true(pread(fd, text, sizeof(text), 0) > 0);
	f = fopen(SLOT "/max_power", "w");
	fprintf(f, "200000\n");
	assert_int_equal(fclose(f), 0);
	memset(text, 0, sizeof(text));
	assert_true(pread(fd, text, sizeof(text), 0) > 0);
	assert_string_equal(text, "200000\n");
	close(fd);
	/* As a shell does: a stream of the C library's, on a copy. */
	fd = open(SLOT "/max_power", O_WRONLY);
	f = fdopen(dup(fd), "w");
	close(fd);
	fprintf(f, "300000\n");
	fclose(f);
	read_text(SLOT "/max_power", same, sizeof(same));
	assert_string_equal(same, "300000\n");
	assert_int_equal(open(SLOT "/status", O_WRONLY), -1);
	assert_int_equal(errno, EACCES);
	fd = open("/sys/kernel/debug/accel/0000:10:00.0/timeout_locked",
		  O_RDWR);
	assert_int_equal(write(fd, "seven", 5), -1);
	assert_int_equal(write(fd, "700", 3), 3);
	memset(text, 0, sizeof(text));
	assert_true(pread(fd, text, sizeof(text), 0) > 0);
	assert_string_equal(text, "700\n");
	close(fd);
}

/* Each of them is the card's, and the last one that goes frees it. */
TEST(descriptors_are_copied)
{
	int fd = open_node(), copies[4];

	copies[0] = dup(fd);
	copies[1] = dup2(fd, 70);
	copies[2] = dup3(fd, 71, O_CLOEXEC);
	copies[3] = fcntl(fd, F_DUPFD_CLOEXEC, 80);
	close(fd);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(status_of(copies[i]), 0);
		assert_int_equal(open(NODE, O_RDWR), -1);
		assert_int_equal(errno, EBUSY);
		if (i < 3)
			close(copies[i]);
	}
	/* Another file takes its number. */
	fd = open("/dev/null", O_RDONLY);
	assert_int_equal(dup2(fd, copies[3]), copies[3]);
	assert_int_equal(status_of(copies[3]), ENOTTY);
	close(copies[3]);
	close(fd);
	fd = open_node();
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

/* Calls that are the same for all files, which Python makes of its own accord. */
TEST(flags_are_set_by_ioctls)
{
	int fd = open_node(), on = 1;

	assert_int_equal(ioctl(fd, FIONCLEX), 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(ioctl(fd, FIOCLEX), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ioctl(fd, FIONBIO, &on), 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(ioctl(fd, FIONREAD, &on), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(status_of(fd), 0);
	close(fd);
}

TEST(nodes_are_always_ready)
{
	int fd = open_node(), epoll = epoll_create1(0);
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	struct epoll_event event = { .events = EPOLLIN };

	assert_int_equal(poll(&p, 1, 0), 1);
	assert_int_equal(p.revents, POLLIN | POLLOUT);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), -1);
	assert_int_equal(errno, EPERM);
	close(epoll);
	close(fd);
}

TEST(mappings_move_and_do_not_grow)
{
	union hl_cb_args cb = {
		.in = { .op = HL_CB_OP_CREATE, .cb_size = CB_SIZE },
	};
	int fd = open_node();
	char *memory, *hole, *moved;

	assert_int_equal(ioctl(fd, DRM_IOCTL_HL_CB, &cb), 0);
	memory = mmap(NULL, CB_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      (off_t)cb.out.cb_handle);
	assert_true(memory != MAP_FAILED);
	strcpy(memory, "here");
	assert_ptr_equal(mremap(memory, CB_SIZE, 4 * CB_SIZE, MREMAP_MAYMOVE),
			 MAP_FAILED);
	assert_int_equal(errno, EFAULT);
	hole = mmap(NULL, CB_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	moved = mremap(memory, CB_SIZE, CB_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       hole);
	assert_ptr_equal(moved, hole);
	assert_string_equal(moved, "here");
	assert_int_equal(munmap(moved, CB_SIZE), 0);
	close(fd);
}

TEST(fdinfo_has_the_drivers_keys)
{
	int fd = open_node();
	char path[48], text[4096];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	read_text(path, text, sizeof(text));
	assert_non_null(strstr(text, "drm-driver:\tgaudi\n"));
	assert_non_null(strstr(text, "drm-pdev:\t0000:10:00.0\n"));
	assert_non_null(strstr(text, "drm-engine-tpc:"));
	close(fd);
}

/* Of one packet, NOP. */
static uint64_t new_buffer(int fd)
{
	union hl_cb_args cb = { .in = { .op = HL_CB_OP_CREATE, .cb_size = 4096 } };
	uint32_t *map;

	assert_int_equal(ioctl(fd, DRM_IOCTL_HL_CB, &cb), 0);
	map = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, (off_t)cb.out.cb_handle);
	assert_ptr_not_equal(map, MAP_FAILED);
	map[1] = 0x0a << 24;
	munmap(map, 4096);
	return cb.out.cb_handle;
}

static int node_of_threads;

static void *submits_and_waits(void *unused)
{
	struct hl_cs_chunk chunk = { .cb_size = 8 };
	union hl_cs_args cs;
	union hl_wait_cs_args wait;
	union hl_cb_args cb;

	for (;;) {
		chunk.cb_handle = new_buffer(node_of_threads);
		cs.in = (struct hl_cs_in) { .chunks_execute = (uintptr_t)&chunk,
					    .num_chunks_execute = 1 };
		if (ioctl(node_of_threads, DRM_IOCTL_HL_CS, &cs))
			return unused;
		wait.in = (struct hl_wait_cs_in) { .seq = cs.out.seq,
						   .timeout_us = 10000000 };
		ioctl(node_of_threads, DRM_IOCTL_HL_WAIT_CS, &wait);
		cb.in = (struct hl_cb_in) { .op = HL_CB_OP_DESTROY,
					    .cb_handle = chunk.cb_handle };
		ioctl(node_of_threads, DRM_IOCTL_HL_CB, &cb);
		pthread_testcancel();
	}
}

/* ioctl() is no point where that happens, and what it does is done to its end. */
TEST(threads_are_cancelled_between_calls)
{
	struct timespec end;
	pthread_t thread;
	unsigned int n;

	node_of_threads = open_node();
	for (n = 0; n < 300; n++) {
		assert_int_equal(pthread_create(&thread, NULL, submits_and_waits,
						NULL), 0);
		usleep(n * 10);
		pthread_cancel(thread);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_sec += 20;
		assert_int_equal(pthread_timedjoin_np(thread, NULL, &end), 0);
	}
	assert_int_equal(status_of(node_of_threads), 0);
	close(node_of_threads);
}

/* Not the parent's, which it neither sees nor closes. */
TEST(another_program_has_cards_of_its_own)
{
	int fd = open_node(), status;
	pid_t child = vfork();

	if (!child) {
		close(fd);
		execlp("sh", "sh", "-c", "exec 3<>" NODE, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(status_of(fd), 0);
	close(fd);
}

/* Who asks in a loop fills no log: ten lines, and at the end how many more there were. */
TEST(refusals_fill_no_log)
{
	struct drm_gaudi_import import = { .fd = 0 };
	unsigned int lines = 0, left_out = 0, n;
	FILE *log = tmpfile();
	char line[256];
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		int fd = open(NODE, O_RDWR | O_CLOEXEC);

		dup2(fileno(log), STDERR_FILENO);
		for (n = 0; n < 1000; n++)
			if (!ioctl(fd, DRM_IOCTL_GAUDI_IMPORT, &import) ||
			    errno != EOPNOTSUPP)
				_exit(1);
		exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	rewind(log);
	while (fgets(line, sizeof(line), log)) {
		lines += !!strstr(line, "import of a dma-buf: not on a card");
		if (strstr(line, "left out"))
			sscanf(line, "gaudi-sim: %*[a-z_]: %u", &left_out);
	}
	fclose(log);
	assert_int_equal(lines, 10);
	assert_int_equal(left_out, 990);
}

#ifdef __SANITIZE_ADDRESS__
#define SMALLEST_STACK	65536
#else
#define SMALLEST_STACK	PTHREAD_STACK_MIN
#endif

/* What @main returns, of a thread with a stack of this size; 0: the usual one. */
static long in_thread(void *(*main)(void *), size_t stack)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	if (pthread_create(&thread, &attr, main, NULL))
		return -1;
	pthread_join(thread, &result);
	return (long)result;
}

static void *opens_and_asks(void *unused)
{
	int fd = open(NODE, O_RDWR | O_CLOEXEC);
	long error = fd < 0 ? errno : status_of(fd);

	(void)unused;
	close(fd);
	return (void *)error;
}

/* A system call takes nothing of it; the first one here has the cards made, and boots them. */
TEST(the_smallest_stack_is_enough)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!!in_thread(opens_and_asks, SMALLEST_STACK));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
