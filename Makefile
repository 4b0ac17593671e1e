# SPDX-License-Identifier: MIT
#
# The way in. Every target can be called on a fresh machine; what it needs is
# fetched and built first (scripts/setup). Parts build in build/, downloads and
# QEMU's tree live in the cache and are shared by all work trees.

ROOT	 := $(CURDIR)
BUILD	 ?= $(ROOT)/build
CACHE	 := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/open-gaudi
# For the guest's kernel; set KDIR to build the driver for another one.
KDIR	 ?= $(CACHE)/kernel/current/headers
UAPI_INC ?= $(firstword $(wildcard $(CACHE)/kernel/current/uapi \
		$(CACHE)/uapi) $(CACHE)/kernel/current/uapi)
# The debug kernel's, and where what is built for it goes.
KDIR_DEBUG ?= $(CACHE)/kernel/debug/headers
DEBUG	 := $(BUILD)/debug
KSFT	 ?= $(CACHE)/ksource/tools/testing/selftests
JOBS	 ?= $(shell nproc)
PREFIX	 ?= /usr/local
# Which suites `make test` runs: all without their slow tests, or some as a whole
# ("chip fw", "selftests:dma_test").
T	 ?=
# Which parts `make bench` runs: all, or some ("drivers idle").
P	 ?=

# Where there is ccache, what was compiled in any clone is not compiled again. Then Debian's
# programs: another Python has none of the packages that are set up.
export PATH := /usr/lib/ccache:/usr/bin:$(PATH)
export CCACHE_DIR := $(CACHE)/ccache
export CCACHE_BASEDIR := $(ROOT)
export CCACHE_NOHASHDIR := 1
export CCACHE_MAXSIZE := 3G
export JOBS
SETUP	 := scripts/setup
MAKE_IN	 := $(MAKE) --no-print-directory -j$(JOBS) -C

help:
	@echo 'Two commands, from a bare Debian 12 or 13 on:'
	@echo '  make run       build everything; in a guest, run gaudi-info and'
	@echo '                 gaudi-copy on gaudi.ko and on habanalabs.ko; train'
	@echo '                 a small network on the card'
	@echo '  make test      the tests; T="chip fw" only these suites,'
	@echo '                 T=selftests:dma_test only one test of a suite'
	@echo '  make test-all  the slow ones, too'
	@echo '  make test-debug     the tests that need a debug kernel, which is built'
	@echo '                 first (some 20 minutes); T=fuzz only one of them'
	@echo 'More:'
	@echo '  make sim       no guest, no root: train a network on a card in the process'
	@echo '  make torch     PyTorch'"'"'s device hpu, for the machine'"'"'s PyTorch (build/torch);'
	@echo '                 trains models on it and on the CPU'
	@echo '  make train     train networks on the card, from Python and C, and on'
	@echo '                 eight cards'
	@echo '  make bench     measure; prints a table, writes build/bench.json'
	@echo '  make bench-record   the same, as a row of the history'
	@echo '  make fuzz      fuzz the card; H=packet only one of its harnesses,'
	@echo '                 RUNS=1000000 each; see Documentation/fuzzing.rst'
	@echo '  make soak      reload and reset 1,000 times each, or N=100'
	@echo '  make states    each fault in each state of the card, or those of'
	@echo "                 T='*/suspend aer-*/*'"
	@echo '  make scale     simulate collectives on 8 to 65,536 cards; writes the tables'
	@echo '                 and the picture of Documentation/scale.rst'
	@echo '  make check     style and static checks (scripts/check)'
	@echo '  make docs      these documents and the headers, as HTML: build/docs'
	@echo '  make setup     packages, kernel, QEMU; make all: every part'
	@echo 'Parts, for a quick rebuild of one (the set-up must have been done):'
	@echo '  make qemu driver firmware guest thunk thunklib simlib tools chip'
	@echo '  make selftests'
	@echo '  make driver-debug'
	@echo '  make install [DESTDIR= PREFIX=]     thunk, tools and Python module'
	@echo '  make habanalabs_install             the same, with links below'
	@echo '                 habanalabs/, where sources for the vendor look'
	@echo '  make modules_install KDIR=...       gaudi.ko for one kernel, or'
	@echo '  make dkms_install                   its source, for DKMS'
	@echo '  make driver_conf_install            rules for udev and modprobe'
	@echo '  make clean     remove build/; make clean-cache: the cache too'

PARTS := firmware driver guest thunk tools

run:
	@$(SETUP) packages kernel source qemu digits $(PARTS) simlib
	@scripts/demo

train:
	@$(SETUP) packages kernel source qemu digits $(PARTS)
	@scripts/demo-train

# The same on a card in the process: no kernel, no QEMU, no root.
sim:
	@scripts/demo-sim

# PyTorch's device on a card in the process, and what it does; the packages are Debian's.
torch:
	@$(SETUP) --sim torch uapi digits firmware thunklib simlib torchlib
	@scripts/demo-torch

# A bare machine has no Python for the runner.
test:
	@command -v python3 >/dev/null || $(SETUP) --tests packages
	@scripts/run-tests $(T)

test-all:
	@GAUDI_SLOW=all $(MAKE) --no-print-directory test

# T names tests of tests/debug/suite.
test-debug:
	@command -v python3 >/dev/null || $(SETUP) --tests packages
	@scripts/run-tests $(or $(addprefix tests/debug/suite:,$(T)),tests/debug/suite); \
	status=$$?; $(if $(T),,tests/debug/coverage --total;) exit $$status

bench:
	@$(SETUP) --tests packages torch kernel source qemu digits $(PARTS) simlib torchlib
	@scripts/run-bench $(P)

bench-record:
	@$(SETUP) --tests packages torch kernel source qemu digits $(PARTS) simlib torchlib
	@scripts/run-bench --record

# An hour and a half on an idle machine.
soak:
	@$(SETUP) --tests packages kernel source qemu $(PARTS)
	@RELOADS=$(or $(N),1000) RESETS=$(or $(N),1000) tests/suites.d/soak

# Some 500 cells; an hour on two cores.
states:
	@$(SETUP) --tests packages kernel source qemu $(PARTS)
	@GAUDI_STATES='$(or $(T),*)' GAUDI_STATES_SECONDS=$(or $(S),10000) \
		tests/suites.d/states

# Some minutes of one core.
scale:
	@$(SETUP) --tests packages
	@$(MAKE_IN) tests/scale O=$(BUILD)/tests/scale
	@GAUDI_BUILD=$(BUILD) /usr/bin/python3 -B tests/scale/scale.py \
		Documentation/scale-table.inc Documentation/scale.svg

# H and RUNS are passed on to tests/fuzz/Makefile.
fuzz:
	@$(SETUP) --tests packages firmware
	@$(MAKE_IN) tests/fuzz run

check:
	@command -v python3 >/dev/null || $(SETUP) --tests packages
	@scripts/check

docs:
	@$(SETUP) --tests packages checks
	@scripts/lib/build-docs $(BUILD)/docs
	@echo $(BUILD)/docs/html/index.html

setup:
	@$(SETUP) --tests

all:
	@$(SETUP) --tests packages kernel source qemu checks $(PARTS) selftests

qemu:
	@$(SETUP) qemu

# "make run" and "make modules_install" may build at the same time: one after the other.
driver:
	@mkdir -p $(BUILD)/driver
	@rm -f $(BUILD)/driver/fresh
	@flock $(BUILD)/driver scripts/lib/build-module $(KDIR) $(BUILD)/driver/module driver uapi
	@# A debugger finds the lines in the module that was built; the guest
	@# starts sooner without them.
	@objcopy --strip-debug $(BUILD)/driver/module/driver/gaudi.ko \
		$(BUILD)/driver/gaudi.ko.new
	@mv $(BUILD)/driver/gaudi.ko.new $(BUILD)/driver/gaudi.ko

# For the debug kernel, with counters of coverage.
driver-debug:
	@scripts/lib/build-module $(KDIR_DEBUG) $(DEBUG)/driver/module driver uapi \
		-- KCOV_INSTRUMENT=y GCOV_PROFILE=y CFLAGS_MODULE="-DMODULE -g"
	@objcopy --strip-debug $(DEBUG)/driver/module/driver/gaudi.ko \
		$(DEBUG)/driver/gaudi.ko.new
	@mv $(DEBUG)/driver/gaudi.ko.new $(DEBUG)/driver/gaudi.ko
	@objcopy --strip-debug $(DEBUG)/driver/module/driver/gaudi_kunit.ko \
		$(DEBUG)/driver/gaudi_kunit.ko
	@$(MAKE_IN) tests/debug O=$(DEBUG)/bin UAPI_INC=$(UAPI_INC)

firmware:
	@$(MAKE_IN) firmware-stub OUT=$(BUILD)/firmware

guest:
	@$(MAKE_IN) guest O=$(BUILD)/guest KDIR=$(KDIR)

thunk:
	@$(MAKE_IN) thunk O=$(BUILD)/thunk UAPI_INC=$(UAPI_INC)

chip:
	@$(MAKE_IN) qemu-device/chip O=$(BUILD)/chip

# Without the tools.
thunklib:
	@$(MAKE_IN) thunk O=$(BUILD)/thunk UAPI_INC=$(UAPI_INC) lib

# Beside libhl-thunk, which loads it from there.
simlib: firmware
	@$(MAKE_IN) sim O=$(BUILD)/sim UAPI_INC=$(UAPI_INC) \
		FIRMWARE=$(BUILD)/firmware
	@mkdir -p $(BUILD)/thunk/lib
	@ln -sf ../../sim/libgaudi-sim.so.0 $(BUILD)/thunk/lib

# PyTorch's device; `make torch` is this and what it needs.
torchlib:
	@$(MAKE_IN) python/torch_gaudi O=$(BUILD)/torch THUNK=$(BUILD)/thunk

tools:
	@$(MAKE_IN) qemu-device/tools O=$(BUILD)/tools

selftests:
	@mkdir -p $(BUILD)/selftests
	@$(MAKE_IN) tests/selftests KSFT=$(KSFT) UAPI_INC=$(UAPI_INC) \
		OUTPUT=$(BUILD)/selftests
	@$(MAKE_IN) tests/diff UAPI_INC=$(UAPI_INC) OUTPUT=$(BUILD)/selftests

install habanalabs_install:
	$(MAKE_IN) thunk O=$(BUILD)/thunk UAPI_INC=$(UAPI_INC) $@ \
		DESTDIR=$(abspath $(DESTDIR)) PREFIX=$(abspath $(PREFIX))
	$(MAKE_IN) qemu-device/tools O=$(BUILD)/tools install \
		DESTDIR=$(abspath $(DESTDIR)) PREFIX=$(abspath $(PREFIX))
	$(MAKE_IN) sim O=$(BUILD)/sim UAPI_INC=$(UAPI_INC) \
		FIRMWARE=$(BUILD)/firmware install \
		DESTDIR=$(abspath $(DESTDIR)) PREFIX=$(abspath $(PREFIX))

modules_install: driver
	$(MAKE) -C $(KDIR) M=$(BUILD)/driver/module/driver modules_install \
		INSTALL_MOD_PATH=$(DESTDIR)

DKMS_SRC = $(DESTDIR)/usr/src/gaudi-$(shell \
	sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

# Afterwards: dkms install gaudi/VERSION
dkms_install:
	rm -rf $(DKMS_SRC)
	install -d $(DKMS_SRC)
	cp -r dkms.conf driver uapi $(DKMS_SRC)

# Apart from the module: it takes the card away from habanalabs.ko. What udev
# and modprobe find in /usr/lib they find in /usr/local/lib as well.
driver_conf_install:
	install -D -m 644 driver/dist/60-gaudi.rules \
		$(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-gaudi.rules
	install -D -m 644 driver/dist/gaudi.conf \
		$(DESTDIR)$(PREFIX)/lib/modprobe.d/gaudi.conf

clean:
	rm -rf $(BUILD)

clean-cache: clean
	rm -rf $(CACHE)

.PHONY: help run train sim torch torchlib test test-all test-debug bench bench-record soak \
	states scale fuzz check docs setup all qemu \
	driver \
	driver-debug firmware guest thunk thunklib simlib tools chip selftests install \
	habanalabs_install modules_install \
	dkms_install driver_conf_install \
	clean clean-cache
