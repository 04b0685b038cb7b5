#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every BPF program, built by each installed clang, loads on this kernel. Its verification takes at most
# the number of instructions in verified_insns.txt, or 10,000 if it is not listed there.
# seconds: 600
uname -r
# The CPU sampler in the form for kernels before 5.17.
/helper/bpf_load -w BPF_FUNC_loop /bpf/cpu.*bpf.o >older || exit 1
sed 's/^/without bpf_loop: /' older
! grep refused older || exit 1
/helper/bpf_load /bpf/*.bpf.o >loaded || exit 1
cat loaded
awk '
	FNR == NR { if ($0 !~ /^#/) recorded[$1 " " $2] = $3; next }
	{
		built = $1
		sub(/\..*/, "", $1) # without the compiler
		name = $1 " " $2; seen[name] = 1; now = $3; was = recorded[name]
	}
	was == "" && (now == "refused" || now + 0 > 10000) {
		print built ": add this to test/guest/verified_insns.txt, if that is right: " name, now
		bad = 1
	}
	was != "" && now == "refused" && was != "refused" {
		print built " " $2 ": the verifier refuses it now (see above)"
		bad = 1
	}
	was + 0 > 0 && now + 0 > was * 1.25 {
		print built " " $2 ": grew from " was " to " now " instructions;" \
			" test/guest/verified_insns.txt says what to do"
		bad = 1
	}
	END {
		for (name in recorded)
			if (!(name in seen)) {
				print name ": is gone; remove it from test/guest/verified_insns.txt"
				bad = 1
			}
		exit bad
	}' "$TESTS/verified_insns.txt" loaded
