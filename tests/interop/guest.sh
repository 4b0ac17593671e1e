#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: soft RoCE on the network interface that the card's port shares a
# network with, then a program. Usage: guest.sh PORT_IP PEER_IP PORT_MAC MTU CMD...
# CMD gets the RDMA device and the index of its GID for RoCE v2 over IPv4 in the
# environment, as RDMA_DEVICE and RDMA_GID.
set -e
port_ip=$1 peer_ip=$2 port_mac=$3 mtu=$4
shift 4
modprobe -a virtio_net rdma_rxe ib_uverbs rdma_ucm
for path in /sys/class/net/*; do
	[ "$(readlink -f "$path/device/driver")" = /sys/bus/virtio/drivers/virtio_net ] &&
		dev=$(basename "$path")
done
ip link set lo up
ip link set "$dev" mtu "$mtu" up
ip addr add "$peer_ip/24" dev "$dev"
ip neigh replace "$port_ip" lladdr "$port_mac" dev "$dev" nud permanent
rdma link add rxe0 type rxe netdev "$dev"
export RDMA_DEVICE=rxe0 RDMA_GID=
# The kernel adds the GID when it has seen the address.
i=0
while [ -z "$RDMA_GID" ]; do
	for gid in 0 1 2 3; do
		case $(cat "/sys/class/infiniband/rxe0/ports/1/gids/$gid") in
		0000:0000:0000:0000:0000:ffff:*) RDMA_GID=$gid ;;
		esac
	done
	[ "$i" -lt 100 ] || { echo "no GID of $peer_ip" >&2; exit 1; }
	i=$((i + 1))
	sleep 0.1
done
exec "$@"
