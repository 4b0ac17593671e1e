// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A snapshot: the card by its library, and then the host's memory that it reaches, which
 * is the process's own. What the driver knows is not in it: a loaded card goes on with that
 * copy and without the driver, which is blocked; opening the card resets it.
 *
 * A file is looked at as a whole, the card's part by loading it into a card that nobody
 * uses, before anything happens to the card that it is for.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../../driver/context/gaudi_context.h"
#include "../../driver/core/gaudi_ctx.h"
#include "../../driver/core/gaudi_device.h"
#include "../../driver/reset/gaudi_reset.h"
#include "../../qemu-device/chip/gaudi_chip.h"
#include "../../uapi/hw/gaudi_map.h"
#include "../gaudi_sim.h"
#include "../host/box.h"
#include "../host/image.h"
#include "../host/slots.h"
#include "../kernel/nodes.h"
#include "../watch/journal.h"
#include "cards_priv.h"
#include "snapshot.h"

/* "GSIMSNAP" */
#define MAGIC		0x50414e534d495347ull
#define VERSION		1ull

/* Opening and saving, of any card, and against these loading. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
/* Of each card; what it has instead of the process's memory, if it was loaded. */
static struct sim_image *images[SIM_MAX_CARDS];

struct why { char *text; size_t size; };

static int refuse(struct why why, int err, const char *text)
{
	scnprintf(why.text, why.size, "%s", text);
	return err;
}

static struct gaudi_device *driver_of(unsigned int n)
{
	return pci_get_drvdata(sim_card_slot(n));
}

static int number_of(const struct gaudi_sim_card *card)
{
	const void *chip = card;
	int n;

	for (n = 0; n < SIM_MAX_CARDS; n++)
		if (chip && sim_card_chip(n) == chip)
			return n;
	return -1;
}

/* --- files --------------------------------------------------------------------- */

static int stream_write(void *opaque, const void *buf, size_t len)
{
	errno = 0;
	return fwrite(buf, 1, len, opaque) == len ? 0 : -(errno ?: EIO);
}

static int stream_read(void *opaque, void *buf, size_t len)
{
	errno = 0;
	if (fread(buf, 1, len, opaque) == len)
		return 0;
	return feof((FILE *)opaque) ? -ENODATA : -(errno ?: EIO);
}

static struct gaudi_stream stream_of(FILE *file)
{
	return (struct gaudi_stream) { stream_write, stream_read, file };
}

static int read_head(FILE *in, struct why why)
{
	u64 head[2];

	rewind(in);
	if (fread(head, sizeof(head), 1, in) != 1 || head[0] != MAGIC)
		return refuse(why, -EINVAL,
			      "this is no snapshot of a card in a process");
	return head[1] == VERSION ? 0 :
	       refuse(why, -EINVAL, "it is of another version");
}

/* --- saving -------------------------------------------------------------------- */

/* The other card would know nothing of it. */
static int check_links(struct gaudi_chip *chip, struct why why)
{
	unsigned int port;

	for (port = 0; port < GAUDI_NUM_NIC_ENGINE; port++) {
		if (!gaudi_chip_link_up(chip, port))
			continue;
		scnprintf(why.text, why.size,
			  "NIC%u: its link to another card is up", port);
		return -EBUSY;
	}
	return 0;
}

/*
 * The card first: what the host writes meanwhile for it to read comes with a doorbell that
 * the snapshot lacks.
 */
static int save_paused(unsigned int n, FILE *out, struct why why)
{
	const u64 head[2] = { MAGIC, VERSION };
	struct gaudi_chip *chip = sim_card_chip(n);
	struct gaudi_stream stream = stream_of(out);
	int err = check_links(chip, why) ?:
		  gaudi_chip_can_save(chip, why.text, why.size);

	if (err)
		return err;
	err = stream_write(out, head, sizeof(head));
	if (err)
		return refuse(why, err, strerror(-err));
	return gaudi_chip_save(chip, &stream, why.text, why.size) ?:
	       sim_image_save(driver_of(n), images[n], out, why.text, why.size);
}

static int save_file(unsigned int n, FILE *out, struct why why)
{
	int err;

	if (!out)
		return refuse(why, -errno, strerror(errno));
	gaudi_chip_pause(sim_card_chip(n));
	err = save_paused(n, out, why);
	gaudi_chip_resume(sim_card_chip(n));
	if (fclose(out) && !err)
		err = refuse(why, -errno, strerror(errno));
	return err;
}

int gaudi_sim_save(struct gaudi_sim_card *card, const char *path, char *why,
		   size_t size)
{
	struct why reason = { why, size };
	int n = number_of(card), err;
	char fresh[PATH_MAX];

	if (size)
		*why = '\0';
	if (n < 0)
		return refuse(reason, -EINVAL, "there is no such card");
	if (scnprintf(fresh, sizeof(fresh), "%s.%d", path, getpid()) ==
	    sizeof(fresh) - 1)
		return refuse(reason, -ENAMETOOLONG, strerror(ENAMETOOLONG));
	pthread_rwlock_rdlock(&lock);
	err = save_file(n, fopen(fresh, "wxe"), reason);
	if (!err && rename(fresh, path))
		err = refuse(reason, -errno, strerror(errno));
	if (err && err != -EEXIST)
		unlink(fresh);
	pthread_rwlock_unlock(&lock);
	return err;
}

/* --- a card that nobody uses --------------------------------------------------- */

static int no_dma(void *opaque, uint64_t addr, void *buf, size_t len)
{
	return -EFAULT;
}

static int no_dma_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	return -EFAULT;
}

static void *no_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	return NULL;
}

static void no_unmap(void *opaque, void *ptr, size_t len, bool write,
		     size_t accessed)
{
}

static void no_msi(void *opaque, unsigned int vector)
{
}

static void no_window(void *opaque, uint64_t target)
{
}

static uint64_t now_ns(void *opaque)
{
	return ktime_get();
}

static void no_timer(void *opaque, uint64_t deadline_ns)
{
}

static void no_kick(void *opaque)
{
}

static void no_log(void *opaque, enum gaudi_log_level level, const char *line)
{
}

static const struct gaudi_host_ops no_host = {
	.dma_read = no_dma,
	.dma_write = no_dma_write,
	.dma_map = no_map,
	.dma_unmap = no_unmap,
	.msi = no_msi,
	.hbm_window = no_window,
	.now_ns = now_ns,
	.timer = no_timer,
	.kick = no_kick,
	.log = no_log,
};

/* Whether such a card takes it, to where the card's part ends. */
static int try_card(unsigned int n, FILE *in, struct why why)
{
	struct gaudi_stream stream = stream_of(in);
	struct gaudi_config config;
	struct gaudi_chip *chip;
	int err = sim_card_config(n, &config);

	/* The journal is the other one's, and that one refuses to be loaded. */
	config.journal = NULL;
	config.record_events = 1;
	chip = err ? NULL : gaudi_chip_new(&config, &no_host, NULL, NULL, &err);
	if (!chip)
		return refuse(why, err, strerror(-err));
	err = gaudi_chip_load(chip, &stream, why.text, why.size);
	gaudi_chip_free(chip);
	return err;
}

/* --- loading ------------------------------------------------------------------- */

static bool is_open(struct gaudi_device *gdev)
{
	struct gaudi_ctx *ctx;
	bool open = false;

	gaudi_for_each_ctx(gdev, ctx)
		open = open || !READ_ONCE(ctx->closing);
	return open;
}

/* The card has that memory, and whoever had the other one before is through with it. */
static void give_image(unsigned int n, struct sim_image *image)
{
	struct sim_image *old = images[n];

	images[n] = image;
	sim_card_give(n, image);
	gaudi_chip_drain(sim_card_chip(n));
	sim_image_free(old);
}

static int wake_driver(unsigned int n)
{
	gaudi_chip_power_on(sim_card_chip(n));
	give_image(n, NULL);
	pci_set_master(sim_card_slot(n));
	return gaudi_reset_unblock(driver_of(n));
}

/* Takes the image, if it is 0. */
static int load_card(unsigned int n, FILE *in, struct sim_image *image,
		     struct why why)
{
	struct gaudi_chip *chip = sim_card_chip(n);
	struct gaudi_stream stream = stream_of(in);
	int err;

	if (!images[n])
		gaudi_reset_block(driver_of(n), HL_DEVICE_STATUS_IN_RESET,
				  GAUDI_RESET_USERS_MS);
	gaudi_chip_pause(chip);
	err = read_head(in, why) ?:
	      gaudi_chip_load(chip, &stream, why.text, why.size);
	if (!err)
		give_image(n, image);
	gaudi_chip_resume(chip);
	if (err)
		wake_driver(n);
	return err;
}

static int load_file(unsigned int n, FILE *in, struct why why)
{
	struct sim_image *image = NULL;
	int err;

	if (!in)
		return refuse(why, -errno, strerror(errno));
	if (is_open(driver_of(n)))
		err = refuse(why, -EBUSY, "the card is open");
	else
		err = read_head(in, why) ?: try_card(n, in, why);
	if (!err)
		image = sim_image_load(in, &err, why.text, why.size);
	if (!err) {
		err = load_card(n, in, image, why);
		if (err)
			sim_image_free(image);
	}
	fclose(in);
	return err;
}

/* What could only be found out when it is too late. */
static int check_process(struct why why)
{
	if (sim_box_is_shared())
		return refuse(why, -EOPNOTSUPP,
			      "the card is one of a box that other processes have");
	return sim_journal() ?
	       refuse(why, -EOPNOTSUPP, "the card has a journal") : 0;
}

int gaudi_sim_load(struct gaudi_sim_card *card, const char *path, char *why,
		   size_t size)
{
	struct why reason = { why, size };
	int n = number_of(card), err;

	if (size)
		*why = '\0';
	if (n < 0)
		return refuse(reason, -EINVAL, "there is no such card");
	err = check_process(reason);
	if (err)
		return err;
	pthread_rwlock_wrlock(&lock);
	err = load_file(n, fopen(path, "re"), reason);
	pthread_rwlock_unlock(&lock);
	return err;
}

/* --- the way back -------------------------------------------------------------- */

int sim_snapshot_open(unsigned int n, struct file *file)
{
	int rc = 0;

	pthread_rwlock_rdlock(&lock);
	while (images[n] && !rc) {
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		if (images[n])
			rc = wake_driver(n);
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_rdlock(&lock);
	}
	if (!rc)
		rc = sim_open_accel(n, file);
	pthread_rwlock_unlock(&lock);
	return rc;
}

void *sim_snapshot_memory(const struct gaudi_sim_card *card, u64 at,
			  size_t size)
{
	int n = number_of(card);
	size_t there = size;
	void *p = NULL;

	pthread_rwlock_rdlock(&lock);
	if (n >= 0 && images[n])
		p = sim_image_at(images[n], at, &there);
	pthread_rwlock_unlock(&lock);
	return there == size ? p : NULL;
}
