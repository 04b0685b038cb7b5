/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types as the kernel describes them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/arena.h"
#include "source/bpf/kernel_types.h"

static size_t read_members(const struct kernel_types *types, const struct btf_type *type)
{
	size_t sum = strlen(kernel_types_name(types, type->name_off));

	if (btf_is_composite(type))
		for (uint32_t i = 0; i < btf_vlen(type); i++)
			sum += strlen(kernel_types_name(types, btf_members(type)[i].name_off));
	if (btf_is_array(type))
		sum += btf_array(type)->nelems;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_types types;
	void *copy = mem_alloc(size ? size : 1); /* aligned */
	size_t sum = 0;

	memcpy(copy, data, size);
	if (kernel_types_read(&types, copy, size)) {
		if (kernel_types_get(&types, 0) || kernel_types_get(&types, types.count))
			__builtin_trap();
		for (uint32_t id = 1; id < types.count; id++)
			sum += 1 + read_members(&types, kernel_types_get(&types, id));
		if (sum < types.count - 1)
			__builtin_trap();
		kernel_types_done(&types);
	}
	free(copy);
	return 0;
}
