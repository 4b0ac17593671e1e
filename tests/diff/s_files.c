// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs and hwmon: which files there are, how they may be opened, what they
 * hold, and what they say to good and bad values.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "steps.h"

#define DEV	"/sys/class/accel/accel0/device"

static long read_file(const char *path, char *buf, size_t size)
{
	int file = open(path, O_RDONLY);
	ssize_t n;
	long err;
	char *p;

	if (file < 0)
		return -errno;
	n = read(file, buf, size - 1);
	err = n < 0 ? -errno : n;
	close(file);
	if (err < 0)
		return err;
	buf[n] = 0;
	for (p = buf; *p; p++)
		if (!isprint((unsigned char)*p))
			*p = *p == '\n' ? ' ' : '?';
	return n;
}

/* What changes from one reading to the next: only its kind is said. */
static bool moves(const char *name)
{
	return (strstr(name, "_input") && !strstr(name, "pwm")) ||
	       strstr(name, "highest") || strstr(name, "lowest") ||
	       strstr(name, "average");
}

/* How many there were before this script is not its business. */
static bool counts(const char *name)
{
	return strstr(name, "reset_cnt");
}

static void say_file(const char *dir, const char *name)
{
	char path[512], buf[4096], key[300], *end;
	struct stat st;
	long n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(key, sizeof(key), "%s", name);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	n = read_file(path, buf, sizeof(buf));
	if (n >= 0 && (moves(name) || counts(name))) {
		strtol(buf, &end, 0);
		snprintf(buf, sizeof(buf), "%s",
			 end != buf ? "a number" : "text");
		n = 0;
	}
	say(key, "mode %#o %s%s", st.st_mode & 07777,
	    n < 0 ? errname(n) : "holds ", n < 0 ? "" : buf);
}

/* The PCI core's own: not the driver's, and reading a BAR touches the card. */
static bool core_file(const char *name)
{
	static const char * const list[] = {
		"ari_enabled", "broken_parity_status", "class", "config",
		"consistent_dma_mask_bits", "current_link", "d3cold", "device",
		"dma_mask", "driver_override", "enable", "irq", "local_cpu",
		"max_link", "modalias", "msi_bus", "numa_node", "power_state",
		"remove", "rescan", "reset", "resource", "revision",
		"subsystem", "uevent", "vendor", "rom", "aer_", "boot_vga",
		"sriov",
	};
	unsigned int i;

	if (!strcmp(name, "device_type"))
		return false;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void each_file(const char *dir,
		      void (*fn)(const char *dir, const char *name))
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, by_name), i;

	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.' && !core_file(list[i]->d_name))
			fn(dir, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void sysfs_script(void)
{
	each_file(DEV, say_file);
	each_file(DEV "/infineon", say_file);
}

/* The module's parameters; a name that only one has is a difference. */
static void module_script(void)
{
	static const char * const names[] = {
		"timeout_locked", "reset_on_lockup", "memory_scrub",
		"boot_error_status_mask",
	};
	const char *module = access("/sys/module/gaudi", F_OK) ?
			     "habanalabs" : "gaudi";
	char dir[128];
	unsigned int i;

	snprintf(dir, sizeof(dir), "/sys/module/%s/parameters", module);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		say_file(dir, names[i]);
}

static const char *hwmon_dir(void)
{
	static char dir[256];
	glob_t g;

	if (glob(DEV "/hwmon/hwmon*", 0, NULL, &g) || !g.gl_pathc)
		give_up("no hwmon");
	snprintf(dir, sizeof(dir), "%s", g.gl_pathv[0]);
	globfree(&g);
	return dir;
}

static void hwmon_script(void)
{
	each_file(hwmon_dir(), say_file);
}

static const char * const values[] = {
	"", "\n", "0", "1", "2", "-1", "abc", "0x10", "1 2", "1\n", "010",
	"4294967296", "18446744073709551616", "99999", "3.5", " 1",
};

/* Writing makes a reset, or changes what later scripts see. */
static bool leave_alone(const char *name)
{
	return !strcmp(name, "hard_reset") || !strcmp(name, "soft_reset") ||
	       !strcmp(name, "driver_override");
}

static void write_each(const char *dir, const char *name)
{
	char path[512], before[4096], after[4096], key[300], shown[32];
	struct stat st;
	unsigned int i;
	long rc;
	char *p;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (stat(path, &st) || !S_ISREG(st.st_mode) || leave_alone(name))
		return;
	if (!(st.st_mode & 0222)) {
		snprintf(key, sizeof(key), "%s, write", name);
		say(key, "%s", errname(gt_write_file(path, "1")));
		return;
	}
	read_file(path, before, sizeof(before));
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(shown, sizeof(shown), "%s", values[i]);
		for (p = shown; *p; p++)
			if (*p == '\n')
				*p = '/';
		snprintf(key, sizeof(key), "%s <- '%s'", name, shown);
		rc = gt_write_file(path, values[i]);
		if (read_file(path, after, sizeof(after)) < 0 || moves(name))
			after[0] = 0;
		say(key, "%s %s", errname(rc), after);
	}
	gt_write_file(path, before);
}

static void sysfs_write_script(void)
{
	each_file(DEV, write_each);
}

static void hwmon_write_script(void)
{
	each_file(hwmon_dir(), write_each);
}

static long reset_count(void)
{
	char count[64];

	if (read_file(DEV "/hard_reset_cnt", count, sizeof(count)) < 0)
		give_up("no hard_reset_cnt");
	return strtol(count, NULL, 0);
}

/* Values that are refused do no reset; then one that is not. */
static void hard_reset_script(void)
{
	static const char * const bad[] = { "", "\n", "abc", "-1", "x1",
					    "18446744073709551616" };
	char path[] = DEV "/hard_reset", count[64], key[64];
	long before = reset_count();
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(key, sizeof(key), "hard_reset <- '%s'",
			 bad[i][0] == '\n' ? "/" : bad[i]);
		say(key, "%s", errname(gt_write_file(path, bad[i])));
	}
	say("read", "%s", errname(read_file(path, count, sizeof(count))));
	say("hard_reset <- 1", "%s", errname(gt_write_file(path, "1")));
	say("operational", "%s", errname(gt_wait_operational(60)));
	/* The stock driver does so a moment later. */
	for (i = 0; i < 200 && reset_count() == before; i++)
		usleep(50000);
	say("counted", "%ld", reset_count() - before);
	say("hard_reset <- 0", "%s", errname(gt_write_file(path, "0")));
	say("operational", "%s", errname(gt_wait_operational(60)));
}

/* With a user: he is killed. */
static void hard_reset_used_script(void)
{
	struct gt_cb block = cb_block("block");
	uint64_t a = submit_one(0, &block, 0, "a job that waits");

	say("write", "%s", errname(gt_write_file(DEV "/hard_reset", "1")));
	wait_for(a, 20000000, "its end");
	sleep(30);
	say("alive", "yes");
}

const struct script s_files[] = {
	{ "module", module_script, false },
	{ "sysfs", sysfs_script, false },
	{ "hwmon", hwmon_script, false },
	{ "sysfs-write", sysfs_write_script, false },
	{ "hwmon-write", hwmon_write_script, false },
	{ "sysfs-used", sysfs_script, true },
	{ "hard-reset", hard_reset_script, false },
	{ "hard-reset-used", hard_reset_used_script, true },
	{ .name = NULL },
};
