// SPDX-License-Identifier: GPL-2.0-only
/* The card of harness.h, and the driver's side of its protocols. */
#include <errno.h>

#include "harness.h"

#define CFG_SIZE	0x1000000u
#define SRAM_BASE	0x7ff0000000ull
#define SRAM_SIZE	0x1400000ull
#define HBM_SIZE	0x2000000ull

static uint32_t bus_reg_read(void *opaque, uint32_t off)
{
	struct card *c = opaque;

	assert_in_range(off, 0, CFG_SIZE - 4);
	return c->regs[off / 4];
}

static void bus_reg_write(void *opaque, uint32_t off, uint32_t value)
{
	struct card *c = opaque;

	assert_in_range(off, 0, CFG_SIZE - 4);
	c->regs[off / 4] = value;
}

static uint8_t *bus_mem(struct card *c, uint64_t addr, size_t len)
{
	if (addr < HBM_SIZE && len <= HBM_SIZE - addr)
		return c->hbm + addr;
	if (addr >= SRAM_BASE && addr - SRAM_BASE < SRAM_SIZE &&
	    len <= SRAM_SIZE - (addr - SRAM_BASE))
		return c->sram + (addr - SRAM_BASE);
	addr -= 0x8000000000ull + HOST_ADDR;
	if (addr < HOST_SIZE && len <= HOST_SIZE - addr)
		return c->host + addr;
	return NULL;
}

static int bus_mem_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	uint8_t *p = bus_mem(opaque, addr, len);

	if (!p)
		return -EFAULT;
	memcpy(buf, p, len);
	return 0;
}

static int bus_mem_write(void *opaque, uint64_t addr, const void *buf,
			 size_t len)
{
	uint8_t *p = bus_mem(opaque, addr, len);

	if (!p)
		return -EFAULT;
	memcpy(p, buf, len);
	return 0;
}

static void bus_msi(void *opaque)
{
	((struct card *)opaque)->msis++;
}

static uint64_t bus_now_ns(void *opaque)
{
	return ((struct card *)opaque)->now;
}

static void bus_timer(void *opaque, uint64_t deadline)
{
	((struct card *)opaque)->deadline = deadline;
}

static void bus_reset_card(void *opaque, const char *why)
{
	assert_non_null(why);
	((struct card *)opaque)->resets++;
}

static uint64_t bus_busy_ns(void *opaque)
{
	return ((struct card *)opaque)->busy;
}

static void bus_log(void *opaque, bool guest_error, const char *line)
{
	struct card *c = opaque;

	c->logs++;
	c->guest_errors += guest_error;
	snprintf(c->last_log, sizeof(c->last_log), "%s", line);
}

static void bus_used(void *opaque, const char *command,
		     enum gaudi_fw_fidelity how)
{
	struct card *c = opaque;

	snprintf(c->last_used, sizeof(c->last_used), "%s", command);
	c->last_used_known = how != GAUDI_FW_MISSING;
	c->last_used_exact = how == GAUDI_FW_EXACT;
}

static uint64_t bus_pcie_bytes(void *opaque, bool tx)
{
	struct card *c = opaque;

	return tx ? c->tx_bytes : c->rx_bytes;
}

static uint32_t bus_wired_ports(void *opaque)
{
	const struct card *c = opaque;

	return c->wired_ports;
}

static const uint8_t *bus_port_mac(void *opaque, unsigned int port)
{
	const struct card *c = opaque;

	return port || !c->port0_mac[5] ? NULL : c->port0_mac;
}

struct card *card_new(const struct gaudi_fw_config *config)
{
	static const struct gaudi_fw_bus bus = {
		.reg_read = bus_reg_read,
		.reg_write = bus_reg_write,
		.mem_read = bus_mem_read,
		.mem_write = bus_mem_write,
		.msi = bus_msi,
		.now_ns = bus_now_ns,
		.timer = bus_timer,
		.reset_card = bus_reset_card,
		.busy_ns = bus_busy_ns,
		.log = bus_log,
		.used = bus_used,
		.pcie_bytes = bus_pcie_bytes,
		.wired_ports = bus_wired_ports,
		.port_mac = bus_port_mac,
	};
	struct gaudi_fw_config cfg = { 0 };
	struct card *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	if (config)
		cfg = *config;
	cfg.hbm_size = 32ull << 30;
	c->regs = calloc(1, CFG_SIZE);
	c->sram = calloc(1, SRAM_SIZE);
	c->hbm = calloc(1, HBM_SIZE);
	c->host = calloc(1, HOST_SIZE);
	assert_true(c->regs && c->sram && c->hbm && c->host);
	c->now = 1000000000;
	c->fw = gaudi_fw_new(&cfg, &bus, c);
	assert_non_null(c->fw);
	gaudi_fw_reset(c->fw);
	return c;
}

void card_free(struct card *c)
{
	gaudi_fw_free(c->fw);
	free(c->regs);
	free(c->sram);
	free(c->hbm);
	free(c->host);
	free(c);
}

void card_reset(struct card *c)
{
	memset(c->regs, 0, CFG_SIZE);
	gaudi_fw_reset(c->fw);
}

static void move_time(struct card *c, uint64_t now)
{
	c->busy += c->engines * (now - c->now);
	c->now = now;
}

void card_pass_ms(struct card *c, unsigned int ms)
{
	uint64_t end = c->now + ms * 1000000ull;

	while (c->deadline <= end) {
		if (c->deadline > c->now)
			move_time(c, c->deadline);
		c->deadline = UINT64_MAX;
		gaudi_fw_timer(c->fw);
	}
	move_time(c, end);
}

uint32_t reg(struct card *c, uint32_t off)
{
	return c->regs[off / 4];
}

void reg_set(struct card *c, uint32_t off, uint32_t value)
{
	c->regs[off / 4] = value;
	gaudi_fw_reg_written(c->fw, off, value);
}

uint8_t *image_read(const char *name, size_t *size)
{
	char path[512];
	uint8_t *data;
	FILE *f;

	snprintf(path, sizeof(path), "%s/habanalabs/gaudi/%s", FIRMWARE_DIR,
		 name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

void card_put_boot_fit(struct card *c, const void *image, size_t size)
{
	assert_true(size <= SRAM_SIZE - 0x200000);
	memcpy(c->sram + 0x200000, image, size);
}

void card_put_fit(struct card *c, const void *image, size_t size)
{
	assert_true(size <= HBM_SIZE - 0x800000);
	memcpy(c->hbm + 0x800000, image, size);
}

static void put_file(struct card *c, const char *name,
		     void (*put)(struct card *c, const void *image,
				 size_t size))
{
	size_t size;
	uint8_t *image = image_read(name, &size);

	put(c, image, size);
	free(image);
	reg_set(c, R_KMD_MSG, 2);
}

void card_offer_boot_fit(struct card *c)
{
	put_file(c, "gaudi-boot-fit.itb", card_put_boot_fit);
}

void card_offer_fit(struct card *c)
{
	put_file(c, "gaudi-fit.itb", card_put_fit);
}

void card_boot(struct card *c)
{
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	reg_set(c, R_CMD_STATUS, 0);
	card_offer_boot_fit(c);
	assert_int_equal(reg(c, R_CMD_STATUS), 1);
	reg_set(c, R_KMD_MSG, 0);
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	card_offer_fit(c);
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	reg_set(c, R_KMD_MSG, 0);
	assert_int_equal(reg(c, R_ERR0) & 0x7fffffff, 0);
	c->sts0 = reg(c, R_STS0);
}

void card_queues(struct card *c)
{
	reg_set(c, R_CPU_MSB, 1);
	reg_set(c, R_PQ_BASE_LO, (uint32_t)CPU_HOST(PQ_OFF));
	reg_set(c, R_PQ_BASE_HI, CPU_HOST(PQ_OFF) >> 32);
	reg_set(c, R_PQ_LEN, 0x10000);
	reg_set(c, R_EQ_BASE_LO, (uint32_t)CPU_HOST(EQ_OFF));
	reg_set(c, R_EQ_BASE_HI, CPU_HOST(EQ_OFF) >> 32);
	reg_set(c, R_EQ_LEN, 0x1000);
	reg_set(c, R_EQ_RD, 0);
	reg_set(c, R_PQ_PI, 0);
	c->pi = 0;
	c->eq_ci = 0;
	reg_set(c, R_QUEUE_INIT, 3);
}

void card_run(struct card *c)
{
	card_boot(c);
	card_queues(c);
	gaudi_fw_spi(c->fw, 484);
	assert_int_equal(reg(c, R_QUEUE_INIT), 2);
	gaudi_fw_spi(c->fw, 486);
	card_pass_ms(c, 1000);
}

int card_setup(void **state)
{
	*state = card_new(NULL);
	return 0;
}

int card_running_setup(void **state)
{
	*state = card_new(NULL);
	card_run(*state);
	return 0;
}

int card_teardown(void **state)
{
	card_free(*state);
	return 0;
}

void card_ring(struct card *c, uint32_t pi)
{
	reg_set(c, R_PQ_PI, pi);
	gaudi_fw_spi(c->fw, 484);
}

void *card_send(struct card *c, const void *packet, size_t len)
{
	uint8_t *bd = c->host + PQ_OFF + 16 * (c->pi & 4095);
	uint64_t ptr = CPU_HOST(PKT_OFF);
	uint32_t len32 = (uint32_t)len;

	c->pi = (c->pi + 1) & 8191;
	memcpy(c->host + PKT_OFF, packet, len);
	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, &len32, 4);
	memcpy(bd + 12, &c->pi, 4);
	reg_set(c, R_PQ_PI, c->pi);
	gaudi_fw_spi(c->fw, 484);
	return c->host + PKT_OFF;
}

unsigned int card_command(struct card *c, unsigned int opcode, uint64_t value,
			  uint32_t arg, uint32_t arg2, uint64_t *result)
{
	struct packet p = { value, opcode << 16, 0xffffffff, arg, arg2 };

	memcpy(&p, card_send(c, &p, sizeof(p)), sizeof(p));
	assert_int_equal(p.fence, c->sts0 & 0x8000 ? c->pi : 0xfe8ce7a5);
	assert_int_equal(p.ctl >> 16 & 0x1fff, opcode);
	if (result)
		*result = p.value;
	return p.ctl >> 12 & 15;
}

uint64_t card_answer(struct card *c, unsigned int opcode, uint64_t value,
		     uint32_t arg, uint32_t arg2)
{
	uint64_t result;

	REPLIES(0, opcode, value, arg, arg2, &result);
	return result;
}

int card_event(struct card *c, uint32_t *ctl, uint64_t *payload)
{
	uint8_t *entry = c->host + EQ_OFF + 64 * c->eq_ci;
	uint32_t word;

	memcpy(&word, entry + 4, 4);
	if (!(word & 0x80000000))
		return -1;
	if (ctl)
		*ctl = word;
	if (payload)
		memcpy(payload, entry + 8, 56);
	memset(entry + 4, 0, 4);
	c->eq_ci = (c->eq_ci + 1) % 64;
	reg_set(c, R_EQ_RD, c->eq_ci);
	return word >> 16 & 0xfff;
}
