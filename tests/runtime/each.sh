#!/bin/sh
# SPDX-License-Identifier: MIT
# each.sh FOLDER NAME...: in a guest, programs of FOLDER one after the other, so that
# not each of them needs a guest of its own. $TOOL: gaudi-recipe
here=$(dirname "$0")
cd "$1" || exit
shift
export CMOCKA_MESSAGE_OUTPUT=TAP
for name; do
	echo "#> $name"
	case $name in
	compute) KERNEL=$PWD/axpy.o ./compute ;;
	overlap) KERNELS=$PWD ./overlap ;;
	tool) env -u TEST "$here/tool.sh" "$TOOL" recipes ;;
	wrap) GAUDI_TEST_WRAP=3 ./runtime ;;
	*) "./$name" ;;
	esac
	echo "#< $?"
done
