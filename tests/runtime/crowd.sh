#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# crowd.sh LAUNCH GRAPH [each]: eight processes launch recipes and graphs at the same
# time, on one card in gaudi.ko's shared mode or on a card each. Prints TAP.
tests=(all_engines many_under_way events_of_recipes many_launchers)
graphs=(a_chain fork_and_join many_nodes many_threads)
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
bad=0
each=${3:-}

# one NUMBER PROGRAM TEST...
one()
{
	local number=$1 program=$2 name
	shift 2
	[ -z "$each" ] || export HABANA_VISIBLE_DEVICES=$((number - 1))
	for name in "$@"; do
		ONLY=$name CMOCKA_MESSAGE_OUTPUT=TAP "$program" || return
		echo "$name was run"
	done >"$W/$number" 2>&1
	[ "$(grep -c '^ok 1 ' "$W/$number")" = $# ]
}

echo 1..8
pids=()
for i in 1 2 3 4; do
	one $((2 * i - 1)) "$1" "${tests[@]}" &
	pids+=($!)
	one $((2 * i)) "$2" "${graphs[@]}" &
	pids+=($!)
done
for i in "${!pids[@]}"; do
	if wait "${pids[i]}"; then
		echo "ok $((i + 1)) - process $((i + 1)) of eight"
	else
		sed 's/^/# /' "$W/$((i + 1))"
		echo "not ok $((i + 1)) - process $((i + 1)) of eight"
		bad=1
	fi
done
exit $bad
