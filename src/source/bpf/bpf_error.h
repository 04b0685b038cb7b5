/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error messages for BPF programs that the kernel rejects. */
#ifndef SOURCE_BPF_ERROR_H
#define SOURCE_BPF_ERROR_H

#include <stdbool.h>

struct err;

/* Silences libbpf: our errors report what failed. Call it before using libbpf. */
void bpf_be_quiet(void);

/* Fills `err` with "step: cause" for the -errno `code` and, where the user can act, a hint.
 * Returns `code`. */
int bpf_fail(struct err *err, int code, const char *step);

/* Whether this kernel is Linux major.minor or newer; false if its release cannot be read. */
bool bpf_kernel_since(unsigned major, unsigned minor);

#endif
