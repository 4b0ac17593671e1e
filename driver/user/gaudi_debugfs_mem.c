// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs that reads and writes the card: single words (addr, data32, data64;
 * also of mapped host memory), ranges of HBM and SRAM (dma_size, data_dma), all
 * monitors by firmware (monitor_dump_trig, monitor_dump), overwriting HBM
 * (memory_scrub, memory_scrub_val), and the page tables (mmu). Names and
 * formats are mainline's.
 */
#include <linux/debugfs.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/pci.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../../uapi/hw/regs/gaudi_mmu_regs.h"
#include "../context/gaudi_context.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../firmware/gaudi_cpucp.h"
#include "../hw/gaudi_mmu.h"
#include "../memory/gaudi_pgt.h"
#include "gaudi_debugfs.h"

#define GAUDI_DMA_READ_MAX	SZ_128M
/* In one go: a reset that comes meanwhile has to wait for so much. */
#define GAUDI_DMA_READ_CHUNK	SZ_64K

/* Four managers; five arrays of 512 monitors in each. */
#define GAUDI_MONITOR_DUMP_SIZE	(4 * 5 * 512 * sizeof(u32))

struct gaudi_blob {
	struct mutex lock;
	void *data;
	size_t size;
};

struct gaudi_debugfs_mem {
	struct gaudi_device *gdev;
	u64 addr;
	/* data32, data64 */
	struct gaudi_data {
		struct gaudi_debugfs_mem *d;
		size_t size;
	} data32, data64;
	struct gaudi_blob dma, monitors;

	/* Protects what follows: one look-up at a time. */
	struct mutex lock;
	u32 mmu_asid;
	u64 mmu_va;
};

/* --- Blobs: what was asked for last --- */

/* Takes over data, which is vmalloc's. */
static void gaudi_debugfs_blob_set(struct gaudi_blob *blob, void *data,
				   size_t size)
{
	guard(mutex)(&blob->lock);
	swap(blob->data, data);
	blob->size = size;
	vfree(data);
}

static ssize_t gaudi_debugfs_blob_read(struct file *file, char __user *buf,
				       size_t count, loff_t *ppos)
{
	struct gaudi_blob *blob = file->private_data;

	guard(mutex)(&blob->lock);
	return simple_read_from_buffer(buf, count, ppos, blob->data,
				       blob->size);
}

static const struct file_operations gaudi_debugfs_blob_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = gaudi_debugfs_blob_read,
	.llseek = default_llseek,
};

/* --- addr, data32, data64 --- */

/*
 * Where a BAR shows size bytes at a device address. NULL: nowhere; -EFAULT:
 * firmware's scratchpad, which is there but not for us.
 */
static void __iomem *gaudi_debugfs_window(struct gaudi_device *gdev, u64 addr,
					  u64 size)
{
	const struct {
		u64 base, size;
		void __iomem *mem;
	} windows[] = {
		{ GAUDI_CFG_BASE, GAUDI_CFG_SIZE, gdev->regs },
		{ GAUDI_SRAM_BASE, GAUDI_SRAM_SIZE, gdev->sram },
		{ GAUDI_HBM_BASE, gdev->hbm_bar_size, gdev->hbm },
		{ GAUDI_PSOC_SCRATCHPAD_BASE, GAUDI_PSOC_SCRATCHPAD_SIZE,
		  IOMEM_ERR_PTR(-EFAULT) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(windows); i++)
		if (addr >= windows[i].base && size <= windows[i].size &&
		    addr - windows[i].base <= windows[i].size - size)
			return IS_ERR(windows[i].mem) ? windows[i].mem :
			       windows[i].mem + (addr - windows[i].base);
	return NULL;
}

static bool gaudi_debugfs_is_register(u64 addr)
{
	return addr - GAUDI_CFG_BASE < GAUDI_CFG_SIZE;
}

/* Registers have 32 bits; the lower ones first. */
static void gaudi_debugfs_registers(void __iomem *mem, size_t size, bool write,
				    u64 *val)
{
	if (size == sizeof(u32) && write)
		writel(*val, mem);
	else if (size == sizeof(u32))
		*val = readl(mem);
	else if (write)
		lo_hi_writeq(*val, mem);
	else
		*val = lo_hi_readq(mem);
}

/* Also where no word begins, of which not all machines have loads. */
static void gaudi_debugfs_memory(void __iomem *mem, size_t size, bool write,
				 u64 *val)
{
	__le64 bytes = cpu_to_le64(*val);

	if (write) {
		memcpy_toio(mem, &bytes, size);
		return;
	}
	bytes = 0;
	memcpy_fromio(&bytes, mem, size);
	*val = le64_to_cpu(bytes);
}

static int gaudi_debugfs_access(struct gaudi_debugfs_mem *d, size_t size,
				bool write, u64 *val)
{
	u64 addr = READ_ONCE(d->addr);
	bool registers = gaudi_debugfs_is_register(addr);
	void __iomem *mem;
	int ret;

	if (addr >= GAUDI_VA_HOST_START && addr <= GAUDI_VA_HOST_END)
		return gaudi_debugfs_host_word(d->gdev, addr, size, write, val);
	mem = gaudi_debugfs_window(d->gdev, addr, size);
	if (IS_ERR(mem))
		return PTR_ERR((__force void *)mem);
	if (!mem || (registers && addr % sizeof(u32)))
		return -EINVAL;
	ret = gaudi_reset_enter(d->gdev);
	if (ret)
		return ret;
	if (gaudi_offline(d->gdev))
		ret = -ENODEV;
	else if (registers)
		gaudi_debugfs_registers(mem, size, write, val);
	else
		gaudi_debugfs_memory(mem, size, write, val);
	gaudi_reset_exit(d->gdev);
	return ret;
}

static ssize_t gaudi_debugfs_data_read(struct file *file, char __user *buf,
				       size_t count, loff_t *ppos)
{
	const struct gaudi_data *data = file->private_data;
	char text[24];
	u64 val;
	int ret;

	if (*ppos)
		return 0;
	ret = gaudi_debugfs_access(data->d, data->size, false, &val);
	if (ret)
		return ret;
	ret = scnprintf(text, sizeof(text), "0x%0*llx\n",
			(int)data->size * 2, val);
	return simple_read_from_buffer(buf, count, ppos, text, ret);
}

/* Hexadecimal with or without 0x, as mainline takes it. */
static ssize_t gaudi_debugfs_data_write(struct file *file,
					const char __user *buf, size_t count,
					loff_t *ppos)
{
	const struct gaudi_data *data = file->private_data;
	u64 val;
	int ret;

	ret = kstrtou64_from_user(buf, count, 16, &val);
	if (ret)
		return ret;
	if (data->size == sizeof(u32) && val > U32_MAX)
		return -ERANGE;
	ret = gaudi_debugfs_access(data->d, data->size, true, &val);
	return ret ?: count;
}

static const struct file_operations gaudi_debugfs_data_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = gaudi_debugfs_data_read,
	.write = gaudi_debugfs_data_write,
};

#define GAUDI_DEBUGFS_WO(_name)						\
	static const struct file_operations _name##_fops = {		\
		.owner = THIS_MODULE,					\
		.open = simple_open,					\
		.write = _name##_write,					\
	}

/* --- dma_size, data_dma --- */

/*
 * By the CPU, whatever the names say: a DMA core is its users', and reaches
 * host memory without the MMU when the driver has made it secured.
 */
static int gaudi_debugfs_read_memory(struct gaudi_device *gdev, void *out,
				     const void __iomem *mem, u32 size)
{
	u32 done, n;
	int ret;

	for (done = 0; done < size; done += n) {
		n = min_t(u32, size - done, GAUDI_DMA_READ_CHUNK);
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = gaudi_reset_enter(gdev);
		if (ret)
			return ret;
		if (gaudi_offline(gdev))
			ret = -ENODEV;
		else
			memcpy_fromio(out + done, mem + done, n);
		gaudi_reset_exit(gdev);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

static ssize_t gaudi_debugfs_dma_size_write(struct file *file,
					    const char __user *buf,
					    size_t count, loff_t *ppos)
{
	struct gaudi_debugfs_mem *d = file->private_data;
	u64 addr = READ_ONCE(d->addr);
	void __iomem *mem;
	void *data;
	u32 size;
	int ret;

	ret = kstrtou32_from_user(buf, count, 16, &size);
	if (ret)
		return ret;
	if (!size || size > GAUDI_DMA_READ_MAX ||
	    gaudi_debugfs_is_register(addr))
		return -EINVAL;
	mem = gaudi_debugfs_window(d->gdev, addr, size);
	if (IS_ERR_OR_NULL((__force void *)mem))
		return -EINVAL;
	data = vmalloc(size);
	if (!data)
		return -ENOMEM;
	ret = gaudi_debugfs_read_memory(d->gdev, data, mem, size);
	if (ret) {
		vfree(data);
		return ret;
	}
	gaudi_debugfs_blob_set(&d->dma, data, size);
	return count;
}
GAUDI_DEBUGFS_WO(gaudi_debugfs_dma_size);

/* --- monitor_dump_trig, monitor_dump --- */

static ssize_t gaudi_debugfs_monitor_dump_trig_write(struct file *file,
						     const char __user *buf,
						     size_t count, loff_t *ppos)
{
	struct gaudi_debugfs_mem *d = file->private_data;
	u32 trigger;
	void *data;
	int ret;

	ret = kstrtou32_from_user(buf, count, 10, &trigger);
	if (ret)
		return ret;
	if (trigger != 1)
		return -EINVAL;
	data = vmalloc(GAUDI_MONITOR_DUMP_SIZE);
	if (!data)
		return -ENOMEM;
	ret = gaudi_reset_enter(d->gdev);
	if (!ret) {
		/* Firmware knows also those that PCI may not read. */
		ret = gaudi_cpucp_fetch(d->gdev, GAUDI_CPUCP_PKT(
					GAUDI_CPUCP_MONITOR_DUMP_GET), NULL,
					data, GAUDI_MONITOR_DUMP_SIZE);
		gaudi_reset_exit(d->gdev);
	}
	if (ret) {
		vfree(data);
		return -EIO;
	}
	gaudi_debugfs_blob_set(&d->monitors, data, GAUDI_MONITOR_DUMP_SIZE);
	return count;
}
GAUDI_DEBUGFS_WO(gaudi_debugfs_monitor_dump_trig);

/* --- memory_scrub --- */

static ssize_t gaudi_debugfs_memory_scrub_write(struct file *file,
						const char __user *buf,
						size_t count, loff_t *ppos)
{
	struct gaudi_debugfs_mem *d = file->private_data;
	int ret = gaudi_ctx_scrub(d->gdev, d->gdev->tunables.scrub_val);

	return ret ?: count;
}
GAUDI_DEBUGFS_WO(gaudi_debugfs_memory_scrub);

/* --- mmu --- */

/* Walk the tables as the MMU does: in HBM, not in the driver's shadow. */
static int gaudi_debugfs_walk(struct gaudi_device *gdev, struct seq_file *s,
			      u32 asid, u64 va)
{
	u64 pte_addr[GAUDI_MMU_NUM_HOPS], pte[GAUDI_MMU_NUM_HOPS];
	u64 tables[GAUDI_MMU_NUM_HOPS], offset;
	u64 table = gaudi_pgt_hop0_addr(asid);
	unsigned int hop, i;

	for (hop = 0; hop < GAUDI_MMU_NUM_HOPS; hop++) {
		void __iomem *mem;

		tables[hop] = table;
		pte_addr[hop] = table + 8 * ((va >> GAUDI_MMU_HOP_SHIFT(hop)) &
					     GAUDI_MMU_HOP_MASK(hop));
		mem = gaudi_debugfs_window(gdev, pte_addr[hop], sizeof(u64));
		if (IS_ERR_OR_NULL(mem))
			return -EFAULT;
		pte[hop] = readq(mem);
		if (!(pte[hop] & GAUDI_PTE_PRESENT))
			return -ENXIO;
		if ((pte[hop] & GAUDI_PTE_LAST) ||
		    hop == GAUDI_MMU_NUM_HOPS - 1)
			break;
		table = pte[hop] & GAUDI_PTE_PHYS;
	}
	offset = va & (BIT_ULL(GAUDI_MMU_HOP_SHIFT(hop)) - 1);
	seq_printf(s, "asid: %u, virt_addr: 0x%llx, phys_addr: 0x%llx\n", asid,
		   va, (pte[hop] & GAUDI_PTE_PHYS) + offset);
	for (i = 0; i <= hop; i++)
		seq_printf(s,
			   "hop%u_addr: 0x%llx\nhop%u_pte_addr: 0x%llx\nhop%u_pte: 0x%llx\n",
			   i, tables[i], i, pte_addr[i], i, pte[i]);
	return 0;
}

static int gaudi_debugfs_mmu_show(struct seq_file *s, void *unused)
{
	struct gaudi_debugfs_mem *d = s->private;
	int ret;

	guard(mutex)(&d->lock);
	ret = gaudi_reset_enter(d->gdev);
	if (ret)
		return ret;
	/* Nothing to show for what is not mapped, as on mainline. */
	if (gaudi_debugfs_walk(d->gdev, s, d->mmu_asid, d->mmu_va))
		drm_err(&d->gdev->drm, "asid %u, address 0x%llx is not mapped\n",
			d->mmu_asid, d->mmu_va);
	gaudi_reset_exit(d->gdev);
	return 0;
}

/* "ASID 0xVA" */
static ssize_t gaudi_debugfs_mmu_write(struct file *file,
				       const char __user *ubuf, size_t count,
				       loff_t *ppos)
{
	struct gaudi_debugfs_mem *d =
		((struct seq_file *)file->private_data)->private;
	char text[64];
	u32 asid;
	u64 va;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;
	text[count] = '\0';
	if (sscanf(text, "%u 0x%llx", &asid, &va) != 2 ||
	    asid >= gaudi_num_asids())
		return -EINVAL;
	guard(mutex)(&d->lock);
	d->mmu_asid = asid;
	d->mmu_va = va;
	return count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(gaudi_debugfs_mmu);

static void gaudi_debugfs_mem_free(void *arg)
{
	struct gaudi_debugfs_mem *d = arg;

	vfree(d->dma.data);
	vfree(d->monitors.data);
}

void gaudi_debugfs_mem_add(struct gaudi_device *gdev, struct dentry *root)
{
	struct device *dev = &gdev->pdev->dev;
	struct gaudi_debugfs_mem *d;

	d = devm_kzalloc(dev, sizeof(*d), GFP_KERNEL);
	if (!d || devm_mutex_init(dev, &d->lock) ||
	    devm_mutex_init(dev, &d->dma.lock) ||
	    devm_mutex_init(dev, &d->monitors.lock) ||
	    devm_add_action(dev, gaudi_debugfs_mem_free, d))
		return;
	d->gdev = gdev;
	d->data32 = (struct gaudi_data){ d, sizeof(u32) };
	d->data64 = (struct gaudi_data){ d, sizeof(u64) };
	debugfs_create_x64("addr", 0644, root, &d->addr);
	debugfs_create_file("data32", 0644, root, &d->data32,
			    &gaudi_debugfs_data_fops);
	debugfs_create_file("data64", 0644, root, &d->data64,
			    &gaudi_debugfs_data_fops);
	debugfs_create_file("dma_size", 0200, root, d,
			    &gaudi_debugfs_dma_size_fops);
	debugfs_create_file("data_dma", 0400, root, &d->dma,
			    &gaudi_debugfs_blob_fops);
	debugfs_create_file("monitor_dump_trig", 0200, root, d,
			    &gaudi_debugfs_monitor_dump_trig_fops);
	debugfs_create_file("monitor_dump", 0400, root, &d->monitors,
			    &gaudi_debugfs_blob_fops);
	debugfs_create_x64("memory_scrub_val", 0644, root,
			   &gdev->tunables.scrub_val);
	debugfs_create_file("memory_scrub", 0200, root, d,
			    &gaudi_debugfs_memory_scrub_fops);
	debugfs_create_file("mmu", 0644, root, d, &gaudi_debugfs_mmu_fops);
}
