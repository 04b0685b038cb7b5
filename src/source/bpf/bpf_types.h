/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's types that one BPF program names, taken out of the hundred thousand that the kernel
 * describes: libbpf relocates a program (CO-RE) by going through all types it is given, once per
 * type that the program names, which would take most of the time of loading. */
#ifndef SOURCE_BPF_TYPES_H
#define SOURCE_BPF_TYPES_H

#include <stdbool.h>

struct bpf_object;

/* A file in memory that libbpf reads instead of the kernel's BTF: its path is .btf_custom_path when
 * the object is opened; it is filled before the object is loaded. */
struct bpf_types {
	int fd; /* -1 = none */
	char path[32];
};

/* False: there can be no such file, and the path is empty. */
bool bpf_types_open(struct bpf_types *types);
/* Adds every named struct, union and enum of the kernel that occurs in `object`, ignoring flavours
 * (after "___"), with all members; pointer targets become void. Returns false if the kernel has no
 * BTF or libbpf cannot build it; open the object without a path then. */
bool bpf_types_fill(const struct bpf_types *types, const struct bpf_object *object);
/* To be called when the object is loaded, or will not be. */
void bpf_types_close(struct bpf_types *types);

#endif
