// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The host of each card: memory, interrupt, time and log for the chip; windows and
 * configuration space for the driver.
 *
 * What the chip reaches of this process is what the driver allocated for it, directly,
 * and all else by calls of the kernel that cannot crash. Bus mastering is the driver's
 * to turn on.
 */
#include <unistd.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../../uapi/hw/gaudi_map.h"
#include "../gaudi_sim.h"
#include "../host/box.h"
#include "../host/clock.h"
#include "../host/image.h"
#include "../host/options.h"
#include "../host/slots.h"
#include "../kernel/checker.h"
#include "../kernel/nodes.h"
#include "../watch/journal.h"
#include "cards_priv.h"
#include "hw/gaudi_cabling.h"

/* Which one of the chip's windows is no memory. */
#define WINDOW_BYTES	GAUDI_BAR_CFG_SIZE
#define ELBI_FIRST	0xff0
/* Longer than a thread waits for its turn; what is busy for longer never ends. */
#define SETTLES_MS	5000

struct card {
	struct pci_dev pdev;
	struct sim_timer timer;
	struct sim_image *image;	/* instead of the process's memory, or NULL */
	pthread_mutex_t lock;	/* of the two below, in a box that is shared */
	bool booted;
	int error;		/* of its probe */
};

static pthread_once_t cards_once = PTHREAD_ONCE_INIT;
static struct card *cards[SIM_MAX_CARDS];
static unsigned int num_cards;
static unsigned int wanted_cards;	/* if the environment says nothing */
pid_t sim_pid;
void (*sim_in_child)(void);
static bool gone;		/* this is a child of the process that made them */
/* One behind the other: what stands for the windows. Nothing can be accessed. */
static char *windows;
struct pci_driver *sim_pci_driver;

static unsigned int card_number(const struct pci_dev *pdev)
{
	return ((char *)pdev->cfg - windows) / WINDOW_BYTES;
}

/* --- what the chip asks ---------------------------------------------------------- */

static struct sim_image *image_of(struct card *card)
{
	return __atomic_load_n(&card->image, __ATOMIC_ACQUIRE);
}

static int image_copy(const struct sim_image *image, u64 addr, char *buf,
		      size_t len, bool write)
{
	size_t n;
	char *at;

	for (; len; len -= n, addr += n, buf += n) {
		n = len;
		at = sim_image_at(image, addr, &n);
		if (!at)
			return -EFAULT;
		memcpy(write ? at : buf, write ? buf : at, n);
	}
	return 0;
}

/* As much is looked at while it is written: entries of queues and of page tables. */
#define ENTRY_BYTES	64

/* Whoever sees a word of @to sees all that was written before it. */
static void copy_words(void *to, const void *from, size_t len)
{
	uintptr_t bits = (uintptr_t)to | len;

	if (len > ENTRY_BYTES || bits % sizeof(u32))
		memcpy(to, from, len);
	else if (bits % sizeof(u64))
		for (size_t i = 0; i < len; i += sizeof(u32))
			WRITE_ONCE(*(u32 *)(to + i), get_unaligned_le32(from + i));
	else
		for (size_t i = 0; i < len; i += sizeof(u64))
			WRITE_ONCE(*(u64 *)(to + i), get_unaligned_le64(from + i));
}

static int dma_copy(struct card *card, u64 addr, void *buf, size_t len,
		    bool write)
{
	const struct sim_image *image = image_of(card);
	void *host = (void *)(uintptr_t)addr;

	if (image)
		return image_copy(image, addr, buf, len, write);
	if (!READ_ONCE(card->pdev.master))
		return -EFAULT;
	if (sim_dma_is_coherent(addr, len)) {
		if (write)
			copy_words(host, buf, len);
		else
			memcpy(buf, host, len);
		return 0;
	}
	if (sim_process_copy(buf, host, len, write) == (ssize_t)len)
		return 0;
	sim_log_ratelimited(&card->pdev.dev, SIM_ERR,
		"%zu bytes at %#llx are not there: were they unmapped while the card had them?\n",
		len, addr);
	return -EFAULT;
}

static int dma_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	return dma_copy(opaque, addr, buf, len, false);
}

static int dma_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	return dma_copy(opaque, addr, (void *)(uintptr_t)buf, len, true);
}

static void *dma_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct card *card = opaque;
	const struct sim_image *image = image_of(card);

	(void)write;
	if (image)
		return sim_image_at(image, addr, len);
	if (!READ_ONCE(card->pdev.master) || !sim_dma_is_coherent(addr, *len))
		return NULL;
	return (void *)(uintptr_t)addr;
}

static void dma_unmap(void *opaque, void *ptr, size_t len, bool write,
		      size_t accessed)
{
}

static void raise_msi(void *opaque, unsigned int vector)
{
	struct card *card = opaque;

	if (!image_of(card))
		sim_irq_raise(pci_irq_vector(&card->pdev, vector));
}

static void move_hbm_window(void *opaque, uint64_t target)
{
	struct card *card = opaque;

	if (target != GAUDI_BAR_HBM_TARGET)
		sim_log(&card->pdev.dev, SIM_ERR,
			"the window of HBM cannot be moved to %#llx\n",
			(u64)target);
}

static uint64_t now_ns(void *opaque)
{
	return ktime_get();
}

static void queue_tells(void *opaque, unsigned int queue, uint32_t value,
			uint64_t ns)
{
	struct card *card = opaque;

	sim_clock_told(card_number(&card->pdev), queue, value, ns);
}

static void timer_came(struct sim_timer *timer)
{
	gaudi_chip_timer(container_of(timer, struct card, timer)->pdev.chip);
}

static void set_timer(void *opaque, uint64_t deadline_ns)
{
	struct card *card = opaque;

	if (deadline_ns > S64_MAX)
		sim_timer_cancel(&card->timer);
	else
		sim_timer_arm(&card->timer, deadline_ns);
}

static void log_line(void *opaque, enum gaudi_log_level level, const char *line)
{
	static const enum sim_level levels[] = {
		[GAUDI_LOG_GUEST_ERROR] = SIM_WARN,
		[GAUDI_LOG_UNIMP] = SIM_ERR,
		[GAUDI_LOG_INFO] = SIM_DBG,
	};
	struct card *card = opaque;

	sim_log(&card->pdev.dev, levels[level], "card: %s\n", line);
}

/* Of cards with a journal only. */
static void kick(void *opaque)
{
	struct card *card = opaque;

	sim_journal_kick(pci_irq_vector(&card->pdev, 0));
}

static const struct gaudi_host_ops host_ops = {
	.dma_read = dma_read,
	.dma_write = dma_write,
	.dma_map = dma_map,
	.dma_unmap = dma_unmap,
	.msi = raise_msi,
	.hbm_window = move_hbm_window,
	.now_ns = now_ns,
	.model_ns = sim_clock_ns,
	.queue_tells = queue_tells,
	.timer = set_timer,
	.kick = kick,
	.log = log_line,
};

/* --- what the driver asks -------------------------------------------------------- */

/* The card whose registers @p stands for, and where in them. */
static struct gaudi_chip *window_of(const void *p, u64 *off)
{
	u64 at = (uintptr_t)p - (uintptr_t)windows;

	if (at >= num_cards * WINDOW_BYTES)
		return NULL;
	*off = at % WINDOW_BYTES;
	return cards[at / WINDOW_BYTES]->pdev.chip;
}

static u64 read_from(const void *from, unsigned int size)
{
	struct gaudi_chip *chip;
	u64 off;

	chip = window_of(from, &off);
	if (chip)
		return gaudi_chip_bar_read(chip, GAUDI_BAR_CFG, off, size);
	return size == 4 ? *(const volatile u32 *)from :
			   *(const volatile u64 *)from;
}

u32 readl(const void *from)
{
	return (u32)read_from(from, 4);
}

u64 readq(const void *from)
{
	return read_from(from, 8);
}

/* The first bytes of a value are its low ones; see core.h of the card. */
static void write_to(void *to, u64 value, unsigned int size)
{
	struct gaudi_chip *chip;
	u64 off;

	chip = window_of(to, &off);
	if (chip)
		gaudi_chip_bar_write(chip, GAUDI_BAR_CFG, off, value, size);
	else
		memcpy_toio(to, &value, size);
}

void writel(u32 value, void *to)
{
	write_to(to, value, 4);
}

void writeq(u64 value, void *to)
{
	write_to(to, value, 8);
}

void memcpy_toio(void *to, const void *from, size_t size)
{
	if (sim_journal())
		sim_journal_copy(to, from, size);
	else
		copy_words(to, from, size);
}

u64 pci_resource_len(struct pci_dev *pdev, int bar)
{
	uint64_t hbm;

	if (bar == GAUDI_BAR_SRAM)
		return GAUDI_BAR_SRAM_SIZE;
	if (bar == GAUDI_BAR_CFG)
		return GAUDI_BAR_CFG_SIZE;
	gaudi_chip_hbm(pdev->chip, &hbm, NULL);
	return hbm;
}

void *pcim_iomap_region(struct pci_dev *pdev, int bar, const char *name)
{
	uint64_t size;

	if (bar == GAUDI_BAR_CFG)
		return pdev->cfg;
	return bar == GAUDI_BAR_SRAM ? gaudi_chip_sram(pdev->chip, &size, NULL) :
				       gaudi_chip_hbm(pdev->chip, &size, NULL);
}

/* There is one window besides: HBM's. */
u64 pci_resource_start(struct pci_dev *pdev, int bar)
{
	return (uintptr_t)pcim_iomap_region(pdev, bar, NULL);
}

void *devm_ioremap_wc(struct device *dev, u64 start, u64 size)
{
	return (void *)(uintptr_t)start;
}

int pci_read_config_dword(struct pci_dev *pdev, int off, u32 *value)
{
	*value = off < ELBI_FIRST ? 0 : gaudi_chip_elbi_read(pdev->chip, off);
	return 0;
}

int pci_write_config_dword(struct pci_dev *pdev, int off, u32 value)
{
	if (off >= ELBI_FIRST)
		gaudi_chip_elbi_write(pdev->chip, off, value);
	return 0;
}

void pci_set_master(struct pci_dev *pdev)
{
	WRITE_ONCE(pdev->master, true);
}

void pci_clear_master(struct pci_dev *pdev)
{
	WRITE_ONCE(pdev->master, false);
	gaudi_chip_drain(pdev->chip);
}

/* Number n is slot n's. */
int pci_irq_vector(struct pci_dev *pdev, unsigned int vector)
{
	return card_number(pdev);
}

void trace_gaudi_queue_done(struct device *dev, u32 qid, u32 slot)
{
	sim_clock_done(card_number(to_pci_dev(dev)), qid, slot);
}

/* --- cards ----------------------------------------------------------------------- */

/* Signals are the program's own threads'. */
static void worker_begins(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

int sim_card_config(unsigned int n, struct gaudi_config *config)
{
	*config = (struct gaudi_config) {
		.module_id = n % 8, .journal = sim_journal(),
	};
	return sim_option_board(n, config) ?:
	       sim_option_record_events(config) ?:
	       sim_option_timing(config);
}

static int make_card(unsigned int n, struct gaudi_pool *pool)
{
	struct card *card = calloc(1, sizeof(*card));
	struct gaudi_config config;
	char busid[16];
	int err;

	if (!card)
		return -ENOMEM;
	err = sim_card_config(n, &config) ?:
	      (config.timing ? sim_clock_start() : 0);
	if (err) {
		free(card);
		return err;
	}
	sim_card_busid(n, busid);
	device_initialize(&card->pdev.dev);
	dev_set_name(&card->pdev.dev, "%s", busid);
	card->pdev.vendor = CARD_VENDOR;
	card->pdev.device = CARD_DEVICE;
	card->pdev.revision = 1;
	card->pdev.cfg = windows + n * WINDOW_BYTES;
	pthread_mutex_init(&card->lock, NULL);
	sim_timer_init(&card->timer, timer_came);
	cards[n] = card;
	card->pdev.chip = gaudi_chip_new(&config, &host_ops, card, pool, &err);
	if (card->pdev.chip)
		return 0;
	free(card);
	cards[n] = NULL;
	return err;
}

/* Each eight cards are a box, cabled as an HLS-1 is; what is missing has no peer. */
static int plug_cables(unsigned int want)
{
	struct gaudi_cable cables[GAUDI_MAX_CABLES];
	unsigned int num = gaudi_cabling_hls1(cables);

	for (unsigned int i = 0; i < num * SIM_MAX_CARDS / 8; i++) {
		const struct gaudi_cable *c = &cables[i % num];
		unsigned int a = i / num * 8 + c->module[0];
		unsigned int b = i / num * 8 + c->module[1];
		int rc = a < want && b < want ?
			 gaudi_chip_connect(cards[a]->pdev.chip, c->port[0],
					    cards[b]->pdev.chip, c->port[1]) : 0;

		if (rc)
			return rc;
	}

	return 0;
}

void gaudi_sim_want(unsigned int want)
{
	WRITE_ONCE(wanted_cards, want);
}

unsigned int sim_wanted_cards(void)
{
	const char *text = secure_getenv("GAUDI_SIM");
	char *end = NULL;
	unsigned long want;

	if (!text || !*text)
		return min(READ_ONCE(wanted_cards), (unsigned int)SIM_MAX_CARDS);
	want = strtoul(text, &end, 10);
	return want && !*end && want <= SIM_MAX_CARDS ? want : 0;
}

static void in_child(void)
{
	sim_in_child();
}

void sim_cards_lose(void)
{
	gone = true;
}

/* All of them: one may wait for what comes over another's cables. */
static void settle(void)
{
	const ktime_t end = ktime_add_ms(ktime_get(), SETTLES_MS);
	s64 left;
	unsigned int n;

	for (n = 0; n < SIM_MAX_CARDS && cards[n]; n++) {
		left = ktime_ms_delta(end, ktime_get());
		gaudi_chip_wait_idle(cards[n]->pdev.chip, max(left, (s64)0));
	}
}

/* They are all there, unless the environment wants something of them that cannot be. */
static void show_cards(unsigned int want)
{
	unsigned int n;

	num_cards = want;
	for (n = 0; n < want; n++)
		sim_slot_set(n, cards[n]->pdev.chip);
	if (!sim_cards_begin())
		return;
	num_cards = 0;
	for (n = 0; n < want; n++)
		sim_slot_set(n, NULL);
}

/* All or none: a program that asked for eight is not to go on with three. */
static void make_cards(void)
{
	unsigned long want = sim_wanted_cards();
	struct gaudi_pool *pool;
	unsigned int n;
	int err = 0;

	sim_pid = getpid();
	pthread_atfork(NULL, NULL, in_child);
	if (!want) {
		sim_log(NULL, SIM_ERR, "GAUDI_SIM is '%s', not 1 to %d cards\n",
			secure_getenv("GAUDI_SIM") ?: "", SIM_MAX_CARDS);
		return;
	}
	if (sysconf(_SC_PAGESIZE) != PAGE_SIZE) {
		sim_log(NULL, SIM_ERR,
			"no cards: this machine has pages of %ld bytes, the driver here is for %lu\n",
			sysconf(_SC_PAGESIZE), PAGE_SIZE);
		return;
	}
	windows = mmap(NULL, want * WINDOW_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	err = sim_journal_begin();
	pool = err || sim_journal() ? NULL :
	       gaudi_pool_new(0, worker_begins, NULL, &err);
	for (n = 0; n < want && windows != MAP_FAILED && !err; n++) {
		err = make_card(n, pool);
		if (err)
			break;
	}
	if (n == want && !sim_box_is_shared())
		err = plug_cables(want);
	sim_settle = settle;
	if (n == want && !err && !sim_module_init())
		show_cards(want);
	else
		sim_log(NULL, SIM_ERR, "no %lu cards: %s\n", want,
			strerror(err ? -err : ENOMEM));
	if (!num_cards)
		sim_journal_end();
}

static void make_cards_in_thread(void)
{
	sim_call_in_thread(make_cards);
}

unsigned int sim_num_cards(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, sim_fork_remember);
	pthread_once(&cards_once, make_cards_in_thread);
	return num_cards;
}

bool sim_cards_are_ours(void)
{
	return num_cards && !gone;
}

bool sim_cards_are_here(void)
{
	sim_num_cards();
	return !gone;
}

static void *boot(void *arg)
{
	static const struct pci_device_id id = {
		PCI_DEVICE(CARD_VENDOR, CARD_DEVICE)
	};
	struct card *card = arg;

	card->error = sim_pci_driver->probe(&card->pdev, &id);
	return NULL;
}

/* All of them, as a machine does: a port has a link when both its ends are on. */
static void boot_cards(void)
{
	pthread_t threads[SIM_MAX_CARDS];
	unsigned int n;

	for (n = 1; n < num_cards; n++)
		if (pthread_create(&threads[n], NULL, boot, cards[n]))
			abort();
	boot(cards[0]);
	for (n = 1; n < num_cards; n++)
		pthread_join(threads[n], NULL);
}

static void boot_in_thread(void)
{
	sim_call_in_thread(boot_cards);
}

/* Others have the other cards: what they are for is theirs to boot. */
static int boot_one(struct card *card, unsigned int n)
{
	pthread_mutex_lock(&card->lock);
	if (!card->booted) {
		card->booted = true;
		card->error = sim_box_plug(n, card->pdev.chip, num_cards);
		if (!card->error)
			boot(card);
	}
	pthread_mutex_unlock(&card->lock);
	return card->error;
}

int sim_card_claim(unsigned int n)
{
	if (!sim_box_is_shared())
		return 0;
	if (n >= sim_num_cards())
		return -ENOENT;
	if (!sim_cards_are_here())
		return -ENODEV;
	return sim_box_claim(n, cards[n]->pdev.chip, num_cards);
}

void sim_card_release(unsigned int n)
{
	if (sim_box_is_shared())
		sim_box_release(n, cards[n]->pdev.chip, num_cards);
}

int sim_card_boot(unsigned int n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (n >= sim_num_cards())
		return -ENOENT;
	if (!sim_cards_are_here())
		return -ENODEV;
	if (sim_box_is_shared())
		return boot_one(cards[n], n);
	pthread_once(&once, boot_in_thread);
	return cards[n]->error;
}

struct pci_dev *sim_card_slot(unsigned int n)
{
	return &cards[n]->pdev;
}

void sim_card_give(unsigned int n, struct sim_image *image)
{
	__atomic_store_n(&cards[n]->image, image, __ATOMIC_RELEASE);
}

void sim_card_busid(unsigned int n, char busid[16])
{
	snprintf(busid, 16, "0000:%02x:00.0", 0x10 + (n & 0xff));
}
