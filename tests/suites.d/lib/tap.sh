# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP for suites written in shell. Source it, call tap_run with the names of the
# test functions, and tap_end. A test function fails by a non-zero status; what
# it prints becomes diagnostics. skip WHY, from within a test, skips it. So does
# a failure in a guest that had to go without one of its helpers.

: "${GAUDI_ROOT:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}"
: "${GAUDI_BUILD:=$GAUDI_ROOT/build}"
export GAUDI_ROOT GAUDI_BUILD
. "$(dirname "${BASH_SOURCE[0]}")/left_out.sh"
TAP_N=0
TAP_FAILED=0

skip()
{
	echo "SKIP $*" >&3
	exit 0
}

# fail WHY: end the current test as failed.
fail()
{
	echo "$*"
	exit 1
}

# equal WHAT GOT WANTED
equal()
{
	[ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

# rounds N: how many random cases a test has, as unit_rounds() of tests/unit/unit.h says.
rounds()
{
	[ -n "${GAUDI_LONG:-}" ] && echo "$1" || echo $((($1 + 3) / 4))
}

tap_run()
{
	local name why out status names=()

	for name in "$@"; do
		is_left_out "$name" || names+=("$name")
	done
	if [ -n "${TEST:-}" ]; then
		names=()
		for name in "$@"; do
			# $TEST may be a pattern.
			# shellcheck disable=SC2053
			[[ $name == $TEST ]] && names+=("$name")
		done
		if [ "${#names[@]}" = 0 ]; then
			echo "Bail out! no test matches '$TEST'; there are: $*"
			exit 1
		fi
	fi
	echo "TAP version 13"
	echo "1..${#names[@]}"
	for name in "${names[@]}"; do
		TAP_N=$((TAP_N + 1))
		why=$(mktemp)
		: >"$why.without"
		out=$( (set -e; export GAUDI_WITHOUT=$why.without; "$name") \
			2>&1 3>"$why")
		status=$?
		[ -z "$out" ] || printf '%s\n' "$out" | sed 's/^/# /'
		if [ "$status" != 0 ] && [ -s "$why.without" ]; then
			echo "ok $TAP_N $name # SKIP needs $(sort -u \
				"$why.without" | xargs), not to be had for this kernel"
		elif [ "$status" != 0 ]; then
			echo "not ok $TAP_N $name"
			TAP_FAILED=$((TAP_FAILED + 1))
		elif [ -s "$why" ]; then
			echo "ok $TAP_N $name # $(cat "$why")"
		else
			echo "ok $TAP_N $name"
		fi
		rm -f "$why" "$why.without"
	done
}

tap_end()
{
	[ "$TAP_FAILED" = 0 ]
	exit
}
