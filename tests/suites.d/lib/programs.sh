# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites whose tests are cmocka programs: what these say, where things are, and what of
# a test's name is asked for ($want).

set -u
root=${GAUDI_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}
build=${GAUDI_BUILD:-$root/build}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/open-gaudi
want=${1:-${TEST:-}}
export CMOCKA_MESSAGE_OUTPUT=TAP
. "$(dirname "${BASH_SOURCE[0]}")/left_out.sh"
. "$(dirname "${BASH_SOURCE[0]}")/unit_tests.sh"
n=0
bad=0

# compile NAME CFLAGS SOURCE...: a program with libgaudi to the suite's $out, of what is in $root
# and was built in $build; another compiler than gcc is ${cc[@]}.
compile()
{
	# shellcheck disable=SC2086,SC2154 # flags are several; the suite has $out
	"${cc[@]-gcc}" -std=gnu11 -Wall -Wextra -O2 -g -pthread -D_GNU_SOURCE $2 \
		-I"$build/thunk/include" -I"$root/thunk/packets" -I"$root/uapi" \
		-isystem "${UAPI_INC:-$cache/kernel/current/uapi}" -o "$out/$1" "${@:3}" \
		"$build/thunk/lib/libgaudi-packets.a" -L"$build/thunk/lib" \
		-Wl,-rpath,"$build/thunk/lib" -lgaudi -lhl-thunk -lcmocka -lm || {
		echo "Bail out! $1 does not build"
		exit 1
	}
}

# is_wanted NAME: it was asked for, and is not left out.
is_wanted()
{
	[[ $1 == *"$want"* ]] && ! is_left_out "$1"
}

# program FILE NAME SECONDS: its results, as results does.
program()
{
	results "$2" timeout "$3" "$1"
}

# check NAME COMMAND...: results, if NAME has $want in it.
check()
{
	! is_wanted "$1" || results "$@"
}

# one_test NAME COMMAND...: a command as a program of one test, for check.
one_test()
{
	echo 1..1
	if "${@:2}"; then echo "ok 1 - $1"; else echo "not ok 1 - $1"; fi
}

# check_each PREFIX "NAME..." COMMAND...: the results of several programs, as
# PREFIX-NAME's, of one COMMAND, which is called with the names that are asked for. It
# runs each in turn and says "#> NAME" before, and "#< STATUS" behind it.
check_each()
{
	local prefix=$1 text status=none names=() at=0

	for text in $2; do
		! is_wanted "$prefix-$text" || names+=("$text")
	done
	[ ${#names[@]} != 0 ] || return 0
	while IFS= read -r text; do
		case $text in
		"#> "*)
			at=$((at + 1))
			program_begins "$prefix-${text#\#> }" ;;
		"#< "*)
			program_ends "${text#\#< }" ;;
		"#= "*)
			status=${text#\#= } ;;
		*)
			program_says "$text" ;;
		esac
	done < <(with_status "${@:3}" "${names[@]}")
	[ -z "$program" ] || program_ends "none, $status of all"
	for text in "${names[@]:at}"; do
		program_begins "$prefix-$text"
		program_ends "none, $status of all"
	done
}

# with_status COMMAND...: what it says, and then its status, as "#= STATUS". (For a short
# one bash's wait has lost it now and then, and said -1.)
with_status()
{
	local status=0

	( "$@" ) 2>&1 </dev/null || status=$?
	printf '\n#= %s\n' "$status"
}

# results NAME COMMAND...: passes on what the command says of its tests as NAME's, as
# it comes, under one numbering; what it did not get to (a sanitizer ends the program)
# counts as failed.
results()
{
	local text status=none

	program_begins "$1"
	while IFS= read -r text; do
		case $text in
		"#= "*)
			status=${text#\#= } ;;
		*)
			program_says "$text" ;;
		esac
	done < <(with_status "${@:2}")
	program_ends "$status"
}

program=
program_begins()
{
	program=$1 planned=0 got=0 failed=0 summary=
}

# program_says LINE
program_says()
{
	local line=$1 text

	case $line in
	1..*)
		planned=${line#1..} ;;
	"ok "* | "not ok "*)
		got=$((got + 1))
		n=$((n + 1))
		text=${line##* - }
		case $line in
		"not ok "*" # SKIP "*)	# as cmocka has them
			text="${line##* # SKIP } # SKIP" line="ok " ;;
		not*)
			failed=1 ;;
		esac
		echo "${line%%ok *}ok $n - $program: ${text##*ok [0-9] }" ;;
	"") ;;
	*)
		# What a sanitizer found, in one line.
		[[ $line != SUMMARY:* ]] || summary=", ${line#SUMMARY: }"
		echo "# ${line#\# }" ;;
	esac
}

# program_ends STATUS
program_ends()
{
	if [ "$got" -lt "$planned" ] || [ "$planned" = 0 ] ||
	   { [ "$1" != 0 ] && [ "$failed" = 0 ]; }; then
		n=$((n + 1))
		failed=1
		echo "not ok $n - $program: runs to its end (status $1$summary)"
	fi
	[ "$failed" = 0 ] || bad=1
	program=
}

programs_end()
{
	[ "$n" != 0 ] || { echo "Bail out! no test matches '$want'"; exit 1; }
	echo "1..$n"
	exit "$bad"
}
