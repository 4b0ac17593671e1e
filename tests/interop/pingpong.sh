#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: rdma-core's ibv_rc_pingpong and the card's port, each once as the
# server. Usage: pingpong.sh PINGPONG PORT_IP PEER_MAC
set -e
ibv_rc_pingpong -d "$RDMA_DEVICE" -g "$RDMA_GID" -s 4096 -n 100 -c &
tool=$!
"$1" 1 "$2" "$3" 4096 100 127.0.0.1
wait "$tool"
"$1" 1 "$2" "$3" 4096 100 &
port=$!
# 4853 is TCP port 18515; state 0A listens.
while ! grep -q ':4853 00000000:0000 0A' /proc/net/tcp; do
	kill -0 "$port"
	sleep 0.1
done
ibv_rc_pingpong -d "$RDMA_DEVICE" -g "$RDMA_GID" -s 4096 -n 100 127.0.0.1
wait "$port"
