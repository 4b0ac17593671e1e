# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites whose tests are cmocka programs.

n=0
bad=0

# program FILE NAME SECONDS: passes on its results as NAME's, under one numbering;
# what it did not get to (a sanitizer ends the program) counts as failed.
program()
{
	local name=$2 line planned=0 got=0 status=0 failed=0 out

	out=$(timeout "$3" "$1" 2>&1) || status=$?
	while IFS= read -r line; do
		case $line in
		1..*)
			planned=${line#1..} ;;
		"ok "* | "not ok "*)
			got=$((got + 1))
			n=$((n + 1))
			case $line in not*) failed=1 ;; esac
			echo "${line%%ok *}ok $n - $name: ${line##* - }" ;;
		*)
			echo "# ${line#\# }" ;;
		esac
	done <<<"$out"
	if [ "$got" -lt "$planned" ] || [ "$planned" = 0 ] ||
	   { [ "$status" != 0 ] && [ "$failed" = 0 ]; }; then
		n=$((n + 1))
		failed=1
		echo "not ok $n - $name: runs to its end (status $status)"
	fi
	[ "$failed" = 0 ] || bad=1
}

programs_end()
{
	echo "1..$n"
	exit "$bad"
}
