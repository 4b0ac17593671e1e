# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The handwritten digits that examples/train learns: the data file of Debian's
# python3-sklearn, taken out of the package, which itself is not installed. To be
# sourced after common.sh.

DIGITS=$CACHE/digits/digits.csv.gz

get_digits()
{
	local path=usr/lib/python3/dist-packages/sklearn/datasets/data

	rm -rf "$CACHE/digits.new"
	mkdir -p "$CACHE/digits.new"
	cd "$CACHE/digits.new" || return
	apt-get download -q -o APT::Sandbox::User= python3-sklearn || return
	dpkg-deb --fsys-tarfile python3-sklearn_*.deb |
		tar -xf - "./$path/digits.csv.gz" || return
	mkdir -p "$CACHE/digits"
	mv "$path/digits.csv.gz" "$DIGITS"
	cd / && rm -r "$CACHE/digits.new"
}

step_digits()
{
	step digits
	if [ -e "$DIGITS" ]; then
		step_cached
		return
	fi
	work fetch get_digits
}
