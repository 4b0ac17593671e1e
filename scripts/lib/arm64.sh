# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Another architecture than this machine's: the headers and libraries of the same Debian
# release for arm64, unpacked in a folder of the cache, to compile against and to run programs
# with by QEMU's emulator of processes. To be sourced after kernels.sh.

ARM64_ROOT=$CACHE/root/arm64
ARM64_PACKAGES=(libc6-dev libfdt-dev zlib1g-dev libelf-dev libcmocka-dev libudev-dev libcjson-dev
	libssl-dev)

get_arm64_root()
{
	# Nobody changes the root to it.
	# shellcheck disable=SC2034 # apt.sh and kernels.sh read them
	local APT_ARCHITECTURE=arm64 ROOT_PACKAGES=()

	APT=arm64
	private_apt "$APT" "$(apt_line deb "$(. /etc/os-release; echo "$VERSION_CODENAME")")" &&
		unpack_packages "$ARM64_ROOT.tmp" "${ARM64_PACKAGES[@]}" || return
	content_hash "$ROOT/scripts/lib/arm64.sh" >"$ARM64_ROOT.tmp/made"
	rm -rf "$ARM64_ROOT"
	mv "$ARM64_ROOT.tmp" "$ARM64_ROOT"
}

step_arm64()
{
	step arm64
	if [ "$(cat "$ARM64_ROOT/made" 2>/dev/null)" = \
	     "$(content_hash "$ROOT/scripts/lib/arm64.sh")" ]; then
		step_cached
		return
	fi
	work "fetch headers and libraries" -d "$CACHE/root" get_arm64_root
}

# arm64_make ARGUMENT...: make, by the cross compiler.
arm64_make()
{
	local with=aarch64-linux-gnu

	PKG_CONFIG_LIBDIR=$ARM64_ROOT/usr/lib/$with/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR=$ARM64_ROOT \
		make --no-print-directory -s -j "${JOBS:-$(nproc)}" HOSTCC=gcc \
			CC="$with-gcc --sysroot=$ARM64_ROOT" LD="$with-ld" AR="$with-ar" \
			OBJCOPY="$with-objcopy" "$@"
}
