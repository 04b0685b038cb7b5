/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's types that one BPF program names, taken out of the hundred thousand that the kernel
 * describes: libbpf relocates a program (CO-RE) by going through all types it is given, once per
 * type that the program names, which would take most of the time of loading. */
#ifndef SOURCE_BPF_TYPES_H
#define SOURCE_BPF_TYPES_H

#include <stdbool.h>

struct bpf_object;

/* A file in memory, which libbpf is told to read instead of the kernel's: its path is the
 * .btf_custom_path when the object is opened, it is filled before the object is loaded. */
struct bpf_types {
	int fd; /* -1 = none */
	char path[32];
};

/* False: there can be no such file, and the path is empty. */
bool bpf_types_open(struct bpf_types *types);
/* Every struct, union and enum of the kernel with a name that occurs in `object`, flavours (after
 * "___") left aside, with all they hold; what they point to becomes void. False: the kernel does
 * not describe itself, or libbpf cannot build it; then open the object without a path. */
bool bpf_types_fill(const struct bpf_types *types, const struct bpf_object *object);
/* To be called when the object is loaded, or will not be. */
void bpf_types_close(struct bpf_types *types);

#endif
