/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of one card. Each block's part is a struct of its own, owned by
 * the file named beside it; other files reach it only through that file's
 * functions. Engines (QMANs, DMA cores, sync managers, ...) keep theirs in
 * engines_state.h.
 */
#ifndef GAUDI_CHIP_STATE_H
#define GAUDI_CHIP_STATE_H

#include "engines_state.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif

#define GAUDI_PAGE_SHIFT	12
#define GAUDI_PAGE_SIZE		(1u << GAUDI_PAGE_SHIFT)
#define GAUDI_CFG_PAGES		(GAUDI_CFG_SIZE >> GAUDI_PAGE_SHIFT)
#define GAUDI_PAGE_REGS		(GAUDI_PAGE_SIZE / 4)

/* memory.c: shared memory of this process */
struct gaudi_memory {
	uint8_t *ptr;
	uint64_t size;
	const char *name;
	const int *advice;		/* for each mapping; see gaudi_config */
	int fd;				/* of another file after each reset */
	struct gaudi_reclaim *reclaim;
	struct gaudi_lock fill_lock;		/* guards what follows */
	bool has_file;		/* somebody else: it shows all; atomic */
	bool *filled;		/* chunks that show a pattern; atomic */
	unsigned int num_filled;
	int fill_fd;			/* the last pattern's chunk, or -1 */
	uint64_t fill_pattern;
};

/* regs.c: storage of one 4 KiB page of registers, made at the first access */
struct gaudi_reg_page {
	uint32_t value[GAUDI_PAGE_REGS];
	uint32_t used[GAUDI_PAGE_REGS];		/* accesses, saturating */
	uint32_t *initial;			/* after power-on; NULL: zeros */
	bool written;				/* since the last reset */
};

/* regs.c: an instance of a block, as the table of families expands to */
struct gaudi_block {
	const struct gaudi_family *family;
	const struct gaudi_block_ops *ops;	/* NULL: storage */
	uint32_t base;
	uint16_t inst;				/* number given to ops */
	uint16_t index;				/* number in the name */
};

/* reg_names*.c: registers of a prototype; '#' in a name counts from 0 */
struct gaudi_reg_range {
	const char *name;
	uint16_t off;
	uint16_t count;
	uint16_t stride;
	uint16_t fidelity;
};

struct gaudi_reg_names {
	const struct gaudi_reg_range *range;
	size_t count;
};

extern const struct gaudi_reg_names gaudi_qman_names, gaudi_dma_core_names,
	gaudi_sync_mngr_names, gaudi_tpc_cfg_names, gaudi_mme_ctrl_names,
	gaudi_mme_acc_names, gaudi_mme_sbab_names, gaudi_psoc_efuse_names,
	gaudi_psoc_global_conf_names, gaudi_psoc_timestamp_names,
	gaudi_pll_names, gaudi_cpu_if_names, gaudi_gic_names,
	gaudi_stlb_names, gaudi_mmu_up_names, gaudi_pcie_wrap_names,
	gaudi_pcie_core_names, gaudi_pcie_aux_names, gaudi_pcie_dbi_names,
	gaudi_pcie_msi_names, gaudi_tmc_names, gaudi_rtr_names, gaudi_rtr_ctrl_names,
	gaudi_dma_if_names, gaudi_dma_if_dn_names;

struct gaudi_regs {
	struct gaudi_reg_page *page[GAUDI_CFG_PAGES];
	uint16_t written[GAUDI_CFG_PAGES];	/* pages, in that order */
	unsigned int num_written;
	uint16_t block_of[GAUDI_CFG_PAGES];	/* index + 1; 0: none */
	struct gaudi_block *block;
	unsigned int num_blocks;
};

/* mmu.c */
#define GAUDI_MMU_NUM_ASID	1024
#define GAUDI_TLB_ENTRIES	8192		/* power of two */
#define GAUDI_WALK_ENTRIES	64		/* power of two */

struct gaudi_tlb_entry {
	uint64_t tag;		/* page number, ASID << 52; 0 with gen 0 */
	uint64_t pa;
	uint64_t gen;		/* valid if equal to gaudi_mmu.gen */
};

struct gaudi_mmu {
	bool enabled;
	bool bypassed;		/* all accesses, by MMU_BYPASS */
	uint64_t gen;		/* bumped by an invalidation */
	uint64_t hop0[GAUDI_MMU_NUM_ASID];
	bool hop0_valid[GAUDI_MMU_NUM_ASID];
	struct gaudi_tlb_entry small[GAUDI_TLB_ENTRIES];	/* 4 KiB */
	struct gaudi_tlb_entry large[GAUDI_TLB_ENTRIES / 16];	/* 2 MiB */
	/* tables of the last hop, by 2 MiB of VA; pa: of the table */
	struct gaudi_tlb_entry last_hop[GAUDI_WALK_ENTRIES];
};

/* pcie.c: survives a hard reset */
#define GAUDI_IATU_DWORDS	(0x2000 / 4)
#define GAUDI_NUM_MSI		32

struct gaudi_pcie {
	uint32_t elbi[4];			/* ADDR DATA CTRL STS */
	uint32_t iatu[GAUDI_IATU_DWORDS];
	uint64_t hbm_window;			/* device address at BAR 4 */
};

/* psoc.c: instances of the PLL prototype */
enum gaudi_pll {
	GAUDI_PLL_DMA_W, GAUDI_PLL_IF_W, GAUDI_PLL_IF_E, GAUDI_PLL_DMA_E,
	GAUDI_PLL_MESH_W, GAUDI_PLL_SRAM_W, GAUDI_PLL_MESH_E, GAUDI_PLL_SRAM_E,
	GAUDI_PLL_CPU, GAUDI_PLL_MME, GAUDI_PLL_PCI, GAUDI_PLL_TPC,
	GAUDI_PLL_HBM, GAUDI_PLL_NIC0, GAUDI_PLL_NIC1, GAUDI_PLL_NIC2_HBM,
	GAUDI_PLL_NIC2_MME, GAUDI_PLL_NIC2_TPC,
};

/* psoc.c: the timestamp counter, and its rate (CPU PLL, output 2) */
#define GAUDI_PSOC_CLK_HZ	800000000u

struct gaudi_timestamp {
	uint64_t base;		/* counter when it was last set or stopped */
	uint64_t start_ns;	/* time of that, while it runs */
	bool running;
};

/* cpu.c */
struct gaudi_cpu {
	struct gaudi_fw *fw;
	struct gaudi_timer timer;
};

/* report.c: what was used, by kind and name; bounded */
#define GAUDI_REPORT_ENTRIES	2048		/* power of two */
#define GAUDI_LOG_BURST		200		/* guest errors per second */

struct gaudi_report_entry {
	char *kind;		/* NULL: free; name follows its end */
	uint64_t count;
	enum gaudi_fidelity fidelity;
};

struct gaudi_report {
	struct gaudi_report_entry entry[GAUDI_REPORT_ENTRIES];
	unsigned int used;
	uint64_t dropped;			/* uses that found no room */
	uint64_t log_second;			/* limits the guest's log */
	unsigned int logged;
};

/* fault.c: faults on demand */
#define GAUDI_FAULT_MSIS	64

struct gaudi_faults {
	uint32_t sites;			/* where something is armed */
	struct gaudi_fault *fault;	/* GAUDI_MAX_FAULTS, or NULL */
	uint64_t order;
	bool busy;			/* a fault is happening now */
	struct gaudi_timer timer;
	/* MSIs that come later than they should */
	struct {
		uint64_t due_ns;
		uint8_t vector;
	} msi[GAUDI_FAULT_MSIS];
	unsigned int num_msi;
	/* DMA cores that are held back; 0: not */
	uint64_t dma_until_ns[GAUDI_NUM_DMA];
	bool dma_passed[GAUDI_NUM_DMA];	/* was held back, may end now */
	uint64_t link_up_ns;		/* the link is down until then */
	uint64_t throttle_end_ns[2];	/* power, heat; 0: not throttled */
};

/* chip.c: what is told to the host when the lock is released */
struct gaudi_outbox {
	uint32_t msi;				/* pending vectors */
	bool window;				/* the HBM window moved */
	bool timer;				/* the first deadline changed */
	uint32_t host_faults;			/* BIT(enum gaudi_host_fault) */
	uint32_t aer_status[3];			/* of GAUDI_HOST_AER_* */
	bool delivering;			/* some thread is at it ... */
	pthread_t deliverer;			/* ... this one */
};

struct gaudi_chip {
	struct gaudi_lock lock;
	struct gaudi_lock gate;			/* held while waiting for it */
	atomic_uint waiters;			/* threads that found it taken */
	const struct gaudi_host_ops *ops;
	void *opaque;
	struct gaudi_pool *pool;		/* NULL: deterministic */
	struct gaudi_config config;		/* defaults filled in */
	char *serial;
	struct gaudi_memory hbm;
	struct gaudi_memory sram;
	uint8_t *scratchpad;			/* PSOC, 64 KiB */
	uint8_t *pcie_sram;			/* PCIe firmware, 32 KiB */
	struct gaudi_outbox outbox;
	uint32_t traced;			/* kinds; see gaudi_host_ops */
	struct gaudi_timer *timers;		/* armed, earliest first */
	struct gaudi_actor reset_actor;
	bool reset_pending;
	bool paused;				/* the host stands still */
	uint64_t busy_ns;			/* engines' work, for sensors */
	uint32_t busy_ps;			/* ... and less than one */
	uint64_t host_read, host_written;	/* bus.c: bytes, atomic */
	struct gaudi_regs regs;
	struct gaudi_mmu mmu;
	struct gaudi_pcie pcie;
	struct gaudi_timestamp timestamp;
	uint32_t kept_flops[8];			/* psoc.c: survive a reset */
	struct gaudi_cpu cpu;
	struct gaudi_report report;
	struct gaudi_faults faults;
	struct gaudi_engines engines;
};

/* --- between the files of the frame -------------------------------------- */

/* regs.c. Lock held for all but init, fini. */
int gaudi_regs_init(struct gaudi_chip *chip);
/* Once the blocks know where they are, before the first reset. */
int gaudi_regs_values(struct gaudi_chip *chip);
void gaudi_regs_fini(struct gaudi_chip *chip);
/* Drops all storage, then lets each block set its reset values. */
void gaudi_regs_reset(struct gaudi_chip *chip);
/* Is there a block that answers? Else the bus does, with an error. */
static inline bool gaudi_reg_answers(const struct gaudi_chip *chip,
				     uint32_t cfg_off)
{
	return chip->regs.block_of[cfg_off >> GAUDI_PAGE_SHIFT];
}

/* Does the register's page end in protection bits? */
bool gaudi_has_prot_bits(struct gaudi_chip *chip, uint32_t cfg_off);
/* Where instance inst of a prototype stands, relative to GAUDI_CFG_BASE. */
uint32_t gaudi_block_base(const struct gaudi_block_ops *ops, unsigned int inst);
/*
 * Calls fn for what was used since the card was made. Registers with the same
 * name but for numbers come together, '#' in place of each number; unknown
 * ones come one by one. 0 or -ENOMEM.
 */
typedef void gaudi_used_fn(void *arg, const char *name, unsigned int registers,
			   uint64_t count, enum gaudi_fidelity fidelity);
int gaudi_regs_report(struct gaudi_chip *chip, gaudi_used_fn *fn,
			     void *arg);

/* mmu.c */
bool gaudi_mmu_enabled(struct gaudi_chip *chip);
/*
 * Translates one page; *left: bytes from va to the page's end. 0, -EFAULT (no
 * page), -EACCES (tables are broken). Silent.
 */
int gaudi_mmu_lookup(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		     uint64_t *pa, uint64_t *left);
/*
 * The same for an access to len bytes, of which this page may have the first
 * only: an error (always -EFAULT) is captured, reported.
 */
int gaudi_mmu_translate(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t va, uint64_t len, bool write, uint64_t *pa,
			uint64_t *left);
void gaudi_mmu_reset(struct gaudi_chip *chip);

/*
 * protect.c. May this access be made? 0, or -EFAULT, which is captured and
 * reported. *left is cut to the part for which the answer holds.
 */
int gaudi_protect_mem(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, bool write, uint64_t *left);
/* The same as a question. */
bool gaudi_mem_allowed(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr, bool write, uint64_t *left);
int gaudi_protect_reg(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint32_t cfg_off, bool write);
/*
 * The same for what a queue writes into its own engine, which passes no router:
 * the protection bits alone count. 0, or -EPERM.
 */
int gaudi_protect_local(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint32_t cfg_off);
/* An access that is refused or that no target answers: capture and event. */
void gaudi_razwi(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		 uint64_t addr, bool write, const char *why);

/* coresight.c */
extern const struct gaudi_block_ops gaudi_tmc_ops;

/* pcie.c */
void gaudi_pcie_power_on(struct gaudi_chip *chip);

/* psoc.c */
void gaudi_psoc_power_on(struct gaudi_chip *chip);

/* cpu.c */
int gaudi_cpu_init(struct gaudi_chip *chip);
void gaudi_cpu_fini(struct gaudi_chip *chip);
void gaudi_cpu_reset(struct gaudi_chip *chip);
/* A register that firmware watches was written, and the write took effect. */
void gaudi_cpu_reg_written(struct gaudi_chip *chip, uint32_t cfg_off,
			   uint32_t value);

/* report.c */
void gaudi_report_fini(struct gaudi_chip *chip);

#endif /* GAUDI_CHIP_STATE_H */
