# SPDX-License-Identifier: MIT
# The part of libgaudi that needs no card: recipes, from nodes to the cache.
RECIPE_SRC := array.c error.c sized.c log.c program_item.c program_launch.c program_check.c program_apply.c draft.c \
	      draft_join.c \
	      recipe.c recipe_check.c recipe_write.c recipe_load.c \
	      recipe_print.c builder.c builder_tensors.c builder_plan.c builder_emit.c \
	      builder_compute.c builder_autocast.c builder_mme.c builder_tpc.c tpc_object.c \
	      cache_disk.c cache.c \
	      mme_desc.c mme_check.c mme_gemm.c mme_conv.c mme_cut.c
