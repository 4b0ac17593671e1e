// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does to the files of a card's driver what a table says, and looks at the
 * kernel's log after each step. Not a test of its own: tests/oracle/ has the
 * tables. Ends with 1 if something was not as expected, and says what.
 *
 *   files_check TABLE [complete]
 *
 * "complete": every file that the driver has made must be in the table, to be
 * read if it can be read and to be written if it can be written. The driver is
 * unbound from the card at the end, to see which files were its own.
 *
 * A line of a table is  FILE OPERATION [ARGUMENT]...  FILE is AREA/NAME, or a
 * pattern for several; AREA: sysfs (of the PCI device), hwmon, debugfs, param
 * (of the module). Quotes '' keep blanks, # begins a comment. Operations:
 *
 *   read REGEX        a line of what it holds matches
 *   whole REGEX       all of it does, white space made one blank
 *   range LOW HIGH    it is a number within
 *   size BYTES        so much can be read
 *   empty             nothing can be read
 *   until REGEX SEC   a line matches within so many seconds; the log is looked
 *                     at after that
 *   noread ERROR      reading fails; as errno's text
 *   write VALUE       takes it
 *   refuse VALUE ERROR
 *   says REGEX        (before another) each line that the step adds to the log
 *                     at level warning or above matches, and there is one
 *                     within 5 seconds. Without this, no step may add such a line.
 *
 * @NAME@ in an argument stands for the environment variable NAME; @DRIVER@ is
 * the driver's name. A line that begins with "NAME: " is for the driver NAME
 * alone. What "says" announces are habanalabs's words: other drivers may add
 * lines there, and need not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES	512
#define MAX_TEXT	0x10000
#define LEVEL_WARNING	4
#define REFERENCE	"habanalabs"

enum { SYSFS, HWMON, DEBUGFS, PARAM, NUM_AREAS };

static const char *const area_names[NUM_AREAS] = {
	"sysfs", "hwmon", "debugfs", "param",
};

static struct file {
	char *path;
	bool can_read, can_write;	/* by its mode */
	bool was_read, was_written;	/* by the table */
} files[MAX_FILES];
static unsigned int num_files;

static char areas[NUM_AREAS][PATH_MAX];
static char device[PATH_MAX];
static const char *driver_name;
static char where[512];			/* the step, for complaints */
static char says[512];
static unsigned int complaints, steps;
static int kmsg = -1;

static void complain(const char *what, const char *detail)
{
	printf("%s: %s '%s'\n", where, what, detail);
	complaints++;
}

static void fatal(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static bool matches(const char *pattern, const char *text)
{
	regex_t re;
	bool found;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE)) {
		complain("bad expression", pattern);
		return false;
	}
	found = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return found;
}

/* --- the kernel's log ----------------------------------------------------- */

/* Looks at what is new; true: it holds what was announced. */
static bool read_log(void)
{
	bool announced = false;
	char record[8192];
	unsigned int prio;
	ssize_t len;
	char *text;

	while ((len = read(kmsg, record, sizeof(record) - 1)) > 0 ||
	       (len < 0 && errno == EPIPE)) {
		if (len < 0)
			continue;	/* overwritten before it was read */
		record[len] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%u", &prio) != 1 ||
		    (prio & 7) > LEVEL_WARNING || !strstr(text, driver_name))
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (*says && (strcmp(driver_name, REFERENCE) ||
			      matches(says, text + 1)))
			announced = true;
		else
			complain("the log says", text + 1);
	}
	return announced;
}

/* What the step has added must be what was announced, or nothing. */
static void check_log(void)
{
	bool announced = read_log();

	if (*says && strcmp(driver_name, REFERENCE)) {
		*says = '\0';
		return;
	}
	/* The driver's workers may have to say it. */
	for (int i = 0; *says && !announced && i < 50; i++) {
		usleep(100000);
		announced = read_log();
	}
	if (*says && !announced)
		complain("the log does not say", says);
	*says = '\0';
}

/* --- files ---------------------------------------------------------------- */

/* Bytes read, or -1; text: at most MAX_TEXT of it, without NULs. */
static long get(const char *path, char *text)
{
	static char buf[0x10000];
	size_t kept = 0;
	long total = 0;
	ssize_t n;
	int fd;

	text[0] = '\0';
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		total += n;
		for (ssize_t i = 0; i < n && kept < MAX_TEXT - 1; i++)
			if (buf[i])
				text[kept++] = buf[i];
	}
	text[kept] = '\0';
	if (n < 0)
		total = -1;
	n = errno;
	close(fd);
	errno = n;
	return total;
}

static int put(const char *path, const char *value)
{
	char line[512];
	int fd = open(path, O_WRONLY | O_TRUNC), err = 0, len;

	if (fd < 0)
		return -1;
	len = snprintf(line, sizeof(line), "%s\n", value);
	if (write(fd, line, len) != len)
		err = errno ? errno : EIO;
	close(fd);
	errno = err;
	return err ? -1 : 0;
}

static void squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (!strchr(" \t\n", *text))
			*to++ = *text;
		else if (to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

static struct file *file_at(const char *path)
{
	for (unsigned int i = 0; i < num_files; i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	return NULL;
}

static void until(const char *path, const char *pattern, int seconds)
{
	static char text[MAX_TEXT];

	for (int i = 0; i < seconds * 10; i++) {
		if (get(path, text) >= 0 && matches(pattern, text))
			return;
		usleep(100000);
	}
	complain("is still", text);
}

static bool within(const char *text, const char *low, const char *high)
{
	char *end;
	long long v = strtoll(text, &end, 10);

	return end != text && (!*end || *end == '\n') && v >= atoll(low) &&
	       v <= atoll(high);
}

/* An operation that reads and has something to look at. */
static void check_contents(const char *path, char **arg)
{
	static char text[MAX_TEXT + 1];
	const char *op = arg[1];
	long len;
	bool ok;

	errno = 0;
	text[0] = ' ';			/* for squeeze() */
	len = get(path, text + 1);
	if (!strcmp(op, "noread")) {
		if (len >= 0 || strcmp(strerror(errno), arg[2]))
			complain("reading gives", len >= 0 ? text + 1 :
						  strerror(errno));
		return;
	}
	if (len < 0) {
		complain("cannot be read:", strerror(errno));
		return;
	}
	if (!strcmp(op, "size")) {
		ok = len == atol(arg[2]);
		snprintf(text + 1, MAX_TEXT, "%ld bytes", len);
	} else if (!strcmp(op, "range")) {
		ok = within(text + 1, arg[2], arg[3]);
	} else if (!strcmp(op, "empty")) {
		ok = !text[1];
	} else {
		if (!strcmp(op, "whole"))
			squeeze(text + 1);
		ok = matches(arg[2], text + 1);
	}
	if (!ok)
		complain("holds", text + 1);
}

static void do_step(const char *path, char **arg, int args)
{
	static const struct { const char *name; int args; } ops[] = {
		{ "read", 3 }, { "whole", 3 }, { "range", 4 }, { "size", 3 },
		{ "empty", 2 }, { "noread", 3 }, { "until", 4 }, { "write", 3 },
		{ "refuse", 4 },
	};
	struct file *file = file_at(path);
	const char *op = arg[1];
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].name, op) && ops[i].args == args)
			break;
	if (i == sizeof(ops) / sizeof(*ops)) {
		complain("no such operation, or wrong number of words:", op);
		return;
	}
	steps++;
	if (!strcmp(op, "write") || !strcmp(op, "refuse")) {
		int err = put(path, arg[2]) ? errno : 0;

		if (file)
			file->was_written = true;
		if (strcmp(err ? strerror(err) : "",
			   args == 4 ? arg[3] : ""))
			complain("writing gives", strerror(err));
	} else {
		if (file)
			file->was_read = true;
		if (!strcmp(op, "until"))
			until(path, arg[2], atoi(arg[3]));
		else
			check_contents(path, arg);
	}
	check_log();
}

/* --- the table ------------------------------------------------------------ */

/* Splits a line in place; words with @NAME@ replaced are new. */
static int words(char *line, char **word, int max)
{
	int n = 0;

	while (n < max) {
		line += strspn(line, " \t\n");
		if (!*line || *line == '#')
			break;
		if (*line == '\'') {
			word[n++] = ++line;
			line += strcspn(line, "'");
		} else {
			word[n++] = line;
			line += strcspn(line, " \t\n");
		}
		if (*line)
			*line++ = '\0';
	}
	return n;
}

static char *expand(const char *word)
{
	char out[512], name[64];
	size_t len = 0;
	int used;

	while (*word && len < sizeof(out) - 1) {
		const char *value;

		if (sscanf(word, "@%63[A-Z0-9_]@%n", name, &used) != 1 ||
		    word[used - 1] != '@') {
			out[len++] = *word++;
			continue;
		}
		value = getenv(name);
		if (!value)
			complain("no such variable", name);
		len += snprintf(out + len, sizeof(out) - len, "%s",
				value ? value : "");
		if (len >= sizeof(out))
			break;
		word += used;
		used = 0;
	}
	out[len < sizeof(out) ? len : sizeof(out) - 1] = '\0';
	return strdup(out);
}

static bool full_pattern(const char *file, char *out, size_t size)
{
	for (int i = 0; i < NUM_AREAS; i++) {
		size_t len = strlen(area_names[i]);

		if (strncmp(file, area_names[i], len) || file[len] != '/')
			continue;
		snprintf(out, size, "%s%s", areas[i], file + len);
		return true;
	}
	return false;
}

static void do_line(char *line, unsigned int number)
{
	char pattern[PATH_MAX + 256], *arg[5];
	glob_t found;
	size_t len = strcspn(line, " \t\n");
	int n;

	/* For one driver only? */
	if (len > 1 && line[len - 1] == ':') {
		if (strlen(driver_name) != len - 1 ||
		    strncmp(line, driver_name, len - 1))
			return;
		line += len;
	}
	n = words(line, arg, 5);
	if (!n)
		return;
	snprintf(where, sizeof(where), "line %u (%s %s)", number, arg[0],
		 n > 1 ? arg[1] : "");
	if (n < 2 || n > 4 || !full_pattern(arg[0], pattern, sizeof(pattern))) {
		complain("makes no sense:", arg[0]);
		return;
	}
	for (int i = 2; i < n; i++)
		arg[i] = expand(arg[i]);
	if (!strcmp(arg[1], "says")) {
		snprintf(says, sizeof(says), "%s", n > 2 ? arg[2] : "");
		free(arg[2]);
		return;
	}
	if (glob(pattern, 0, NULL, &found))
		complain("no such file", pattern);
	else
		for (size_t i = 0; i < found.gl_pathc; i++)
			do_step(found.gl_pathv[i], arg, n);
	globfree(&found);
	for (int i = 2; i < n; i++)
		free(arg[i]);
}

static void do_table(const char *name)
{
	FILE *f = fopen(name, "r");
	unsigned int number = 0;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		fatal(name);
	while (getline(&line, &size, f) >= 0)
		do_line(line, ++number);
	free(line);
	fclose(f);
}

/* --- which files there are ------------------------------------------------ */

static void find_files(const char *dir)
{
	char *pattern;
	glob_t found;
	struct stat st;

	if (asprintf(&pattern, "%s/*", dir) < 0 ||
	    glob(pattern, 0, NULL, &found))
		fatal(dir);
	free(pattern);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];

		/* uevent is everywhere, and nobody's. */
		if (stat(path, &st) || !S_ISREG(st.st_mode) ||
		    !strcmp(strrchr(path, '/'), "/uevent"))
			continue;
		if (num_files == MAX_FILES) {
			errno = ENOSPC;
			fatal(dir);
		}
		files[num_files++] = (struct file){
			.path = strdup(path),
			.can_read = st.st_mode & 0444,
			.can_write = st.st_mode & 0222,
		};
	}
	globfree(&found);
}

static void find_areas(void)
{
	char driver[PATH_MAX], link[PATH_MAX + 16];
	const char *name;
	glob_t found;

	if (!realpath("/sys/class/accel/accel0/device", device))
		fatal("no card");
	name = strrchr(device, '/') + 1;
	snprintf(areas[SYSFS], PATH_MAX, "%s", device);
	snprintf(areas[DEBUGFS], PATH_MAX, "/sys/kernel/debug/accel/%s", name);
	snprintf(link, sizeof(link), "%s/driver", device);
	if (!realpath(link, driver))
		fatal("no driver");
	driver_name = strdup(strrchr(driver, '/') + 1);
	setenv("DRIVER", driver_name, 1);
	snprintf(areas[PARAM], PATH_MAX, "/sys/module/%s/parameters",
		 driver_name);
	snprintf(link, sizeof(link), "%s/hwmon/hwmon*", device);
	if (glob(link, 0, NULL, &found))
		fatal("no hwmon");
	snprintf(areas[HWMON], PATH_MAX, "%s", found.gl_pathv[0]);
	globfree(&found);
	for (int i = 0; i < NUM_AREAS; i++)
		find_files(areas[i]);
}

/* Without the driver, its files are gone from the device's directory. */
static void check_complete(void)
{
	char unbind[PATH_MAX + 16];
	unsigned int own = 0;

	snprintf(unbind, sizeof(unbind), "%s/driver/unbind", device);
	if (put(unbind, strrchr(device, '/') + 1))
		fatal(unbind);
	for (unsigned int i = 0; i < num_files; i++) {
		const struct file *file = &files[i];

		if (!access(file->path, F_OK) &&
		    strncmp(file->path, areas[PARAM], strlen(areas[PARAM])))
			continue;
		own++;
		snprintf(where, sizeof(where), "%s", file->path);
		if (file->can_read && !file->was_read)
			complain("in the table,", "nothing reads it");
		if (file->can_write && !file->was_written)
			complain("in the table,", "nothing writes it");
	}
	printf("%u files\n", own);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		fatal("/dev/kmsg");
	find_areas();
	do_table(argv[1]);
	if (argc > 2)
		check_complete();
	printf("%u steps, %u complaints\n", steps, complaints);
	return complaints ? 1 : 0;
}
