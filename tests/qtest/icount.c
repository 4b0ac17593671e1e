// SPDX-License-Identifier: GPL-2.0-only
/*
 * A deterministic card beside a guest whose clock counts instructions: what the
 * guest sees, and at which of its instructions, is the same in each run,
 * whatever holds QEMU up meanwhile.
 *
 * The guest is a page of code in place of the firmware. It boots the card, then
 * in each round submits a job, waits for its fence, notes the time stamp
 * counter, and asks the embedded CPU for a reading. All that is laid out in its
 * memory before it starts.
 */
#include "qemu/osdep.h"
#include <signal.h>
#include "slot.h"

#define ROM_SIZE	0x10000
#define ROUNDS		12
#define PQ		0x700000
#define EQ		0x710000
#define PACKETS		0x720000
#define DONE_AT		0x604000
#define LOG_AT		0x608000
#define COPY		(80u << 20)
#define RUNS		3

/* The same as text, for the guest's code. */
asm(".set doorbell,	0xcc5080a0\n"	/* DMA0_QM_PQ_PI_0 */
    ".set boot_status,	0xccc4b300\n"
    ".set hw_state,	0xccc4b100\n"
    ".set queue_init_,	0xcc442230\n"
    ".set pq_pi,	0xcc442200\n"
    ".set gic,		0xcc800040\n"
    ".set fence,	0x600000\n"
    ".set done,		0x604000\n"
    ".set log,		0x608000\n"
    ".set rounds,	12\n"
    ".pushsection .rodata\n"
    /* 32 bits, at the beginning of the ROM */
    ".globl guest_start, guest_end\n"
    "guest_start:\n"
    ".code32\n"
    "	mov	$0x10, %ax\n"
    "	mov	%ax, %ds\n"
    "1:	cmpl	$15, boot_status\n"	/* ready to boot, from flash */
    "	jne	1b\n"
    "	movl	$1, hw_state\n"
    "1:	cmpl	$3, boot_status\n"	/* the system serves commands */
    "	jne	1b\n"
    "	movl	$3, queue_init_\n"
    "	movl	$484, gic\n"
    "1:	cmpl	$2, queue_init_\n"
    "	jne	1b\n"
    "	xor	%edi, %edi\n"
    "2:	inc	%edi\n"
    "	mov	%edi, doorbell\n"
    "1:	cmp	%edi, fence\n"
    "	jne	1b\n"
    "	rdtsc\n"
    "	mov	%eax, log(,%edi,8)\n"
    "	mov	%edx, log + 4(,%edi,8)\n"
    "	mov	$300000, %ecx\n"	/* some 5 ms */
    "1:	loop	1b\n"
    "	mov	%edi, pq_pi\n"
    "	movl	$484, gic\n"
    "	cmp	$rounds, %edi\n"
    "	jb	2b\n"
    "	movl	$1, done\n"
    "1:	hlt\n"
    "	jmp	1b\n"
    "guest_end:\n"
    /* 16 bits, at 0xff00 of the ROM: to protected mode */
    ".globl entry_start, entry_end\n"
    "entry_start:\n"
    ".code16\n"
    "	cli\n"
    "	lgdtl	%cs:0xff80\n"
    "	mov	%cr0, %eax\n"
    "	or	$1, %al\n"
    "	mov	%eax, %cr0\n"
    "	ljmpl	$8, $0xffff0000\n"
    "entry_end:\n"
    ".code64\n"
    ".popsection\n");

extern const uint8_t guest_start[], guest_end[], entry_start[], entry_end[];

static char *make_rom(void)
{
	static const uint64_t gdt[] = {
		0, 0x00cf9a000000ffff, 0x00cf92000000ffff,
	};
	static const uint8_t gdtr[6] = { 23, 0, 0x90, 0xff, 0xff, 0xff };
	static const uint8_t vector[3] = { 0xe9, 0x0d, 0xff }; /* to 0xff00 */
	g_autofree uint8_t *rom = g_malloc0(ROM_SIZE);
	char *path;
	int fd = g_file_open_tmp("gaudi-rom-XXXXXX", &path, NULL);

	g_assert_cmpint(fd, >=, 0);
	close(fd);
	memcpy(rom, guest_start, guest_end - guest_start);
	memcpy(rom + 0xff00, entry_start, entry_end - entry_start);
	memcpy(rom + 0xff80, gdtr, sizeof(gdtr));
	memcpy(rom + 0xff90, gdt, sizeof(gdt));
	memcpy(rom + 0xfff0, vector, sizeof(vector));
	g_assert(g_file_set_contents(path, (char *)rom, ROM_SIZE, NULL));
	return path;
}

/* Power, and the SoC's temperature, by turns. */
static void put_command(struct slot *s, unsigned int n)
{
	uint64_t at = PACKETS + 64 * n, bd = PQ + 16 * (n - 1);

	qtest_writeq(s->qts, at, 0);
	qtest_writel(s->qts, at + 8, n % 2 ? 0x20 << 16 : 0x03 << 16);
	qtest_writel(s->qts, at + 12, 0xffffffff);
	qtest_writeq(s->qts, at + 16, n % 2 ? 8 << 16 : 0);
	qtest_writeq(s->qts, bd, HOST + at);
	qtest_writel(s->qts, bd + 8, 24);
	qtest_writel(s->qts, bd + 12, n);
}

static void put_job(struct slot *s, unsigned int n)
{
	uint64_t cb = CBUF + 64 * n, bd = RING + 16 * (n - 1);

	lin_dma(s, cb, USER_HBM, USER_HBM + 0x10000000, COPY);
	msg_prot(s, cb + 24, HOST + FENCE_AT, n);
	qtest_writeq(s->qts, bd, HOST + cb);
	qtest_writel(s->qts, bd + 8, 40);
	qtest_writel(s->qts, bd + 12, 0);
}

static void lay_out(struct slot *s)
{
	unsigned int n;

	slot_enable(s);
	queue_init(s);
	wr(s, 0x44212c, 1);
	wr(s, 0x442204, (uint32_t)(HOST + PQ));
	wr(s, 0x442208, (HOST + PQ) >> 32);
	wr(s, 0x442220, (uint32_t)(HOST + EQ));
	wr(s, 0x442224, (HOST + EQ) >> 32);
	wr(s, 0x442210, (uint32_t)(HOST + PQ));
	wr(s, 0x442214, (HOST + PQ) >> 32);
	wr(s, 0x44220c, 0x10000);
	wr(s, 0x442228, 0x1000);
	wr(s, 0x442218, 0x200000);
	for (n = 1; n <= ROUNDS; n++) {
		put_job(s, n);
		put_command(s, n);
	}
}

/* Stops QEMU now and then, as a busy host does, until the guest is done. */
static void wait_done(struct slot *s, unsigned int hold_us)
{
	gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;
	pid_t pid = qtest_pid(s->qts);

	while (!qtest_readl(s->qts, DONE_AT)) {
		g_assert_cmpint(g_get_monotonic_time(), <, end);
		if (hold_us) {
			kill(pid, SIGSTOP);
			g_usleep(hold_us);
			kill(pid, SIGCONT);
		}
		g_usleep(2000 + hold_us / 3);
	}
}

struct seen {
	uint64_t tsc[ROUNDS + 1];
	uint32_t packet[ROUNDS + 1][6];
};

static void run_once(const char *rom, unsigned int hold_us, struct seen *seen)
{
	g_autofree char *extra = g_strdup_printf(
		"-accel tcg -icount shift=4,sleep=off -S -bios %s", rom);
	struct slot s = slot_start("deterministic=on,flash-boot=on", extra);

	lay_out(&s);
	qtest_qmp_assert_success(s.qts, "{'execute': 'cont'}");
	wait_done(&s, hold_us);
	qtest_memread(s.qts, LOG_AT, seen->tsc, sizeof(seen->tsc));
	for (unsigned int n = 1; n <= ROUNDS; n++)
		qtest_memread(s.qts, PACKETS + 64 * n, seen->packet[n], 24);
	slot_stop(&s);
}

static void test_deterministic(void)
{
	static const unsigned int hold_us[RUNS] = { 0, 3000, 11000 };
	g_autofree char *rom = make_rom();
	struct seen seen[RUNS] = { 0 };
	uint32_t most = 0;
	unsigned int i, n;

	for (i = 0; i < RUNS; i++)
		run_once(rom, hold_us[i], &seen[i]);
	unlink(rom);
	for (n = 1; n <= ROUNDS; n++) {
		g_assert_cmphex(seen[0].tsc[n], >, seen[0].tsc[n - 1]);
		/* the answer's fence, and no error */
		g_assert_cmphex(seen[0].packet[n][3], !=, 0xffffffff);
		g_assert_cmphex(seen[0].packet[n][2] & 0xf000, ==, 0);
		if (n % 2)
			most = MAX(most, seen[0].packet[n][0]);
		for (i = 1; i < RUNS; i++) {
			g_assert_cmphex(seen[i].tsc[n], ==, seen[0].tsc[n]);
			g_assert_cmpmem(seen[i].packet[n], 24,
					seen[0].packet[n], 24);
		}
	}
	/* 62 W idle: the copies show. */
	g_assert_cmpuint(most, >, 62000);
}

void icount_tests(void)
{
	qtest_add_func("gaudi/deterministic", test_deterministic);
}
