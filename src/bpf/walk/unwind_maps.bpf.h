/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps of unwind_tables.h and the hooks of unwind_lookup.h, for the programs that search them.
 * The includer defines UNWIND_CONTEXT first. */
#ifndef BPF_UNWIND_MAPS_BPF_H
#define BPF_UNWIND_MAPS_BPF_H

#include <linux/bpf.h>
#include <stddef.h>

#include <bpf/bpf_helpers.h>

#include "bpf/walk/unwind_tables.h"

/* Sizes, not types: the kernel takes no description of a key without one of the value. */
struct unwind_shard_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, UNWIND_SHARD_BYTES);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_SHARDS);
	__type(key, uint32_t);
	__array(values, struct unwind_shard_map);
} unwind_shards SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_BINARIES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct unwind_binary);
} unwind_binaries SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_SPACES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

/* Preallocated, as kernels before 6.1 demand of programs of perf events. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_SPACES);
	__type(key, uint32_t);
	__type(value, struct unwind_process);
} unwind_processes SEC(".maps");

static inline __attribute__((always_inline)) const uint8_t *unwind_shard(UNWIND_CONTEXT *context,
									 uint32_t shard)
{
	void *map = bpf_map_lookup_elem(&unwind_shards, &shard);
	uint32_t zero = 0;

	(void)context;
	return map ? bpf_map_lookup_elem(map, &zero) : NULL;
}

static inline __attribute__((always_inline)) struct unwind_binary *
unwind_binary_at(UNWIND_CONTEXT *context, uint32_t id)
{
	(void)context;
	return bpf_map_lookup_elem(&unwind_binaries, &id);
}

/* The address space of a process; NULL = not known. */
static inline __attribute__((always_inline)) struct unwind_space *unwind_space_of(uint32_t tgid)
{
	const uint64_t *found = bpf_map_lookup_elem(&unwind_processes, &tgid);
	union {
		uint64_t word;
		struct unwind_process process;
	} value;

	if (!found)
		return NULL;
	value.word = *(const volatile uint64_t *)found;
	if (value.process.tgid != tgid)
		return NULL;
	return bpf_map_lookup_elem(&unwind_spaces, &value.process.space);
}

#endif
