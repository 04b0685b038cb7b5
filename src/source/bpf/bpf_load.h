/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the programs of a skeleton. The kernel's verifier can take many seconds to refuse one, and
 * it will refuse it again: so a refusal is remembered in the user's cache, by the kernel and the
 * program's bytes, and that program is not tried again there. Removing the file tries it again.
 * What it refuses at once is not remembered: the reason may pass, such as little memory. */
#ifndef SOURCE_BPF_LOAD_H
#define SOURCE_BPF_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct bpf_object_skeleton;
struct bpf_prog_skeleton;
struct bpf_program;
struct err;

/* Returns 0 or -errno; then `err` is "step: cause", as from bpf_fail(). */
int bpf_load(struct bpf_object_skeleton *skeleton, const char *step, struct err *err);

/* Like bpf_load() for a program that was refused before: -ENOEXEC with the reason. 0: it was not,
 * and nothing is loaded. */
int bpf_load_remembered(struct bpf_object_skeleton *skeleton, const char *step, struct err *err);

/* Whether that took so long that it is to be remembered, by the verifier's log; and remembers it.
 */
bool bpf_refusal_lasts(const char *log);
void bpf_refusal_keep(const struct bpf_object_skeleton *skeleton, const char *text);

/* One of its prog_cnt programs. */
const struct bpf_prog_skeleton *bpf_skeleton_program(const struct bpf_object_skeleton *skeleton,
						     int index);

/* Runs an iterator over all threads. take gets each record of `size` bytes that it writes; NULL and
 * 0: it writes none. Returns 0 or -errno. */
typedef void bpf_record_fn(void *context, const void *record);
int bpf_iterate(struct bpf_program *program, size_t size, bpf_record_fn *take, void *context);

/* Extracts the verifier's reason from its log: the last line that is not statistics. */
void bpf_refusal_reason(const char *log, char *ret, size_t size);

#endif
