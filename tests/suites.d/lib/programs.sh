# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites whose tests are cmocka programs.

# What of a test's name is asked for; the suite may have said so.
: "${want:=}"
n=0
bad=0

# program FILE NAME SECONDS: its results, as results does.
program()
{
	results "$2" timeout "$3" "$1"
}

# check NAME COMMAND...: results, if NAME has $want in it.
check()
{
	case $1 in *"$want"*) results "$@" ;; esac
}

# results NAME COMMAND...: passes on what the command says of its tests as NAME's, as
# it comes, under one numbering; what it did not get to (a sanitizer ends the program)
# counts as failed.
results()
{
	local name=$1 line planned=0 got=0 status=0 failed=0 text

	while IFS= read -r line; do
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
			echo "${line%%ok *}ok $n - $name: ${text##*ok [0-9] }" ;;
		*)
			echo "# ${line#\# }" ;;
		esac
	done < <("${@:2}" 2>&1 </dev/null)
	wait $! || status=$?
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
	[ "$n" != 0 ] || { echo "Bail out! no test matches '$want'"; exit 1; }
	echo "1..$n"
	exit "$bad"
}
