#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# linktest.sh BIN: gaudi-linktest, and gaudi-info --links, of folder BIN in a guest with
# three cards. Prints TAP.
. "$(dirname "$0")/../suites.d/lib/tap.sh"
. "$(dirname "$0")/../suites.d/lib/said.sh"
. "$(dirname "$0")/../suites.d/lib/free_port.sh"

LIB=$(dirname "$0")/../suites.d/lib
TOOL=$1/gaudi-linktest
INFO=$1/gaudi-info
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

# In the order of module ids; ports as an HLS-1 has them.
matrices()
{
	status 0 "$TOOL" -Q -s 300000 -n 3 -r 10
	cat "$W/out"
	equal "ports" "$(sed -n '2,5p' "$W/out" | tr -s ' ')" \
		" to 0 1 2
from 0 . 0 2
from 1 0 . 3
from 2 2 3 ."
	grep -q '^Latency of a notification, us one way$' "$W/out"
	grep -q '^Bandwidth of writes of 292.97 KiB, GB/s$' "$W/out"
	grep -q '^All pairs at once, both ways: .*Data are right.$' "$W/out"
	equal "what is said" "$(cat "$W/err")" ""
}

for_programs()
{
	status 0 "$TOOL" -j -a -b -s 64K -n 2 -r 4 -c 0,2
	python3 - "$W/out" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["both_ways"] and d["iterations"] == 2 and d["rounds"] == 4, d
	assert [c["module_id"] for c in d["cards"]] == [0, 2], d
	assert [(p["from"], p["to"], p["from_port"], p["to_port"])
		for p in d["pairs"]] == [(0, 2, 2, 2), (2, 0, 2, 2)], d
	for p in d["pairs"]:
	    assert [b["bytes"] for b in p["bandwidth"]] == \
	        [2 ** n for n in range(1, 17)], p
	    assert all(b["bytes_per_second"] > 0 for b in p["bandwidth"]), p
	    assert p["latency_us"] > 0, p
	    r = p["rounds_us"]
	    assert 0 < r["min"] <= r["typical"] <= r["percentile_99"] <= \
	        r["percentile_99_9"] <= r["max"] and "each" not in r, r
	assert d["all_at_once_bytes_per_second"] > 0, d
	END
}

# As users of ib_write_bw ask for it; -D takes as long as it says, not as many.
as_perftest()
{
	status 0 "$TOOL" -Q -B -s 64K -q 3 -D 1 --report_gbits -c 0,1
	cat "$W/out"
	grep -q '^Bandwidth of writes of 64.00 KiB, Gb/s$' "$W/out"
	status 0 "$TOOL" -j -B -b -s 4K -q 16 -D 1 -c 0,1
	python3 - "$W/out" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["duration"] == 1 and d["queue_pairs"] == 16, d
	assert "iterations" not in d, d
	for p in d["pairs"]:
	    one, = p["bandwidth"]
	    assert one["bytes"] == 4096 and one["writes"] >= 64, p
	    # Of at least a second.
	    assert one["bytes_per_second"] <= one["bytes"] * one["writes"], p
	END
	status 0 "$TOOL" -j -l -s 64K -r 4 -c 0,1
	grep -q '"latency_bytes":.*65536' "$W/out"
}

# The columns of ib_write_lat are those of the rounds that -H lists, sorted; -U does not sort.
each_round()
{
	status 0 "$TOOL" -Q -l -H -r 50 -c 0,1
	cat "$W/out"
	python3 - "$W/out" <<-'END'
	import math, re, sys
	text = open(sys.argv[1]).read()
	title, = re.findall(r"^from to #bytes .*usec\] *$", text, re.M)
	names = ["t_min", "t_max", "t_typical", "t_avg", "t_stdev",
	         "99% percentile", "99.9% percentile"]
	assert [n.strip() for n in re.findall(r" ([^\[#]*)\[usec\]",
	        title.split("#iterations")[1])] == names, title
	lines = re.findall(r"^ +(\d) +(\d) 4 +50 +(.*)$", text, re.M)
	assert [line[:2] for line in lines] == [("0", "1"), ("1", "0")], lines
	lists = text.split("#, usec\n")[1:]
	for line, rounds in zip(lines, lists, strict=True):
	    times = [float(t) for t in re.findall(r"^\d+, (.*)$", rounds, re.M)]
	    assert len(times) == 50 and times == sorted(times), times
	    mean = sum(times) / 50
	    want = [times[0], times[-1], times[24], mean,
	            math.sqrt(sum((t - mean) ** 2 for t in times) / 50),
	            times[49], times[49]]
	    got = [float(t) for t in line[2].split()]
	    assert all(abs(a - b) < 0.03 for a, b in zip(got, want, strict=True)), \
	        (got, want)
	END
	status 0 "$TOOL" -j -l -U -r 300 -c 0,1
	python3 - "$W/out" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert len(d["pairs"]) == 2, d
	for p in d["pairs"]:
	    r = p["rounds_us"]
	    assert len(r["each"]) == 300 and r["each"] != sorted(r["each"]), r
	    times = sorted(r["each"])
	    assert (times[0], times[149], times[296], times[299], times[299]) == \
	        (r["min"], r["typical"], r["percentile_99"],
	         r["percentile_99_9"], r["max"]), r
	END
}

one_of_both()
{
	status 0 "$TOOL" -Q -l -r 4
	! grep -q Bandwidth "$W/out" || fail "there is bandwidth"
	status 0 "$TOOL" -Q -B -n 1 -s 1
	! grep -q Latency "$W/out" || fail "there is latency"
	status 0 "$TOOL" -j -l -r 4
	! grep -q bandwidth "$W/out" || fail "there is bandwidth"
}

# listens OPTION...: the tool is $listener, and takes connections at $port of the loopback.
listens()
{
	ip link set lo up
	port=$(free_port)
	"$TOOL" -L -t "$port" "$@" >"$W/server" 2>&1 &
	listener=$!
	until grep -q "$(printf ':%04X .* 0A ' "$port")" /proc/net/tcp6 \
			/proc/net/tcp 2>/dev/null; do
		kill -0 "$listener" || fail "$(cat "$W/server")"
	done
}

# Two processes, each with a card of its own.
two_sides()
{
	local listener port

	listens -c 1
	status 0 "$TOOL" 127.0.0.1 -c 0 -t "$port" -b -s 1M -n 4 -r 10 -q 2
	cat "$W/out"
	grep -q 'Data are right' "$W/out"
	equal "rounds" "$(grep -A1 '^ #bytes #iterations ' "$W/out" |
		awk 'NR == 2 { print $1, $2, NF }')" "4 10 9"
	wait "$listener"
	equal "what the server says" "$(cat "$W/server")" ""
}

# A side whose peer is killed ends, and says so: it would wait for ever for what comes.
peer_is_killed()
{
	local listener port client got=0

	listens -c 1
	"$TOOL" -C 127.0.0.1 -c 0 -t "$port" -Q -B -b -D 600 -s 1M \
		>"$W/client" 2>&1 &
	client=$!
	# From then on the listener measures.
	until grep -qs linktest-peer /proc/"$listener"/task/*/comm; do
		kill -0 $client || fail "$(cat "$W/client")"
	done
	kill -9 $client
	wait "$listener" || got=$?
	equal status $got 1
	cat "$W/server"
	grep -q . "$W/server" || fail "it says nothing"
}

received()
{
	cat /sys/class/accel/accel*/device/nic*/rx_bytes | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# One side's writes fail when its port is down; the other one would wait for them for ever.
wire_is_pulled()
{
	local tool got=0 before

	before=$(received)
	. "$LIB/inject.sh"
	"$TOOL" -Q -B -D 600 -s 1M -c 0,1 >"$W/out" 2>&1 &
	tool=$!
	until [ "$(received)" -gt $((before + 2000000)) ]; do
		kill -0 $tool || fail "$(cat "$W/out")"
		sleep 0.1
	done
	equal "what is injected" "$(inject nic-link-down,unit=0)" ""
	wait $tool || got=$?
	clear_faults
	cat "$W/out"
	equal status $got 1
	grep -q "the peer does not answer" "$W/out" || fail "it does not say why"
}

# Whoever connects may say anything.
strangers()
{
	local listener port got=0

	listens
	python3 - "$port" <<-'END'
	import socket, sys
	s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
	s.sendall(b"GET / HTTP/1.1\r\n" * 100)
	try:
	    s.recv(1)
	except ConnectionError:
	    pass
	END
	wait "$listener" || got=$?
	equal status $got 1
	grep -q 'no gaudi-linktest' "$W/server" || fail "$(cat "$W/server")"
	status 1 "$TOOL" -C 127.0.0.1 -t "$(free_port)"
	says "Connection refused"
}

# After the measures: what the ports have counted. Only those with a cable are on.
info_of_links()
{
	status 0 "$TOOL" -Q -B -n 2 -s 1M
	status 0 "$INFO" --links
	cat "$W/out"
	equal "cards" "$(grep -c '^Card [0-2], module [0-2], 0000:.*: ports that are on$' \
		"$W/out")" 3
	status 0 "$INFO" -l --module 0
	equal "lines" "$(wc -l <"$W/out")" 4
	grep -qE '^ +0  up    module 1, port 0    [0-9a-f:]{17}   100 Gb/s ' \
		"$W/out"
	grep -qE '^ +2  up    module 2, port 2    ' "$W/out"
	status 0 "$INFO" -lj
	python3 - "$W/out" <<-'END'
	import json, sys
	cards = json.load(open(sys.argv[1]))["cards"]
	assert sorted(c["module_id"] for c in cards) == [0, 1, 2], cards
	for card in cards:
	    assert len(card["ports"]) == 2, card
	    for port in card["ports"]:
	        assert port["up"] and not port["external"], port
	        assert port["tx_bytes"] > 1 << 20, port
	        ends = card["module_id"] ^ port["peer_module"]
	        assert port["port"] == port["peer_port"] == \
	            {1: 0, 2: 2, 3: 3}[ends], port
	        folder = f"/sys/bus/pci/devices/{card['pci_address']}/" \
	            f"nic{port['port']}"
	        for name in "mac", "tx_packets", "rx_bytes", "retries", "errors":
	            with open(f"{folder}/{name}") as file:
	                assert str(port[name]) == file.read().strip(), (name, port)
	END
	GAUDI_CABLING=none status 0 "$INFO" -l -m 0
	grep -qE '^ +0  up    \?  ' "$W/out"
}

says_what_is_wrong()
{
	status 1 timeout 60 "$TOOL" -c 0
	says "at least two are needed"
	status 1 "$TOOL" -c 0,7
	says "at least two are needed"
	GAUDI_CABLING=none status 1 "$TOOL"
	says "no port that is up"
	status 2 "$TOOL" -B -l
	status 2 "$TOOL" -B -H
	status 2 "$TOOL" -L -C somewhere
	status 2 "$TOOL" -p 3
	status 2 "$TOOL" -s 0
	says "out of range"
	status 2 "$TOOL" -s 2G
	status 2 "$TOOL" -n 0
	status 2 "$TOOL" -c 0,,1
	status 2 "$TOOL" -c 0,0
	status 2 "$TOOL" -L surplus
	status 2 "$TOOL" one two
	status 2 "$TOOL" -D 0
	status 2 "$TOOL" -q 0
	status 2 "$TOOL" -q 17
	status 2 "$TOOL" -L -t 65536
	status 0 "$TOOL" --help
	grep -q 'Usage: gaudi-linktest' "$W/out"
	status 0 "$TOOL" --version
}

tap_run matrices for_programs as_perftest each_round one_of_both two_sides \
	peer_is_killed wire_is_pulled strangers info_of_links says_what_is_wrong
tap_end
