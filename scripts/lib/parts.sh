# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The parts of this repository as steps of scripts/setup: each is the target of
# the Makefile of the same name. To be sourced after common.sh.

make_part()
{
	step "$1"
	work build make -s --no-print-directory -C "$ROOT" "$1" \
		BUILD="$BUILD"
}

step_firmware() { make_part firmware; }
step_driver() { make_part driver; }
step_guest() { make_part guest; }
step_thunk() { make_part thunk; }
step_tools() { make_part tools; }
step_chip() { make_part chip; }
step_selftests() { make_part selftests; }
step_driver-debug() { make_part driver-debug; }
