# SPDX-License-Identifier: MIT
# The rooms of libgaudi that need no card: recipes, from nodes to the cache. KERNEL_SRC, of
# them, needs the table of built-in kernels, which takes the card's assembler.
runtime := $(dir $(lastword $(MAKEFILE_LIST)))
KERNEL_SRC := kernels/kernels.c builder/builder_library.c builder/builder_copy.c
RECIPE_SRC := $(filter-out $(KERNEL_SRC),$(patsubst $(runtime)%,%,$(wildcard \
	$(patsubst %,$(runtime)%/*.c,base mme program recipe kernels builder))))
