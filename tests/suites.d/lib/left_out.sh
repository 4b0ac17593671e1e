# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash

# is_left_out NAME: the runner leaves this slow test to another time.
is_left_out()
{
	[[ " ${GAUDI_LEFT_OUT:-} " == *" $1 "* ]]
}
