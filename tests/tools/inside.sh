#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# inside.sh DRIVER BUILD: in a guest with one card, the tools against what
# sysfs and cmp say. Prints TAP. $TEST: only tests that match it.
. "$(dirname "$0")/../suites.d/lib/tap.sh"
. "$(dirname "$0")/../suites.d/lib/said.sh"

DRIVER=$1
INFO=$2/thunk/bin/gaudi-info
COPY=$2/thunk/bin/gaudi-copy
API=$2/tests/tools/thunk_api
ERR_INJECT=$2/tests/tools/err_inject
LOST_LEG=$2/tests/tools/lost_leg.so
SYS=/sys/class/accel/accel0/device
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

# json FILE EXPRESSION...: their values for the document d, or its first card c,
# separated by blanks
json()
{
	python3 - "$@" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	c = d["cards"][0] if "cards" in d else d.get("card")
	print(*[eval(e) for e in sys.argv[2:]])
	END
}

info_for_people()
{
	status 0 "$INFO"
	cat "$W/out"
	equal "standard error" "$(cat "$W/err")" ""
	grep -qE "^ +0 +[0-9]+ +0000:.* $DRIVER +operational +31.50 GiB" \
		"$W/out"
	grep -qE "^  HBM +31.50 GiB at 0x20000000, 31.50 GiB free" "$W/out"
	grep -qE "^  clock +[1-9][0-9]* MHz of [1-9][0-9]* MHz" "$W/out"
	grep -qE "^  power +[0-9.]+ W" "$W/out"
	grep -qE "^  temp1 +[0-9.]+ .C" "$W/out"
	grep -qE "^  module id +[0-9]+$" "$W/out"
}

info_for_programs()
{
	status 0 "$INFO" --json
	equal "what JSON says" "$(json "$W/out" 'len(d["cards"])' 'c["index"]' \
		'c["driver"]' 'c["pci_address"]' 'c["module_id"]' \
		'c["status"]' 'c["in_use"]' 'c["hbm_size"]' 'c["hbm_free"]' \
		'c["hard_resets"]' 'c["power_mw"] > 0' \
		'0 < c["temperature"] < 120' 'c["versions"]["cpucp"]')" \
		"1 0 $DRIVER $(cat $SYS/pci_addr) $(cat $SYS/module_id) \
operational False $((0x7e0000000)) $((0x7e0000000)) \
$(cat $SYS/hard_reset_cnt) True True $(cat $SYS/cpucp_ver)"
}

# A single card has no wires; on habanalabs no port is on at all.
info_of_links()
{
	status 0 "$INFO" --links
	grep -qE "^Card 0, module [0-9]+, $(cat $SYS/pci_addr): " "$W/out"
	status 0 "$INFO" --links --json
	equal "ports" "$(json "$W/out" 'len(c["ports"])')" \
		"$(find $SYS/ -maxdepth 1 -name 'nic?' | wc -l)"
}

info_of_one_card()
{
	status 0 "$INFO" --device 0
	status 0 "$INFO" --pci "$(cat $SYS/pci_addr)"
	status 0 "$INFO" --module "$(cat $SYS/module_id)"
	status 1 "$INFO" --device 1
	grep -q "no such card" "$W/err"
	status 1 "$INFO" --pci 0000:7f:00.0
	status 2 "$INFO" --pci 0000:00
	status 2 "$INFO" --device x
	status 2 "$INFO" --what
	status 2 "$INFO" 0
}

# The card is in use until the pipe is closed.
hold()
{
	rm -f "$W/pipe"
	mkfifo "$W/pipe"
	"$COPY" -q "$@" "$W/pipe" >"$W/held" 2>&1 &
	HELD=$!
	exec 9>"$W/pipe"
	head -c 100000 /dev/urandom >&9
	for _ in $(seq 100); do
		"$INFO" -j >"$W/use"
		[ "$(json "$W/use" 'c["in_use"]')" = False ] || return 0
		sleep 0.1
	done
	fail "nobody uses the card"
}

info_disturbs_nobody()
{
	hold
	equal "HBM in use" "$(json "$W/use" 'c["hbm_free"] < c["hbm_size"]')" \
		True
	for _ in 1 2 3; do
		"$INFO" >/dev/null
	done
	exec 9>&-
	wait $HELD
	grep -q '^equal$' "$W/held"
}

one_user_at_a_time()
{
	hold
	status 1 "$COPY" /etc/passwd
	grep -q "another process has it" "$W/err"
	exec 9>&-
	wait $HELD
	status 0 "$COPY" /etc/passwd
}

sizes_and_chunks()
{
	local n c d

	head -c 6000000 /dev/urandom >"$W/big"
	while read -r n c d; do
		head -c "$n" "$W/big" >"$W/in"
		"$COPY" -q -c "$c" -n "$d" -o "$W/back" "$W/in" >"$W/out"
		grep -q '^equal$' "$W/out"
		cmp "$W/in" "$W/back"
	done <<-END
	1 1 1
	31 7 2
	4095 4096 4
	4096 4096 4
	4097 4096 4
	100001 1000 32
	5242883 1M 3
	6000000 64K 8
	6000000 4M 4
	6000000 32M 2
	END
}

larger_than_the_sram()
{
	head -c 30000000 /dev/urandom >"$W/big"
	status 0 "$COPY" -q -c 24M -n 1 -o "$W/back" "$W/big"
	cmp "$W/big" "$W/back"
}

empty_file()
{
	: >"$W/empty"
	status 0 "$COPY" -q "$W/empty"
	grep -q "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" \
		"$W/out"
}

report_for_programs()
{
	head -c 3000000 /dev/urandom >"$W/in"
	status 0 "$COPY" -q -j -c 1M "$W/in"
	local sha

	sha=$(sha256sum <"$W/in" | cut -d' ' -f1)
	equal "what JSON says" "$(json "$W/out" 'd["sha256_in"]' \
		'd["sha256_out"]' 'd["match"]' 'c["driver"]' \
		'[(l["bytes"], l["bytes_per_second"] > 0) for l in d["legs"]]')" \
		"$sha $sha True $DRIVER \
[(3000000, True), (3000000, True), (3000000, True)]"
}

progress_without_a_terminal()
{
	status 0 "$COPY" /etc/passwd
	grep -qE "^100%  .* of " "$W/err"
	! grep -q $'\r' "$W/err"
}

# A bar in one line of the terminal, of any width, and an end of line.
progress_on_a_terminal()
{
	python3 - "$COPY" <<-'END'
	import fcntl, os, pty, re, struct, subprocess, sys, tempfile, termios, time

	def copy(columns, *options, feed=b'', size=0):
	    """What it shows on a terminal, by bursts of the source."""
	    ours, theirs = pty.openpty()
	    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
	                struct.pack('HHHH', 24, columns, 0, 0))
	    with tempfile.NamedTemporaryFile() as file:
	        file.truncate(size)
	        p = subprocess.Popen([sys.argv[1], *options,
	                              file.name if size else '-'],
	                             stdin=subprocess.PIPE, stderr=theirs,
	                             stdout=subprocess.PIPE)
	        os.close(theirs)
	        if feed:
	            for i in range(5):
	                p.stdin.write(feed)
	                p.stdin.flush()
	                time.sleep(0.4)
	        p.stdin.close()
	        text = b''
	        while True:
	            try:
	                data = os.read(ours, 65536)
	            except OSError:
	                break
	            if not data:
	                break
	            text += data
	        os.close(ours)
	        out = p.stdout.read()
	        return text.decode(), p.wait(), out

	bar = re.compile(r'\[(#*)(\.*)\] +(\d+)%  [\d.]+ \w+ of [\d.]+ \w+  \S.*')
	for columns, width in ((200, 30), (80, 30), (50, None), (20, 0), (0, 30)):
	    text, status, out = copy(columns, '-c', '64K', size=40 << 20)
	    assert status == 0 and b'equal' in out, (status, out)
	    assert text.endswith('\x1b[K\r\n') and text.count('\n') == 1, text
	    lines = text[:-2].split('\r')[1:]
	    for line in lines:
	        assert line.endswith('\x1b[K'), line
	        line = line[:-3]
	        assert len(line) < (columns or 80), line
	        if width == 0:
	            assert re.match(r' *\d+% ', line), line
	            continue
	        found = bar.fullmatch(line)
	        assert found, line
	        marks, dots, done = len(found[1]), len(found[2]), int(found[3])
	        assert width is None or marks + dots == width, line
	        assert marks == done * (marks + dots) // 100, line
	    assert '100%' in lines[-1], lines
	# Of a pipe nobody knows the end, but it is seen to move.
	text, status, out = copy(80, feed=bytes(5 << 20))
	assert status == 0 and '%' not in text and text.count('\n') == 1, text
	assert len(set(text.split('\r'))) > 3, text
	text, status, out = copy(80, '-q', size=1 << 20)
	assert (status, text) == (0, ''), text
	END
}

notices_a_lost_leg()
{
	head -c 3000000 /dev/urandom >"$W/in"
	status 1 env LD_PRELOAD="$LOST_LEG" "$COPY" -q "$W/in"
	grep -q "NOT EQUAL" "$W/out"
	grep -q "what came back is not what went in" "$W/err"
}

bad_input()
{
	status 1 "$COPY" /nonexistent
	grep -q "/nonexistent: No such file" "$W/err"
	status 1 "$COPY" /tmp
	status 2 "$COPY"
	status 2 "$COPY" a b
	status 2 "$COPY" -c 0 /etc/passwd
	status 2 "$COPY" -c 1T /etc/passwd
	status 2 "$COPY" -n 33 /etc/passwd
	status 1 "$COPY" -o /nonexistent/x /etc/passwd
	status 1 "$COPY" -q -o /dev/full /etc/passwd
}

# The pipe stays open: only the signal can end the copy.
interrupted_by()
{
	local got=0

	hold -c 4096
	kill -"$1" $HELD
	wait $HELD || got=$?
	exec 9>&-
	equal "status after $1" "$got" 130
	grep -q interrupted "$W/held"
	status 0 "$COPY" -q /etc/passwd
	equal status "$(cat $SYS/status)" Operational
	equal resets "$(cat $SYS/hard_reset_cnt)" 0
}

interrupted()
{
	interrupted_by TERM
}

# Its own results are below this one's name in the log.
library_on_the_driver()
{
	"$API"
}

# Last: the card is reset, and the log complains.
faults_on_demand()
{
	"$ERR_INJECT"
}

log_without_complaints()
{
	local found

	found=$(dmesg -r | grep -E "^<[0-4]>.*($DRIVER|accel)" |
		grep -vE 'module verification failed|taints kernel') || true
	[ -z "$found" ] || fail "the log complains: $found"
}

tap_run info_for_people info_for_programs info_of_links info_of_one_card \
	info_disturbs_nobody one_user_at_a_time sizes_and_chunks \
	larger_than_the_sram empty_file report_for_programs \
	progress_without_a_terminal progress_on_a_terminal notices_a_lost_leg bad_input interrupted \
	log_without_complaints library_on_the_driver faults_on_demand
tap_end
