/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the programs of a skeleton. The kernel's verifier can take many seconds to refuse one, and
 * it will refuse it again: so a refusal is remembered in the user's cache, by the kernel and the
 * program's bytes, and that program is not tried again there. Removing the file tries it again. */
#ifndef SOURCE_BPF_LOAD_H
#define SOURCE_BPF_LOAD_H

#include <stddef.h>

struct bpf_object_skeleton;
struct err;

/* Returns 0 or -errno; then `err` is "step: cause", as from bpf_fail(). */
int bpf_load(struct bpf_object_skeleton *skeleton, const char *step, struct err *err);

/* Like bpf_load() for a program that was refused before: -ENOEXEC with the reason. 0: it was not,
 * and nothing is loaded. */
int bpf_load_remembered(struct bpf_object_skeleton *skeleton, const char *step, struct err *err);

/* Extracts the verifier's reason from its log: the last line that is not statistics. */
void bpf_refusal_reason(const char *log, char *ret, size_t size);

#endif
