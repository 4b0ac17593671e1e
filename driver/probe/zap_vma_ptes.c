// SPDX-License-Identifier: GPL-2.0-only
/*
 * The name under which a driver takes the pages out of a mapping of its own:
 * newer kernels speak of a range of a special mapping.
 */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);

void probe(struct vm_area_struct *vma)
{
#if PROBE
	zap_vma_ptes(vma, vma->vm_start, vma->vm_end - vma->vm_start);
#else
	zap_special_vma_range(vma, vma->vm_start, vma->vm_end - vma->vm_start);
#endif
}
