/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Global functions. The verifier checks each once, with any arguments, and takes its result for any
 * number. They are weak, so that the compiler knows no more than that: else it may rely on the
 * range of a result, or fold an argument that all calls have alike, and the verifier cannot follow.
 * Which functions these are is decided in the source, never by a compiler's inlining. */
#ifndef BPF_SUBPROGRAM_BPF_H
#define BPF_SUBPROGRAM_BPF_H

#include <linux/types.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define SUBPROGRAM __weak __noinline

#endif
