#!/bin/sh
# SPDX-License-Identifier: MIT
# hccl.sh BENCH: in a guest of four cards, or with GAUDI_SIM, examples/hccl as launchers start
# it. Each rank checks what it gets; the first one prints a line for each of eight collectives.
. "$(dirname "$0")/../suites.d/lib/free_port.sh"
bench=$1
out=$(mktemp -d)
n=0

# result NAME N RANK-VARIABLE RANKS-VARIABLE ARGUMENT...
result()
{
	name=$1 count=$2 rank=$3 size=$4 pids='' bad=0
	shift 4
	for i in $(seq 0 $((count - 1))); do
		env "$rank=$i" "$size=$count" timeout 200 "$bench" "$@" \
			>"$out/$i" 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || bad=1
	done
	n=$((n + 1))
	sed 's/^/# /' "$out"/*
	[ "$(cat "$out"/* | grep -c ' busbw ')" = 8 ] || bad=1
	[ $bad = 0 ] && echo "ok $n - $name" || echo "not ok $n - $name"
	rm "$out"/*
}

echo 1..3
if [ -n "${GAUDI_SIM:-}" ]; then
	HCCL_COMM_ID="127.0.0.1:$(free_port)"
	export HCCL_COMM_ID
fi
result four_ranks 4 ID RANKS --size 300K --loops 2
# Fewer ranks than cards, parts of an odd size, another place to meet.
HCCL_COMM_ID=127.0.0.1:$(free_port)
export HCCL_COMM_ID
result three_ranks 3 OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE --size 100001 \
	--loops 2 --type bfloat16
result one_rank 1 PMI_RANK PMI_SIZE --size 4K
rmdir "$out"
