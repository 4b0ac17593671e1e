# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The debug kernel: Debian's source of 6.12, built with tests/debug/kernel.config
# in the cache. To be sourced after kernel.sh.
#
# $CACHE/kernel/debug-VERSION-HASH/ has what a fetched kernel has (vmlinuz, config,
# release, lib/modules/RELEASE, headers for make -C), and vmlinux with its
# symbols; HASH is that of the configuration. $CACHE/kernel/debug points at it.

DEBUG_CONFIG=$ROOT/tests/debug/kernel.config

debug_hash()
{
	content_hash "$DEBUG_CONFIG" "$ROOT/scripts/lib/debug_kernel.sh"
}

# What of the source this kernel is not built from, and that is the most of it.
# Kconfig files are all read.
DEBUG_WITHOUT=(
	'Documentation/*.rst' '*.dts' '*.dtsi' tools/testing rust
	'sound/*.[ch]' 'samples/*.[ch]' 'drivers/gpu/drm/amd/*.[ch]'
	arch/{alpha,arc,arm,arm64,csky,hexagon,loongarch}/'*.[chS]'
	arch/{m68k,microblaze,mips,nios2,openrisc,parisc}/'*.[chS]'
	arch/{powerpc,riscv,s390,sh,sparc,um,xtensa}/'*.[chS]'
)

fetch_debug_source()
{
	local tmp=$CACHE/kernel/debug-source.tmp deb version

	private_apt new "$(apt_line deb "$(new_suite)")"
	rm -rf "$tmp"
	mkdir -p "$tmp"
	(cd "$tmp" && with_apt new apt-get download -q linux-source-6.12)
	deb=$(echo "$tmp"/*.deb)
	version=$(dpkg-deb -f "$deb" Version)
	DEBUG_DIR=$CACHE/kernel/debug-${version//[~:]/-}-$(debug_hash)
	rm -rf "$DEBUG_DIR"
	mkdir -p "$DEBUG_DIR/source" "$DEBUG_DIR/headers"
	dpkg-deb --fsys-tarfile "$deb" |
		tar -xO ./usr/src/linux-source-6.12.tar.xz |
		tar -xJ -C "$DEBUG_DIR/source" --strip-components=1 \
			"${DEBUG_WITHOUT[@]/#/--exclude=linux-source-6.12/}"
	rm -rf "$tmp"
}

# All that the fragment asks for must have come out of Kconfig.
check_debug_config()
{
	local line

	while read -r line; do
		case $line in
		*=n)
			! grep -q "^${line%n}" "$1" ;;
		*)
			grep -qxF "$line" "$1" ;;
		esac || {
			echo "Error: the kernel's configuration does not take $line"
			return 1
		}
	done < <(grep '^CONFIG_' "$DEBUG_CONFIG")
}

# What modules are built with stays, the rest of source and objects goes.
trim_debug_kernel()
{
	local dir=$1

	find "$dir/source" -mindepth 1 -maxdepth 1 \
		! -name Makefile ! -name Kbuild ! -name 'Kconfig*' \
		! -name include ! -name scripts ! -name arch ! -name tools \
		-exec rm -rf {} +
	find "$dir/source/arch" -name '*.[cS]' -delete
	find "$dir/headers" \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \) \
		! -path '*/scripts/*' ! -path '*/tools/*' -delete
	rm -f "$dir/headers/vmlinux.unstripped" \
		"$dir/headers/arch/x86/boot/compressed/vmlinux"*
}

build_debug_kernel()
{
	local dir out release

	fetch_debug_source
	dir=$DEBUG_DIR
	out=$dir/headers
	unset MAKEFLAGS MAKEOVERRIDES MFLAGS O
	make -s -C "$dir/source" O="$out" \
		KCONFIG_ALLCONFIG="$DEBUG_CONFIG" allnoconfig
	check_debug_config "$out/.config"
	# Hours may pass on a busy machine: let others go first. KASAN watches the
	# stacks of our modules only, which makes the rest build and run faster;
	# there is no question in Kconfig for that.
	nice make -s -C "$out" -j "$JOBS" CONFIG_KASAN_STACK= bzImage
	# There are no modules of its own whose symbols could be added.
	cp "$out/vmlinux.symvers" "$out/Module.symvers"
	make -s -C "$out" modules_prepare
	release=$(make -s -C "$out" kernelrelease)
	cp "$out/arch/x86/boot/bzImage" "$dir/vmlinuz"
	cp "$out/.config" "$dir/config"
	mkdir -p "$dir/lib/modules/$release"
	: >"$dir/lib/modules/$release/modules.dep"
	trim_debug_kernel "$dir"
	debug_hash >"$dir/hash"
	echo "$release" >"$dir/release"
	ln -sfn "${dir##*/}" "$CACHE/kernel/debug"
}

step_debug()
{
	step debug
	if [ -e "$CACHE/kernel/debug/release" ] &&
	   [ "$(cat "$CACHE/kernel/debug/hash")" = "$(debug_hash)" ]; then
		step_cached "$(cat "$CACHE/kernel/debug/release")"
		return
	fi
	work "build the debug kernel, once" -d "$CACHE/kernel" \
		build_debug_kernel
}
