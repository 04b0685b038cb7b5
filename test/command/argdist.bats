# SPDX-License-Identifier: GPL-2.0-or-later
# cupel argdist: specifications, and what is wrong with them. test/live/argdist.sh tests the values.

@test "argdist: names what it needs" {
	run "$CUPEL" argdist
	[ "$status" -eq 2 ]
	[[ $output == *"-C SPEC or -H SPEC"* ]]
	run "$CUPEL" argdist -C 'p:c:malloc()' --
	[ "$status" -eq 2 ]
	run "$CUPEL" argdist -C 'p:c:malloc()' -z 64
	[ "$status" -eq 2 ]
}

@test "argdist: bad specifications name the cause" {
	for spec in "malloc|is BINARY:NAME" \
		"p:c:malloc(size_t size|does not end with )" "p:c:malloc():int|types without" \
		"p:c:malloc():int:a,b|as many types" "t:sched|is BINARY:NAME" \
		"p:c:malloc(size_t size):foo:size|unknown type 'foo'"; do
		run "$CUPEL" argdist -C "${spec%%|*}"
		[ "$status" -eq 2 ]
		[[ $output == *"${spec#*|}"* ]]
	done
	run "$CUPEL" argdist -H 'p:c:malloc(size_t size):int,int:size,size'
	[ "$status" -eq 2 ]
}

@test "argdist: unknown names have the nearest ones" {
	run "$CUPEL" argdist -C 'p:c:malloq()'
	[ "$status" -eq 1 ]
	[[ $output == *"did you mean 'malloc'"* ]]
	run "$CUPEL" argdist -C 'p:c:malloc(size_t size):int:sise'
	[ "$status" -eq 1 ]
	[[ $output == *"'sise': no such variable"*"did you mean 'size'?"* ]]
	run "$CUPEL" argdist -C 'p:c:malloc(size_t size):int:$retval'
	[ "$status" -eq 1 ]
	[[ $output == *"only a return probe"* ]]
}
