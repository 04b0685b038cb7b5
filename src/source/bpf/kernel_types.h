/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types in the form in which the kernel describes its own, for reading alone: of 6 MB a few KB are
 * wanted, and libbpf would copy and check them all. Format: Documentation/bpf/btf.rst. */
#ifndef SOURCE_KERNEL_TYPES_H
#define SOURCE_KERNEL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_type;

struct kernel_types {
	const uint8_t *types; /* borrowed, like the strings */
	const char *strings;
	size_t strings_len;
	uint32_t *offset; /* of each type by id; [0] is void */
	uint32_t count;	  /* with void */
};

/* False: not whole, or of another machine. What lies behind each type is there. */
bool kernel_types_read(struct kernel_types *types, const void *data, size_t len);
void kernel_types_done(struct kernel_types *types);
/* NULL = no such type, or void. */
const struct btf_type *kernel_types_get(const struct kernel_types *types, uint32_t id);
/* The name at an offset; may be empty. */
const char *kernel_types_name(const struct kernel_types *types, uint32_t offset);

#endif
