#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coll_tool.sh TOOL: gaudi-coll in a guest with four cards, a process for each; one of them is
# killed. Prints TAP.
. "$(dirname "$0")/../suites.d/lib/tap.sh"
. "$(dirname "$0")/../suites.d/lib/said.sh"

TOOL=$1
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

all_data_are_right()
{
	status 0 "$TOOL" check -f 1K -s 1M
	cat "$W/out"
	[ "$(grep -c right "$W/out")" = 66 ] || fail "not 11 sizes of 6 collectives"
	status 0 "$TOOL" check -f 6 -s 100000 -t bfloat16 -o reducescatter -r 3
	status 0 "$TOOL" check -f 1M -s 1M -t uint32 -o allreduce
}

for_programs()
{
	status 0 "$TOOL" bench -j -f 1K -s 4K -n 3 -o allreduce
	python3 - "$W/out" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["ranks"] == 4 and d["type"] == "float32", d
	assert [r["bytes"] for r in d["results"]] == [1024, 2048, 4096], d
	for r in d["results"]:
	    assert r["right"] and r["seconds"] > 0, r
	    assert abs(r["busbw_gbs"] / r["algbw_gbs"] - 1.5) < 1e-6, r
	END
}

# Bytes that the first card's ports have sent.
sent()
{
	cat /sys/class/accel/accel0/device/nic*/tx_bytes | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# Its peers end by themselves, long before the time is over.
one_is_killed()
{
	local before
	before=$(sent)
	"$TOOL" bench -s 64K -f 64K -n 1000000 -o allreduce >"$W/out" 2>"$W/err" &
	local pid=$! status=0

	for _ in $(seq 1200); do
		[ "$(sent)" -lt $((before + 1000000)) ] || break
		sleep 0.1
	done
	kill -9 "$(pgrep -P $pid | tail -n 1)"
	wait $pid || status=$?
	cat "$W/err"
	[ $status = 1 ] || fail "it ends with $status"
	grep -q "rank 3 has ended" "$W/err" || fail "nobody says who has ended"
}

explained()
{
	status 0 "$TOOL" explain -o allreduce -r 3 -s 3M
	grep -q "us: direct .*taken.* ring [0-9.]* tree" "$W/out" || fail "no costs"
	status 0 env GAUDI_COLL_SMALL=0 "$TOOL" explain -o allreduce -r 4 -s 64K --svg "$W/svg"
	[ "$(grep -c "bytes from rank" "$W/svg")" = 24 ] || fail "not 12 arrows, twice"
	status 0 env GAUDI_COLL_TUNE="$W/tune" "$TOOL" bench -o allreduce -s 4K -r 2 -n 1 \
		--svg "$W/svg"
	grep -q "<polyline" "$W/svg" || fail "no curve"
	grep -q "^exchange_ns [1-9]" "$W/tune" || fail "nothing was measured"
	status 0 env GAUDI_COLL_TUNE="$W/tune" "$TOOL" explain -o allreduce -r 3 -s 3M
	grep -q "constants: $W/tune" "$W/out" || fail "measured constants are not taken"
	grep -q "^allreduce of 786432 float32 by 3 ranks: direct, 1 passes, 2 exchanges, 12582912 bytes" \
		"$W/out" || fail "$(head -n 1 "$W/out")"
	grep -q "recv+0 = send+0 + slot\[1\] + slot\[2\], 262144" "$W/out"
	status 0 env GAUDI_COLL_ALGORITHM=hierarchical "$TOOL" explain -o allreduce -r 8 -s 48 -b 3,5
	grep -q "8 ranks: hierarchical, 1 passes" "$W/out" || fail "not by boxes of 3 and 5"
	for c in allgather reducescatter; do
		status 0 env GAUDI_COLL_ALGORITHM=hierarchical "$TOOL" explain -o $c -r 8 -s 48 -b 3,5
		grep -q "8 ranks: hierarchical, 1 passes, 4 exchanges" "$W/out" ||
			fail "no $c by boxes of 3 and 5"
	done
	status 1 "$TOOL" explain -o allreduce -r 8 -b 3,4
	status 2 "$TOOL" explain -r 8 -b 3,x
	status 1 env GAUDI_COLL_ROW=1000 "$TOOL" explain
	status 2 "$TOOL" explain -r 65
	status 2 "$TOOL"
	status 2 "$TOOL" bench -o nothing
	status 0 "$TOOL" --help
}

tap_run all_data_are_right for_programs one_is_killed explained
tap_end
