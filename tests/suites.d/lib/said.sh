# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What a tool ended with and said, for tests in shell. To be sourced after tap.sh;
# $W is a folder of the test's own, where the output is in out and err.

# status WANTED COMMAND...
status()
{
	local want=$1 got=0

	shift
	"$@" >"$W/out" 2>"$W/err" || got=$?
	cat "$W/err"
	equal "status of $*" "$got" "$want"
}

# says TEXT: to standard error
says()
{
	grep -qF -- "$1" "$W/err" || fail "it does not say '$1'"
}
