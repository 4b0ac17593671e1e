// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Calls with a path. */
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "preload.h"

static bool may_be_cards(const char *path)
{
	return !strncmp(path, "/dev", 4) || !strncmp(path, "/sys", 4) ||
	       !strncmp(path, "/proc/", 6);
}

const char *card_path(int dir, const char *path, char *buf)
{
	char proc[32];
	ssize_t n;

	if (inside || !path)
		return NULL;
	if (*path == '/')
		return may_be_cards(path) ? path : NULL;
	if (dir == AT_FDCWD)
		return NULL;
	if (ASK(gaudi_sim_path(dir, buf, PATH_MAX))) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", dir);
		n = syscall(SYS_readlinkat, AT_FDCWD, proc, buf, PATH_MAX - 1);
		buf[n < 0 ? 0 : n] = '\0';
	}
	n = strlen(buf);
	if (!may_be_cards(buf) || n + strlen(path) + 2 > PATH_MAX)
		return NULL;
	buf[n] = '/';
	strcpy(buf + n + 1, path);
	return buf;
}

/*
 * A path that begins in a directory of cards, and leads to what is the kernel's: the
 * kernel does not know that directory.
 */
static const char *kernels_path(int *dir, const char *path, char *buf)
{
	char *up, *slash;

	if (!path || *path == '/' || !is_card(*dir) ||
	    !card_path(*dir, path, buf))
		return path;
	while ((up = strstr(buf, "/..")) && (!up[3] || up[3] == '/')) {
		*up = '\0';
		slash = strrchr(buf, '/');
		if (!slash)
			return path;
		memmove(slash, up + 3, strlen(up + 3) + 1);
	}
	*dir = AT_FDCWD;
	return buf;
}

/* What the library says of a path, or -EXDEV: ask the C library. */
#define ASK_OF(dir, path, call)						\
({									\
	char buf_[PATH_MAX];						\
	const char *at = card_path(dir, path, buf_);			\
	at ? ASK(call) : -EXDEV;					\
})

/* --- open -------------------------------------------------------------------- */

static long open_card(int dir, const char *path, int flags)
{
	return ASK_OF(dir, path, gaudi_sim_open(at, flags));
}

#define OPEN(name)							\
EXPORT int name(const char *path, int flags, ...)			\
{									\
	long rc = open_card(AT_FDCWD, path, flags);			\
	va_list args;							\
	mode_t mode;							\
									\
	va_start(args, flags);						\
	mode = va_arg(args, mode_t);					\
	va_end(args);							\
	return rc == -EXDEV ? NEXT(name)(path, flags, mode) :		\
			      (int)answer(rc);				\
}

OPEN(open)
OPEN(open64)

#define OPENAT(name)							\
EXPORT int name(int dir, const char *path, int flags, ...)		\
{									\
	long rc = open_card(dir, path, flags);				\
	char buf[PATH_MAX];						\
	va_list args;							\
	mode_t mode;							\
									\
	if (rc != -EXDEV)						\
		return (int)answer(rc);					\
	va_start(args, flags);						\
	mode = va_arg(args, mode_t);					\
	va_end(args);							\
	path = kernels_path(&dir, path, buf);				\
	return NEXT(name)(dir, path, flags, mode);			\
}

OPENAT(openat)
OPENAT(openat64)

/* What a checked build calls. */
#define OPEN_2(name)							\
int name(const char *path, int flags);					\
EXPORT int name(const char *path, int flags)				\
{									\
	long rc = open_card(AT_FDCWD, path, flags);			\
									\
	return rc == -EXDEV ? NEXT(name)(path, flags) :			\
			      (int)answer(rc);				\
}

OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)							\
int name(int dir, const char *path, int flags);				\
EXPORT int name(int dir, const char *path, int flags)			\
{									\
	long rc = open_card(dir, path, flags);				\
									\
	return rc == -EXDEV ? NEXT(name)(dir, path, flags) :		\
			      (int)answer(rc);				\
}

OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

/* A stream calls the kernel by itself: one to be written calls us. */
static ssize_t stream_read(void *fd, char *to, size_t size)
{
	return read((int)(intptr_t)fd, to, size);
}

static ssize_t stream_write(void *fd, const char *from, size_t size)
{
	return write((int)(intptr_t)fd, from, size);
}

static int stream_close(void *fd)
{
	return close((int)(intptr_t)fd);
}

static FILE *open_stream(int fd, const char *mode)
{
	const cookie_io_functions_t io = {
		.read = stream_read, .write = stream_write,
		.close = stream_close,
	};

	if (*mode == 'r' && !strchr(mode, '+'))
		return fdopen(fd, mode);
	return fopencookie((void *)(intptr_t)fd, mode, io);
}

#define FOPEN(name)							\
EXPORT FILE *name(const char *path, const char *mode)			\
{									\
	int flags = strchr(mode, '+') ? O_RDWR :			\
		    *mode == 'r' ? O_RDONLY : O_WRONLY;			\
	long rc;							\
									\
	rc = open_card(AT_FDCWD, path,					\
		       flags | (strchr(mode, 'e') ? O_CLOEXEC : 0));	\
	if (rc == -EXDEV)						\
		return NEXT(name)(path, mode);				\
	rc = answer(rc);						\
	return rc < 0 ? NULL : open_stream((int)rc, mode);		\
}

FOPEN(fopen)
FOPEN(fopen64)

/* --- what there is ------------------------------------------------------------- */

static long stat_card(int dir, const char *path, int flags, struct stat *st)
{
	if (flags & AT_EMPTY_PATH && path && !*path)
		return is_card(dir) ? ASK(gaudi_sim_fstat(dir, st)) : -EXDEV;
	return ASK_OF(dir, path,
		      gaudi_sim_stat(at, !(flags & AT_SYMLINK_NOFOLLOW), st));
}

#define STAT(name, type, flags)						\
EXPORT int name(const char *path, struct type *st)			\
{									\
	long rc = stat_card(AT_FDCWD, path, flags, (struct stat *)st);	\
									\
	return rc == -EXDEV ? NEXT(name)(path, st) : (int)answer(rc);	\
}

STAT(stat, stat, 0)
STAT(stat64, stat64, 0)
STAT(lstat, stat, AT_SYMLINK_NOFOLLOW)
STAT(lstat64, stat64, AT_SYMLINK_NOFOLLOW)

#define STATAT(name, type)						\
EXPORT int name(int dir, const char *path, struct type *st, int flags)	\
{									\
	long rc = stat_card(dir, path, flags, (struct stat *)st);	\
	char buf[PATH_MAX];						\
									\
	if (rc != -EXDEV)						\
		return (int)answer(rc);					\
	path = kernels_path(&dir, path, buf);				\
	return NEXT(name)(dir, path, st, flags);			\
}

STATAT(fstatat, stat)
STATAT(fstatat64, stat64)

/* Of programs that were built for a C library older than 2.33. */
#define XSTAT(name, now)						\
int name(int version, const char *path, struct stat *st);		\
EXPORT int name(int version, const char *path, struct stat *st)		\
{									\
	(void)version;							\
	return now(path, st);						\
}

XSTAT(__xstat, stat)
XSTAT(__xstat64, stat)
XSTAT(__lxstat, lstat)
XSTAT(__lxstat64, lstat)

#define XSTATAT(name)							\
int name(int version, int dir, const char *path, struct stat *st,	\
	 int flags);							\
EXPORT int name(int version, int dir, const char *path, struct stat *st, \
		int flags)						\
{									\
	(void)version;							\
	return fstatat(dir, path, st, flags);				\
}

XSTATAT(__fxstatat)
XSTATAT(__fxstatat64)

EXPORT int statx(int dir, const char *path, int flags, unsigned int mask,
		 struct statx *out)
{
	struct stat st;
	long rc = stat_card(dir, path, flags, &st);

	if (rc == -EXDEV)
		return NEXT(statx)(dir, path, flags, mask, out);
	if (rc)
		return (int)answer(rc);
	*out = (struct statx) {
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = st.st_blksize,
		.stx_nlink = st.st_nlink,
		.stx_uid = st.st_uid,
		.stx_gid = st.st_gid,
		.stx_mode = st.st_mode,
		.stx_ino = st.st_ino,
		.stx_size = st.st_size,
		.stx_rdev_major = major(st.st_rdev),
		.stx_rdev_minor = minor(st.st_rdev),
		.stx_dev_major = major(st.st_dev),
		.stx_dev_minor = minor(st.st_dev),
	};
	return 0;
}

EXPORT int access(const char *path, int mode)
{
	long rc = ASK_OF(AT_FDCWD, path, gaudi_sim_access(at, mode));

	return rc == -EXDEV ? NEXT(access)(path, mode) : (int)answer(rc);
}

EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
	long rc = ASK_OF(dir, path, gaudi_sim_access(at, mode));

	return rc == -EXDEV ? NEXT(faccessat)(dir, path, mode, flags) :
			      (int)answer(rc);
}

EXPORT int eaccess(const char *path, int mode)
{
	long rc = ASK_OF(AT_FDCWD, path, gaudi_sim_access(at, mode));

	return rc == -EXDEV ? NEXT(eaccess)(path, mode) : (int)answer(rc);
}

EXPORT int euidaccess(const char *path, int mode)
{
	return eaccess(path, mode);
}

/* --- links --------------------------------------------------------------------- */

static long read_link(int dir, const char *path, char *buf, size_t size)
{
	char target[PATH_MAX], whole[PATH_MAX];
	long n;

	/* A link itself has been opened. */
	if (path && !*path && is_card(dir)) {
		ASK(gaudi_sim_path(dir, whole, sizeof(whole)));
		path = whole;
	}
	n = ASK_OF(dir, path, gaudi_sim_readlink(at, target, sizeof(target)));
	if (n < 0)
		return n;
	if ((size_t)n > size)
		n = size;
	memcpy(buf, target, n);
	return n;
}

EXPORT ssize_t readlink(const char *path, char *buf, size_t size)
{
	long n = read_link(AT_FDCWD, path, buf, size);

	return n == -EXDEV ? NEXT(readlink)(path, buf, size) : answer(n);
}

EXPORT ssize_t readlinkat(int dir, const char *path, char *buf, size_t size)
{
	long n = read_link(dir, path, buf, size);

	return n == -EXDEV ? NEXT(readlinkat)(dir, path, buf, size) : answer(n);
}

ssize_t __readlink_chk(const char *path, char *buf, size_t size, size_t room);
EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t size,
			      size_t room)
{
	if (size > room)
		abort();
	return readlink(path, buf, size);
}

EXPORT char *realpath(const char *path, char *to)
{
	char whole[PATH_MAX];
	long rc = ASK_OF(AT_FDCWD, path,
			 gaudi_sim_realpath(at, whole, sizeof(whole)));

	if (rc == -EXDEV)
		return NEXT(realpath)(path, to);
	if (answer(rc))
		return NULL;
	return to ? strcpy(to, whole) : strdup(whole);
}

char *__realpath_chk(const char *path, char *to, size_t room);
EXPORT char *__realpath_chk(const char *path, char *to, size_t room)
{
	if (room < PATH_MAX)
		abort();
	return realpath(path, to);
}

EXPORT char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

/* --- what cards' files have not --------------------------------------------------- */

static bool is_cards(const char *path)
{
	struct stat st;

	return !ASK_OF(AT_FDCWD, path, gaudi_sim_stat(at, false, &st));
}

#define XATTR(name)							\
ssize_t name(const char *path, const char *attr, void *to, size_t size); \
EXPORT ssize_t name(const char *path, const char *attr, void *to,	\
		    size_t size)					\
{									\
	return is_cards(path) ? answer(-EOPNOTSUPP) :			\
				NEXT(name)(path, attr, to, size);	\
}

XATTR(getxattr)
XATTR(lgetxattr)
