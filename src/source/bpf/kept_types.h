/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bpf_types.h takes out of the kernel's types, kept for later runs, as that takes 4 ms: a file
 * for each BPF object in the user's cache, replaced when the kernel or the object is another one.
 */
#ifndef SOURCE_KEPT_TYPES_H
#define SOURCE_KEPT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_types {
	int folder; /* -1 = nothing is kept */
	char name[64];
	uint64_t key; /* of what the types are made from */
};

/* For the object of this name; `wanted` lists the kernel types it uses. */
void kept_types_open(struct kept_types *kept, const char *object, const void *wanted, size_t len);
void kept_types_close(struct kept_types *kept);

/* Writes the types to a descriptor. False: there are none. */
bool kept_types_get(const struct kept_types *kept, int to);
void kept_types_put(const struct kept_types *kept, const void *data, size_t len);

#endif
