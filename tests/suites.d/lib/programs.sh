# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites whose tests are cmocka programs below $build/tests.

n=0
failed=0

# program FOLDER NAME: passes on the results of NAME_test under one numbering;
# what it did not get to (a sanitizer ends the program) counts as failed.
program()
{
	local kind=$1 name=$2 line planned=0 got=0 status=0 out

	out=$(timeout 300 "${build:?}/tests/$kind/${name}_test" 2>&1) || status=$?
	while IFS= read -r line; do
		case $line in
		1..*)
			planned=${line#1..} ;;
		"ok "* | "not ok "*)
			got=$((got + 1))
			n=$((n + 1))
			case $line in not*) failed=1 ;; esac
			echo "${line%%ok *}ok $n - $kind/$name: ${line##* - }" ;;
		*)
			echo "# ${line#\# }" ;;
		esac
	done <<<"$out"
	if [ "$got" -lt "$planned" ] || [ "$planned" = 0 ] ||
	   { [ "$status" != 0 ] && [ "$failed" = 0 ]; }; then
		n=$((n + 1))
		failed=1
		echo "not ok $n - $kind/$name: runs to its end (status $status)"
	fi
}

programs_end()
{
	echo "1..$n"
	exit "$failed"
}
