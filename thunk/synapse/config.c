// SPDX-License-Identifier: MIT
/* Settings: variables of the environment, and what holds where they are not set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "syn_priv.h"

static const struct setting {
	const char *name;
	const char *text;
	bool is_switch;
} settings[] = {
	{ "BOX_TYPE", "UNKNOWN", false },
	{ "HABANA_DISABLE_DOUBLE_SYN_INITIALIZE", "0", true },
	{ "HABANA_VISIBLE_DEVICES", "all", false },
	{ "HABANA_VISIBLE_MODULES", "all", false },
	{ "HCCL_COMM_ID", "", false },
	{ "HCCL_GAUDI_DIRECT", "0", true },
	{ "HCCL_OVER_OFI", "0", true },
	{ "HCCL_PEER_DIRECT", "0", true },
	{ "HCCL_SOCKET_IFNAME", "", false },
	{ "INIT_HCCL_ON_ACQUIRE", "1", true },
};

static const struct setting *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];

	return NULL;
}

static bool is_on(const char *text)
{
	return !strcasecmp(text, "true") || strtol(text, NULL, 0);
}

static const char *value_of(const struct setting *setting)
{
	const char *text = secure_getenv(setting->name);

	if (!text || !*text)
		return setting->text;
	if (setting->is_switch)
		return is_on(text) ? "1" : "0";

	return text;
}

synStatus synConfigurationGet(const char *name, char *value, uint64_t size)
{
	const struct setting *setting = name ? find(name) : NULL;
	const char *text = setting ? value_of(setting) : "0";
	size_t length = strlen(text);
	synStatus status = synSuccess;

	if (!value || !size)
		return syn_fail(synInvalidArgument, "setting: no room");
	if (!setting)
		status = syn_fail(synInvalidArgument, "no setting \"%.60s\"",
				  name ? name : "");
	if (length >= size) {
		status = status ? status :
			 syn_fail(synOutOfResources, "%s has %zu characters",
				  name, length);
		length = size - 1;
	}
	memcpy(value, text, length);
	value[length] = '\0';

	return status;
}
