#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tool.sh TOOL RECIPES: gaudi-recipe run in a guest with one card. Prints TAP.
. "$(dirname "$0")/../suites.d/lib/tap.sh"
. "$(dirname "$0")/../suites.d/lib/said.sh"

TOOL=$1
RECIPES=$2
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

runs_through_the_card()
{
	head -c 5000 /dev/urandom >"$W/in"
	status 0 "$TOOL" run -q -i in="$W/in" --output out="$W/result" \
		"$RECIPES/host.recipe"
	cmp "$W/in" "$W/result"
	grep -q '^1 launch, ' "$W/out"
	equal "what is said" "$(cat "$W/err")" ""
}

memory_of_the_device()
{
	head -c 1000 /dev/urandom >"$W/in"
	status 0 "$TOOL" run -i in="$W/in" -o out="$W/result" \
		"$RECIPES/one.recipe"
	cmp "$W/in" "$W/result"
	# What is not given is 0.
	status 0 "$TOOL" run -o out="$W/result" "$RECIPES/one.recipe"
	cmp <(head -c 1000 /dev/zero) "$W/result"
	status 0 "$TOOL" run -o out="$W/result" "$RECIPES/constant.recipe"
	equal constant "$(od -An -tu1 "$W/result" | tr -s ' \n*' ' ' |
		cut -d ' ' -f 2-6)" "1 2 3 0 0"
}

many_launches()
{
	status 0 "$TOOL" run -j -r 50 "$RECIPES/wide.recipe"
	python3 - "$W/out" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["launches"] == 50 and d["us_per_launch"] > 0, d
	END
	says "100%  50 of 50"
	# On a terminal it is a bar.
	script -qec "$TOOL run -r 3 $RECIPES/one.recipe" /dev/null >"$W/tty"
	grep -q 'launches/s' "$W/tty"
}

# Whoever writes the input takes a second for it.
input_that_takes_long()
{
	mkfifo "$W/fifo"
	head -c 1000 /dev/urandom >"$W/in"
	{ head -c 500 "$W/in"; sleep 1; tail -c 500 "$W/in"; } >"$W/fifo" &
	script -qec "$TOOL run -i in=$W/fifo -o out=$W/result \
		$RECIPES/one.recipe" /dev/null >"$W/tty"
	grep -q '100%  1000 B of 1000 B' "$W/tty" || fail "$(cat -v "$W/tty")"
	cmp "$W/in" "$W/result"
}

# One of less than a tenth of a second. On a machine that is busy it may be none.
input_that_takes_no_time()
{
	local try

	head -c 1000 /dev/urandom >"$W/in"
	for try in $(seq 20); do
		script -qec "$TOOL run -i in=$W/in $RECIPES/one.recipe" \
			/dev/null >"$W/tty"
		grep -q '100%' "$W/tty" || return 0
		echo "try $try took its time"
	done
	fail "a short one is shown"
}

chooses_a_card()
{
	status 0 "$TOOL" run -d 0 "$RECIPES/one.recipe"
	status 0 "$TOOL" run -p "$(basename "$(readlink -f \
		/sys/class/accel/accel0/device)")" "$RECIPES/one.recipe"
	status 1 "$TOOL" run -d 77 "$RECIPES/one.recipe"
	says "no such card"
}

says_what_is_wrong()
{
	head -c 999 /dev/zero >"$W/in"
	status 1 "$TOOL" run -i in="$W/in" "$RECIPES/one.recipe"
	says "less than the 1000 bytes of input 'in'"
	head -c 1001 /dev/zero >"$W/in"
	status 1 "$TOOL" run -i in="$W/in" "$RECIPES/one.recipe"
	says "more than the 1000 bytes"
	status 1 "$TOOL" run -i out="$W/in" "$RECIPES/one.recipe"
	says "no input 'out'"
	status 1 "$TOOL" run -o none="$W/in" "$RECIPES/one.recipe"
	says "no output 'none'"
	status 1 "$TOOL" run -i in="$W/none" "$RECIPES/one.recipe"
	says "No such file"
	status 1 "$TOOL" run -o out=/dev/full "$RECIPES/one.recipe"
	says "No space left"
	status 2 "$TOOL" run -i in "$RECIPES/one.recipe"
	status 2 "$TOOL" run -r 0 "$RECIPES/one.recipe"
	status 2 "$TOOL" list -r 2 "$RECIPES/one.recipe"
	says "list has no option -r"
	status 2 "$TOOL" run "$RECIPES/one.recipe" "$RECIPES/one.recipe"
}

tap_run runs_through_the_card memory_of_the_device many_launches \
	input_that_takes_long input_that_takes_no_time \
	chooses_a_card says_what_is_wrong
tap_end
