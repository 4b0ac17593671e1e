# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Private apt configurations: package lists and downloads of a suite that is not
# among the machine's sources, kept in the cache. Nothing here installs.
# To be sourced after common.sh.

# private_apt NAME LINE...: make the configuration NAME from lines in the form of
# sources.list, and fetch its lists unless that was done in the last hour. It is for
# $APT_ARCHITECTURE, if that is set, instead of the machine's.
private_apt()
{
	local dir=$CACHE/apt/$1
	shift
	# The lines were made in subshells, which cannot end the run.
	mirror >/dev/null
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	printf '%s\n' "$@" >"$dir/sources.list.new"
	cat >"$dir/apt.conf" <<-EOF
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::lists "$dir/lists";
		Dir::Cache "$dir/cache";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Sandbox::User "";
	EOF
	[ -z "${APT_ARCHITECTURE:-}" ] || cat >>"$dir/apt.conf" <<-EOF
		APT::Architecture "$APT_ARCHITECTURE";
		APT::Architectures { "$APT_ARCHITECTURE"; };
	EOF
	if cmp -s "$dir/sources.list" "$dir/sources.list.new" &&
	   [ -n "$(find "$dir/fetched" -mmin -60 2>/dev/null)" ]; then
		rm "$dir/sources.list.new"
		return
	fi
	mv "$dir/sources.list.new" "$dir/sources.list"
	# apt-get update succeeds when a server cannot be reached; this not.
	APT_CONFIG=$dir/apt.conf apt-get update -q \
		-o APT::Update::Error-Mode=any || return
	touch "$dir/fetched"
}

# with_apt NAME COMMAND...: run an apt command under the configuration NAME.
with_apt()
{
	local conf=$CACHE/apt/$1/apt.conf
	shift
	APT_CONFIG=$conf "$@"
}

# The archive to fetch from: $GAUDI_MIRROR, or the one from which this machine's
# own apt has its release.
mirror()
{
	if [ -z "${GAUDI_MIRROR:-}" ]; then
		# shellcheck disable=SC2016
		GAUDI_MIRROR=$(apt-get indextargets --format \
			'$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
			awk -v name="$(. /etc/os-release; echo "$VERSION_CODENAME")" \
				'!n && $1 ~ "^(" name "|stable|oldstable)$" { n = 1; print $2 }')
	fi
	[ -n "$GAUDI_MIRROR" ] ||
		die "this machine's apt has no source of its Debian release" \
			"set GAUDI_MIRROR to a Debian mirror"
	echo "$GAUDI_MIRROR"
}

# One line of sources.list: deb or deb-src, suite.
apt_line()
{
	echo "$1 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $2 main"
}

# The suite of a Debian release in which kernel 6.12 and a new meson are.
new_suite()
{
	case $DEBIAN in
	12) echo bookworm-backports ;;
	13) echo trixie ;;
	esac
}
