// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Files of debugfs: of functions, of one show function, of two for a number, and of a
 * number itself. The directory of a card has its PCI address for a name.
 */
#include "grow.h"

#define PIECE	65536

/* A function's calls are a file's that has just been opened. */
static void *private_of(const struct file_operations *fops, void *data,
			struct seq_file *seq)
{
	if (!fops->show)
		return data;
	*seq = (struct seq_file) { .private = data };
	return seq;
}

static ssize_t show_all(const struct file_operations *fops, void *data,
			char **text)
{
	struct seq_file s = { .size = PIECE, .private = data };
	int rc;

	for (;;) {
		s.count = 0;
		s.buf = malloc(s.size);
		if (!s.buf)
			return -ENOMEM;
		rc = fops->show(&s, NULL);
		if (rc || s.count < s.size)
			break;
		free(s.buf);
		s.size *= 2;
	}
	*text = s.buf;
	return rc ?: (ssize_t)s.count;
}

static ssize_t show_number(const struct file_operations *fops, void *data,
			   char **text)
{
	u64 value;
	int rc = fops->get ? fops->get(data, &value) : -EACCES;

	if (rc)
		return rc;
	return asprintf(text, fops->fmt, value) < 0 ? -ENOMEM :
						      (ssize_t)strlen(*text);
}

/* From the beginning to the end. */
static ssize_t read_all(const struct file_operations *fops, void *data,
			char **text)
{
	struct file file = { .f_op = fops, .private_data = data };
	size_t size = 0;
	ssize_t n = 0;
	loff_t pos = 0;
	char *more;

	do {
		size += n;
		more = realloc(*text, size + PIECE);
		if (!more)
			return -ENOMEM;
		*text = more;
		n = fops->read(&file, more + size, PIECE, &pos);
	} while (n > 0);
	return n ?: (ssize_t)size;
}

static ssize_t show_file(const struct sim_entry *e, char **text)
{
	const struct file_operations *fops = e->what;

	if (fops->show)
		return show_all(fops, e->owner, text);
	if (fops->fmt)
		return show_number(fops, e->owner, text);
	return fops->read ? read_all(fops, e->owner, text) : -EINVAL;
}

static ssize_t store_file(const struct sim_entry *e, const char *text,
			  size_t size)
{
	const struct file_operations *fops = e->what;
	struct seq_file seq;
	struct file file = {
		.f_op = fops, .private_data = private_of(fops, e->owner, &seq),
	};
	loff_t pos = 0;
	u64 value;

	if (fops->write)
		return fops->write(&file, text, size, &pos);
	if (!fops->fmt || !fops->set)
		return -EINVAL;
	return kstrtou64(text, 0, &value) ?: fops->set(e->owner, value) ?:
	       (ssize_t)size;
}

static const struct sim_entry_ops file_ops = {
	.show = show_file,
	.store = store_file,
};

void debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
			 void *data, const struct file_operations *fops)
{
	sim_entry_file((struct sim_entry *)parent, name, mode, &file_ops, data,
		       fops, 0);
}

/* --- numbers in memory --------------------------------------------------------- */

static ssize_t show_word(const struct sim_entry *e, char **text)
{
	bool hex = e->what;
	u64 value = 0;
	int n;

	memcpy(&value, e->owner, e->arg);
	n = hex ? asprintf(text, "0x%0*llx\n", (int)e->arg * 2, value) :
		  asprintf(text, "%llu\n", value);
	return n < 0 ? -ENOMEM : n;
}

static ssize_t store_word(const struct sim_entry *e, const char *text,
			  size_t size)
{
	u64 value;
	int rc = kstrtou64(text, 0, &value);

	if (rc)
		return rc;
	if (e->arg < 8 && value >> 8 * e->arg)
		return -ERANGE;
	memcpy(e->owner, &value, e->arg);
	return size;
}

static const struct sim_entry_ops word_ops = {
	.show = show_word,
	.store = store_word,
};

#define DEFINE_WORD(kind, word_t, is_hex)						\
void debugfs_create_##kind(const char *name, umode_t mode, struct dentry *parent,	\
			   word_t *value)						\
{											\
	sim_entry_file((struct sim_entry *)parent, name, mode, &word_ops, value,	\
		       (is_hex) ? &word_ops : NULL, sizeof(word_t));			\
}

DEFINE_WORD(u8, u8, false)
DEFINE_WORD(u16, u16, false)
DEFINE_WORD(u32, u32, false)
DEFINE_WORD(x8, u8, true)
DEFINE_WORD(x64, u64, true)

void accel_debugfs_init(struct drm_device *drm)
{
	drm->debugfs_root = (struct dentry *)
		sim_entry_dir(sim_entry_merged("/sys/kernel/debug/accel"), drm->dev->name);
}
