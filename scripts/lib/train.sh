# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Builds what examples/train needs. To be sourced where ROOT and BUILD are
# set.

# train_program FOLDER: examples/train's program in C, for the libgaudi of BUILD.
train_program()
{
	env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -s \
		-C "$ROOT/examples/train" O="$1" \
		CFLAGS='-O3 -Wall -Wextra -Werror' \
		GAUDI="-I$ROOT/thunk/include -L$BUILD/thunk/lib -lgaudi -Wl,-rpath,$BUILD/thunk/lib"
}
