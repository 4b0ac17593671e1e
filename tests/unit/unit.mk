# SPDX-License-Identifier: GPL-2.0-only
#
# What the unit tests' Makefiles have in common: where things go, sanitizers,
# warnings, and how an object is made. To be set before: name, and CFLAGS ?=; pic if
# objects go into a shared library.
#
#   SAN=1|thread	1: AddressSanitizer and UBSan

top := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
build ?= $(or $(GAUDI_BUILD),$(top)/build)
cache := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/open-gaudi
UAPI_INC ?= $(wildcard $(cache)/kernel/current/uapi)

# Where a variable is at each moment takes a third of the time to compile with them.
ifeq ($(SAN),1)
kind := $(name)-asan
san := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-var-tracking
else ifeq ($(SAN),thread)
kind := $(name)-tsan
san := -fsanitize=thread -fno-var-tracking
else
kind := $(name)
endif

out := $(build)/tests/$(kind)
cflags := -std=gnu11 -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
	  -Wno-missing-field-initializers -pthread -MMD -MP $(pic) $(san) $(CFLAGS)
# Of what tests the thunk.
thunk_cppflags := -I. -I$(top)/thunk/include -I$(top)/thunk/packets \
		  -I$(top)/uapi -D_GNU_SOURCE $(UAPI_INC:%=-isystem %)

# The main() of each test program.
unit := $(out)/unit.o
vpath unit.c $(top)/tests/unit

# What was made of a source that has moved since is made anew: its dependencies name
# the old place.
%.c: ;
%.d: ;

# Flags are in the Makefiles.
$(out)/%.o: %.c $(MAKEFILE_LIST)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(CPPFLAGS) $(cflags) -c -MQ $@ -o $@ $<
