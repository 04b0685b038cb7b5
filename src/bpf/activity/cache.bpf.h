/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page cache: pages that were looked up by reads, pages that were read into it, and pages that
 * were made dirty. */
#ifndef BPF_ACTIVITY_CACHE_BPF_H
#define BPF_ACTIVITY_CACHE_BPF_H

#include "bpf/activity/call.bpf.h"

#define PAGE_BITS   12 /* of the kernel's index of pages; arm64 may have larger ones */
#define FOLIO_ORDER 0xff

/* The read in progress: the kernel looks for the rest of its pages again after each batch. */
struct looked_up {
	__u64 mapping, index, last;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct looked_up);
} lookups SEC(".maps");

static __always_inline int count_pages(enum activity_cache which, __u64 pages)
{
	struct activity *activity = begin_activity(ACTIVITY_CACHE);

	if (!activity)
		return 0;
	activity->number[which] = pages;
	return deliver(activity);
}

SEC("raw_tp/mm_filemap_get_pages")
int on_get_pages(struct bpf_raw_tracepoint_args *ctx)
{
	struct address_space *mapping = (struct address_space *)ctx->args[0];
	__u64 index = ctx->args[1], last = ctx->args[2], end;
	struct looked_up *before;
	long long size = BPF_CORE_READ(mapping, host, i_size);
	bool goes_on;

	if (!is_of_interest())
		return 0;
	before = bpf_task_storage_get(&lookups, bpf_get_current_task_btf(), NULL,
				      BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!before)
		return 0;
	goes_on = before->mapping == (__u64)mapping && before->last == last &&
		  before->index < index;
	before->mapping = (__u64)mapping;
	before->index = index;
	before->last = last;
	if (goes_on || size <= 0)
		return 0;
	end = ((__u64)size - 1) >> PAGE_BITS;
	if (last > end)
		last = end;
	return last < index ? 0 : count_pages(CACHE_LOOKUPS, last - index + 1);
}

static __always_inline __u64 pages_of(const struct folio *folio)
{
	unsigned long flags = 0;

	/* A folio begins with its flags. */
	(void)bpf_probe_read_kernel(&flags, sizeof(flags), folio);
	if (!(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	return 1ull << (BPF_CORE_READ(folio, _flags_1) & FOLIO_ORDER & 31);
}

static __always_inline bool is_writing(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const volatile struct activity_role *role;

	if (task->flags & PF_KTHREAD)
		return false;
	role = role_of(numbered_call(
		task, arch_returning_call((const struct pt_regs *)bpf_task_pt_regs(task))));
	return role && role->what == 'W';
}

SEC("raw_tp/mm_filemap_add_to_page_cache")
int on_add(struct bpf_raw_tracepoint_args *ctx)
{
	if (!is_of_interest() || is_writing())
		return 0;
	return count_pages(CACHE_ADDED, pages_of((const struct folio *)ctx->args[0]));
}

SEC("raw_tp/writeback_dirty_folio")
int on_dirty(struct bpf_raw_tracepoint_args *ctx)
{
	if (!is_of_interest())
		return 0;
	return count_pages(CACHE_DIRTIED, pages_of((const struct folio *)ctx->args[0]));
}

#endif
