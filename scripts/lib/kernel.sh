# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The guest's kernel: Debian's own image, modules and headers of the newest 6.12
# in the archive, unpacked in the cache (never installed). The archive drops
# old versions, so none is named here. To be sourced after apt.sh.
#
# $CACHE/kernel/RELEASE/ holds vmlinuz, vmlinux (what is packed in it), config,
# lib/modules/RELEASE (with modules.dep), headers (for make -C) and uapi (user headers).
# $CACHE/kernel/current points at it.

# The newest 6.12 in the private lists: the release, for example 6.12.9-amd64.
newest_kernel()
{
	with_apt new apt-cache pkgnames linux-image-6.12 |
		grep -E '^linux-image-6\.12\.[0-9]+(\+[a-z0-9]+)?-amd64$' |
		sed 's/^linux-image-//' | sort -V | tail -n 1
}

# Download and unpack the packages of a kernel release.
fetch_kernel()
{
	local release=$1 base=${1%-amd64} dir=$CACHE/kernel/$1 tmp deb list

	tmp=$dir.tmp
	rm -rf "$tmp"
	mkdir -p "$tmp/deb" "$tmp/root"
	list=("linux-image-$release" "linux-headers-$release"
	      "linux-headers-$base-common" "linux-kbuild-$base")
	# Newer packaging has the modules apart from the image.
	if with_apt new apt-cache show "linux-modules-$release" \
			>/dev/null 2>&1; then
		list+=("linux-modules-$release")
	fi
	(cd "$tmp/deb" && with_apt new apt-get download -q "${list[@]}")
	for deb in "$tmp"/deb/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
	done
	rm -r "$tmp/deb"
	arrange_kernel "$release" "$tmp"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# Bring an unpacked kernel into a shape that works from where it stands: the
# packages expect to be installed below /, and say so in paths.
arrange_kernel()
{
	local release=$1 base=${1%-amd64} tmp=$2 root=$2/root headers modules header

	headers=$root/usr/src/linux-headers-$release
	modules=$root/usr/lib/modules/$release
	[ -d "$modules" ] || modules=$root/lib/modules/$release
	cp "$root/boot/vmlinuz-$release" "$tmp/vmlinuz"
	cp "$root/boot/config-$release" "$tmp/config"
	echo "include \$(dir \$(lastword \$(MAKEFILE_LIST)))../linux-headers-$base-common/Makefile" \
		>"$headers/Makefile"
	ln -s "root/usr/src/linux-headers-$release" "$tmp/headers"
	# User headers of this kernel, for systems whose own are older.
	mkdir -p "$tmp/uapi/drm"
	for header in "$root/usr/src/linux-headers-$base-common"/include/uapi/drm/*.h; do
		sed 's/\<__user\>//g' "$header" >"$tmp/uapi/drm/${header##*/}"
	done
	mkdir -p "$tmp/lib/modules"
	rm -f "$modules/build" "$modules/source"
	mv "$modules" "$tmp/lib/modules/"
	PATH=$PATH:/usr/sbin:/sbin depmod -b "$tmp" "$release"
	rm -rf "${root:?}"/{boot,usr/share,usr/lib/modules}
	echo "$release" >"$tmp/release"
}

# number FILE OFFSET SIZE: what the boot protocol has there.
number()
{
	od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# unpack_image DIR: vmlinuz as vmlinux, too. An emulated CPU takes seconds to unpack it, at
# each boot. One that is packed by something else than zstd is booted as it is.
unpack_image()
{
	local dir=$1 image=$1/vmlinuz start size

	start=$(((1 + $(number "$image" 0x1f1 1)) * 512 + $(number "$image" 0x248 4)))
	# The last four bytes are the size of what is packed.
	size=$(($(number "$image" 0x24c 4) - 4))
	if head -c "$((start + size))" "$image" | tail -c "$size" |
			zstd -q -d >"$dir/vmlinux.new"; then
		mv "$dir/vmlinux.new" "$dir/vmlinux"
	else
		rm -f "$dir/vmlinux.new"
	fi
}

get_kernel()
{
	local release

	private_apt new "$(apt_line deb "$(new_suite)")"
	release=$(newest_kernel)
	if [ -z "$release" ]; then
		echo "Error: no kernel 6.12 in $(new_suite) of $(mirror)"
		return 1
	fi
	[ -e "$CACHE/kernel/$release/release" ] || fetch_kernel "$release"
	ln -sfn "$release" "$CACHE/kernel/current"
}

step_kernel()
{
	step kernel
	if [ ! -e "$CACHE/kernel/current/release" ]; then
		work "fetch image, modules and headers of 6.12" -d "$CACHE/kernel" \
			get_kernel
	elif [ -e "$CACHE/kernel/current/vmlinux" ]; then
		step_cached "$(cat "$CACHE/kernel/current/release")"
		return
	fi
	work "unpack the image" unpack_image "$CACHE/kernel/current"
}

# The kernel's own checks, from the package of its source: too large to keep
# whole, so only these files are unpacked.
CHECK_FILES=(
	scripts/checkpatch.pl
	scripts/spelling.txt
	scripts/const_structs.checkpatch
	scripts/kernel-doc
	tools/testing/selftests/kselftest.h
	tools/testing/selftests/kselftest_harness.h
	tools/testing/selftests/kselftest_module.h
	tools/testing/selftests/lib.mk
	tools/testing/selftests/kselftest
	tools/testing/selftests/run_kselftest.sh
	tools/scripts
	include/uapi/drm/habanalabs_accel.h
)

get_checks()
{
	local tmp=$CACHE/ksource.tmp deb tar

	private_apt new "$(apt_line deb "$(new_suite)")"
	rm -rf "$tmp"
	mkdir -p "$tmp/deb" "$tmp/root"
	(cd "$tmp/deb" && with_apt new apt-get download -q linux-source-6.12)
	deb=$(echo "$tmp"/deb/*.deb)
	tar=./usr/src/linux-source-6.12.tar.xz
	dpkg-deb --fsys-tarfile "$deb" | tar -xO "$tar" |
		tar -xJ -C "$tmp/root" --strip-components=1 \
			"${CHECK_FILES[@]/#/linux-source-6.12/}"
	rm -r "$tmp/deb"
	rm -rf "$CACHE/ksource"
	mv "$tmp/root" "$CACHE/ksource"
	rm -rf "$tmp"
}

step_checks()
{
	step checks
	if [ -e "$CACHE/ksource/scripts/checkpatch.pl" ]; then
		step_cached
		return
	fi
	work "fetch checkpatch and the selftest library" \
		-d "$CACHE/ksource.tmp" get_checks
}

# The kernel's headers for programs alone, for who needs no kernel.
get_uapi()
{
	local tmp=$CACHE/uapi.tmp

	private_apt new "$(apt_line deb "$(new_suite)")" || return
	rm -rf "$tmp"
	mkdir -p "$tmp/deb"
	(cd "$tmp/deb" && with_apt new apt-get download -q linux-libc-dev) ||
		return
	dpkg-deb --fsys-tarfile "$tmp"/deb/*.deb |
		tar -x -C "$tmp" ./usr/include/drm || return
	rm -rf "$CACHE/uapi"
	mv "$tmp/usr/include" "$CACHE/uapi"
	rm -rf "$tmp"
}

step_uapi()
{
	step uapi
	if [ -e "$CACHE/uapi/drm/habanalabs_accel.h" ] ||
	   [ -e "$CACHE/kernel/current/uapi/drm/habanalabs_accel.h" ]; then
		step_cached
		return
	fi
	work fetch get_uapi
}
