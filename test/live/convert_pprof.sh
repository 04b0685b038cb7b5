#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pprof reads the output of cupel convert. PPROF may name the program, else it is pprof on the PATH,
# or that of Go. Newer releases of Go have it as source only: then it is compiled once for each
# build folder. (google-pprof of gperftools reads no profile.proto; its own format is read by
# cupel.)
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pprof=${PPROF:-pprof}
if ! command -v "${pprof%% *}" >/dev/null; then
	if ! command -v go >/dev/null; then
		echo "no pprof, and no Go that has one"
		exit 77
	fi
	pprof=$(go env GOTOOLDIR)/pprof
	if [ ! -x "$pprof" ]; then
		pprof=$(dirname "$CUPEL")/pprof-$(go env GOVERSION) # kept for the next run
		[ -x "$pprof" ] || {
			GOCACHE=$work/cache go build -gcflags="all=-N -l" -o "$work/pprof" cmd/pprof # compiles in 2/3 of the time
			mv "$work/pprof" "$pprof"
		}
	fi
fi

# convert INPUT: to $work/out.pb.gz
convert() {
	"$CUPEL" convert "$work/$1" "$work/out.pb.gz"
}
# prints PATTERN ARGUMENTS...: pprof's answer about the file has such a line.
prints() {
	$pprof "${@:2}" "$work/out.pb.gz" >"$work/answer" 2>"$work/log"
	grep -q -- "$1" "$work/answer" || {
		echo "pprof ${*:2}: no '$1'"
		cat "$work/answer" "$work/log"
		exit 1
	}
}

printf '%s\n' 'dd 1/1 [000] 1.0: 600 cpu-clock: ' '	3 hot+0x1 (/bin/dd)' '  hot.c:7' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/2 [000] 1.1: 300 cpu-clock: ' '	4 in (inlined)' '	4 warm+0x1 (/bin/dd)' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/1 [001] 1.2: 5 faults: ' '	ffffffff81000000 do_fault ([kernel.kallsyms])' '' >"$work/in.txt"
convert in.txt
prints '600ns 66.67%.* hot' -sample_index=cpu-clock -unit=ns -top
prints '300ns 33.33%.* in' -sample_index=cpu-clock -unit=ns -top
prints ' 900ns .* main' -sample_index=cpu-clock -unit=ns -top -cum
prints '5  *100%.* do_fault' -sample_index=faults -top
prints '300ns' -sample_index=cpu-clock -unit=ns -top -tagfocus tid=2
prints 'comm: .*' -sample_index=cpu-clock -unit=ns -tags
prints '^Mappings' -raw
prints ' 66.67%' -sample_index=cpu-clock -unit=ns -peek '^hot$'

printf '%s\n' 'dd 1/1 [000] 1.0: 600 cpu-clock: ' '	3 hot+0x1 (/bin/dd)' '  hot.c:7' '' \
	'dd 1/1 [000] 1.1: 300 cpu-clock: ' '	5 hot+0x3 (/bin/dd)' '  hot.c:9' '' \
	'dd 1/2 [000] 1.2: 100 cpu-clock: ' '' >"$work/lines.txt"
convert lines.txt
prints '300ns 30.00%.* hot hot.c:9' -sample_index=cpu-clock -unit=ns -lines -top

# Names that are not UTF-8 and weights with fractions.
printf 'a;b\377\001";c 5\na;"<&>]]>--;d 2.125\n[unknown];0xyz 3\n' >"$work/hostile.txt"
convert hostile.txt
prints '^count/count samples/1/1000 count\[dflt\]' -sample_index=samples -raw

# Against a base, as its users compare.
cp "$work/out.pb.gz" "$work/base.pb.gz"
convert hostile.txt
prints 'accounting for 0, 0%' -sample_index=samples -top -diff_base "$work/base.pb.gz"
