/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The device address map of Gaudi 1, its PCI windows, and where each register
 * block instance stands.
 *
 * Device addresses are what DMA engines, command processors and the embedded
 * CPU use. Block bases are offsets from GAUDI_CFG_BASE; a register is
 * block base + offset from the header of its prototype in regs/.
 *
 * Source: include/gaudi/gaudi.h and asic_reg/gaudi_blocks.h of mainline's
 * habanalabs driver, Linux 6.12 (facts).
 */
#ifndef GAUDI_MAP_H
#define GAUDI_MAP_H

#define GAUDI_PCI_VENDOR_ID		0x1da3
#define GAUDI_PCI_DEVICE_ID		0x1000
#define GAUDI_PCI_DEVICE_ID_SEC		0x1010

/* BAR index, length, and the device address that it shows after boot. */
#define GAUDI_BAR_SRAM			0
#define GAUDI_BAR_CFG			2
#define GAUDI_BAR_HBM			4
#define GAUDI_BAR_SRAM_SIZE		0x4000000ull
#define GAUDI_BAR_CFG_SIZE		0x8000000ull
#define GAUDI_BAR_SRAM_TARGET		GAUDI_SRAM_BASE
#define GAUDI_BAR_CFG_TARGET		GAUDI_FLASH_BASE
#define GAUDI_BAR_HBM_TARGET		GAUDI_HBM_BASE
/* CFG registers within BAR 2. */
#define GAUDI_BAR_CFG_REGS		(GAUDI_CFG_BASE - GAUDI_FLASH_BASE)

/* Device address space. */
#define GAUDI_HBM_BASE			0x0ull
#define GAUDI_HBM_SIZE			0x800000000ull	/* 32 GiB */
#define GAUDI_SRAM_BASE			0x7ff0000000ull
#define GAUDI_SRAM_SIZE			0x1400000ull	/* 20 MiB */
#define GAUDI_FLASH_BASE		0x7ff8000000ull
#define GAUDI_PSOC_SCRATCHPAD_BASE	0x7ffbfe0000ull
#define GAUDI_PSOC_SCRATCHPAD_SIZE	0x10000ull
#define GAUDI_PCIE_FW_SRAM_BASE		0x7ffbff0000ull
#define GAUDI_PCIE_FW_SRAM_SIZE		0x8000ull
#define GAUDI_CFG_BASE			0x7ffc000000ull
#define GAUDI_CFG_SIZE			0x4000000ull	/* registers + CoreSight */
#define GAUDI_HOST_BASE			0x8000000000ull
#define GAUDI_HOST_SIZE			0x1000000000000ull
/* User virtual addresses, translated by the host MMU. */
#define GAUDI_VA_HOST_START		0x1000000000000ull
#define GAUDI_VA_HOST_END		0x27fbfffffffffull

/* Layout of HBM below the part that users get (mainline's, kept by ours). */
#define GAUDI_HBM_FW_SIZE		0x10000000ull	/* embedded CPU */
#define GAUDI_HBM_PGT_BASE		0x10000000ull	/* MMU page tables */
#define GAUDI_HBM_PGT_SIZE		0xbf00000ull	/* 191 MiB */
#define GAUDI_HBM_MMU_CACHE_BASE	0x1bf00000ull
#define GAUDI_HBM_MMU_CACHE_SIZE	0x100000ull
#define GAUDI_HBM_DRV_BASE		0x1c000000ull	/* reserved for NIC */
#define GAUDI_HBM_USER_BASE		0x20000000ull

/* Where the loader puts the two firmware images, and the TPC boot kernel. */
#define GAUDI_SRAM_BOOT_FIT_OFFSET	0x200000ull
#define GAUDI_HBM_FIT_OFFSET		0x800000ull
#define GAUDI_SRAM_USER_OFFSET		0x80ull
#define GAUDI_SRAM_TPC_BIN_OFFSET	0x2000ull

/* Instance counts. */
#define GAUDI_NUM_DMA			8
#define GAUDI_NUM_TPC			8
#define GAUDI_NUM_MME			4
#define GAUDI_NUM_NIC_MACRO		5
#define GAUDI_NUM_NIC_ENGINE		10
#define GAUDI_NUM_QMAN			28
#define GAUDI_NUM_STREAMS		4
#define GAUDI_NUM_CPS			5	/* four upper, one lower */
#define GAUDI_NUM_SYNC_MNGR		4
#define GAUDI_NUM_ASID			2

/* Block bases, relative to GAUDI_CFG_BASE. */
#define GAUDI_MME_ACC_BASE(n)		(0x020000u + (n) * 0x80000u)
#define GAUDI_MME_SBAB_BASE(n)		(0x040000u + (n) * 0x80000u)
#define GAUDI_MME_PRTN_BASE(n)		(0x041000u + (n) * 0x80000u)
#define GAUDI_MME_CTRL_BASE(n)		(0x060000u + (n) * 0x80000u)
#define GAUDI_MME_QM_BASE(n)		(0x068000u + (n) * 0x80000u) /* n: 0, 2 */
#define GAUDI_CPU_IF_BASE		0x442000u
#define GAUDI_SYNC_MNGR_W_S_BASE	0x490000u
#define GAUDI_SYNC_MNGR_E_S_BASE	0x4b0000u
#define GAUDI_SYNC_MNGR_W_N_BASE	0x4d0000u
#define GAUDI_SYNC_MNGR_E_N_BASE	0x4f0000u
#define GAUDI_DMA_CORE_BASE(n)		(0x500000u + (n) * 0x20000u)
#define GAUDI_DMA_QM_BASE(n)		(0x508000u + (n) * 0x20000u)
#define GAUDI_GIC_BASE			0x800000u
#define GAUDI_PCIE_WRAP_BASE		0xc01000u
#define GAUDI_PCIE_DBI_BASE		0xc02000u
#define GAUDI_PCIE_CORE_BASE		0xc04000u
#define GAUDI_PCIE_AUX_BASE		0xc07000u
#define GAUDI_MMU_UP_BASE		0xc11000u
#define GAUDI_STLB_BASE			0xc12000u
#define GAUDI_PCIE_MSI_BASE		0xc13000u
#define GAUDI_PSOC_TIMESTAMP_BASE	0xc49000u
#define GAUDI_PSOC_EFUSE_BASE		0xc4a000u
#define GAUDI_PSOC_GLOBAL_CONF_BASE	0xc4b000u
#define GAUDI_PSOC_CPU_PLL_BASE		0xc70000u
#define GAUDI_PSOC_MME_PLL_BASE		0xc71000u
#define GAUDI_PSOC_PCI_PLL_BASE		0xc72000u
#define GAUDI_PSOC_TPC_PLL_BASE		0xc73000u
#define GAUDI_PSOC_HBM_PLL_BASE		0xc74000u
#define GAUDI_NIC_QM_BASE(n)		(0xce0000u + ((n) / 2) * 0x40000u + \
					 ((n) % 2) * 0x2000u)
/* Of a port: n is 0 to 9. NIC_STAT is one for the two of a macro. */
#define GAUDI_NIC_MACRO_OFFSET(n)	((n) / 2 * 0x40000u)
#define GAUDI_NIC_PORT_OFFSET(n)	(GAUDI_NIC_MACRO_OFFSET(n) + \
					 (n) % 2 * 0x1000u)
#define GAUDI_NIC_STAT_BASE(n)		(0xcc4000u + GAUDI_NIC_MACRO_OFFSET(n))
#define GAUDI_NIC_QPC_BASE(n)		(0xce4000u + GAUDI_NIC_PORT_OFFSET(n))
#define GAUDI_NIC_RXE_BASE(n)		(0xce9000u + GAUDI_NIC_PORT_OFFSET(n))
#define GAUDI_NIC_TXE_BASE(n)		(0xcf2000u + GAUDI_NIC_PORT_OFFSET(n))
#define GAUDI_TPC_CFG_BASE(n)		(0xe06000u + (n) * 0x40000u)
#define GAUDI_TPC_QM_BASE(n)		(0xe08000u + (n) * 0x40000u)

/* Protection bits: one word per 32 registers at the end of each 4 KiB block. */
#define GAUDI_PROT_BITS_OFFSET		0xf80u

/* Queue ids of the uAPI (enum gaudi_queue_id) and the embedded CPU's. */
#define GAUDI_QUEUE_CPU			8
#define GAUDI_NUM_QUEUES		113

#endif /* GAUDI_MAP_H */
