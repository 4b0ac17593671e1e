# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The kernels that Debian ships, by the suite they are in: headers, each with
# the compiler, the make and the C library that its release builds modules with,
# in a folder of the cache to change the root to. Packages are unpacked there;
# none is configured, and nothing of it is installed. To be sourced after
# apt.sh.
#
# $CACHE/root/SUITE/ is such a folder; "kernel" in it names the release, and
# /usr/src/linux-headers-RELEASE is for make -C.

# shellcheck disable=SC2034
KERNEL_SUITES=(bookworm-backports trixie trixie-backports sid)

# What kbuild calls besides the compiler that the headers ask for.
ROOT_PACKAGES=(base-files bash binutils coreutils dash diffutils findutils gawk grep make
	mawk perl-base sed)

# suite_apt SUITE: its private apt configuration, and its name in $APT.
suite_apt()
{
	local base=${1%-backports}

	APT=kernel-$1
	if [ "$base" = "$1" ]; then
		private_apt "$APT" "$(apt_line deb "$base")"
	else
		private_apt "$APT" "$(apt_line deb "$base")" \
			"$(apt_line deb "$1")"
	fi
}

# The newest kernel of a suite, for example 6.12.9-amd64; after suite_apt.
suite_release()
{
	with_apt "$APT" apt-cache show "linux-headers-amd64/$1" |
		sed -n 's/^Depends:.*linux-headers-\([0-9][^ ]*-amd64\) .*/\1/p' |
		sort -V | tail -n 1
}

# unpack_packages DIR PACKAGE...: what apt would install for them on an empty
# system, unpacked; after suite_apt.
unpack_packages()
{
	local tmp=$1 deb link state
	shift

	state=$CACHE/apt/$APT/status
	rm -rf "$tmp"
	mkdir -p "$tmp"
	: >"$state"
	with_apt "$APT" apt-get install -q -y --download-only \
		--no-install-recommends -o Dir::State::status="$state" \
		-o Debug::NoLocking=1 "$@" "${ROOT_PACKAGES[@]}"
	for link in bin sbin lib lib64; do
		mkdir -p "$tmp/usr/$link"
		ln -s "usr/$link" "$tmp/$link"
	done
	mkdir -p "$tmp"/{dev,proc,tmp,etc}
	for deb in "$CACHE/apt/$APT"/cache/archives/*.deb; do
		case $deb in
		# Nothing of these is run.
		*/debconf_* | */*-doc_* | */tzdata_*) continue ;;
		esac
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$tmp" --keep-directory-symlink \
				--exclude './usr/share/[dlm]o[c-n]*'
	done
	rm -f "$CACHE/apt/$APT"/cache/archives/*.deb
	# What the packages' scripts would link.
	[ -e "$tmp/usr/bin/awk" ] || ln -s mawk "$tmp/usr/bin/awk"
}

# fetch_root RELEASE DIR: the headers of that kernel, and what builds modules.
fetch_root()
{
	local release=$1 dir=$2 tmp=$2.tmp

	unpack_packages "$tmp" "linux-headers-$release"
	echo "$release" >"$tmp/kernel"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# get_root SUITE: make the folder of the suite's newest kernel.
get_root()
{
	local dir=$CACHE/root/$1 release

	suite_apt "$1"
	release=$(suite_release "$1")
	if [ -z "$release" ]; then
		echo "Error: no kernel in $1 of $(mirror)"
		return 1
	fi
	[ "$(cat "$dir/kernel" 2>/dev/null)" = "$release" ] ||
		fetch_root "$release" "$dir"
}

# Whether this machine lets us do what in_root does.
can_change_root()
{
	if [ "$(id -u)" = 0 ]; then
		unshare -m true 2>/dev/null
	else
		unshare -m --map-root-user true 2>/dev/null
	fi
}

# in_root FOLDER COMMAND...: run a command in a folder of $CACHE/root, mostly the
# suite's, as its root, with the repository, the cache and what is built where they
# are outside.
in_root()
{
	local dir=$CACHE/root/$1 map=()
	shift
	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	# shellcheck disable=SC2016
	unshare -m "${map[@]}" bash -ec '
		dir=$1 root=$2 build=$3 cache=$4
		shift 4
		mount -t tmpfs tmpfs "$dir/tmp"
		for path in "$cache" "$root" "$build"; do
			mkdir -p "$dir$path"
			mount --rbind "$path" "$dir$path"
		done
		mount --rbind /dev "$dir/dev"
		mount --rbind /proc "$dir/proc"
		cd /
		exec chroot "$dir" /bin/bash -c "cd \"\$0\" && exec \"\$@\"" \
			"$root" "$@"' - "$dir" "$ROOT" "$BUILD" "$CACHE" \
		env -i PATH=/usr/bin:/usr/sbin HOME=/tmp JOBS="$JOBS" \
		XDG_CACHE_HOME="${CACHE%/*}" "$@"
}

# strip_module FROM NAME OUT: to where gaudi-vm finds it, without the lines that a
# debugger wants.
strip_module()
{
	local room=guest folder=guest/$2

	[ "$2" != gaudi ] || room=driver folder=driver
	objcopy --strip-debug "$1/$folder/$2.ko" "$3/$room/$2.ko"
}

# build_modules SUITE: gaudi.ko and the guest's helpers for the suite's kernel,
# in $BUILD/kernel/SUITE. Which did not build is in $UNBUILT.
build_modules()
{
	local suite=$1 out=$BUILD/kernel/$1 kdir name folders
	UNBUILT=()

	kdir=/usr/src/linux-headers-$(cat "$CACHE/root/$suite/kernel")
	mkdir -p "$out/driver" "$out/guest"
	rm -f "$out"/*/*.ko "$out"/guest/*.unbuilt
	for name in gaudi habanalabs_open pm_restore; do
		case $name in
		gaudi) folders=(driver uapi) ;;
		*) folders=("guest/$name" driver/probe) ;;
		esac
		if in_root "$suite" scripts/lib/build-module "$kdir" \
				"$out/module/$name" "${folders[@]}" \
				>"$out/$name.log" 2>&1; then
			strip_module "$out/module/$name" "$name" "$out"
		else
			UNBUILT+=("$name")
			{ grep -m 1 -i error "$out/$name.log" ||
				echo 'unknown error'; } >"$out/guest/$name.unbuilt"
		fi
	done
	[ "${#UNBUILT[@]}" = 0 ]
}

# fetch_image SUITE RELEASE DIR: kernel and modules, as gaudi-vm wants them. Which
# packages they are in differs.
fetch_image()
{
	local release=$2 dir=$3 tmp=$3.tmp root=$3.tmp/root list=() name deb modules

	rm -rf "$tmp"
	mkdir -p "$tmp/deb" "$root" "$tmp/lib/modules"
	for name in image binary modules base; do
		if with_apt "$APT" apt-cache show "linux-$name-$release" \
				>/dev/null 2>&1; then
			list+=("linux-$name-$release")
		fi
	done
	(cd "$tmp/deb" && with_apt "$APT" apt-get download -q "${list[@]}")
	for deb in "$tmp"/deb/*.deb; do
		dpkg-deb -x "$deb" "$root"
	done
	modules=$root/usr/lib/modules/$release
	[ -d "$modules" ] || modules=$root/lib/modules/$release
	find "$root" -name "vmlinuz*" -type f -exec cp {} "$tmp/vmlinuz" \;
	[ -s "$tmp/vmlinuz" ]
	rm -f "$modules/build" "$modules/source"
	mv "$modules" "$tmp/lib/modules/"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tmp" "$release"
	rm -rf "$tmp/deb" "$root"
	echo "$release" >"$tmp/release"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# get_image SUITE: the kernel of the suite's folder of get_root, to boot.
get_image()
{
	local dir=$CACHE/kernel/$1 release

	release=$(cat "$CACHE/root/$1/kernel")
	[ "$(cat "$dir/release" 2>/dev/null)" = "$release" ] ||
		fetch_image "$1" "$release" "$dir"
}

# step_suite_kernel SUITE: what gaudi-vm --kernel SUITE needs. One that is there
# is kept, until the newest is asked for by removing its folders.
step_suite_kernel()
{
	local suite=$1 name

	step "kernel of $suite"
	if [ ! -e "$CACHE/kernel/$suite/release" ]; then
		work "fetch headers and compiler" -d "$CACHE/root" \
			get_root "$suite"
		suite_apt "$suite" >/dev/null
		work "fetch image and modules" -d "$CACHE/kernel" \
			get_image "$suite"
	fi
	[ -e "$CACHE/kernel/$suite/vmlinux" ] ||
		work "unpack the image" unpack_image "$CACHE/kernel/$suite"
	work "build gaudi.ko and helpers" build_suite "$suite"
	for name in "$BUILD/kernel/$suite"/guest/*.unbuilt; do
		[ ! -e "$name" ] || note_unbuilt "$name"
	done
}

# build_suite SUITE: build_modules, where only gaudi.ko must build.
build_suite()
{
	build_modules "$1" && return
	cat "$BUILD/kernel/$1/gaudi.log"
	[[ " ${UNBUILT[*]} " != *' gaudi '* ]]
}
