// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The log, text in buffers, numbers in strings, checksums and chance. */
#include <stdarg.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "kernel.h"
#include "nodes.h"

/* Up to this level; GAUDI_SIM_LOG says. */
static int log_level(void)
{
	const char *text = getenv("GAUDI_SIM_LOG");

	return text ? atoi(text) : SIM_ERR;
}

/* A line in one write: the program's own may come between. */
void sim_log(const struct device *dev, enum sim_level level, const char *fmt,
	     ...)
{
	char line[1024];
	int at = 0, n;
	va_list args;

	if ((int)level > log_level())
		return;
	at = scnprintf(line, sizeof(line), "gaudi-sim%s%s: ", dev ? " " : "",
		       dev ? dev_name(dev) : "");
	va_start(args, fmt);
	n = vsnprintf(line + at, sizeof(line) - at, fmt, args);
	va_end(args);
	at = min(at + n, (int)sizeof(line) - 1);
	if (write(STDERR_FILENO, line, at) < 0)
		return;
}

#define LIMIT_NS	(5 * NSEC_PER_SEC)
#define LIMIT_LINES	10

/* Of those that have left out lines. */
static pthread_mutex_t limits_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_limit *limits;

static void say_left_out(struct sim_limit *limit)
{
	if (limit->left_out)
		sim_log(NULL, SIM_ERR, "%s: %u lines like these left out\n",
			limit->function, limit->left_out);
	limit->left_out = 0;
}

bool sim_may_log(struct sim_limit *limit, enum sim_level level)
{
	u64 now = ktime_get();
	bool may;

	if ((int)level > log_level())
		return false;
	pthread_mutex_lock(&limits_lock);
	if (!limit->begin_ns || now - limit->begin_ns > LIMIT_NS) {
		say_left_out(limit);
		limit->begin_ns = now;
		limit->lines = 0;
	}
	may = limit->lines++ < LIMIT_LINES;
	if (!may && !limit->left_out++ && !limit->listed) {
		limit->listed = true;
		limit->next = limits;
		limits = limit;
	}
	pthread_mutex_unlock(&limits_lock);
	return may;
}

/* A lock that another thread has for good is no reason to stay. */
static void __attribute__((destructor)) say_all_left_out(void)
{
	struct sim_limit *limit;

	if (getpid() != sim_pid || pthread_mutex_trylock(&limits_lock))
		return;
	for (limit = limits; limit; limit = limit->next)
		say_left_out(limit);
	pthread_mutex_unlock(&limits_lock);
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return !size ? 0 : min(n, (int)size - 1);
}

int sysfs_emit(char *buf, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	/* The one attribute in a format that is the kernel's own. */
	if (!strcmp(fmt, "%pM\n")) {
		const u8 *mac = va_arg(args, const u8 *);

		n = sprintf(buf, "%02x:%02x:%02x:%02x:%02x:%02x\n", mac[0],
			    mac[1], mac[2], mac[3], mac[4], mac[5]);
	} else {
		n = vsnprintf(buf, PAGE_SIZE, fmt, args);
	}
	va_end(args);
	return min(n, (int)PAGE_SIZE - 1);
}

void seq_printf(struct seq_file *s, const char *fmt, ...)
{
	size_t room = s->size - s->count;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(s->buf + s->count, room, fmt, args);
	va_end(args);
	s->count = (size_t)n < room ? s->count + n : s->size;
}

/* A line end behind one of them does not count. */
bool sysfs_streq(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	n -= n && a[n - 1] == '\n';
	m -= m && b[m - 1] == '\n';
	return n == m && !memcmp(a, b, n);
}

int kstrtou64(const char *text, unsigned int base, u64 *value)
{
	char *end;

	if (!isxdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, base);
	if (errno)
		return -ERANGE;
	end += *end == '\n';
	return *end ? -EINVAL : 0;
}

int kstrtoul(const char *text, unsigned int base, unsigned long *value)
{
	u64 wide;
	int rc = kstrtou64(text, base, &wide);

	*value = wide;
	return rc;
}

int kstrtouint_from_user(const char *from, size_t count, unsigned int base,
			 unsigned int *value)
{
	char text[16] = "";
	u64 wide;
	int rc;

	if (copy_from_user(text, from, min(count, sizeof(text) - 1)))
		return -EFAULT;
	rc = kstrtou64(text, base, &wide);
	if (!rc && wide > UINT_MAX)
		rc = -ERANGE;
	*value = wide;
	return rc;
}

int kstrtou64_from_user(const char *from, size_t count, unsigned int base,
			u64 *value)
{
	char text[32] = "";

	if (copy_from_user(text, from, min(count, sizeof(text) - 1)))
		return -EFAULT;
	return kstrtou64(text, base, value);
}

ssize_t memory_read_from_buffer(void *to, size_t count, loff_t *pos,
				const void *from, size_t available)
{
	if (*pos < 0)
		return -EINVAL;
	if ((size_t)*pos >= available)
		return 0;
	count = min(count, available - (size_t)*pos);
	memcpy(to, (const char *)from + *pos, count);
	*pos += count;
	return count;
}

ssize_t simple_read_from_buffer(void *to, size_t count, loff_t *pos,
				const void *from, size_t available)
{
	if (*pos < 0)
		return -EINVAL;
	if ((size_t)*pos >= available)
		return 0;
	count = min(count, available - (size_t)*pos);
	if (copy_to_user(to, (const char *)from + *pos, count))
		return -EFAULT;
	*pos += count;
	return count;
}

const struct sim_utsname *utsname(void)
{
	static struct sim_utsname name;
	struct utsname host;

	if (!uname(&host))
		strscpy(name.release, host.release);
	return &name;
}

/* The kernel's begins and ends without inversion. */
u32 crc32_le(u32 crc, const void *data, size_t size)
{
	return ~(u32)crc32(~crc, data, size);
}

u32 get_random_u32(void)
{
	static u64 state;

	/* For shapes of trees and hashes: nobody is to be surprised by it. */
	u64 x = __atomic_add_fetch(&state, 0x9e3779b97f4a7c15ull,
				   __ATOMIC_RELAXED);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (u32)(x >> 32);
}

void get_random_bytes(void *to, size_t size)
{
	ssize_t n;

	while (size) {
		n = getrandom(to, size, 0);
		if (n < 0)
			continue;
		to = (char *)to + n;
		size -= n;
	}
}

/* --- the module's parameters ----------------------------------------------------- */

static void set_param(const char *type, void *variable, const char *text)
{
	if (!strcmp(type, "bool"))
		*(bool *)variable = strchr("1yY", text[0]) && text[0];
	else if (!strcmp(type, "ulong"))
		*(unsigned long *)variable = strtoul(text, NULL, 0);
	else
		*(int *)variable = (int)strtol(text, NULL, 0);
}

static struct { const char *name, *type; void *variable; } params[16];
static unsigned int num_params;

int sim_module_param_show(const char *name, char *text, size_t size)
{
	unsigned int i;

	for (i = 0; i < num_params && strcmp(params[i].name, name); i++)
		;
	if (i == num_params)
		return -ENOENT;
	if (!strcmp(params[i].type, "bool"))
		return scnprintf(text, size, "%c\n",
				 *(bool *)params[i].variable ? 'Y' : 'N');
	if (!strcmp(params[i].type, "ulong"))
		return scnprintf(text, size, "%lu\n",
				 *(unsigned long *)params[i].variable);
	return scnprintf(text, size, "%d\n", *(int *)params[i].variable);
}

const char *sim_module_param_name(unsigned int n)
{
	return n < num_params ? params[n].name : NULL;
}

void sim_module_param(const char *name, const char *type, void *variable)
{
	const char *at = getenv("GAUDI_SIM_PARAMS");
	size_t n = strlen(name);

	if (num_params == ARRAY_SIZE(params))
		abort();
	params[num_params].name = name;
	params[num_params].type = type;
	params[num_params++].variable = variable;
	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (!strncmp(at, name, n) && at[n] == '=')
			set_param(type, variable, at + n + 1);
}
