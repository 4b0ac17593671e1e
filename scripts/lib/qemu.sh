# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# QEMU 10.0 from Debian's source package, with our card in it. To be sourced
# after apt.sh.
#
# $CACHE/qemu/VERSION.dsc... the source package
# $CACHE/qemu/VERSION-HASH/ src, build: HASH is over our patches, device list and
#                           configure flags; the card's own sources are copied
#                           into src/hw/misc/gaudi when they changed, so that
#                           ninja rebuilds just those
# $BUILD/qemu/qemu-system-x86_64 is what this work tree runs.

QEMU_FLAGS=(
	--target-list=x86_64-softmmu
	--without-default-features
	--without-default-devices
	--with-devices-x86_64=gaudi
	--enable-tcg
	--enable-kvm
	--enable-virtfs
	--enable-attr
	--enable-fdt=system
	--disable-install-blobs
	--disable-debug-info
	--disable-docs
	--disable-werror
)
# A build of its own, whose card ends QEMU where its locks are taken out of order.
if [ -n "${GAUDI_LOCK_CHECK:-}" ]; then
	QEMU_FLAGS+=(--extra-cflags=-DGAUDI_LOCK_CHECK)
fi

# Meson of the machine is new enough on Debian 13; on 12 it comes from
# backports, unpacked in the cache.
meson_env()
{
	if [ -d "$CACHE/meson" ]; then
		export PYTHONPATH=$CACHE/meson/usr/lib/python3/dist-packages
		export PATH=$CACHE/meson/usr/bin:$PATH
	fi
}

get_qemu_source()
{
	local tmp=$CACHE/qemu/source.tmp version

	private_apt source "$(apt_line deb-src trixie)"
	rm -rf "$tmp"
	mkdir -p "$tmp"
	version=$(with_apt source apt-cache showsrc --only-source qemu |
		sed -n 's/^Version: //p' | grep -E '^1:10\.0\.' | sort -V |
		tail -n 1)
	if [ -z "$version" ]; then
		echo "Error: no QEMU 10.0 in trixie of $(mirror)"
		return 1
	fi
	(cd "$tmp" && with_apt source apt-get source -q --download-only \
		"qemu=$version")
	if [ ! -d "$CACHE/meson" ]; then
		private_apt new "$(apt_line deb "$(new_suite)")"
		(cd "$tmp" && with_apt new apt-get download -q meson &&
			dpkg-deb -x meson_*.deb "$CACHE/meson.tmp" &&
			mv "$CACHE/meson.tmp" "$CACHE/meson")
	fi
	version=${version#1:}
	echo "${version%%+*}" >"$tmp/version"
	rm -rf "$CACHE/qemu/source"
	mv "$tmp" "$CACHE/qemu/source"
}

step_source()
{
	step "QEMU source"
	if [ -e "$CACHE/qemu/source/version" ]; then
		step_cached "$(cat "$CACHE/qemu/source/version")"
		return
	fi
	mkdir -p "$CACHE/qemu"
	work fetch -d "$CACHE/qemu" get_qemu_source
}

# Where the tree for our patch, device list and flags is.
qemu_dir()
{
	local hash

	hash=$({ cat "$ROOT"/qemu-device/qemu-*.patch \
			"$ROOT/qemu-device/devices.mak"
		 printf '%s\n' "${QEMU_FLAGS[@]}"; } | sha256sum | cut -c1-12)
	echo "$CACHE/qemu/$(cat "$CACHE/qemu/source/version")-$hash"
}

# Make the folder INTO hold what FROM holds, touching only what differs, so
# that ninja rebuilds only that.
sync_folder()
{
	local from=$1 into=$2 file

	mkdir -p "$into"
	(cd "$from" && find . -type f \( -name '*.[ch]' -o -name '*.def' \
		-o -name meson.build \
		-o -name Kconfig -o -name trace-events -o -name trace.h \)) |
	while read -r file; do
		cmp -s "$from/$file" "$into/$file" && continue
		mkdir -p "$(dirname "$into/$file")"
		cp "$from/$file" "$into/$file"
	done
	(cd "$into" && find . -type f) | while read -r file; do
		[ -e "$from/$file" ] || rm "$into/$file"
	done
}

# The card's sources stand side by side as in the repository, so that relative
# includes hold; its qtests go where QEMU's own are.
sync_card()
{
	local src=$1/src dir

	for dir in qemu-device firmware-stub uapi; do
		sync_folder "$ROOT/$dir" "$src/hw/misc/gaudi/$dir"
	done
	if [ -d "$ROOT/tests/qtest" ]; then
		sync_folder "$ROOT/tests/qtest" "$src/tests/qtest/gaudi"
	fi
}

# What mends QEMU itself is left out, in a word, where a newer QEMU has other code.
mend_qemu()
{
	local mend

	for mend in "$ROOT"/qemu-device/qemu-tcg-*.patch; do
		if patch -d "$1" -p1 --dry-run <"$mend"; then
			patch -d "$1" -p1 <"$mend"
		else
			echo "${mend##*/} does not fit, and is left out" \
				>>"$1/../left-out"
		fi
	done
}

# Unpack, patch and configure a fresh tree.
prepare_qemu()
{
	local dir=$1

	rm -rf "$dir"
	mkdir -p "$dir"
	dpkg-source --no-check -x "$CACHE"/qemu/source/*.dsc "$dir/src"
	patch -d "$dir/src" -p1 <"$ROOT/qemu-device/qemu-overlay.patch"
	mend_qemu "$dir/src"
	cp "$ROOT/qemu-device/devices.mak" \
		"$dir/src/configs/devices/x86_64-softmmu/gaudi.mak"
	sync_card "$dir"
	mkdir "$dir/build"
	meson_env
	(cd "$dir/build" && ../src/configure "${QEMU_FLAGS[@]}") ||
		{ rm -rf "$dir"; return 1; }
}

build_qemu()
{
	local dir=$1

	meson_env
	sync_card "$dir"
	ninja -C "$dir/build" -j "$JOBS" qemu-system-x86_64
	mkdir -p "$BUILD/qemu"
	cp "$dir/build/qemu-system-x86_64" "$BUILD/qemu/new"
	mv "$BUILD/qemu/new" "$BUILD/qemu/qemu-system-x86_64"
}

# Is the binary newer than everything it is made of?
qemu_is_fresh()
{
	local bin=$BUILD/qemu/qemu-system-x86_64

	[ -e "$bin" ] && [ "$(cat "$BUILD/qemu/tree" 2>/dev/null)" = "$1" ] &&
		[ -z "$(find "$ROOT/qemu-device" "$ROOT/firmware-stub" \
			"$ROOT/uapi" -newer "$bin" -print -quit)" ]
}

step_qemu()
{
	local dir

	step QEMU
	dir=$(qemu_dir)
	if qemu_is_fresh "$dir"; then
		step_cached
		return
	fi
	[ -e "$dir/build/build.ninja" ] ||
		work "unpack and configure" -d "$dir" prepare_qemu "$dir"
	[ ! -e "$dir/left-out" ] || step_cached "$(cat "$dir/left-out")"
	work "build with the card" build_qemu "$dir"
	echo "$dir" >"$BUILD/qemu/tree"
}
