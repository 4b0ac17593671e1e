# SPDX-License-Identifier: GPL-2.0-only
#
# For unit tests of what stands on cards: libgaudi's and libhl-thunk's objects, cards of this
# process under them (sim/), and between the two the knobs of card.c. All with the same
# sanitizer. To be included behind unit.mk; a program depends on $(card), and is linked with
# $(card_objects) $(card_libs).

thunk := $(top)/thunk
card_dir := $(top)/tests/unit/runtime
card_san := $(kind:$(name)%=%)
card := $(build)/tests/runtime$(card_san)/card.o
objects := $(build)/thunk$(card_san)
sim_lib := $(build)/sim$(card_san)/libgaudi-sim.so.0

# Libraries show their public functions alone, so it is their objects.
card_objects = $(card) $(shell find $(objects)/obj/runtime $(objects)/obj/hlthunk \
		$(objects)/obj/sim $(objects)/obj/packets -name '*.o') \
	       $(objects)/obj/kernels_table.o $(objects)/obj/build_id.o
kernels := $(build)/thunk/kernels/kernels_table.c
wrapped := $(shell grep -oP '^WRAP.[^,]*, \K\w+' $(card_dir)/card.c)
card_libs := $(wrapped:%=-Wl,--wrap=%) \
	$(sim_lib) -Wl,-rpath,$(dir $(sim_lib)) -lcmocka -lelf -lz -ldl

CPPFLAGS += -I$(thunk) -I$(thunk)/runtime -I$(card_dir) -I$(top)/sim $(thunk_cppflags)

# What a program is linked with is made each time that it is asked for, and this is touched
# if some of it is new: a program that another suite runs is not replaced for nothing.
card_parts := $(objects)/obj/card_parts
$(card_parts): FORCE
	@$(MAKE) --no-print-directory -C $(top)/sim SAN=$(SAN)
	@$(MAKE) --no-print-directory -C $(thunk) O=$(build)/thunk $(kernels)
	@$(MAKE) --no-print-directory -C $(thunk) O=$(objects) UAPI_INC=$(UAPI_INC) \
		SANITIZE=$(patsubst -fsanitize=%,%,$(firstword $(san))) \
		KERNELS=$(kernels) \
		TPC_AS=$(build)/thunk/kernels/tools/bin/gaudi-tpc-as lib
	@[ -e $@ ] && [ -z "$$(find $(objects)/obj $(sim_lib) -newer $@ -print -quit)" ] || \
		touch $@

.PHONY: FORCE
FORCE:

$(card): $(card_dir)/card.c $(card_parts)
	@mkdir -p $(@D)
	@echo "  CC      $(<F)"
	@$(CC) $(CPPFLAGS) $(cflags) -fPIC -DSIM_LIB='"$(sim_lib)"' -c -MQ $@ -o $@ $<
