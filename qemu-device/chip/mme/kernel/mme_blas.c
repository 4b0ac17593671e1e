// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The fast, differently rounded sums: which library does them on this host */
#include <dlfcn.h>
#include <errno.h>

#include "mme_blas.h"
#include "mme_impl.h"

#define CBLAS_ROW_MAJOR	101
#define CBLAS_NO_TRANS	111
#define CBLAS_TRANS	112

/*
 * OpenBLAS is BSD-licensed and not part of the build: its absence is found out
 * here. One thread: the card's workers are the ones that share out the cores.
 */
static int open_openblas(struct gaudi_mme_blas *blas)
{
	void (*set_threads)(int num);

	blas->lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!blas->lib)
		return -ENOTSUP;
	blas->sgemm = (gaudi_sgemm *)dlsym(blas->lib, "cblas_sgemm");
	set_threads = (void (*)(int))dlsym(blas->lib,
					   "openblas_set_num_threads");
	if (!blas->sgemm || !set_threads) {
		gaudi_mme_blas_close(blas);
		return -ENOTSUP;
	}
	set_threads(1);
	blas->fp32 = "openblas";
	return 0;
}

static int open_fp32(struct gaudi_mme_blas *blas, const char *name)
{
	static const char *const known[] = { "avx512", "avx2", "portable" };
	unsigned int i;

	blas->kernel = gaudi_mme_kernel(NULL);
	if (name && !strcmp(name, "openblas"))
		return open_openblas(blas);
	if (name) {
		blas->kernel = gaudi_mme_kernel(name);
		for (i = 0; !blas->kernel; i++) {
			if (i == sizeof(known) / sizeof(known[0]))
				return -ENOENT;
			if (!strcmp(name, known[i]))
				return -ENOTSUP;
		}
	}
	blas->fp32 = blas->kernel->name;
	if (!name && blas->kernel == &gaudi_mme_portable)
		open_openblas(blas);
	return 0;
}

int gaudi_mme_blas_open(struct gaudi_mme_blas *blas, const char *fp32,
			const char *bf16)
{
	int rc;

	*blas = (struct gaudi_mme_blas){ 0 };
	rc = open_fp32(blas, fp32);
	if (rc)
		return rc;
	blas->bf16 = blas->fp32;
	if (!bf16 || !strcmp(bf16, "avx512bf16")) {
		blas->pairs = gaudi_mme_pairs_run();
		if (blas->pairs)
			blas->bf16 = "avx512bf16";
		else if (bf16)
			rc = -ENOTSUP;
	} else if (strcmp(bf16, blas->fp32)) {
		rc = -ENOENT;
	}
	if (rc)
		gaudi_mme_blas_close(blas);
	return rc;
}

void gaudi_mme_blas_close(struct gaudi_mme_blas *blas)
{
	if (blas->lib)
		dlclose(blas->lib);
	*blas = (struct gaudi_mme_blas){ 0 };
}

void gaudi_mme_blas_sum(const struct gaudi_mme_blas *blas, bool bf16,
			const struct gaudi_mme_sum *g)
{
	if (bf16 && blas->pairs)
		gaudi_mme_pairs_sum(g);
	else if (blas->sgemm && g->k)
		blas->sgemm(CBLAS_ROW_MAJOR, CBLAS_TRANS, CBLAS_NO_TRANS, g->m,
			    g->n, g->k, 1.0f, g->s, g->s_step, g->l, g->l_step,
			    g->add ? 1.0f : 0.0f, g->tile, g->tile_step);
	else
		blas->kernel->sum(g);
}

static struct gaudi_mme_pack plain(const struct gaudi_mme_pack *p)
{
	struct gaudi_mme_pack natural = *p;

	natural.panel.lane = p->panel.step;
	natural.panel.step = GAUDI_MME_LANES * p->panel.step;
	return natural;
}

void gaudi_mme_blas_pack_rows(const struct gaudi_mme_blas *blas,
			      const struct gaudi_mme_pack *p,
			      const void *const *rows, size_t count,
			      unsigned int len)
{
	struct gaudi_mme_pack natural = plain(p);

	if (p->bf16 && blas->pairs)
		gaudi_mme_pairs_rows(p, rows, count, len);
	else
		blas->kernel->pack_rows(&natural, rows, count, len);
}

void gaudi_mme_blas_pack_trans(const struct gaudi_mme_blas *blas,
			       const struct gaudi_mme_pack *p,
			       const void *const *rows, unsigned int height,
			       size_t count)
{
	struct gaudi_mme_pack natural = plain(p);

	if (p->bf16 && blas->pairs)
		gaudi_mme_pairs_trans(p, rows, height, count);
	else
		blas->kernel->pack_trans(&natural, rows, height, count);
}
