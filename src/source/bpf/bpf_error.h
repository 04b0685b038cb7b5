/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all that loads BPF programs says when the kernel refuses. */
#ifndef SOURCE_BPF_ERROR_H
#define SOURCE_BPF_ERROR_H

struct err;

/* From here on libbpf prints nothing: our errors tell what failed. To be called before it is used.
 */
void bpf_be_quiet(void);

/* Fills `err` with "step: cause" for the -errno `code` and, where the user can act, a hint.
 * Returns `code`. */
int bpf_fail(struct err *err, int code, const char *step);

#endif
