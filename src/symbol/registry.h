/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbolizers there are. A new one: a file with its ops, a line here, a line in chain.c. */
#ifndef SYMBOL_REGISTRY_H
#define SYMBOL_REGISTRY_H

struct symbolizer_ops;

extern const struct symbolizer_ops symbolizer_bpf;
extern const struct symbolizer_ops symbolizer_elf;
extern const struct symbolizer_ops symbolizer_jit;
extern const struct symbolizer_ops symbolizer_kernel;
extern const struct symbolizer_ops symbolizer_perfmap;
extern const struct symbolizer_ops symbolizer_python;
extern const struct symbolizer_ops symbolizer_vdso;
extern const struct symbolizer_ops symbolizer_vmlinux;

#endif
