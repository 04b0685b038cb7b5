#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every BPF program, built by each installed clang, loads on this kernel, also in the form for
# kernels without bpf_loop().
set -eu
build=$(dirname "$CUPEL")
[ "$(id -u)" -eq 0 ] || {
	echo "needs root"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

default=$(clang -dumpversion)
installable=
for version in 14 16 19 22; do
	if [ "${default%%.*}" != $version ] && [ ! -f "$build/src/bpf/cpu.clang-$version.bpf.o" ]; then
		echo "not tested: clang-$version: not installed"
		! apt-cache show clang-$version >/dev/null 2>&1 || installable="$installable clang-$version"
	fi
done
"$build/test/guest/bpf_load" "$build"/src/bpf/*.bpf.o >loaded
"$build/test/guest/bpf_load" -w BPF_FUNC_loop "$build"/src/bpf/cpu.*bpf.o >older
! grep refused loaded older
sort -k4nr loaded | head -n 5
# at least two builds: by the default clang and by another one
[ "$(grep -c ' on_sample ' loaded)" -gt 2 ] || {
	echo "no clang-N is installed beside the default one${installable:+; ./dev install-deps compilers installs$installable}"
	[ -n "$installable" ] || exit 77
	exit 1
}
