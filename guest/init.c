// SPDX-License-Identifier: MIT
/*
 * The guest's first process. It loads modules, enters the host's file system,
 * loads the card's driver, runs one command, and tells the host its status.
 *
 * It runs from an initramfs that scripts/gaudi-vm makes anew for each run; it
 * needs no other program. Mounts are in mounts.c, the command and its streams
 * in run.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "init.h"

#define STATUS_FAILED	125

int port_fd[N_PORTS] = { -1, -1, -1, -1 };

static const char *const port_name[N_PORTS] = {
	[PORT_CTL] = "gaudi.ctl",
	[PORT_IN] = "gaudi.in",
	[PORT_OUT] = "gaudi.out",
	[PORT_ERR] = "gaudi.err",
};

/* What this run is to do. */
static struct {
	char **config, **argv, **env;
} run;

/* The initramfs, also after the change of root. */
static int initramfs = -1;

static void vsay(const char *fmt, va_list ap)
{
	char line[512];
	int n, fd;

	n = snprintf(line, sizeof(line), "<5>gaudi-vm: ");
	n += vsnprintf(line + n, sizeof(line) - n, fmt, ap);
	if (n >= (int)sizeof(line))
		n = sizeof(line) - 1;
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, line, n) < 0)
		perror("/dev/kmsg");
	close(fd);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

/* Nothing is left to do: the host ends the machine, or else we do. */
static void finish(void)
{
	sync();
	poll(NULL, 0, 5000);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

void fail(const char *fmt, ...)
{
	char line[400];
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	tell_host("fail %s", line);
	tell_host("exit %d 0 0", STATUS_FAILED);
	finish();
	abort();
}

static char *read_file(const char *path, size_t *size)
{
	size_t have = 0, room = 4096;
	char *buf = malloc(room + 1);
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (buf && fd >= 0) {
		n = read(fd, buf + have, room - have);
		if (n <= 0)
			break;
		have += n;
		if (have == room) {
			room *= 2;
			buf = realloc(buf, room + 1);
		}
	}
	if (fd >= 0)
		close(fd);
	if (!buf)
		abort();
	buf[have] = '\0';
	*size = have;
	return buf;
}

/* buf: of so many bytes, and kept. */
static char **strings_of(char *buf, size_t size)
{
	size_t i, n = 0;
	char **list;

	for (i = 0; i < size; i++)
		n += !buf[i];
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		abort();
	for (i = 0; i < n; i++) {
		list[i] = buf;
		buf += strlen(buf) + 1;
	}
	return list;
}

char **read_strings(const char *path)
{
	size_t size;
	char *buf = read_file(path, &size);

	return strings_of(buf, size);
}

const char *config(const char *key, unsigned int i)
{
	size_t len = strlen(key);
	char **line;

	for (line = run.config; *line; line++)
		if (!strncmp(*line, key, len) && (*line)[len] == '=' && !i--)
			return *line + len + 1;
	return NULL;
}

/* Open the port whose name in sysfs is name; -1 as long as there is none. */
static int port_open(const char *name)
{
	char path[64], *text;
	unsigned int i;
	size_t size;

	for (i = 0; i < 16; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/virtio-ports/vport0p%u/name", i);
		text = read_file(path, &size);
		if (size && text[size - 1] == '\n')
			text[size - 1] = '\0';
		if (!strcmp(text, name)) {
			free(text);
			snprintf(path, sizeof(path), "/dev/vport0p%u", i);
			return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		}
		free(text);
	}
	return -1;
}

void ports_open(void)
{
	struct pollfd p = { .events = POLLOUT };
	unsigned int i, tries;

	for (i = 0; i < N_PORTS; i++) {
		for (tries = 0; tries < 1000; tries++) {
			if (port_fd[i] < 0)
				port_fd[i] = port_open(port_name[i]);
			p.fd = port_fd[i];
			p.revents = 0;
			if (p.fd >= 0 && poll(&p, 1, 0) >= 0 &&
			    !(p.revents & POLLHUP))
				break;
			poll(NULL, 0, 10);
		}
		if (tries == 1000)
			fail("no port %s to the host", port_name[i]);
	}
}

void tell_host(const char *fmt, ...)
{
	struct pollfd p = { .fd = port_fd[PORT_CTL], .events = POLLOUT };
	char line[512];
	size_t len, done = 0;
	va_list ap;
	ssize_t n;

	if (port_fd[PORT_CTL] < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	len = strlen(line);
	line[len++] = '\n';
	while (done < len) {
		n = write(port_fd[PORT_CTL], line + done, len - done);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return;
		if (n > 0)
			done += n;
		else
			poll(&p, 1, 1000);
	}
}

/*
 * Load ko/NAME.ko of the initramfs; the parameters follow the name. The host is
 * told if one with a question mark before it cannot be loaded, and all goes on.
 */
static void load_module(const char *spec)
{
	bool optional = *spec == '?';
	const char *params;
	char path[128];
	int len, fd;

	spec += optional;
	params = strchr(spec, ' ');
	len = params ? (int)(params - spec) : (int)strlen(spec);
	snprintf(path, sizeof(path), "ko/%.*s.ko", len, spec);
	fd = openat(initramfs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("no module %s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, params ? params + 1 : "", 0) &&
	    errno != EEXIST) {
		if (!optional)
			fail("cannot load module %.*s: %s", len, spec,
			     strerror(errno));
		tell_host("without %.*s %s", len, spec, strerror(errno));
	}
	close(fd);
}

static void load_modules(const char *key)
{
	const char *spec;
	unsigned int i;

	for (i = 0; (spec = config(key, i)); i++)
		load_module(spec);
}

/* A file of the initramfs, which is out of sight after the change of root. */
static void keep(const char *name, const char *path)
{
	char buf[65536];
	int from, to;
	ssize_t n;

	from = openat(initramfs, name, O_RDONLY | O_CLOEXEC);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, n) != n)
			break;
	if (n)
		fail("cannot copy %s to %s: %s", name, path, strerror(errno));
	close(from);
	close(to);
}

/* Copies for programs that unload and reload the driver themselves. */
static void keep_modules(void)
{
	char from[128], to[128];
	const char *name;
	unsigned int i;

	for (i = 0; (name = config("keep", i)); i++) {
		snprintf(from, sizeof(from), "ko/%s.ko", name);
		snprintf(to, sizeof(to), "/run/gaudi-vm/%s.ko", name);
		keep(from, to);
	}
}

/* Waits for so many bytes of the host, at the control port. */
static void hear_host(char *buf, size_t len)
{
	struct pollfd p = { .fd = port_fd[PORT_CTL], .events = POLLIN };
	ssize_t n;

	while (len) {
		n = read(p.fd, buf, len);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			fail("the host says no more: %s", strerror(errno));
		if (n > 0) {
			buf += n;
			len -= n;
		} else if (poll(&p, 1, n ? -1 : 10) < 0 && errno != EINTR) {
			fail("cannot wait for the host: %s", strerror(errno));
		}
	}
}

static char **hear_strings(size_t len)
{
	char *buf = malloc(len + 1);

	if (!buf)
		abort();
	hear_host(buf, len);
	buf[len] = '\0';
	return strings_of(buf, len);
}

/* Numbers that are different in each guest that a snapshot becomes. */
static void stir_random(const char *seed)
{
	int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, seed, strlen(seed)) < 0 ||
	    ioctl(fd, RNDRESEEDCRNG))
		say("the same random numbers as before: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

/*
 * Here the machine is saved, and each guest that it becomes goes on from here, at another
 * time and with another command: "run CONFIG ARGV ENV", how many bytes of each follow.
 */
static void become_another_run(void)
{
	struct timespec now = { 0 };
	size_t len[3], n = 0;
	const char *value;
	char line[128];

	tell_host("snapshot");
	do {
		hear_host(line + n, 1);
	} while (line[n++] != '\n' && n < sizeof(line));
	line[n - 1] = '\0';
	if (sscanf(line, "run %zu %zu %zu", &len[0], &len[1], &len[2]) != 3)
		fail("the host says '%s'", line);
	run.config = hear_strings(len[0]);
	run.argv = hear_strings(len[1]);
	run.env = hear_strings(len[2]);
	tell_host("hello");
	value = config("time", 0);
	if (value && sscanf(value, "%ld.%9ld", &now.tv_sec, &now.tv_nsec) == 2)
		clock_settime(CLOCK_REALTIME, &now);
	value = config("random", 0);
	if (value)
		stir_random(value);
}

static void loopback_up(void)
{
	struct ifreq req = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &req))
		say("no loopback network: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

int main(void)
{
	unsigned long long out = 0, err = 0;
	bool saved;
	int status;

	mkdir("/proc", 0555);
	mkdir("/sys", 0555);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	initramfs = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	run.config = read_strings("/config");
	run.argv = read_strings("/argv");
	run.env = read_strings("/env");
	sethostname("gaudi-vm", 8);

	ports_open();
	tell_host("hello");
	load_modules("early");
	saved = config("snapshot", 0);
	if (saved) {
		load_modules("load");
		become_another_run();
	}
	if (config("ram", 0))
		enter_ram_root();
	else
		enter_host_root();
	loopback_up();
	keep_modules();
	if (config("cabling", 0))
		keep("cabling", "/run/gaudi-vm/cabling");
	tell_host("loading");
	if (!saved)
		load_modules("load");
	tell_host("ready");
	status = run_command(run.argv, run.env, &out, &err);
	sync();
	tell_host("exit %d %llu %llu", status, out, err);
	finish();
}
