/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/kernel_types.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/vec.h"

/* Bytes behind a type; SIZE_MAX = of no kind that is known. */
static size_t length_behind(const struct btf_type *type)
{
	size_t count = btf_vlen(type);

	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return count * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return count * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return count * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return SIZE_MAX;
	}
}

static bool find_sections(struct kernel_types *types, const uint8_t *data, size_t len,
			  size_t *types_len)
{
	const struct btf_header *header = (const void *)data;
	size_t left;

	if (len < sizeof(*header) || (uintptr_t)data % 4 || header->magic != BTF_MAGIC ||
	    header->hdr_len < sizeof(*header) || header->hdr_len > len || header->hdr_len % 4)
		return false;
	left = len - header->hdr_len;
	if (header->type_off > left || header->type_len > left - header->type_off ||
	    header->str_off > left || header->str_len > left - header->str_off ||
	    header->type_off % 4 || !header->str_len)
		return false;
	types->types = data + header->hdr_len + header->type_off;
	types->strings = (const char *)data + header->hdr_len + header->str_off;
	types->strings_len = header->str_len;
	*types_len = header->type_len;
	return types->strings[types->strings_len - 1] == '\0';
}

bool kernel_types_read(struct kernel_types *types, const void *data, size_t len)
{
	VEC(uint32_t) offsets = { 0 };
	size_t types_len, at = 0;

	*types = (struct kernel_types){ 0 };
	if (!find_sections(types, data, len, &types_len))
		return false;
	vec_reserve(&offsets, types_len / 24 + 1); /* a kernel's take 27 bytes on average */
	vec_push(&offsets, 0);
	while (types_len - at >= sizeof(struct btf_type)) {
		size_t behind = length_behind((const void *)(types->types + at));

		if (behind > types_len - at - sizeof(struct btf_type))
			break;
		vec_push(&offsets, (uint32_t)at);
		at += sizeof(struct btf_type) + behind;
	}
	types->offset = offsets.item;
	types->count = (uint32_t)offsets.count;
	if (at == types_len)
		return true;
	kernel_types_done(types);
	return false;
}

void kernel_types_done(struct kernel_types *types)
{
	free(types->offset);
	*types = (struct kernel_types){ 0 };
}

const struct btf_type *kernel_types_get(const struct kernel_types *types, uint32_t id)
{
	return id && id < types->count ? (const void *)(types->types + types->offset[id]) : NULL;
}

const char *kernel_types_name(const struct kernel_types *types, uint32_t offset)
{
	return offset < types->strings_len ? types->strings + offset : "";
}
