/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the files of the room share: what is behind chip->soc. */
#ifndef GAUDI_SOC_STATE_H
#define GAUDI_SOC_STATE_H

#include "soc.h"

/* pcie.c: survives a hard reset */
#define GAUDI_IATU_DWORDS	(0x2000 / 4)

struct gaudi_pcie {
	uint32_t elbi[4];			/* ADDR DATA CTRL STS */
	uint32_t iatu[GAUDI_IATU_DWORDS];
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

struct gaudi_soc {
	struct gaudi_pcie pcie;
	struct gaudi_timestamp timestamp;
	uint32_t kept_flops[8];			/* psoc.c: survive a reset */
	struct gaudi_cpu cpu;
};

void gaudi_pcie_power_on(struct gaudi_chip *chip);
void gaudi_psoc_power_on(struct gaudi_chip *chip);
/* A register that firmware watches was written, and the write took effect. */
void gaudi_cpu_reg_written(struct gaudi_chip *chip, uint32_t cfg_off,
			   uint32_t value);

#endif /* GAUDI_SOC_STATE_H */
