#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in a guest: reload the module RELOADS times and reset the card RESETS
# times, with work in between, and see what the kernel holds more of afterwards.
# One line per phase on standard output; status 1 if something leaks.
#
# A leak is what grows by at least one in two rounds: objects of one slab cache,
# areas or pages of vmalloc, interrupts, threads, entries of sysfs and debugfs;
# or 4 KiB of free memory per round. What grows by less than SLACK objects is
# noise of the rest of the kernel, so that short runs see big leaks only.
set -eu

RELOADS=$1
RESETS=$2
COPY=$3
SLACK=300
DEV=/sys/class/accel/accel0/device
MODULE=$(basename "$(readlink -f $DEV/driver/module)")
WORK_EVERY=20
CHECK_EVERY=100
T=$(mktemp -d)

operational()
{
	i=0
	while [ "$i" -lt 3000 ]; do
		[ "$(cat "$DEV"/status 2>/dev/null)" = Operational ] && return 0
		sleep 0.02
		i=$((i + 1))
	done
	echo "not ok: the card is '$(cat "$DEV"/status 2>&1)' in round $1"
	exit 1
}

work()
{
	"$COPY" -q /bin/sh >"$T/copy" 2>&1 && return 0
	echo "not ok: no copy in round $1: $(cat "$T/copy")"
	exit 1
}

# What the kernel holds, as "name number", with all that is only cached given
# back first.
held()
{
	i=0
	sync
	while [ "$i" -lt 3 ]; do
		echo 3 >/proc/sys/vm/drop_caches
		for c in /sys/kernel/slab/*/shrink; do
			echo 1 >"$c" 2>/dev/null || :
		done
		sleep 0.5
		i=$((i + 1))
	done
	# Areas of vmalloc are unmapped lazily, and so are their descriptors.
	awk 'NR > 2 && $1 != "vmap_area" { print "slab:" $1, $2, $5 }' \
		/proc/slabinfo
	echo "vmalloc:areas $(grep -cv unpurged /proc/vmallocinfo)"
	awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^pages=/)
		n += substr($i, 7) } END { print "vmalloc:pages", n + 0 }' \
		/proc/vmallocinfo
	echo "interrupts $(wc -l </proc/interrupts)"
	echo "threads $(find /proc -maxdepth 1 -name "[0-9]*" | wc -l)"
	echo "sysfs $(find /sys/devices /sys/class/accel /sys/module 2>/dev/null |
		wc -l)"
	echo "debugfs $(find /sys/kernel/debug/accel 2>/dev/null | wc -l)"
	awk '/^(SUnreclaim|VmallocUsed|Percpu|KernelStack|PageTables|Mlocked|Unevictable):/ \
		{ print "kB:" substr($1, 1, length($1) - 1), $2 }' /proc/meminfo
	awk '/^MemFree:/ { print "kB:MemUsed", 100000000 - $2 }' /proc/meminfo
	awk '/^nr_foll_pin_acquired/ { a = $2 } /^nr_foll_pin_released/ \
		{ r = $2 } END { print "pinned", a - r }' /proc/vmstat
}

# compare PHASE ROUNDS SECONDS
compare()
{
	awk -v phase="$1" -v n="$2" -v s="$3" -v slack=$SLACK \
		-v cpus="$(nproc)" '
		NR == FNR { was[$1] = $2; next }
		{
			d = $2 - was[$1]
			per = $1 ~ /^kB:/ ? 4 : 0.5
			limit = slack
			if ($1 ~ /^kB:/)
				limit = 2048
			# Free objects of the slabs that processors work with
			# count as used.
			if ($1 ~ /^slab:/)
				limit += 2 * cpus * $3
			if ($1 == "kB:MemUsed")
				limit = 16384
			if (per * n > limit)
				limit = per * n
			# What must not grow at all, however often.
			if ($1 ~ /^(interrupts|debugfs|pinned)$/)
				limit = 1
			if (d >= limit)
				bad = bad sprintf(" %s+%d", $1, d)
			if ($1 == "kB:MemUsed")
				mem = d
			if ($1 == "kB:SUnreclaim")
				slab = d
			if ($1 ~ /^slab:/ && d > most) {
				most = d
				who = substr($1, 6)
			}
			if ($1 == "vmalloc:pages")
				vm = d
			if ($1 == "pinned")
				pinned = d
		}
		END {
			printf "%s: %d in %d s; memory %+d kB, slab %+d kB " \
				"(most: %s %+d), vmalloc %+d pages, " \
				"pinned %+d: %s\n", phase, n, s, mem, slab,
				who, most, vm, pinned,
				bad == "" ? "no leak" : "LEAK" bad
			exit bad != ""
		}' "$T/before" "$T/after"
}

reload()
{
	rmmod "$MODULE"
	modprobe "$MODULE"
	operational "$1"
	[ $(($1 % WORK_EVERY)) != 1 ] || work "$1"
}

# The reset begins before the write returns.
reset()
{
	echo 1 >"$DEV"/hard_reset
	operational "$1"
	[ $(($1 % WORK_EVERY)) != 1 ] || work "$1"
}

# settled PHASE ROUNDS START: a leak stays; what the rest of the kernel happens to
# hold, objects in slabs of each processor among it, is gone at another look.
settled()
{
	for _ in 1 2 3; do
		held >"$T/after"
		compare "$1" "$2" $(($(date +%s) - $3)) && return 0
		sleep 5
	done
	return 1
}

# phase NAME COMMAND ROUNDS
phase()
{
	[ "$3" != 0 ] || return 0
	for n in 1 2 3 4 5; do
		$2 $n
	done
	held >"$T/before"
	start=$(date +%s)
	n=1
	while [ $n -le "$3" ]; do
		$2 $n
		if [ $((n % CHECK_EVERY)) = 0 ] || [ $n = "$3" ]; then
			settled "$1" $n "$start" || status=1
		fi
		n=$((n + 1))
	done
}

status=0
dmesg -n 1
phase reloads reload "$RELOADS"
phase resets reset "$RESETS"
bad=$(dmesg -r | grep -cE '^<[0-3]>.*gaudi|WARNING:|BUG:' || :)
echo "log: $bad errors or warnings"
[ "$bad" = 0 ] || {
	dmesg | tail -n 20
	status=1
}
exit $status
