# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Faults on demand (Documentation/faults.rst) for scripts that run in a guest, by
# the port itself: to start scripts/gaudi-inject takes seconds on a machine that
# is busy, which would look as if the driver were late. Source it there; the port
# is descriptor 3 from then on, and takes one at a time.
#
#	inject FAULT...		now; says what was refused, and why
#	clear_faults		ends all
#	inject_text FAULT	the command that does it, for another shell

for name in /sys/class/virtio-ports/*/name; do
	[ "$(cat "$name")" = gaudi.inject ] || continue
	name=${name%/name}
	exec 3<>"/dev/${name##*/}"
done

ok=
ask_text()
{
	echo "echo '$1 gaudi0 ${2:-}' >&3; read -r ok <&3; [ \"\$ok\" = ok ]"
}

ask()
{
	eval "$(ask_text "$@")" || echo "$*: $ok"
}

inject_text()
{
	ask_text inject "$1"
}

inject()
{
	for fault do
		ask inject "$fault"
	done
}

clear_faults()
{
	ask clear
}
