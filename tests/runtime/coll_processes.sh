#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coll_processes.sh DIR: processes of coll_processes and coll_mpi in DIR, each a box of its own
# with cards of its own: how they find each other, and how they end. Prints TAP.
. "$(dirname "$0")/../suites.d/lib/tap.sh"
. "$(dirname "$0")/../suites.d/lib/free_port.sh"

DIR=$1
SOURCES=$(cd "$(dirname "$0")" && pwd)
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
cd "$W" || exit 1
# Launchers are asked for by name.
unset HCCL_COMM_ID GAUDI_COLL_FILE PMIX_NAMESPACE PMIX_RANK
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# MPI's and its launcher's own.
export ASAN_OPTIONS=detect_leaks=0 CMOCKA_MESSAGE_OUTPUT=TAP

# job N VARIABLE... COMMAND...: N processes of it, in the background; PIDS.
job()
{
	local n=$1 i
	shift
	PIDS=()
	for ((i = 0; i < n; i++)); do
		env "ID=$i" "RANKS=$n" timeout 120 "$@" >"out.$i" 2>&1 &
		PIDS+=($!)
	done
}

# all_end [STATUS]
all_end()
{
	local pid status

	for pid in "${PIDS[@]}"; do
		status=0
		wait "$pid" || status=$?
		[ "$status" = "${1:-0}" ] || fail "status $status: $(cat out.*)"
	done
}

launched()
{
	timeout 120 mpirun --oversubscribe "$@" >out 2>&1 || fail "$(cat out)"
}

by_address()
{
	local port

	port=$(free_port)
	job 2 env "HCCL_COMM_ID=127.0.0.1:$port" HCCL_SOCKET_IFNAME=lo CARDS=2 \
		"$DIR/coll_processes"
	all_end
	equal "ranks in box 1" "$(cat out.* | grep -c 'of 4: box 1 of 2')" 2
}

# A file of a job that has ended is not believed, and this job's is gone at its end.
by_file()
{
	job 2 env GAUDI_COLL_FILE="$W/where" "$DIR/coll_processes"
	all_end
	[ ! -e where ] || fail "the file is still there"
	python3 - <<-'END'
	import struct
	open('where', 'wb').write(struct.pack('<I4sH6xQ', 0x6c6c6f63,
	                                      bytes((127, 0, 0, 1)), 0x0100, 5))
	END
	job 2 env GAUDI_COLL_FILE="$W/where" "$DIR/coll_processes"
	all_end
	[ ! -e where ] || fail "the file is still there"
	job 2 env GAUDI_COLL_FILE="$W/none/where" HCL_HLCP_OPS_TIMEOUT=1 \
		"$DIR/coll_processes"
	all_end 1
	grep -q "GAUDI_COLL_FILE, .*none/where names no listener after 1 s" out.1 ||
		fail "$(cat out.1)"
}

by_pmix()
{
	launched -n 3 "$DIR/coll_processes"
	equal "ranks" "$(grep -c 'of 3: box . of 3' out)" 3
}

# A launcher may say that there is nothing, just before there is.
by_pmix_late()
{
	local real

	real=$(ldconfig -p | awk '/libpmix\.so\.2 .*x86-64/ { print $NF; exit }')
	mkdir late
	# shellcheck disable=SC2046 # words
	gcc -shared -fPIC -Wall -Wextra $(pkg-config --cflags pmix) \
		-DREAL="\"$real\"" -o late/libpmix.so.2 "$SOURCES/pmix_late.c" || fail "the stand-in does not build"
	launched -n 2 env LD_LIBRARY_PATH="$W/late" "$DIR/coll_processes"
	equal "ranks" "$(grep -c 'of 2: box . of 2' out)" 2
	equal "answers of nothing" "$(grep -c 'pmix_late: nothing' out)" 2
}

by_mpi()
{
	launched -n 3 "$DIR/coll_mpi"
	equal "tests" "$(grep -c '^ok . - beside_mpi' out)" 3
}

# The others end at once, and say who has.
one_is_killed()
{
	local pid

	job 3 env GAUDI_COLL_FILE="$W/where" CARDS=1 "$DIR/coll_processes" until \
		"has ended"
	until grep -q summing out.1; do
		kill -0 "${PIDS[@]}" || fail "$(cat out.*)"
		sleep 0.1
	done
	pid=${PIDS[1]}
	kill -9 "$(pgrep -P "$pid")"
	wait "$pid" && fail "it ended well"
	PIDS=("${PIDS[0]}" "${PIDS[2]}")
	all_end
	grep -q "rank 1 has ended" out.0 || fail "$(cat out.0)"
	grep -q "rank 1 has ended" out.2 || fail "$(cat out.2)"
}

# each CALL SIGNAL WORD: three processes call it until the second one gets the signal; the others
# end by themselves, for a reason with WORD in it, and so does that one, if it goes on then.
each()
{
	local call=$1 signal=$2 word=$3 real status=0

	mkdir "$call.$signal${CAPTURED-}"
	cd "$call.$signal${CAPTURED-}" || exit 1
	job 3 env GAUDI_COLL_FILE="$PWD/where" CARDS=1 CALL="$call" \
		GAUDI_COLL_TIMEOUT=8 "$DIR/coll_processes" until "rank"
	until grep -q summing out.1; do
		kill -0 "${PIDS[1]}" || fail "$call: $(cat out.*)"
		sleep 0.1
	done
	real=$(pgrep -P "${PIDS[1]}")
	kill "-$signal" "$real"
	wait "${PIDS[0]}" || status=$?
	wait "${PIDS[2]}" || status=$?
	[ "$status" = 0 ] || fail "$call: $status: $(cat out.*)"
	grep -q "rank 1 $word" out.0 || fail "$call: $(cat out.0)"
	grep -q "rank 1 $word" out.2 || fail "$call: $(cat out.2)"
	[ "$signal" = STOP ] || return 0
	kill -CONT "$real"
	wait "${PIDS[1]}" || fail "$call, behind it: $(cat out.1)"
	# The others' reason, and not that they have ended since.
	grep -q "rank 1 $word" out.1 || fail "$call, behind it: $(cat out.1)"
}

CALLS=(allreduce reducescatter allgather broadcast reduce alltoall barrier sends)

# every SIGNAL WORD CALL...: with each of these, all at the same time.
every()
{
	local signal=$1 word=$2 call pids=() pid
	shift 2

	for call; do
		(each "$call" "$signal" "$word") &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || fail "$signal"
	done
}

# By graphs that are launched again and again.
captured()
{
	export CAPTURED=1
	every KILL "has ended" allreduce sends
	each allreduce STOP "does not answer"
	unset CAPTURED
}

killed_in_each() { every KILL "has ended" "${CALLS[@]}"; }
stopped_in_each() { every STOP "does not answer" "${CALLS[@]}"; }

# What there is not is said by name, on both sides.
refused()
{
	job 2 env GAUDI_COLL_FILE="$W/where" FI_PROVIDER=nothing "$DIR/coll_processes"
	all_end 1
	grep -q "libfabric has no provider .*FI_PROVIDER=nothing" out.0 ||
		fail "$(cat out.0)"
	mkdir lib
	touch lib/libfabric.so.1
	job 2 env GAUDI_COLL_FILE="$W/where" LD_LIBRARY_PATH="$W/lib" \
		"$DIR/coll_processes"
	all_end 1
	grep -q "2 boxes: libfabric.so.1 cannot be loaded" out.1 || fail "$(cat out.1)"
	# shellcheck disable=SC2016 # each process's own
	job 2 env GAUDI_COLL_FILE="$W/where" sh -c \
		'[ "$ID" = 0 ] || export FI_PROVIDER=sockets
		exec "$0"' "$DIR/coll_processes"
	all_end 1
	grep -q "rank 1 has provider sockets of libfabric, this one tcp" out.0 ||
		fail "$(cat out.0)"
}

# Shared memory joins processes of one machine.
other_provider()
{
	job 2 env GAUDI_COLL_FILE="$W/where" FI_PROVIDER=shm "$DIR/coll_processes"
	all_end
}

tests="by_address by_file one_is_killed killed_in_each stopped_in_each captured refused"
tests="$tests other_provider"
[ ! -x "$DIR/coll_mpi" ] || tests="$tests by_pmix by_pmix_late by_mpi"
# shellcheck disable=SC2086 # names
tap_run $tests
tap_end
