#!/bin/sh
# SPDX-License-Identifier: MIT
# each.sh FOLDER NAME...: in a guest, programs of FOLDER one after the other, so that
# not each of them needs a guest of its own. $TOOL: gaudi-recipe, or what $TOOL_TEST
# tests
here=$(dirname "$0")
cd "$1" || exit
shift
export CMOCKA_MESSAGE_OUTPUT=TAP
for name; do
	echo "#> $name"
	case $name in
	compute) KERNEL=$PWD/axpy.o ./compute ;;
	overlap) KERNELS=$PWD ./overlap ;;
	linktest) env -u TEST "$here/linktest.sh" "$BIN" ;;
	faults) env -u TEST "$here/coll_faults.sh" "$TOOL" allreduce ;;
	programs) /usr/bin/python3 -B "$here/coll_model.py" --seed 1 --programs 40 ./programs ;;
	tool) env -u TEST "$here/${TOOL_TEST:-tool.sh}" "$TOOL" recipes ;;
	wrap) GAUDI_TEST_WRAP=3 ./runtime ;;
	*) "./$name" ;;
	esac
	echo "#< $?"
done
