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

# Kbuild takes seconds to find that there is nothing to do. "fresh" is as old as the begin of
# the last build, and names its kernel; make removes it.
step_driver()
{
	local fresh=$BUILD/driver/fresh kernel

	kernel=$(cat "$CACHE/kernel/current/release")
	if [ -e "$BUILD/driver/gaudi.ko" ] && [ "$(cat "$fresh" 2>/dev/null)" = "$kernel" ] &&
	   [ -z "$(find "$ROOT/driver" "$ROOT/uapi" "$ROOT/scripts/lib/build-module" \
			"$ROOT/Makefile" -newer "$fresh" -print -quit)" ]; then
		step driver
		step_cached
		return
	fi
	mkdir -p "$BUILD/driver"
	echo "$kernel" >"$fresh.new"
	make_part driver
	mv "$fresh.new" "$fresh"
}

# note_unbuilt FILE: a helper that does not build costs a line, and some tests.
note_unbuilt()
{
	echo "$(basename "$1" .unbuilt).ko does not build for this kernel, and what needs it is skipped: $(cut -c1-200 "$1")"
}

step_guest()
{
	local file

	make_part guest
	for file in "$BUILD"/guest/*.unbuilt; do
		[ ! -e "$file" ] || note_unbuilt "$file"
	done
}

step_thunk() { make_part thunk; }
step_thunklib() { make_part thunklib; }
step_simlib() { make_part simlib; }

# Of those who did not ask for it by name only the tests want it. Where there is no PyTorch that it
# builds with, these are skipped.
step_torchlib()
{
	step torchlib
	(work build make -s --no-print-directory -C "$ROOT" torchlib \
		BUILD="$BUILD") && return
	[ "$WITH_TORCH" = 0 ] || exit 1
	rm -f "$BUILD/torch/libtorch_gaudi.so"
	echo "PyTorch's device does not build here, and its tests are skipped"
}

step_tools() { make_part tools; }
step_chip() { make_part chip; }
step_selftests() { make_part selftests; }
step_driver-debug() { make_part driver-debug; }
