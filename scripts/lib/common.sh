# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scripts share: where things are, how a step shows its progress, and
# how a failure becomes one clear line. To be sourced by bash scripts; not run.

# Callers use these.
# shellcheck disable=SC2034
{
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${GAUDI_BUILD:-$ROOT/build}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/open-gaudi
JOBS=${JOBS:-$(nproc)}
}

# die WHAT [WHAT TO DO]: one line on stderr, and out.
die()
{
	printf '%s: %s\n' "${0##*/}" "$1${2:+; $2}" >&2
	exit 1
}

# Run a command as root: directly, or with sudo.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "'$*' needs root" "run as root, or install sudo"
	fi
}

# content_hash FILE...: twelve hex digits over names and contents.
content_hash()
{
	sha256sum -- "$@" | sed "s|$ROOT/||" | sha256sum | cut -c1-12
}

# Turn the log of a failed command into the one line that explains it.
explain()
{
	local log=$1

	if grep -q 'No space left on device' "$log"; then
		echo "the disk is full ($(df -h --output=avail,target "$CACHE" |
			tail -n 1 | xargs | sed 's/ / left on /'))"
	elif grep -qE 'Could not resolve|Temporary failure (in name )?resol|Could not connect|Unable to connect|Network is unreachable|Cannot initiate the connection|connection timed out' "$log"; then
		echo "no network: cannot reach the Debian mirror"
	elif grep -qE 'Could not get lock|Unable to acquire the dpkg' "$log"; then
		echo "another apt or dpkg is at work"
	else
		grep -m 1 -aE ': (fatal )?error:|undefined reference|^(E|Error|ERROR): |ERROR: |No such file|not found|\*\*\* ' \
			"$log" | cut -c1-200
	fi
}

# advice REASON: what the user can do about it.
advice()
{
	case $1 in
	*'disk is full'*)
		echo "free some space, or set XDG_CACHE_HOME to another disk";;
	*'no network'*)
		echo "check the connection (GAUDI_MIRROR sets another mirror), then run it again: finished steps are kept";;
	*'apt or dpkg'*)
		echo "wait for it, then run it again";;
	*)
		echo "see $2";;
	esac
}

# How far a running command is: its last [n/m] (ninja), the packages it has
# dealt with (apt), or the size of a directory that is being filled.
how_far()
{
	local log=$1 dir=$2 text

	text=$(sed -nE 's/.* ([0-9]+) newly installed.*/\1/p' "$log" 2>/dev/null)
	if [ -n "$text" ]; then
		printf '[%d/%d]' "$(grep -acE '^(Unpacking|Setting up) ' \
			"$log")" "$((2 * text))"
		return
	fi
	text=$(tail -c 4096 "$log" 2>/dev/null | tr '\r' '\n' |
		grep -aoE '^\[[0-9]+/[0-9]+\]' | tail -n 1)
	if [ -z "$text" ] && [ -n "$dir" ] && [ -d "$dir" ]; then
		text=$(du -sm "$dir" 2>/dev/null | cut -f1)
		text="${text:-0} MB"
	fi
	printf '%s' "$text"
}

STEP=0
STEPS=0
STEP_NAME=

# step NAME: begin the next step.
step()
{
	STEP=$((STEP + 1))
	STEP_NAME=$1
}

# Say that a step had nothing to do.
step_cached()
{
	printf '[%d/%d] %s: %s\n' "$STEP" "$STEPS" "$STEP_NAME" "${1:-ready}"
}

# work WHAT [-d DIR] COMMAND...: run a command of the current step, show how far
# it is, keep its output in a log, and explain a failure in one line.
work()
{
	local what=$1 dir='' log start pid now next=20 line
	shift
	if [ "$1" = -d ]; then
		dir=$2
		shift 2
	fi
	mkdir -p "$BUILD/logs" || die "cannot write to $BUILD"
	log=$BUILD/logs/${0##*/}-${STEP_NAME//[^a-zA-Z0-9]/_}.log
	line="[$STEP/$STEPS] $STEP_NAME: $what"
	start=$SECONDS
	# In a process group of its own, so that all of it ends with us; in English, which
	# explain knows.
	set -m
	LC_ALL=C.UTF-8 "$@" >"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	trap 'kill -- -'"$pid"' 2>/dev/null; exit 130' INT TERM HUP
	[ -t 1 ] || printf '%s\n' "$line"
	while kill -0 "$pid" 2>/dev/null; do
		now=$((SECONDS - start))
		if [ -t 1 ]; then
			printf '\r\033[K%s  %s  %d s' "$line" \
				"$(how_far "$log" "$dir")" "$now"
		elif [ "$now" -ge "$next" ]; then
			printf '%s  %s  %d s\n' "$line" \
				"$(how_far "$log" "$dir")" "$now"
			next=$((next + 20))
		fi
		sleep 0.2
	done
	if wait "$pid"; then
		trap - INT TERM HUP
		[ -t 1 ] && printf '\r\033[K'
		printf '%s: done, %d s\n' "$line" "$((SECONDS - start))"
		return 0
	fi
	[ -t 1 ] && printf '\n'
	# Which may find no words for it.
	now=$(explain "$log") || true
	die "step $STEP of $STEPS ($STEP_NAME, $what) failed: ${now:-unknown reason}" \
		"$(advice "$now" "$log")"
}
