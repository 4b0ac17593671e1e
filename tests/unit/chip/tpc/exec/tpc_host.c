// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>

#include "tpc_host.h"

static uint8_t *at(struct tpc_host *host, uint64_t addr, size_t len)
{
	if (addr < HOST_BASE || addr - HOST_BASE > HOST_BYTES ||
	    len > HOST_BYTES - (addr - HOST_BASE))
		return NULL;
	return host->mem + (addr - HOST_BASE);
}

static int host_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	uint8_t *p = at(opaque, addr, len);

	if (!p)
		return -1;
	memcpy(buf, p, len);
	return 0;
}

static int host_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	uint8_t *p = at(opaque, addr, len);

	if (!p)
		return -1;
	memcpy(p, buf, len);
	return 0;
}

static uint8_t *host_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct tpc_host *host = opaque;
	uint8_t *p = at(host, addr, 1);
	size_t left;

	(void)write;
	if (!host->map || !p)
		return NULL;
	left = HOST_BYTES - (addr - HOST_BASE);
	if (left > host->map_max)
		left = host->map_max;
	if (*len > left)
		*len = left;
	return p;
}

static size_t host_there(void *opaque, uint64_t addr, size_t len, bool write)
{
	(void)write;
	while (len && !at(opaque, addr, len))
		len--;
	return len;
}

static int host_rmw(void *opaque, uint64_t addr, uint8_t *ptr,
		    const struct gaudi_tpc_rmw *rmw)
{
	struct tpc_host *host = opaque;

	host->atomics++;
	if (!ptr)
		ptr = at(host, addr, rmw->len);
	if (ptr)
		gaudi_tpc_rmw(rmw, ptr);
	return ptr ? 0 : -1;
}

static int host_reg_read(void *opaque, uint32_t off, uint32_t *value)
{
	(void)opaque;
	*value = off ^ 0x5a5a0000;
	return off >= 0x1000;
}

static int host_reg_write(void *opaque, uint32_t off, uint32_t value)
{
	struct tpc_host *host = opaque;

	host->reg_off = off;
	host->reg_value = value;
	return off >= 0x1000;
}

static const struct gaudi_tpc_host ops = {
	.read = host_read,
	.write = host_write,
	.map = host_map,
	.there = host_there,
	.rmw = host_rmw,
	.reg_read = host_reg_read,
	.reg_write = host_reg_write,
};

struct tpc_host *tpc_host_new(void)
{
	struct tpc_host *host = calloc(1, sizeof(*host));

	assert_non_null(host);
	host->mem = calloc(1, HOST_BYTES);
	host->map = true;
	host->map_max = HOST_BYTES;
	host->cache = gaudi_tpc_cache_new(8u << 20);
	host->core = gaudi_tpc_core_new(&ops, host, host->cache);
	assert_non_null(host->mem);
	assert_non_null(host->core);
	return host;
}

void tpc_host_free(struct tpc_host *host)
{
	gaudi_tpc_core_free(host->core);
	gaudi_tpc_cache_free(host->cache);
	free(host->mem);
	free(host);
}

int tpc_host_setup(void **state)
{
	*state = tpc_host_new();
	return 0;
}

int tpc_host_teardown(void **state)
{
	tpc_host_free(*state);
	return 0;
}

void tpc_host_code(struct tpc_host *host, const void *code, size_t len)
{
	memcpy(host->mem + (HOST_CODE - HOST_BASE), code, len);
	host->launch.desc[0x388 / 4] = (uint32_t)HOST_CODE;
	host->launch.desc[0x388 / 4 + 1] = HOST_CODE >> 32;
	host->launch.desc[0x3b8 / 4] = 32 << 2;
}

size_t tpc_host_tensor(struct tpc_host *host, unsigned int n, uint64_t addr,
		       unsigned int type, const uint32_t *sizes,
		       uint32_t padding)
{
	static const uint8_t bytes[8] = { 1, 2, 4, 1, 2, 4, 2, 4 };
	uint32_t *desc = &host->launch.desc[14 * n];
	size_t count = 1;
	unsigned int d;

	desc[0] = (uint32_t)addr;
	desc[1] = addr >> 32;
	desc[2] = padding;
	desc[3] = type | 0x1f << 8 | 4 << 16;
	for (d = 0; d < 5; d++) {
		desc[4 + 2 * d] = sizes[d];
		desc[5 + 2 * d] = count;
		count *= sizes[d];
	}
	return count * bytes[type];
}

enum gaudi_tpc_why tpc_host_run(struct tpc_host *host, uint64_t words)
{
	gaudi_tpc_launch(host->core, &host->launch);
	return gaudi_tpc_execute(host->core, words);
}

size_t tpc_text(const void *object, uint8_t *code, size_t size)
{
	const uint8_t *file = object;
	Elf32_Ehdr ehdr;
	Elf32_Shdr sh, names;
	unsigned int i;

	/* An object that is an array of bytes may lie anywhere. */
	memcpy(&ehdr, file, sizeof(ehdr));
	memcpy(&names, file + ehdr.e_shoff + ehdr.e_shstrndx * sizeof(sh),
	       sizeof(names));
	for (i = 0; i < ehdr.e_shnum; i++) {
		memcpy(&sh, file + ehdr.e_shoff + i * sizeof(sh), sizeof(sh));
		if (strcmp((const char *)file + names.sh_offset + sh.sh_name,
			   ".text"))
			continue;
		assert_true(sh.sh_size <= size);
		memcpy(code, file + sh.sh_offset, sh.sh_size);
		return sh.sh_size;
	}
	fail_msg("no .text");
	return 0;
}

size_t tpc_kernel(const char *name, uint8_t *code, size_t size)
{
	uint64_t file[2048];
	char path[512];
	FILE *in;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s.o", TPC_KERNELS, name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("%s: cannot be opened", path);
	n = fread(file, 1, sizeof(file), in);
	fclose(in);
	assert_true(n > sizeof(Elf32_Ehdr) && n < sizeof(file));
	return tpc_text(file, code, size);
}
