// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_states PATTERN...: each fault of the catalogue (Documentation/faults.rst)
 * in each state that a card may be in, one cell after the other. A cell is a line
 * of TAP, "FAULT/STATE"; patterns, as of the shell, choose among them.
 *
 * In each cell the card is brought into the state, the fault strikes or does not,
 * the state ends, and what is still armed is cleared. Then the card must be
 * operational within 60 s, and a new user must read what he has written. He has
 * the same user id: another one's open would reset the card, and heal it.
 *
 * A card that the driver has given up, as it says, is bound again; the line before
 * the result tells of it. A card that has gone is put in again by the host, which
 * is asked by a line, PLUG_IT.
 *
 * Needs two cards behind ports, gaudi-vm's port for faults, and
 * timeout_locked=4.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gaudi_inject.h"
#include "gaudi_test.h"

#define PCI		"/sys/bus/pci/devices/"
#define DRIVER		"/sys/bus/pci/drivers/gaudi/"
#define PLUG_IT		"# put a card into slot0"
#define BACK_MS		60000
#define GONE_MS		15000		/* until it does not come by itself */
#define LEN		(1u << 20)
#define HBM		0x20000000ull

enum {
	SLOW = 1,	/* strikes what is done every ten seconds only */
	GOES = 2,	/* takes the card away */
	PLUG = 4,	/* ... for good */
};

static const struct fault {
	const char *name, *keys;
	unsigned int flags;
} faults[] = {
	{ "hbm-ecc-single", "unit=1", 0 },
	{ "hbm-ecc-double", "unit=2", 0 },
	{ "sram-ecc-single", "unit=3", 0 },
	{ "sram-ecc-double", "unit=28", 0 },
	{ "ecc-single", "block=mmu", 0 },
	{ "ecc-double", "block=dma,unit=1", 0 },
	{ "mem-flip", "addr=0x20000000,mask=0xff", 0 },
	{ "razwi", "queue=tpc5,addr=0x7ffc001000,write=1", 0 },
	{ "access-refused", "queue=dma1", 0 },
	{ "page-fault", "queue=dma1", 0 },
	{ "mmu-access-error", "queue=dma1", 0 },
	{ "message-lost", "addr=0x7ffc000000,size=0x4000000", 0 },
	{ "bad-opcode", "queue=dma1", 0 },
	{ "stuck-fence", "after=1", 0 },
	{ "qman-error", "queue=tpc3,stream=2,error=cp-wreg", 0 },
	{ "dma-slow", "ms=300", 0 },
	{ "dma-short", "bytes=64", 0 },
	{ "dma-error", "queue=dma1", 0 },
	{ "msi-lost", "count=3", 0 },
	{ "msi-double", "count=all", 0 },
	{ "msi-late", "ms=50,count=10", 0 },
	{ "msi-storm", "count=200", 0 },
	{ "event", "id=421,data=9,count=3", 0 },
	{ "event-lost", "count=1", 0 },
	{ "eq-overflow", "count=1", 0 },
	{ "thermal-throttle", "ms=200", 0 },
	{ "power-throttle", "ms=200", 0 },
	{ "high-temperature", "data=5", 0 },
	{ "pll-error", "unit=2", 0 },
	{ "heartbeat-lost", "count=1", SLOW },
	{ "fw-never", "count=1", SLOW },
	{ "fw-late", "ms=100,count=5", 0 },
	{ "fw-rc", "rc=2,count=5", 0 },
	{ "fw-result", "result=7,count=5", 0 },
	{ "fw-garbage", "count=5", 0 },
	{ "fw-silent", "count=1", SLOW },
	{ "fw-alive", "error=critical", 0 },
	{ "fw-reset-request", "count=1", 0 },
	{ "boot-error", "error=dram-init-fail", 0 },
	{ "boot-stuck", "stage=in-preboot", 0 },
	{ "boot-late", "ms=300,count=all", 0 },
	{ "boot-descriptor", "error=crc", 0 },
	{ "boot-answer", "error=err", 0 },
	{ "nic-link-loss", "unit=3", 0 },
	{ "nic-frame-lost", "ppm=10000,count=all", 0 },
	{ "nic-frame-doubled", "way=in,count=all", 0 },
	{ "nic-frame-reordered", "every=5,count=all", 0 },
	{ "nic-frame-corrupted", "every=9,count=all", 0 },
	{ "nic-bad-qp", "unit=3", 0 },
	{ "nic-bad-key", "unit=3", 0 },
	{ "nic-slow", "us=50,count=all", 0 },
	{ "nic-cq-overrun", "unit=1", 0 },
	{ "nic-link-down", "unit=2,ms=100", 0 },
	{ "nic-peer-gone", "unit=2,ms=100", 0 },
	{ "link-down", "ms=300", GOES },
	{ "surprise-removal", "count=1", GOES | PLUG },
	{ "mmio-all-ones", "addr=0x7ffc000000,size=0x4000000,count=all", 0 },
	{ "completion-timeout", "addr=0,size=0xffffffffffffffff", 0 },
	{ "aer-correctable", "error=bad-tlp", 0 },
	{ "aer-nonfatal", "error=completion-timeout", 0 },
	{ "aer-fatal", "error=malformed-tlp", 0 },
};

static int port;
static char pci[2][16];			/* of the cards, gaudi0 first */
static char slot_port[PATH_MAX];	/* of gaudi0, its configuration */
static char why[256], notes[256];	/* of the cell */
static unsigned int seed;
static bool put_in;			/* another card, in this cell */

static void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

/* The cell has failed; the first reason counts. */
static void __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	va_list args;

	if (why[0])
		return;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
}

static void note(const char *text)
{
	size_t n = strlen(notes);

	snprintf(notes + n, sizeof(notes) - n, ", %s", text);
}

/* --- the card, by its place ------------------------------------------------ */

static const char *path(unsigned int card, const char *file)
{
	static char text[2][192];
	static unsigned int turn;

	snprintf(text[++turn % 2], sizeof(text[0]), PCI "%s/%s", pci[card],
		 file);
	return text[turn % 2];
}

static bool is_there(void)
{
	return !access(path(0, "vendor"), F_OK);
}

/*
 * The card has gone, and the kernel has turned off the power of its slot, and the
 * light, by the slot control register of QEMU's port. A card that is put in before
 * goes with the power.
 */
static bool slot_is_off(void)
{
	uint16_t control = 0;
	int fd = open(slot_port, O_RDONLY);

	if (fd < 0)
		return false;
	if (pread(fd, &control, 2, 0x6c) != 2)
		control = 0;
	close(fd);
	return !is_there() && (control & 0x700) == 0x700;
}

static bool is_bound(void)
{
	return !access(path(0, "driver"), F_OK);
}

/* What an attribute says; "" if there is none. */
static const char *says(const char *file)
{
	static char text[64];
	int fd = open(path(0, file), O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
	text[strcspn(text, "\n")] = 0;
	return text;
}

static bool status_is(const char *status)
{
	return !strcmp(says("status"), status);
}

/* Its compute node; -errno. */
static int open_card(unsigned int card)
{
	char name[280] = "";
	struct dirent *e;
	DIR *dir = opendir(path(card, "accel"));
	int fd;

	if (!dir)
		return -ENODEV;
	while ((e = readdir(dir)))
		if (!strncmp(e->d_name, "accel", 5) &&
		    !strchr(e->d_name, '_'))
			snprintf(name, sizeof(name), "/dev/accel/%s",
				 e->d_name);
	closedir(dir);
	fd = open(name, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* A child writes text to a file, which may take long. */
static pid_t write_aside(const char *file, const char *text)
{
	pid_t pid = fork();

	if (!pid)
		_exit(gt_write_file(file, text) ? 1 : 0);
	return pid;
}

/* The child's status; -1, and the cell has failed: it does not end. */
static int reap(pid_t pid, unsigned int ms, const char *what)
{
	uint64_t end = gt_now_ms() + ms;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (gt_now_ms() > end) {
			wrong("%s does not end", what);
			return -1;
		}
		sleep_ms(5);
	}
	return status;
}

/* --- users ----------------------------------------------------------------- */

struct user {
	int fd;
	struct gt_cb cb;
	char *host;
	uint64_t va;
};

static int user_begin(struct user *u, unsigned int card)
{
	u->fd = open_card(card);
	if (u->fd < 0)
		return u->fd;
	u->host = gt_alloc(2 * LEN);
	if (!u->host)
		return -ENOMEM;
	return gt_cb_create(u->fd, 4096, &u->cb) ?:
	       gt_map_host(u->fd, u->host, 2 * LEN, &u->va);
}

/* To HBM by DMA 0 and back by DMA 1; 1: other bytes come back. */
static int user_copies(struct user *u, uint32_t fill)
{
	int ret;

	gt_fill(u->host, LEN, fill);
	memset(u->host + LEN, 0, LEN);
	u->cb.len = gt_pkt_lin_dma(u->cb.map, u->va, HBM, LEN, EB);
	ret = gt_run(u->fd, GAUDI_QUEUE_ID_DMA_0_0, &u->cb);
	if (ret)
		return ret;
	u->cb.len = gt_pkt_lin_dma(u->cb.map, HBM, u->va + LEN, LEN, EB);
	ret = gt_run(u->fd, GAUDI_QUEUE_ID_DMA_1_0, &u->cb);
	if (ret)
		return ret;
	return gt_check(u->host + LEN, LEN, fill) >= 0;
}

/*
 * A user at work in a process of his own, until he is killed or it fails: exit
 * status 0 if he never got so far, 1 if it failed, 2 for wrong bytes.
 */
struct worker {
	pid_t pid;
	int said[2];		/* a byte for each round */
	int told[2];
};

static void open_and_close(int said)
{
	for (;;) {
		int fd = open_card(0);

		if (fd >= 0)
			close(fd);
		if (write(said, "", 1) != 1)
			_exit(0);
	}
}

static void submit_more(int said, unsigned int card)
{
	struct user u;
	int ret = user_begin(&u, card);
	uint32_t n = 0;

	if (ret)
		_exit(0);
	while (!(ret = user_copies(&u, ++n)))
		if (write(said, "", 1) != 1)
			break;
	_exit(ret > 0 ? 2 : 1);
}

static void map_more(int said)
{
	struct user u;
	uint64_t va;

	if (user_begin(&u, 0))
		_exit(0);
	while (!gt_map_host(u.fd, u.host, LEN, &va) && !gt_unmap(u.fd, va))
		if (write(said, "", 1) != 1)
			break;
	_exit(1);
}

/* Leaves with work in flight, when told. */
static void close_at_work(int said, int told)
{
	struct user u;
	uint64_t seq;
	char c;
	int i;

	if (user_begin(&u, 0))
		_exit(0);
	u.cb.len = gt_pkt_lin_dma(u.cb.map, u.va, HBM, LEN, EB);
	for (i = 0; i < 8; i++)
		if (gt_submit(u.fd, GAUDI_QUEUE_ID_DMA_0_0 + i % 8, &u.cb,
			      &seq))
			_exit(1);
	if (write(said, "", 1) != 1 || read(told, &c, 1) != 1)
		_exit(0);
	close(u.fd);
	_exit(0);
}

static void worker_start(struct worker *w, char kind, unsigned int card)
{
	char c;

	if (pipe2(w->said, O_CLOEXEC) || pipe2(w->told, O_CLOEXEC))
		exit(1);
	w->pid = fork();
	if (!w->pid) {
		close(w->said[0]);
		close(w->told[1]);
		switch (kind) {
		case 'o':
			open_and_close(w->said[1]);
			break;
		case 's':
			submit_more(w->said[1], card);
			break;
		case 'm':
			map_more(w->said[1]);
			break;
		default:
			close_at_work(w->said[1], w->told[0]);
		}
	}
	close(w->said[1]);
	close(w->told[0]);
	if (read(w->said[0], &c, 1) != 1)
		wrong("nobody can use the card before the fault");
	/* It is not to wait for us. */
	fcntl(w->said[0], F_SETPIPE_SZ, 1 << 20);
}

/* The exit status; 0 if he is killed. */
static int worker_stop(struct worker *w, bool kill_it)
{
	int status;

	if (kill_it)
		kill(w->pid, SIGKILL);
	else if (write(w->told[1], "", 1) != 1)
		wrong("cannot tell the user");
	status = reap(w->pid, BACK_MS, "a user");
	close(w->said[0]);
	close(w->told[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* --- faults ---------------------------------------------------------------- */

static bool struck(void)
{
	char text[4096];

	return !gt_port_ask(port, "status", 0, "", text, sizeof(text)) &&
	       strstr(text, "\"hits\": ") && !strstr(text, "\"hits\": 0");
}

/* The card may have gone before. */
static void inject(const struct fault *f, unsigned int at_ms)
{
	char text[256], answer[256];
	int ret;

	snprintf(text, sizeof(text), at_ms ? "%s,%s,at-ms=%u" : "%s,%s",
		 f->name, f->keys, at_ms);
	ret = gt_port_ask(port, "inject", 0, text, answer, sizeof(answer));
	if (ret && is_there())
		wrong("cannot inject %s: %s", text, answer);
}

static void clear(void)
{
	char answer[256];

	gt_port_ask(port, "clear", 0, "", answer, sizeof(answer));
}

/* Until it has struck, or has had its chance; and what follows at once. */
static void let_strike(const struct fault *f)
{
	uint64_t end = gt_now_ms() + (f->flags & SLOW ? 16000 : 1000);

	while (gt_now_ms() < end && is_there() && !struck())
		sleep_ms(20);
	sleep_ms(f->flags & GOES ? 1500 : 200);
}

static void plug_if_gone(const struct fault *f, bool unplugged)
{
	uint64_t end;

	if (put_in || (!unplugged && !(f->flags & PLUG)))
		return;
	end = gt_now_ms() + BACK_MS;
	while (!slot_is_off()) {
		if (gt_now_ms() > end) {
			wrong("the card does not go");
			return;
		}
		sleep_ms(20);
	}
	put_in = true;
	dprintf(1, "%s\n", PLUG_IT);
	end = gt_now_ms() + 2 * BACK_MS;
	while (!is_there()) {
		if (gt_now_ms() > end) {
			wrong("the host does not put a card in");
			return;
		}
		sleep_ms(100);
	}
}

/* --- states; each ends with nobody using card 0 ---------------------------- */

static void at_work(const struct fault *f, char kind)
{
	struct worker w;

	worker_start(&w, kind, 0);
	inject(f, 0);
	let_strike(f);
	worker_stop(&w, true);
}

static void in_open(const struct fault *f)
{
	at_work(f, 'o');
}

static void in_submit(const struct fault *f)
{
	at_work(f, 's');
}

static void in_map(const struct fault *f)
{
	at_work(f, 'm');
}

static void in_close(const struct fault *f)
{
	struct worker w;

	worker_start(&w, 'c', 0);
	inject(f, 0);
	worker_stop(&w, false);
	let_strike(f);
}

static void when_idle(const struct fault *f)
{
	inject(f, 0);
	let_strike(f);
}

/* Somewhere in it; another place each time. */
static void in_reset(const struct fault *f)
{
	uint64_t end = gt_now_ms() + BACK_MS;

	gt_write_file(path(0, "hard_reset"), "1");
	sleep_ms(rand_r(&seed) % 2600);
	inject(f, 0);
	while (is_there() && status_is("In reset") && gt_now_ms() < end)
		sleep_ms(20);
	let_strike(f);
}

static void in_suspend(const struct fault *f)
{
	int fd;

	gt_write_file("/sys/module/suspend/parameters/pm_test_delay", "1");
	gt_write_file("/sys/power/pm_test", "devices");
	inject(f, 300 + rand_r(&seed) % 1200);
	fd = open("/sys/power/state", O_WRONLY);
	if (fd < 0 || write(fd, "freeze", 6) < 0)
		note("no suspend");
	close(fd);
	gt_write_file("/sys/power/pm_test", "none");
	let_strike(f);
}

static void in_unbind(const struct fault *f)
{
	pid_t pid;

	inject(f, 1 + rand_r(&seed) % 300);
	pid = write_aside(DRIVER "unbind", pci[0]);
	reap(pid, BACK_MS, "unbind");
	let_strike(f);
}

/* The slot's power is turned off, and the card taken out. */
static void in_unplug(const struct fault *f)
{
	char slot[32] = "", file[64], name[32];
	struct dirent *e;
	DIR *dir = opendir("/sys/bus/pci/slots");
	FILE *address;
	pid_t pid;

	while (dir && (e = readdir(dir))) {
		snprintf(file, sizeof(file), "/sys/bus/pci/slots/%.20s/address",
			 e->d_name);
		address = fopen(file, "r");
		if (!address)
			continue;
		if (fgets(name, sizeof(name), address) &&
		    !strncmp(name, pci[0], strcspn(name, "\n")))
			snprintf(slot, sizeof(slot), "%.20s", e->d_name);
		fclose(address);
	}
	if (dir)
		closedir(dir);
	if (!slot[0]) {
		wrong("the card is in no slot");
		return;
	}
	snprintf(file, sizeof(file), "/sys/bus/pci/slots/%s/power", slot);
	inject(f, 1 + rand_r(&seed) % 300);
	pid = write_aside(file, "0");
	reap(pid, BACK_MS, "unplugging");
	plug_if_gone(f, true);
}

static void beside_another(const struct fault *f)
{
	struct worker w;
	int ret;

	worker_start(&w, 's', 1);
	inject(f, 0);
	let_strike(f);
	if (waitpid(w.pid, &ret, WNOHANG) == w.pid)
		wrong("the other card's user ended: %#x", ret);
	else
		worker_stop(&w, true);
}

static const struct {
	const char *name;
	void (*run)(const struct fault *f);
} states[] = {
	{ "open", in_open }, { "idle", when_idle }, { "close", in_close },
	{ "submit", in_submit }, { "map", in_map }, { "in-reset", in_reset },
	{ "suspend", in_suspend }, { "unbind", in_unbind },
	{ "hot-unplug", in_unplug }, { "second-card-busy", beside_another },
};

/* --- afterwards ------------------------------------------------------------ */

static bool bring_back(const struct fault *f, uint64_t end)
{
	uint64_t seen = gt_now_ms();
	int binds = 0;

	while (gt_now_ms() < end) {
		/*
		 * A port that sees its link go takes the power from the slot, and
		 * QEMU's take the card out with it, also if the link is back.
		 */
		if (is_there()) {
			seen = gt_now_ms();
		} else if ((f->flags & GOES) && gt_now_ms() > seen + GONE_MS &&
			   slot_is_off()) {
			note("put in again");
			dprintf(1, "%s\n", PLUG_IT);
			seen = end;
		}
		if (is_there() && status_is("Operational"))
			return true;
		/* A fault may strike a probe, which leaves the card reset. */
		if (is_there() && binds < 2 &&
		    (status_is("Disabled") || !is_bound())) {
			binds++;
			if (is_bound()) {
				note("bound again");
				reap(write_aside(DRIVER "unbind", pci[0]),
				     BACK_MS, "unbind");
			}
			reap(write_aside(DRIVER "bind", pci[0]), BACK_MS,
			     "bind");
		}
		sleep_ms(50);
	}
	wrong("the card is %s", is_there() ? says("status") : "not there");
	return false;
}

/* 0, 1: wrong bytes, or -errno. */
static int new_user(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct user u;
		int ret = user_begin(&u, 0) ?: user_copies(&u, getpid());

		_exit(ret < 0 ? -ret : ret ? 255 : 0);
	}
	status = reap(pid, BACK_MS, "a new user");
	if (status < 0 || !WIFEXITED(status))
		return -EINTR;
	return WEXITSTATUS(status) == 255 ? 1 : -WEXITSTATUS(status);
}

/* What came may be on its way still, and end a user or two. */
static void works_again(const struct fault *f)
{
	uint64_t end = gt_now_ms() + BACK_MS;
	int ret;

	while (!why[0] && bring_back(f, end)) {
		ret = new_user();
		if (!ret)
			return;
		if (ret > 0)
			wrong("a new user reads other bytes than he wrote");
		else if (gt_now_ms() > end)
			wrong("a new user gets %s", strerrorname_np(-ret));
		sleep_ms(100);
	}
}

/* Two fatal errors in a row are one too many; a reset on request is none. */
static void forget(void)
{
	uint64_t end = gt_now_ms() + BACK_MS;
	char before[64];

	strcpy(before, says("hard_reset_cnt"));
	if (!strcmp(before, "0"))
		return;
	gt_write_file(path(0, "hard_reset"), "1");
	while (gt_now_ms() < end && (!strcmp(before, says("hard_reset_cnt")) ||
				  !status_is("Operational")))
		sleep_ms(20);
}

static bool cell(const struct fault *f, unsigned int state, unsigned int n)
{
	uint64_t since = gt_now_ms();

	why[0] = notes[0] = 0;
	put_in = false;
	dprintf(1, "# %s/%s begins\n", f->name, states[state].name);
	states[state].run(f);
	if (is_there() && struck())
		note("struck");
	plug_if_gone(f, false);
	clear();
	works_again(f);
	dprintf(1, "# %.1f s%s%s%s\n%sok %u - %s/%s\n",
		(gt_now_ms() - since) / 1000.0, notes, why[0] ? ": " : "", why,
		why[0] ? "not " : "", n, f->name, states[state].name);
	if (!why[0])
		forget();
	return !why[0];
}

static bool wanted(const struct fault *f, unsigned int state, char **patterns)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/%s", f->name, states[state].name);
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return true;
	return false;
}

/* The cards, by their places: the first is gaudi0. */
static int find_cards(void)
{
	struct dirent **list;
	int i, n, found = 0;

	n = scandir(DRIVER, &list, NULL, alphasort);
	for (i = 0; i < n; i++)
		if (strchr(list[i]->d_name, ':') && found < 2)
			snprintf(pci[found++], sizeof(pci[0]), "%.15s",
				 list[i]->d_name);
	if (found && realpath(path(0, ".."), slot_port))
		strcat(slot_port, "/config");
	return found;
}

int main(int argc, char **argv)
{
	const unsigned int num = sizeof(faults) / sizeof(faults[0]);
	const unsigned int num_states = sizeof(states) / sizeof(states[0]);
	unsigned int i, s, n = 0, bad = 0;

	signal(SIGPIPE, SIG_IGN);
	for (s = 0; s < num_states; s++)
		for (i = 0; i < num; i++)
			n += wanted(&faults[i], s, argv + 1);
	printf("1..%u\n", n);
	fflush(stdout);
	port = gt_port_open();
	if (!n || port < 0 || find_cards() < 2) {
		printf("Bail out! %s\n", n ? "no port, or no two cards" :
		       "no test matches");
		return 1;
	}
	n = 0;
	for (s = 0; s < num_states; s++)
		for (i = 0; i < num; i++) {
			if (!wanted(&faults[i], s, argv + 1))
				continue;
			seed = i * num_states + s;
			bad += !cell(&faults[i], s, ++n);
		}
	return bad ? 1 : 0;
}
