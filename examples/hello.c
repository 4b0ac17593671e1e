// SPDX-License-Identifier: MIT
/* A text goes to the card, within it, and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gaudi.h>

static void check(int rc)
{
	if (rc < 0) {
		fprintf(stderr, "hello: %s\n", gaudi_last_error(NULL));
		exit(1);
	}
}

int main(void)
{
	static const char text[] = "Hello from HBM!";
	struct gaudi_device_info info = { .size = sizeof(info) };
	struct gaudi_device *device;
	char back[sizeof(text)];
	gaudi_ptr a, b;

	check(gaudi_device_open(0, 60000, &device));
	check(gaudi_device_get_info(device, &info));
	check(gaudi_malloc(device, sizeof(text), &a));
	check(gaudi_malloc(device, sizeof(text), &b));
	check(gaudi_copy_to_device(device, a, text, sizeof(text)));
	check(gaudi_copy_device(device, b, a, sizeof(text)));
	check(gaudi_copy_to_host(device, back, b, sizeof(text)));
	printf("module %u on %s: %s\n", info.module_id, info.driver, back);
	check(gaudi_device_close(device));

	return 0;
}
