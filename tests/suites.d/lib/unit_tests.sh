# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites that build tests of tests/unit.

# unit_tests FOLDER ARG...: build tests/unit/FOLDER. Several suites share objects of the
# card of threads, so one at a time.
unit_tests()
{
	local root=${GAUDI_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}
	local build=${GAUDI_BUILD:-$root/build}

	mkdir -p "$build"
	(
		flock 9
		make --no-print-directory -s -j "$(nproc)" \
			-C "$root/tests/unit/$1" "${@:2}"
	) 9>"$build/.unit-tests" >&2 || {
		echo "Bail out! the unit tests of $1 do not build (${*:2})"
		exit 1
	}
}
