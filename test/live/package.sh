#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ./dev package: builds in two folders give the same bytes, without paths of the folders. The package
# can be installed into an empty root, where the program runs; a purge leaves no files. The folders stay
# in build-package/, so a second run builds only the changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
trees=$(cd "$here/../.." && pwd)/build-package
for program in python3 meson dpkg-deb clang bpftool; do
	PATH=$PATH:/usr/sbin command -v $program >/dev/null || {
		echo "needs $program"
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}

# The second tree has a longer name.
for tree in a another; do
	mkdir "$work/$tree.out"
	python3 -B "$here/tree_copy.py" "$trees/$tree" test/
	CUPEL_OPTIMIZATION=0 SOURCE_DATE_EPOCH=1000000000 "$trees/$tree/dev" package "$work/$tree.out" >"$work/said" 2>&1 ||
		fail "$tree: $(tail -n 40 "$work/said")"
done
package=$(basename "$work"/a.out/*.deb)
cmp "$work/a.out/$package" "$work/another.out/$package" || fail "two builds differ"
program=$trees/a/build-static/cupel
[ -z "$(strings "$program" | grep -F "$trees")" ] || fail "the program names the folder it was built in"
! ldd "$program" >/dev/null 2>&1 || fail "the program is not static"
[ -z "$(nm "$program" 2>/dev/null)" ] || fail "the program is not stripped"
dpkg-deb -c "$work/a.out/$package" >"$work/contents"
for file in usr/bin/cupel usr/share/man/man1/cupel-record.1.gz usr/share/bash-completion/completions/cupel \
	usr/share/zsh/site-functions/_cupel usr/share/doc/cupel/README.md usr/share/doc/cupel/copyright; do
	grep -q " \./$file$" "$work/contents" || fail "no $file: $(cat "$work/contents")"
done

if [ "$(id -u)" != 0 ]; then
	echo "built twice, equal; needs root to install it into a separate root"
	exit 77
fi
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers" "$root/tmp"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
dpkg --root="$root" --install "$work/a.out/$package" >"$work/said" 2>&1 || fail "install: $(cat "$work/said")"
printf 'a;b 1\na;c 2\n' >"$root/input.folded"
chroot "$root" /usr/bin/cupel version | grep -q '^cupel version' || fail "it does not run in an empty root"
chroot "$root" /usr/bin/cupel flamegraph -o /out.svg /input.folded || fail "no picture in an empty root"
grep -q '<svg' "$root/out.svg" || fail "no picture in an empty root"
dpkg --root="$root" --purge cupel >"$work/said" 2>&1 || fail "purge: $(cat "$work/said")"
[ -z "$(find "$root/usr" -type f 2>/dev/null)" ] || fail "left behind: $(find "$root/usr" -type f)"
echo "$package: $(stat -c %s "$work/a.out/$package") bytes"
