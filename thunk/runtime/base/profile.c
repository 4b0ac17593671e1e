// SPDX-License-Identifier: MIT
/*
 * The file of a profile: a line for each event, of the JSON that Perfetto and Chrome read,
 * as an array whose closing bracket may be missing.
 *
 * Lines are gathered, and appended as whole lines in one go: about twice a second, when
 * there are many, and at the end. So processes, and libraries of one process, can have one
 * file, and a process that is killed leaves what is older than half a second.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profile.h"

#define ROOM		(64 * 1024)
#define LINE_MAX_BYTES	1024
#define TEXT_MAX	120
#define PAUSE_NS	500000000ull
#define WAIT_PAUSE_NS	1000000ull	/* before a wait, which may have no end */

bool profile_on;
/* Set before main(). Of the templates that the vendor has names for, one leaves ioctls out. */
static bool light;
static const char *unknown;	/* a template that is none, and who asked for it */
static const char *asked_by;

/* Guards the rest. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char gathered[ROOM];
static size_t used;
static uint64_t flushed_ns;
static int file = -1;
/* In static TLS: other models would need the loader as a library. */
static _Thread_local int thread __attribute__((tls_model("initial-exec")));

uint64_t profile_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- the file ----------------------------------------------------------------- */

static void put_all(const char *text, size_t size)
{
	ssize_t done;

	while (size) {
		done = write(file, text, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		size -= (size_t)done;
	}
}

static bool open_file(void)
{
	const char *path = secure_getenv("GAUDI_PROFILE_FILE");
	char own[64];
	struct stat st;

	snprintf(own, sizeof(own), "gaudi-profile.%d.json", (int)getpid());
	if (!path || !*path)
		path = own;
	file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (file < 0) {
		fprintf(stderr, "GAUDI_PROFILE: %s: %s\n", path,
			strerror(errno));
		profile_on = false;
		return false;
	}
	/* Whoever is the first begins the array. */
	flock(file, LOCK_EX);
	if (!fstat(file, &st) && !st.st_size)
		put_all("[\n", 2);
	flock(file, LOCK_UN);

	return true;
}

static void flush(uint64_t now)
{
	flushed_ns = now;
	if (used && (file >= 0 || open_file()))
		put_all(gathered, used);
	used = 0;
}

static void __attribute__((format(printf, 1, 2))) line(const char *fmt, ...)
{
	va_list args;
	int size;

	if (used + LINE_MAX_BYTES > ROOM)
		flush(profile_now());
	va_start(args, fmt);
	size = vsnprintf(gathered + used, LINE_MAX_BYTES, fmt, args);
	va_end(args);
	/* What is too long would be half a line. */
	if (size > 0 && size < LINE_MAX_BYTES)
		used += (size_t)size;
}

static void flush_now_and_then(uint64_t now, uint64_t pause_ns)
{
	if (now - flushed_ns > pause_ns)
		flush(now);
}

/* --- lines -------------------------------------------------------------------- */

/* As a JSON string without its quotes. */
static const char *quoted(const char *from, char to[2 * TEXT_MAX + 1])
{
	size_t n = 0;

	for (; *from && n < 2 * TEXT_MAX - 1; from++) {
		if (*from == '"' || *from == '\\')
			to[n++] = '\\';
		to[n++] = (unsigned char)*from < ' ' ? ' ' : *from;
	}
	to[n] = '\0';

	return to;
}

static void name_of(const char *what, int pid, int tid, const char *path)
{
	char name[64] = "", text[2 * TEXT_MAX + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);

	if (fd >= 0)
		close(fd);
	if (size > 0 && name[size - 1] == '\n')
		name[size - 1] = '\0';
	line("{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"%s\", \"args\": {\"name\": \"%s\"}},\n",
	     pid, tid, what, quoted(name, text));
}

/* The lock is held. What it has not told of it tells of first. */
static int this_thread(int pid)
{
	char path[64];

	if (thread)
		return thread;
	thread = (int)syscall(SYS_gettid);
	if (thread == pid)
		name_of("process_name", pid, pid, "/proc/self/comm");
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", thread);
	name_of("thread_name", pid, thread, path);

	return thread;
}

#define US	"%" PRIu64 ".%03u"
#define IN_US(ns)	(ns) / 1000, (unsigned int)((ns) % 1000)

static void put_span(const struct profile_span *span, uint64_t end)
{
	char text[2 * TEXT_MAX + 1], name[2 * TEXT_MAX + 1], args[300] = "";
	const int pid = (int)getpid(), tid = this_thread(pid);
	const uint64_t begin = span->begin_ns;
	int n = 0;

	if (span->key)
		n = snprintf(args, sizeof(args), "\"%s\": %" PRIu64 "%s",
			     span->key, span->value, span->text ? ", " : "");
	if (span->text)
		snprintf(args + n, sizeof(args) - (size_t)n, "\"of\": \"%s\"",
			 quoted(span->text, text));
	line("{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"ts\": " US ", \"dur\": " US ", \"name\": \"%s\", \"args\": {%s}},\n",
	     pid, tid, IN_US(begin), IN_US(end - begin),
	     quoted(span->name, name), args);
}

void profile_start(struct profile_span *span)
{
	const int error = errno;

	span->begin_ns = profile_now();
	pthread_mutex_lock(&lock);
	flush_now_and_then(span->begin_ns, strstr(span->name, "synchronize") ||
			   strstr(span->name, "WAIT") ? WAIT_PAUSE_NS : PAUSE_NS);
	pthread_mutex_unlock(&lock);
	errno = error;
}

void profile_wait(void)
{
	const int error = errno;

	pthread_mutex_lock(&lock);
	flush(profile_now());
	pthread_mutex_unlock(&lock);
	errno = error;
}

void profile_write(const struct profile_span *span)
{
	const uint64_t end = profile_now();
	const int error = errno;

	if (light && !strncmp(span->name, "ioctl ", 6))
		return;
	pthread_mutex_lock(&lock);
	put_span(span, end);
	flush_now_and_then(end, PAUSE_NS);
	pthread_mutex_unlock(&lock);
	errno = error;
}

void profile_count(const char *name, uint32_t module, const char *unit,
		   uint64_t value)
{
	const uint64_t now = profile_now();
	const int error = errno;

	pthread_mutex_lock(&lock);
	line("{\"ph\": \"C\", \"pid\": %d, \"tid\": 0, \"ts\": " US ", \"name\": \"%s, module %" PRIu32 "\", \"args\": {\"%s\": %" PRIu64 "}},\n",
	     (int)getpid(), IN_US(now), name, module, unit, value);
	pthread_mutex_unlock(&lock);
	errno = error;
}

void profile_clock(uint32_t module, uint64_t before_ns, uint64_t counter,
		   uint64_t after_ns)
{
	const int error = errno;
	int pid, tid;

	pthread_mutex_lock(&lock);
	pid = (int)getpid();
	tid = this_thread(pid);
	line("{\"ph\": \"i\", \"s\": \"t\", \"pid\": %d, \"tid\": %d, \"ts\": " US ", \"name\": \"clock\", \"args\": {\"module\": %" PRIu32 ", \"counter\": %" PRIu64 ", \"before_ns\": %" PRIu64 ", \"after_ns\": %" PRIu64 "}},\n",
	     pid, tid, IN_US(before_ns), module, counter, before_ns, after_ns);
	pthread_mutex_unlock(&lock);
	errno = error;
}

void profile_job(const char *of, const char *recipe, const char *engine,
		 uint32_t offset, const char *does)
{
	char launch[2 * TEXT_MAX + 1], name[2 * TEXT_MAX + 1];
	char text[2 * TEXT_MAX + 1];
	const uint64_t now = profile_now();
	const int error = errno;
	int pid, tid;

	pthread_mutex_lock(&lock);
	pid = (int)getpid();
	tid = this_thread(pid);
	line("{\"ph\": \"i\", \"s\": \"t\", \"pid\": %d, \"tid\": %d, \"ts\": " US ", \"name\": \"job\", \"args\": {\"of\": \"%s\", \"recipe\": \"%s\", \"engine\": \"%s\", \"offset\": %" PRIu32 ", \"does\": \"%s\"}},\n",
	     pid, tid, IN_US(now), quoted(of, launch), quoted(recipe, name),
	     engine, offset, quoted(does, text));
	pthread_mutex_unlock(&lock);
	errno = error;
}

void profile_recipe(const char *name, const char *path)
{
	char recipe[2 * TEXT_MAX + 1], from[2 * TEXT_MAX + 1];
	const uint64_t now = profile_now();
	const int error = errno;
	int pid, tid;

	pthread_mutex_lock(&lock);
	pid = (int)getpid();
	tid = this_thread(pid);
	line("{\"ph\": \"i\", \"s\": \"t\", \"pid\": %d, \"tid\": %d, \"ts\": " US ", \"name\": \"recipe\", \"args\": {\"of\": \"%s\", \"file\": \"%s\"}},\n",
	     pid, tid, IN_US(now), quoted(name, recipe), quoted(path, from));
	pthread_mutex_unlock(&lock);
	errno = error;
}

/* --- beginning, end, fork ------------------------------------------------------ */

/* What the parent has gathered is the parent's; the file may be another one. */
static void in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	used = 0;
	thread = 0;
	if (file >= 0 && !secure_getenv("GAUDI_PROFILE_FILE")) {
		close(file);
		file = -1;
	}
}

void profile_check(void)
{
	const char *name = __atomic_exchange_n(&unknown, NULL, __ATOMIC_RELAXED);

	if (name)
		fprintf(stderr, "%s: there is no '%s'; there are 0, 1, profile_api, profile_api_light and profile_api_with_nics. Nothing is profiled\n",
			asked_by, name);
}

static void __attribute__((constructor)) set_up(void)
{
	static const char *const templates[] = {
		"1", "profile_api", "profile_api_with_nics", "profile_api_light",
	};
	const char *on = secure_getenv("GAUDI_PROFILE");
	const size_t count = sizeof(templates) / sizeof(templates[0]);
	size_t i = 0;

	asked_by = "GAUDI_PROFILE";
	if (!on || !*on) {
		on = secure_getenv("HABANA_PROFILE");
		asked_by = "HABANA_PROFILE";
	}
	if (!on || !*on || !strcmp(on, "0"))
		return;
	while (i < count && strcmp(on, templates[i]))
		i++;
	if (i == count) {
		unknown = on;
		return;
	}
	light = i == count - 1;
	pthread_atfork(NULL, NULL, in_child);
	flushed_ns = profile_now();
	profile_on = true;
}

static void __attribute__((destructor)) finish(void)
{
	if (!profile_on)
		return;
	pthread_mutex_lock(&lock);
	flush(profile_now());
	pthread_mutex_unlock(&lock);
}
