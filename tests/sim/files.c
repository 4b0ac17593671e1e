// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards in this process, by libhl-thunk: files, who may open them, what hostile arguments
 * and a child of fork() get. GAUDI_SIM=2.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "gaudi.h"
#include "hlthunk.h"

static int open_card(void)
{
	int fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);

	assert_true(fd >= 0);
	return fd;
}

TEST(counts_cards)
{
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI), 2);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "0000:12:00.0"),
			 -ENODEV);
}

TEST(one_opener_per_card)
{
	int a = open_card(), b = open_card();

	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL), -EBUSY);
	assert_int_equal(hlthunk_close(a), 0);
	a = open_card();
	assert_int_equal(hlthunk_close(b), 0);
	assert_int_equal(hlthunk_close(a), 0);
	assert_int_equal(hlthunk_close(a), -EBADF);
}

/* As by a program that does not know the library's own. */
TEST(a_plain_close_frees_the_card)
{
	int a = open_card(), b = open_card();

	close(a);
	a = open_card();
	close(a);
	close(b);
	a = open("/dev/null", O_RDONLY);
	assert_true(a >= 0);
	/* Its number is a card's no more. */
	assert_int_equal((int)hlthunk_get_device_status_info(a), -ENOTTY);
	close(a);
}

/* With gaudi-sim it is mapped; without, there is nothing that could be. */
TEST(a_mapping_past_the_library_is_refused)
{
	int fd = open_card();
	uint64_t handle;

	assert_int_equal(hlthunk_request_command_buffer(fd, 4096, &handle), 0);
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			      fd, handle), MAP_FAILED);
	assert_int_equal(errno, EPERM);
	assert_int_equal(hlthunk_close(fd), 0);
}

TEST(says_what_it_is)
{
	struct hlthunk_hw_ip_info ip;
	int fd = open_card(), control;
	char busid[16];

	assert_int_equal(hlthunk_get_hw_ip_info(fd, &ip), 0);
	assert_string_equal((char *)ip.card_name, "HL205");
	assert_int_equal(ip.module_id, 0);
	assert_true(ip.dram_size > 31ull << 30 && ip.dram_enabled);
	assert_int_equal(hlthunk_get_device_name_from_fd(fd),
			 HLTHUNK_DEVICE_GAUDI);
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(fd, busid,
							sizeof(busid)), 0);
	assert_string_equal(busid, "0000:10:00.0");
	control = hlthunk_open_control(1, NULL);
	assert_true(control >= 0);
	assert_int_equal(hlthunk_get_hw_ip_info(control, &ip), 0);
	assert_int_equal(ip.module_id, 1);
	/* INFO, and nothing else. */
	assert_int_equal(hlthunk_device_memory_alloc(control, 4096, 0, true,
						     false), 0);
	assert_int_equal(hlthunk_close(control), 0);
	assert_int_equal(hlthunk_close(fd), 0);
}

static void *works_for_long(void *to)
{
	usleep(200000);
	return write(*(int *)to, "w", 1) == 1 ? NULL : to;
}

static int told;

static void at_the_end(void)
{
	if (write(told, "e", 1) != 1)
		_exit(3);
}

/* The main thread of a child has a card, and ends before another one. */
static void main_ends_first(int to)
{
	pthread_t thread;

	alarm(60);
	told = to;
	atexit(at_the_end);
	open_card();
	pthread_create(&thread, NULL, works_for_long, &told);
	pthread_exit(NULL);
}

/* As with files of a kernel: the cards' threads are not the program's. */
TEST(a_program_ends_with_its_last_thread)
{
	char said[8] = "";
	int ends[2], status;
	pid_t pid;

	WORKS(pipe(ends));
	pid = fork();
	if (!pid)
		main_ends_first(ends[1]);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	assert_int_equal(read(ends[0], said, sizeof(said)), 2);
	assert_string_equal(said, "we");
	close(ends[0]);
}

static const char text_of_file[] = "what the program has written";

/* To the card, within it, and back. */
static bool copies(void)
{
	static char text[1 << 20], back[sizeof(text)];
	struct gaudi_device *device;
	gaudi_ptr a, b;
	bool good;

	memset(text, 0x5a, sizeof(text));
	memset(back, 0, sizeof(back));
	if (gaudi_device_open(0, 60000, &device))
		return false;
	good = !gaudi_malloc(device, sizeof(text), &a) &&
	       !gaudi_malloc(device, sizeof(text), &b) &&
	       !gaudi_copy_to_device(device, a, text, sizeof(text)) &&
	       !gaudi_copy_device(device, b, a, sizeof(text)) &&
	       !gaudi_copy_to_host(device, back, b, sizeof(text));
	return !gaudi_device_close(device) && good &&
	       !memcmp(text, back, sizeof(text));
}

/* What a daemon does; and then all the numbers, but for some, are a file of its own. */
static int close_all_and_go_on(void)
{
	FILE *file;
	int fd, i;

	if (!copies())
		return 1;
	closefrom(3);
	file = tmpfile();
	if (!file)
		return 2;
	fd = fileno(file);
	if (write(fd, text_of_file, sizeof(text_of_file)) < 0)
		return 3;
	while (dup(fd) >= 0)
		;
	for (i = 100; i < 140; i++)
		close(i);
	for (i = 0; i < 3; i++)
		if (!copies())
			return 4;
	return lseek(fd, 0, SEEK_CUR) == sizeof(text_of_file) ? 0 : 5;
}

TEST(descriptors_that_are_not_the_program_s)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(close_all_and_go_on());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

TEST(bad_pointers_are_faults)
{
	const size_t size = 2 * 4096;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hlthunk_cs_in in = {
		.chunks_execute = (void *)8, .num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out;
	int fd = open_card();

	assert_true(memory != MAP_FAILED);
	assert_int_equal(hlthunk_command_submission(fd, &in, &out), -EFAULT);
	/* Half of it goes, before it is mapped: as gaudi.ko, not all of it is there. */
	munmap(memory + 4096, 4096);
	assert_int_equal(hlthunk_host_memory_map(fd, memory, 0, size), 0);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(hlthunk_host_memory_map(fd, memory + 4096, 0, 4096), 0);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(hlthunk_close(fd), 0);
	munmap(memory, 4096);
}

/* What a child of fork() does, which has its parent's descriptor. */
static int use_own_card(int fd)
{
	int own;

	if ((int)hlthunk_get_device_status_info(fd) != -ENODEV)
		return 1;
	if (hlthunk_close(fd))
		return 2;
	own = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
	if (own < 0)
		return 3;
	return (int)hlthunk_get_device_status_info(own) ==
		       HL_DEVICE_STATUS_OPERATIONAL ? 0 : 4;
}

TEST(a_child_has_cards_of_its_own)
{
	int fd = open_card(), status;
	pid_t child = fork();

	if (!child)
		_exit(use_own_card(fd));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* And has not taken the parent's. */
	assert_int_equal(hlthunk_get_device_status_info(fd),
			 HL_DEVICE_STATUS_OPERATIONAL);
	assert_int_equal(hlthunk_close(fd), 0);
}

static void *open_and_close(void *unused)
{
	int fd;

	for (int i = 0; i < 20; i++) {
		fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
		if (fd < 0) {
			assert_true(fd == -EBUSY || fd == -EAGAIN);
			continue;
		}
		assert_int_equal(hlthunk_get_device_status_info(fd),
				 HL_DEVICE_STATUS_OPERATIONAL);
		assert_int_equal(hlthunk_close(fd), 0);
	}
	return unused;
}

TEST(threads_open_and_close)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, open_and_close, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
