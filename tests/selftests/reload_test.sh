#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Proves: unbind/bind, hard reset and module reload leave a card that works.
# KTAP on standard output. Which module: the one that is bound now.

dev=/sys/class/accel/accel0/device
n=0
fail=0

ok() { # condition-status, name
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		fail=1
	fi
}

wait_operational() {
	i=0
	while [ $i -lt 300 ]; do
		[ "$(cat $dev/status 2>/dev/null)" = Operational ] && return 0
		sleep 0.2
		i=$((i + 1))
	done
	return 1
}

echo "TAP version 13"
if [ ! -e $dev ]; then
	echo "1..0 # SKIP no Gaudi card"
	exit 4
fi
echo "1..8"

driver=$(basename "$(readlink -f $dev/driver)")
pci=$(basename "$(readlink -f $dev)")
module=$(basename "$(readlink -f "/sys/bus/pci/drivers/$driver/module")")

wait_operational
ok $? "operational at the start"

before=$(cat $dev/hard_reset_cnt)
echo 1 > $dev/hard_reset
wait_operational
ok $? "operational after a hard reset"
# The stock driver counts it a moment later.
i=0
while [ "$(cat $dev/hard_reset_cnt)" -eq "$before" ] && [ $i -lt 50 ]; do
	sleep 0.2
	i=$((i + 1))
done
[ "$(cat $dev/hard_reset_cnt)" -eq $((before + 1)) ]
ok $? "the reset was counted"

echo "$pci" > "/sys/bus/pci/drivers/$driver/unbind"
[ ! -e /dev/accel/accel0 ]
ok $? "unbind removes the node"
echo "$pci" > "/sys/bus/pci/drivers/$driver/bind"
wait_operational
ok $? "operational after bind"

rmmod "$module"
ok $? "module unloads"
modprobe "$module"
ok $? "module loads again"
wait_operational
ok $? "operational after the reload"
exit $fail
