/* SPDX-License-Identifier: MIT */
/*
 * Which cards the system has, by libudev; no device node is opened.
 * Functions return 0 or a negative errno.
 */
#ifndef TOOLS_CARDS_H
#define TOOLS_CARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARD_TEXT	128

struct card {
	int index;			/* N of /dev/accel/accelN */
	char busid[32];
	char driver[32];		/* kernel module, "" if unknown */
	char driver_version[64];	/* kernels' own modules have none */
	uint32_t vendor_id;
	uint32_t device_id;
	bool has_module_id;
	uint32_t module_id;
	/* sysfs attributes of the driver, "" if it has none by that name */
	char status[CARD_TEXT];
	char preboot_version[CARD_TEXT];
	char boot_version[CARD_TEXT];
	char os_version[CARD_TEXT];
	char cpucp_version[CARD_TEXT];
	char cpld_version[CARD_TEXT];
	char fuse_version[CARD_TEXT];
	char link_speed[32];
	char link_width[16];
};

enum sensor_type { SENSOR_TEMP, SENSOR_VOLT, SENSOR_CURR };

/* A reading of the card's hwmon: millidegrees C, mV, mA. Power is INFO's. */
struct sensor {
	enum sensor_type type;
	char label[48];
	long long value;
};

/* Which cards the user means; unset members match every card. */
struct card_choice {
	int index;			/* -1: any */
	int module_id;			/* -1: any */
	const char *busid;		/* NULL: any */
};

/* Sorted by index. The caller frees *@cards. */
int cards_find(struct card **cards, size_t *count);
/* Keep the chosen ones, in place; returns how many. */
size_t cards_choose(struct card *cards, size_t count,
		    const struct card_choice *choice);
/* At most @max readings; returns how many. Sensors that fail are left out. */
size_t card_sensors(const struct card *card, struct sensor *out, size_t max);
/* PCI functions of Habana's without a driver: their addresses, or "". */
void cards_driverless(char *buf, size_t size);

#endif /* TOOLS_CARDS_H */
