#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe.sh HEADER FOLDER "NAME..." COMPILER [FLAG...]: say in HEADER which of two
# forms of an interface the kernel has.
#
# FOLDER/NAME.c has both. With PROBE defined as 1 it compiles where
# GAUDI_HAVE_NAME is to be 1, and with 0 it must compile anywhere else: so a
# kernel with a third form, or a compiler that does not run, is an error and
# never taken for an answer.
set -u

header=$1
dir=$2
names=$3
shift 3
tmp=$header.tmp
trap 'rm -f "$tmp" "$tmp".*' EXIT

# compiles NAME FORM COMPILER...
compiles()
{
	name=$1
	form=$2
	shift 2
	# GCC before 14 only warns of these.
	"$@" -DPROBE="$form" -Werror=incompatible-pointer-types \
		-Werror=implicit-function-declaration -Werror=implicit-int \
		-fsyntax-only -x c "$dir/$name.c" >"$tmp.$name" 2>&1
}

# answer NAME COMPILER...: leaves the answer in a file of its own.
answer()
{
	name=$1
	shift
	if compiles "$name" 1 "$@"; then
		echo 1 >"$tmp.$name.is"
	elif compiles "$name" 0 "$@"; then
		echo 0 >"$tmp.$name.is"
	fi
}

for name in $names; do
	answer "$name" "$@" &
done
wait

echo "/* Made by probe.sh for this kernel. */" >"$tmp"
for name in $names; do
	if [ ! -e "$tmp.$name.is" ]; then
		cat "$tmp.$name" >&2
		echo "error: this kernel has neither form of what probe/$name.c looks for" >&2
		exit 1
	fi
	echo "#define GAUDI_HAVE_$(echo "$name" | tr '[:lower:]' '[:upper:]') $(cat "$tmp.$name.is")"
done >>"$tmp" || exit 1
mv "$tmp" "$header"
