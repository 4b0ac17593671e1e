#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coll_faults.sh TOOL [CALL...]: gaudi-coll in a guest with four cards, a process for each; in
# each collective, or those that are given, the ports of one card are pulled, one card is reset,
# and frames are corrupted. Prints TAP.
. "$(dirname "$0")/../suites.d/lib/tap.sh"
. "$(dirname "$0")/../suites.d/lib/said.sh"

LIB=$(dirname "$0")/../suites.d/lib
TOOL=$1
shift
CALLS=(allreduce reducescatter allgather broadcast reduce alltoall)
[ $# = 0 ] || CALLS=("$@")
# Whose faults they are; accel0 is the one that was probed first, whichever that is.
FIRST=$(dirname "$(grep -lx 0 /sys/class/accel/accel[0-9]*/device/module_id)")
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

# open_port: for inject. Its descriptor is taken by each test's results.
open_port()
{
	. "$LIB/inject.sh"
}

# Bytes that have passed the first card's ports since its reset; none while it is in reset. Which
# rank has that card is chance, and one that is not the root hardly sends.
passed()
{
	cat "$FIRST"/nic*/{tx,rx}_bytes 2>/dev/null | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# No card is in reset, and the six wires between the four of them are up.
all_are_well()
{
	until [ "$(cat /sys/class/accel/accel[0-9]/device/nic*/link 2>/dev/null |
		grep -cx up)" = 12 ]; do
		sleep 0.1
	done
}

# until_failed WORD FAULT...: with each collective; all ranks end by themselves, and say
# what has failed, and in which call. What $BEHIND says is done behind each.
until_failed()
{
	local word=$1 call before pid status
	shift
	open_port

	for call in "${CALLS[@]}"; do
		all_are_well
		before=$(passed)
		status=0
		"$TOOL" bench -k -s 64K -f 64K -n 1000000 -o "$call" >"$W/out" 2>"$W/err" &
		pid=$!
		until [ "$(passed)" -gt $((before + 300000)) ]; do
			kill -0 $pid || fail "$call: $(cat "$W/err")"
			sleep 0.1
		done
		equal "what is injected" "$(inject "$@")" ""
		wait $pid || status=$?
		clear_faults
		cat "$W/err"
		[ $status = 1 ] || fail "$call ends with $status"
		grep -q "$call [0-9].*$word" "$W/err" || fail "$call: nobody says why"
		${BEHIND:-:}
	done
}

# At one port of each wire to the first card.
ports_are_pulled()
{
	local unit faults=()

	all_are_well
	"$TOOL" bench -o allreduce -s 4K -n 1 >/dev/null
	for unit in 0 1 2 3 4 5 6 7 8 9; do
		faults+=("nic-link-down,unit=$unit")
	done
	until_failed "the link of rank [0-3] to rank [0-3] has failed" "${faults[@]}"
}

# After two fatal errors in a row the driver gives a card up: so there is another reset between
# them.
reset_once_more()
{
	local resets

	all_are_well
	resets=$(cat "$FIRST/hard_reset_cnt")
	echo 1 >"$FIRST/hard_reset"
	until [ "$(cat "$FIRST/hard_reset_cnt")" -gt "$resets" ]; do
		sleep 0.1
	done
}

card_is_reset()
{
	BEHIND=reset_once_more
	until_failed "on rank [0-3]: card [0-3].* is lost" hbm-ecc-double,unit=1
}

# Packets that all ports have sent once more.
again()
{
	cat /sys/class/accel/accel*/device/nic*/retries | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# They are sent again, and nobody notices but by the time.
frames_are_corrupted()
{
	local before call

	all_are_well
	before=$(again)
	open_port
	equal "what is injected" "$(inject nic-frame-corrupted,ppm=20000,count=all)" ""
	for call in "${CALLS[@]}"; do
		status 0 "$TOOL" check -f 4K -s 256K -o "$call"
		cat "$W/out"
		[ "$(grep -c right "$W/out")" = 7 ] || fail "$call: not 7 sizes"
	done
	clear_faults
	[ "$(again)" -gt "$before" ] || fail "nothing was sent again"
}

ip link set lo up
tap_run ports_are_pulled card_is_reset frames_are_corrupted
tap_end
