// SPDX-License-Identifier: GPL-2.0-only
/* "sim:N" is a card in the process, without GAUDI_SIM; each test is a process of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "gaudi.h"
#include "hlthunk.h"

static void in_a_process(int (*what)(void))
{
	int status;
	pid_t child;

	assert_null(getenv("GAUDI_SIM"));
	child = fork();
	if (!child)
		_exit(what());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define EXPECT(what) do { if (!(what)) return __LINE__ & 0xff; } while (0)

static int open_by_thunk(void)
{
	int fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, "sim:3"), other;
	char id[16];

	EXPECT(fd >= 0);
	EXPECT(hlthunk_get_device_status_info(fd) ==
	       HL_DEVICE_STATUS_OPERATIONAL);
	EXPECT(!hlthunk_get_pci_bus_id_from_fd(fd, id, sizeof(id)));
	EXPECT(hlthunk_get_device_index_from_pci_bus_id(id) == 3);
	EXPECT(hlthunk_get_device_index_from_pci_bus_id("sim:3") == 3);
	EXPECT(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "sim:3") == -EBUSY);
	EXPECT(hlthunk_open(HLTHUNK_DEVICE_GAUDI2, "sim:4") == -ENODEV);
	/* There are eight from the first one on. */
	EXPECT(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "sim:8") == -ENODEV);
	EXPECT(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI) == 8);
	other = hlthunk_open_control_by_bus_id("sim:3");
	EXPECT(other >= 0);
	EXPECT(!hlthunk_close(other));
	EXPECT(!hlthunk_close(fd));
	return 0;
}

TEST(a_card_has_a_name)
{
	in_a_process(open_by_thunk);
}

static int open_the_ninth(void)
{
	int fd = hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "sim:8");

	EXPECT(fd >= 0);
	EXPECT(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI) == 16);
	return 0;
}

TEST(there_is_a_second_box)
{
	in_a_process(open_the_ninth);
}

static int copy_there_and_back(struct gaudi_device *device)
{
	static const char text[] = "there and back";
	char back[sizeof(text)] = "";
	gaudi_ptr memory;

	EXPECT(!gaudi_malloc(device, sizeof(text), &memory));
	EXPECT(!gaudi_copy_to_device(device, memory, text, sizeof(text)));
	EXPECT(!gaudi_copy_to_host(device, back, memory, sizeof(text)));
	EXPECT(!memcmp(text, back, sizeof(text)));
	return gaudi_device_close(device);
}

static int open_by_libgaudi(void)
{
	struct gaudi_device *device;

	EXPECT(gaudi_device_open_by_pci_address("sim:16", 0, &device) ==
	       -EINVAL);
	EXPECT(!gaudi_device_open_by_pci_address("sim:5", 0, &device));
	return copy_there_and_back(device);
}

TEST(libgaudi_knows_it)
{
	in_a_process(open_by_libgaudi);
}

static int open_by_both(void)
{
	struct gaudi_device *device;

	EXPECT(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "sim:0") >= 0);
	EXPECT(!gaudi_device_open_by_module_id(1, 0, &device));
	return copy_there_and_back(device);
}

TEST(libgaudi_follows_libhl_thunk)
{
	in_a_process(open_by_both);
}

static int has_no_library(void)
{
	struct gaudi_device *device;

	setenv("GAUDI_SIM_LIB", "/nowhere.so", 1);
	EXPECT(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "sim:0") == -ELIBACC);
	EXPECT(gaudi_device_open_by_pci_address("sim:0", 0, &device) ==
	       -ELIBACC);
	EXPECT(strstr(gaudi_last_error(NULL), "libgaudi-sim"));
	return 0;
}

TEST(says_that_there_is_no_library)
{
	in_a_process(has_no_library);
}
