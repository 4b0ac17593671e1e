#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: rdma-core's ibv_rc_pingpong and the card's port, each in turn as the
# server. Usage: pingpong.sh PINGPONG PORT_IP PEER_MAC
set -e
program=$1 ip=$2 mac=$3

# The tool is the server; its other options.
tool_serves()
{
	size=$1 count=$2
	shift 2
	ibv_rc_pingpong -d "$RDMA_DEVICE" -g "$RDMA_GID" -s "$size" -n "$count" \
		-c "$@" &
	tool=$!
	"$program" 1 "$ip" "$mac" "$size" "$count" 127.0.0.1
	wait "$tool"
}

port_serves()
{
	size=$1 count=$2
	shift 2
	"$program" 1 "$ip" "$mac" "$size" "$count" &
	port=$!
	# 4853 is TCP port 18515; state 0A listens.
	while ! grep -q ':4853 00000000:0000 0A' /proc/net/tcp; do
		kill -0 "$port"
		sleep 0.1
	done
	ibv_rc_pingpong -d "$RDMA_DEVICE" -g "$RDMA_GID" -s "$size" -n "$count" \
		"$@" 127.0.0.1
	wait "$port"
}

tool_serves 4096 100
port_serves 4096 100
# A byte; packets of which the last is short; one receive at a time, and events; as
# large as our program sends in one.
tool_serves 1 100
port_serves 3000 100 -r 1
port_serves 1025 100 -e
tool_serves 8192 100 -e
