// SPDX-License-Identifier: GPL-2.0-only
/* Finding and opening cards. */
#include <errno.h>

#include "mock.h"

static void two_cards(int rc0, int rc1)
{
	mock_card(0, "../../../0000:01:00.0", "0x1000\n", "5\n", rc0);
	mock_card(3, "../../../0000:81:00.0", "0x1010\n", "2\n", rc1);
}

/* The call opens this file. */
static void opens(int fd, const char *path)
{
	assert_true(fd >= 0);
	assert_string_equal(mock_last_opened(), path);
	WORKS(hlthunk_close(fd));
}

MOCK_TEST(opens_the_first)
{
	two_cards(0, 0);
	opens(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, NULL),
	      "/dev/accel/accel0");
	assert_int_equal(mock_open_count(), 1);
}

MOCK_TEST(passes_over_a_busy_card)
{
	two_cards(-EBUSY, 0);
	opens(hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL), "/dev/accel/accel3");
}

MOCK_TEST(says_why_none_can_be_had)
{
	two_cards(-EBUSY, -EACCES);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL), -EBUSY);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "0000:81:00.0"),
			 -EACCES);
}

MOCK_TEST(opens_by_bus_id)
{
	static const char * const ids[] = {
		"0000:81:00.0", "81:00.0", "0:81:0.0",
	};

	two_cards(0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		opens(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, ids[i]),
		      "/dev/accel/accel3");
		assert_int_equal(hlthunk_get_device_index_from_pci_bus_id(
					ids[i]), 3);
	}
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "81:00.1"),
			 -ENODEV);
	assert_int_equal(hlthunk_get_device_index_from_pci_bus_id("02:00.0"),
			 -ENODEV);
}

MOCK_TEST(upper_case_bus_id)
{
	int fd;

	mock_card(0, "0000:af:1c.0", "0x1000\n", "0\n", 0);
	fd = hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "0000:AF:1C.0");
	assert_true(fd >= 0);
	hlthunk_close(fd);
}

MOCK_TEST(bad_bus_ids_are_einval)
{
	static const char * const ids[] = {
		"", "x", "01:00", "01:00.0x", "100:00.0", "01:20.0", "01:00.8",
		"0000:01:00.0 ", "0000:01:00.", "sim", "sim:", "sim:16", "sim:00",
		"sim:1 ", "sim:-1", "SIM:1",
	};

	two_cards(0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, ids[i]),
				 -EINVAL);
		assert_int_equal(hlthunk_open_control_by_bus_id(ids[i]),
				 -EINVAL);
		assert_int_equal(hlthunk_get_device_index_from_pci_bus_id(
					ids[i]), -EINVAL);
	}
	assert_int_equal(mock_open_count(), 0);
}

MOCK_TEST(no_card_of_the_process_without_its_library)
{
	two_cards(0, 0);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "sim:0"),
			 -ELIBACC);
	assert_int_equal(mock_open_count(), 0);
}

MOCK_TEST(name_restricts)
{
	two_cards(0, 0);
	mock_card(4, "0000:91:00.0", "0x1020\n", "0\n", -EBUSY);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GOYA, NULL), -ENODEV);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI2, NULL), -EBUSY);
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_GAUDI2, "01:00.0"),
			 -ENODEV);
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI), 2);
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI2), 1);
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_DONT_CARE), 3);
}

MOCK_TEST(opens_by_module_id)
{
	two_cards(0, 0);
	opens(hlthunk_open_by_module_id(2), "/dev/accel/accel3");
	opens(hlthunk_open_control_by_module_id(5),
	      "/dev/accel/accel_controlD0");
	assert_int_equal(hlthunk_open_by_module_id(3), -ENODEV);
}

MOCK_TEST(opens_control_nodes)
{
	two_cards(-EBUSY, -EBUSY);
	opens(hlthunk_open_control(3, NULL), "/dev/accel/accel_controlD3");
	opens(hlthunk_open_control(0, "81:00.0"), "/dev/accel/accel_controlD3");
	opens(hlthunk_open_control_by_name(HLTHUNK_DEVICE_GAUDI, NULL),
	      "/dev/accel/accel_controlD0");
}

MOCK_TEST(other_vendors_are_passed_over)
{
	mock_link("/sys/class/accel/accel0/device", "0000:00:0b.0");
	mock_file("/sys/class/accel/accel0/device/vendor", "0x8086\n");
	mock_file("/sys/class/accel/accel0/device/device", "0x1000\n");
	mock_file("/dev/accel/accel0", "");
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, NULL), -ENODEV);
	assert_int_equal(mock_open_count(), 0);
}

MOCK_TEST(names_by_device_id)
{
	static const struct {
		uint32_t id;
		enum hlthunk_device_name name;
	} ids[] = {
		{ 0x0001, HLTHUNK_DEVICE_GOYA },
		{ 0x1000, HLTHUNK_DEVICE_GAUDI },
		{ 0x1010, HLTHUNK_DEVICE_GAUDI },
		{ 0x1020, HLTHUNK_DEVICE_GAUDI2 },
		{ 0x4711, HLTHUNK_DEVICE_INVALID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct hl_info_hw_ip_info ip = { .device_id = ids[i].id };

		expect_info_of(HL_INFO_HW_IP_INFO, ip);
		assert_int_equal(hlthunk_get_device_name_from_fd(FD),
				 ids[i].name);
		expect_info_of(HL_INFO_HW_IP_INFO, ip);
		assert_int_equal(hlthunk_get_device_id_from_fd(FD), ids[i].id);
	}
	expect_info(HL_INFO_HW_IP_INFO, sizeof(struct hl_info_hw_ip_info), 0,
		    -EBADF, NULL);
	assert_int_equal(hlthunk_get_device_name_from_fd(FD),
			 HLTHUNK_DEVICE_INVALID);
}

MOCK_TEST(bus_id_of_an_fd)
{
	char buf[16];

	two_cards(0, 0);
	mock_devnum(0, 261, 3);
	mock_link("/sys/dev/char/261:3", "../../devices/x/accel/accel3");
	mock_link("/sys/dev/char/511:0", "../../virtual/accel/accel_controlD0");
	mock_link("/sys/dev/char/1:3", "../../devices/virtual/mem/null");
	WORKS(hlthunk_get_pci_bus_id_from_fd(FD, buf, sizeof(buf)));
	assert_string_equal(buf, "0000:81:00.0");
	WORKS(hlthunk_get_pci_bus_id_from_fd(FD, buf, 13));
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(FD, buf, 12), -ENOSPC);
	mock_devnum(0, 511, 0);
	WORKS(hlthunk_get_pci_bus_id_from_fd(FD, buf, sizeof(buf)));
	assert_string_equal(buf, "0000:01:00.0");
	mock_devnum(0, 1, 3);
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(FD, buf, sizeof(buf)),
			 -ENODEV);
	mock_devnum(0, 9, 9);
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(FD, buf, sizeof(buf)),
			 -ENODEV);
	mock_devnum(-EBADF, 0, 0);
	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(FD, buf, sizeof(buf)),
			 -EBADF);
}
