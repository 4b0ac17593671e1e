#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# coll_box.sh N COMMAND...: in the guest that is box N, on the network that boxes share. N
# counts from 1 on, and is the end of the address.
set -e
n=$1
shift
modprobe virtio_net
hostname "box$n"
dev=
for path in /sys/class/net/*; do
	[ "$(readlink -f "$path/device/driver")" != /sys/bus/virtio/drivers/virtio_net ] ||
		dev=$(basename "$path")
done
ip link set "$dev" up
ip addr add "10.77.0.$n/24" dev "$dev"
exec "$@"
