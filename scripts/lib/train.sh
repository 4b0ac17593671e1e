# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Assembles the kernels of examples/train. To be sourced where ROOT and BUILD are
# set.

# train_kernels FOLDER
train_kernels()
{
	local source

	mkdir -p "$1"
	for source in "$ROOT"/examples/train/*.s; do
		"$BUILD/tools/bin/gaudi-tpc-as" \
			-o "$1/$(basename "$source" .s).o" "$source" || return
	done
}
