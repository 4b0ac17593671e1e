// SPDX-License-Identifier: MIT
/* Cards that are found, opened and lost, what they say of themselves, and the log. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bed.h"

/* What the library prints in a child, with these variables. */
static size_t printed(const char *level, const char *console, char *text,
		      size_t size)
{
	int fds[2];
	ssize_t n;
	pid_t pid;

	GOOD(pipe(fds));
	pid = fork();
	if (!pid) {
		dup2(fds[1], 2);
		setenv("LOG_LEVEL_GAUDI", level, 1);
		setenv("ENABLE_CONSOLE", console, 1);
		gaudi_device_count(NULL);
		_exit(0);
	}
	close(fds[1]);
	n = read(fds[0], text, size - 1);
	close(fds[0]);
	waitpid(pid, NULL, 0);
	text[n > 0 ? n : 0] = '\0';

	return strlen(text);
}

/* Before all others: the library reads its variables once. */
CARD_TEST(logs_when_asked)
{
	char text[500];

	assert_true(printed("0", "true", text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "count is NULL"));
	assert_non_null(strstr(text, "[debug]"));
	assert_int_equal(printed("0", "0", text, sizeof(text)), 0);
	assert_int_equal(printed("4", "1", text, sizeof(text)), 0);
	assert_int_equal(printed("7", "1", text, sizeof(text)), 0);
}

CARD_TEST(visible_cards)
{
	struct gaudi_device_info info = { .size = sizeof(info) };
	struct gaudi_device *dev;
	uint32_t count;

	card.cards = 4;
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 4);
	setenv("HABANA_VISIBLE_DEVICES", "3,0,9", 1);
	GOOD(gaudi_device_count(&count));
	assert_int_equal(count, 2);
	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_device_get_info(dev, &info));
	assert_int_equal(info.accel, 3);
	assert_int_equal(info.module_id, 3);
	assert_int_equal(info.index, 0);
	assert_string_equal(info.pci_address, "0000:13:00.0");
	assert_string_equal(info.driver, "gaudi");
	assert_int_equal(info.caps, GAUDI_DEVICE_SYNCOBJ | GAUDI_DEVICE_DMABUF);
	GOOD(gaudi_device_close(dev));
	assert_int_equal(gaudi_device_open_by_module_id(2, 0, &dev), -ENODEV);
	SAYS("module id 2, 2 are visible");
	setenv("HABANA_VISIBLE_MODULES", "0,3", 1);
	GOOD(gaudi_device_open(1, 60000, &dev));
	GOOD(gaudi_device_close(dev));
	for (const char * const *bad = (const char * const[]) { "x", "1,,2",
	     "-1", "1 2", "99999999999", ",", NULL }; *bad; bad++) {
		setenv("HABANA_VISIBLE_MODULES", *bad, 1);
		assert_int_equal(gaudi_device_count(&count), -EINVAL);
		SAYS("HABANA_VISIBLE_MODULES");
	}
	unsetenv("HABANA_VISIBLE_MODULES");
	unsetenv("HABANA_VISIBLE_DEVICES");
}

CARD_TEST(opening_waits_and_fails)
{
	struct gaudi_device *dev = NULL;

	card.busy_opens = 3;
	assert_int_equal(gaudi_device_open(0, 0, &dev), -EAGAIN);
	SAYS("in reset");
	GOOD(gaudi_device_open(0, 60000, &dev));
	assert_int_equal(gaudi_device_open(0, 0, &dev), -EBUSY);
	SAYS("another process");
	GOOD(gaudi_device_close(dev));
	card.open_error = -EACCES;
	assert_int_equal(gaudi_device_open(0, -1, &dev), -EACCES);
	assert_int_equal(gaudi_device_open(0, -2, &dev), -EINVAL);
	assert_int_equal(gaudi_device_open(0, 0, NULL), -EINVAL);
	GOOD(gaudi_device_close(NULL));
}

BED_TEST(info_of_other_sizes)
{
	struct {
		struct gaudi_device_info info;
		uint64_t more;
	} large = { .info.size = sizeof(large), .more = 5 };
	struct gaudi_device_info info;

	GOOD(gaudi_device_get_info(bed.dev, &large.info));
	assert_int_equal(large.more, 0);
	memset(&info, 0x77, sizeof(info));
	info.size = offsetof(struct gaudi_device_info, module_id);
	GOOD(gaudi_device_get_info(bed.dev, &info));
	assert_int_equal(info.module_id, 0x77777777);
	info.size = 0;
	assert_int_equal(gaudi_device_get_info(bed.dev, &info), -EINVAL);
}

CARD_TEST(errors_in_words)
{
	int error = 1;

	assert_string_equal(gaudi_strerror(GAUDI_ERR_NOT_READY),
			    "not done yet");
	for (int i = GAUDI_ERR_UNSUPPORTED; i <= GAUDI_ERR_NOT_READY; i++)
		assert_string_not_equal(gaudi_strerror(i), "unknown error");
	assert_string_not_equal(gaudi_strerror(GAUDI_ERR_ADDRESS),
				"unknown error");
	assert_string_equal(gaudi_strerror(-ENOMEM), "Cannot allocate memory");
	assert_string_equal(gaudi_strerror(0), "success");
	assert_string_equal(gaudi_strerror(77), "unknown error");
	assert_string_equal(gaudi_strerror(-99999), "unknown error");
	assert_int_equal(gaudi_device_count(NULL), -EINVAL);
	gaudi_last_error(&error);
	assert_int_equal(error, -EINVAL);
	assert_int_equal(gaudi_version(), 0x000100);
}

CARD_TEST(lost_by_the_driver)
{
	struct bed bed = bed_make();

	card.submit_error = -EBUSY;
	assert_int_equal(gaudi_fill_async(bed.stream, bed.mem, 0, 1, 1),
			 GAUDI_ERR_DEVICE_LOST);
	SAYS("takes no more work");
	assert_int_equal(gaudi_fill_async(bed.stream, bed.mem, 0, 1, 1),
			 GAUDI_ERR_DEVICE_LOST);
	assert_int_equal(gaudi_device_close(bed.dev), GAUDI_ERR_DEVICE_LOST);
}
