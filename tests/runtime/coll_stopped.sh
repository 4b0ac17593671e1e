#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coll_stopped.sh TOOL: gaudi-coll on cards of a box, a process for each, of which one is stopped,
# or a queue or an engine of its card.
# Prints TAP.
. "$(dirname "$0")/../suites.d/lib/tap.sh"

TOOL=$1
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

# cpu PID: hundredths of a second that it has run.
cpu()
{
	awk '{ n = $14 + $15 } END { print n + 0 }' "/proc/$1/stat" 2>/dev/null
}

# begin SECONDS CALLS: PID; and RANK, the last one's process, once it calls.
begin()
{
	GAUDI_COLL_TIMEOUT=$1 timeout 90 "$GAUDI_ROOT/scripts/gaudi-sim" --cards 3 --box "stopped$$" \
		--log -1 -- "$TOOL" bench -k -f 4K -s 4K -n "$2" -o allreduce >"$W/out" 2>"$W/err" &
	PID=$!
	RANK=
	until RANK=$(pgrep -P "$(pgrep -P $PID)" | tail -n 1) 2>/dev/null && [ -n "$RANK" ] &&
		[ "$(cpu "$RANK")" -gt 100 ]; do
		kill -0 $PID || fail "$(cat "$W/err")"
		sleep 0.1
	done
	kill -STOP "$RANK"
}

# For longer than links try with the driver's usual times.
goes_on()
{
	begin 120 10000
	sleep 20
	kill -CONT "$RANK"
	wait $PID || fail "$(cat "$W/err")"
	grep -q "^allreduce .* 4096 " "$W/out" || fail "$(cat "$W/out")"
}

# All say who it was, by which link, and at what; it, too, when it goes on.
takes_too_long()
{
	local status=0

	begin 4 1000000
	until [ "$(grep -c "allreduce [0-9].*rank 2 does not answer; link: port [0-9] of rank" \
		"$W/err")" = 2 ]; do
		kill -0 $PID || fail "$(cat "$W/err")"
		sleep 0.1
	done
	kill -CONT "$RANK"
	wait $PID || status=$?
	equal status $status 1
	equal "who says so" "$(grep -c "rank 2 does not answer; link: port" "$W/err")" 3
}

# struck SECONDS FAULT TEXT: all ranks end, that of card 1 as well, and say that.
struck()
{
	local status=0

	GAUDI_COLL_TIMEOUT=$1 timeout 90 "$GAUDI_ROOT/scripts/gaudi-sim" --cards 3 \
		--box "struck$$" --log -1 --inject "card=1:$2" -- \
		"$TOOL" bench -k -f 64K -s 64K -n 1000000 -o allreduce >"$W/out" 2>"$W/err" ||
		status=$?
	cat "$W/err"
	equal status $status 1
	equal "who says so" "$(grep -c "allreduce [0-9].*$3" "$W/err")" 3
}

# A queue that an error has stopped, in work that may wait for the other cards without limit: before
# the others have waited for too long.
queue_stops() { struck 60 bad-opcode,queue=dma1,after=200 ' on rank [0-2]: card 1 .*is lost'; }

# A copy that has failed has stopped its engine, and nothing that is to come behind it does.
engine_stops() { struck 60 dma-error,after=3000 ' on rank [0-2]: card 1 .*is lost'; }

# A message of a card is lost: no queue has stopped, and its own rank has nobody left to wait for.
message_is_lost()
{
	struck 4 message-lost,queue=tpc0,after=1000 \
		' has not ended in 4 s: rank [0-2] is waited for, or whom it waits for itself; link: port'
}

tap_run queue_stops engine_stops message_is_lost goes_on takes_too_long
tap_end
