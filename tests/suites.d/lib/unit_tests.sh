# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites that build tests of tests/unit, or what these share.

unit_root=${GAUDI_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}

# build_alone ARG...: what make does with these, while no other suite does.
build_alone()
{
	local build=${GAUDI_BUILD:-$unit_root/build}

	mkdir -p "$build"
	(
		flock 9
		make --no-print-directory -s -j "$(nproc)" "$@"
	) 9>"$build/.unit-tests" >&2
}

# unit_tests FOLDER ARG...: build tests/unit/FOLDER. Several suites share objects of
# libgaudi and of the cards below it, so one at a time.
unit_tests()
{
	build_alone -C "$unit_root/tests/unit/$1" "${@:2}" || {
		echo "Bail out! the unit tests of $1 do not build (${*:2})"
		exit 1
	}
}
