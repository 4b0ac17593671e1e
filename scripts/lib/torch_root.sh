# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Another release of Debian for its PyTorch: a folder of the cache to change the root
# to, as kernels.sh makes them. The bridge is built there; libgaudi and the card in the
# process are those that were built outside, which an older C library is enough for. To
# be sourced after kernels.sh.
#
# $CACHE/root/torch-SUITE/ is such a folder; "torch" in it names what it was made of.

# What builds the bridge, runs its tests, and is linked by libgaudi and the card.
TORCH_PACKAGES=(python3-torch libtorch-dev g++ ccache python3-setuptools
	python3-expecttest python3-pil libc-bin libopenblas0-pthread libfabric1 libdrm2 libelf1t64
	libfdt1 zlib1g openmpi-bin)

# fetch_torch_root DIR NAME
fetch_torch_root()
{
	local dir=$1 tmp=$1.tmp libs=usr/lib/x86_64-linux-gnu name

	unpack_packages "$tmp" "${TORCH_PACKAGES[@]}" || return
	# What the packages' scripts would choose.
	for name in libblas.so.3 liblapack.so.3 libopenblas.so.0; do
		ln -s "openblas-pthread/$name" "$tmp/$libs/$name" || return
	done
	ln -s mpirun.openmpi "$tmp/usr/bin/mpirun" || return
	echo 'root:x:0:0:root:/tmp:/bin/bash' >"$tmp/etc/passwd"
	echo '127.0.0.1 localhost' >"$tmp/etc/hosts"
	echo 'hosts: files' >"$tmp/etc/nsswitch.conf"
	echo "$2" >"$tmp/torch"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# get_torch_root SUITE: make the folder of the suite's PyTorch.
get_torch_root()
{
	local dir=$CACHE/root/torch-$1 version name

	APT=torch-$1
	private_apt "$APT" "$(apt_line deb "$1")" || return
	version=$(with_apt "$APT" apt-cache show python3-torch |
		sed -n 's/^Version: //p' | sort -V | tail -n 1)
	if [ -z "$version" ]; then
		echo "Error: no python3-torch in $1 of $(mirror)"
		return 1
	fi
	# Made anew by another way of making it, too.
	name="$version $(content_hash "$ROOT/scripts/lib/torch_root.sh")"
	[ "$(cat "$dir/torch" 2>/dev/null)" = "$name" ] ||
		fetch_torch_root "$dir" "$name"
}

# in_torch_root SUITE COMMAND...: with what is built for that PyTorch as build folder:
# the same libgaudi, and its own bridge; what was compiled in any clone is not compiled again,
# nor PyTorch's Python, which no package's script has compiled, with each start of it.
in_torch_root()
{
	local suite=$1 build=$BUILD/torch-$1 name
	shift
	mkdir -p "$build"
	for name in thunk sim firmware; do
		ln -sfn "../$name" "$build/$name"
	done
	in_root "torch-$suite" env GAUDI_ROOT="$ROOT" GAUDI_BUILD="$build" \
		PYTHONPYCACHEPREFIX="$build/pycache" \
		PATH=/usr/lib/ccache:/usr/bin:/usr/sbin CCACHE_DIR="$CACHE/ccache" \
		CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=3G "$@"
}
