/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer's kernel part: counts system calls and their lengths for each thread. event/syscall.h
 * describes how it works. */
#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/syscall.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "bpf/arch/arch.bpf.h"
#include "bpf/cgroup_filter.bpf.h"
#include "bpf/loop.bpf.h"
#include "bpf/own.bpf.h"
#include "bpf/syscall_emit.bpf.h"
#include "bpf/syscall_length.bpf.h"
#include "bpf/syscall_recent.bpf.h"
#include "bpf/syscall_thread.bpf.h"
#include "bpf/targets.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MAX_DESCENT 32 /* generations */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 17);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct syscall_key);
	__type(value, struct syscall_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 17);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct syscall_error_key);
	__type(value, __u64);
} errors SEC(".maps");

/* By number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 17);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct syscall_thread);
} names SEC(".maps");

/* Threads that ended, and their sums. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ended SEC(".maps");

static const struct syscall_sum empty;

static __always_inline void name(struct task_struct *task, __u32 number, bool ends)
{
	struct syscall_thread who = { .number = number };

	who.tid = (__u32)task->pid;
	who.tgid = (__u32)task->tgid;
	who.cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	__builtin_memcpy(who.comm, task->comm, sizeof(who.comm));
	if (ends && !bpf_ringbuf_output(&ended, &who, sizeof(who), 0))
		(void)bpf_map_delete_elem(&names, &number);
	else
		(void)bpf_map_update_elem(&names, &number, &who, BPF_ANY);
}

static __always_inline struct thread *meet(struct task_struct *task, bool trace)
{
	struct thread *thread =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread) {
		__sync_fetch_and_add(&counts.untracked_threads, 1);
		return NULL;
	}
	if (thread->number)
		return thread; /* it was met by another way */
	thread->call = SYSCALL_NONE;
	if (!trace)
		return thread;
	thread->number = (__u32)__sync_fetch_and_add(&counts.threads, 1) + 1;
	name(task, thread->number, false);
	return thread;
}

/* With its first call, when all threads are traced. */
static __always_inline struct thread *meet_here(struct task_struct *task)
{
	bool of_user = !uid_plus_one || (__u32)bpf_get_current_uid_gid() == uid_plus_one - 1;

	return meet(task, !is_own((__u32)task->tgid) && of_user &&
				  !(but_targets && is_target((__u32)task->tgid)) &&
				  in_cgroup(task));
}

/* A thread becomes one of a user after its first calls. */
static __always_inline bool is_to_be_met(const struct thread *thread)
{
	return everybody && (!thread || (uid_plus_one && !thread->number));
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);
	__u32 call;

	if (is_to_be_met(thread))
		thread = meet_here(task);
	if (!thread || !thread->number)
		return 0;
	thread->in_unseen = false;
	call = call_of(task, number);
	if (!interest(call)) {
		thread->call = UNWANTED;
		return 0;
	}
	thread->call = call;
	thread->off_cpu_ns = 0;
	if (with_lines && call & SYSCALL_COMPAT_BIT)
		arch_compat_arguments(regs, thread->arg);
	else if (with_lines)
		arch_arguments(regs, thread->arg);
	if (with_lines)
		keep_inputs(call, thread->arg);
	thread->since_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline struct syscall_sum *sum_of(struct thread *thread, __u32 call)
{
	struct syscall_key key = { thread->number, call };
	struct syscall_sum *sum = bpf_map_lookup_elem(&sums, &key);
	__u64 word;

	if (sum)
		return sum;
	(void)bpf_map_update_elem(&sums, &key, &empty, BPF_NOEXIST);
	sum = bpf_map_lookup_elem(&sums, &key);
	if (!sum) {
		__sync_fetch_and_add(&counts.lost_calls, 1);
		return NULL;
	}
	sum->key = key;
	word = call / 64;
	__asm__ volatile("" : "+r"(word));
	if (word < USED_WORDS)
		thread->used[word] |= 1ull << call % 64;
	return sum;
}

static __noinline int count_error(struct syscall_key *about, __u32 error)
{
	struct syscall_error_key key = { .error = error };
	const __u64 one = 1;
	__u64 *count;

	if (!about)
		return 0;
	key.key = *about;
	count = bpf_map_lookup_elem(&errors, &key);
	if (count)
		++*count;
	else if (bpf_map_update_elem(&errors, &key, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&counts.lost_errors, 1);
	return 0;
}

static __always_inline void add_to_bucket(struct syscall_sum *sum, __u64 ns)
{
	__u64 bucket = syscall_length_bucket(ns);

	if (sum->bucket[bucket] != UINT32_MAX)
		sum->bucket[bucket]++;
}

static __always_inline void time_call(struct syscall_sum *sum, struct thread *thread, __u64 ns)
{
	sum->total_ns += ns;
	sum->off_cpu_ns += thread->off_cpu_ns;
	if (ns < sum->min_ns || !sum->timed)
		sum->min_ns = ns;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
	sum->timed++;
	add_to_bucket(sum, ns);
}

/* Adds the recent calls of a place to their sum. */
SUBPROGRAM int flush_recent(struct thread *thread, __u32 which)
{
	struct recent_calls *recent;
	struct syscall_sum *sum;
	__u64 place = which;

	__asm__ volatile("" : "+r"(place));
	if (!thread)
		return 0;
	recent = &thread->recent[place & (RECENT_CALLS - 1)];
	if (!recent->calls)
		return 0;
	sum = sum_of(thread, recent->call);
	if (sum)
		recent_move(recent, sum);
	else /* one is counted already */
		__sync_fetch_and_add(&counts.lost_calls, recent->calls - 1);
	recent->calls = 0;
	return 0;
}

static __always_inline void flush_all_recent(struct thread *thread)
{
	for (__u32 i = 0; i < RECENT_CALLS; i++)
		(void)flush_recent(thread, i);
}

static __always_inline void count_call(struct thread *thread, __u32 call, bool timed, __u64 ns,
				       long result)
{
	__u64 place = recent_place(call);
	struct recent_calls *recent = &thread->recent[place];
	struct syscall_sum *sum;

	if (!is_error(result) && (!timed || !thread->off_cpu_ns)) {
		if (!recent_has_room(recent, call, timed, timed ? syscall_length_bucket(ns) : 0))
			(void)flush_recent(thread, place);
		recent_add(recent, call, timed, ns);
		return;
	}
	sum = sum_of(thread, call);
	if (!sum)
		return;
	sum->calls++;
	if (timed)
		time_call(sum, thread, ns);
	if (is_error(result)) {
		sum->errors++;
		(void)count_error(&sum->key, (__u32)-result);
	}
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);
	struct syscall_line end = { .result = result };
	__u64 ns = 0;
	__u8 about;
	bool timed;
	__u32 call;

	if (!with_times && is_to_be_met(thread))
		thread = meet_here(task);
	if (!thread || !thread->number)
		return 0;
	call = thread->call;
	thread->call = SYSCALL_NONE;
	timed = call != SYSCALL_NONE;
	if (!timed) {
		/* Without sys_enter, or refused by seccomp before it. */
		if (thread->in_unseen) {
			thread->in_unseen = false;
			return 0;
		}
		call = call_of(task, arch_returning_call(regs));
	}
	if (thread->before_exec || call == UNWANTED)
		return 0;
	about = interest(call);
	if (timed)
		ns = bpf_ktime_get_ns() - thread->since_ns;
	if (ns < min_ns || (only_errors && !is_error(result)))
		about &= SYSCALL_FOLLOWED;
	if (is_error(result))
		about &= SYSCALL_WANTED;
	if (!about)
		return 0;
	if (with_sums && about & SYSCALL_WANTED)
		count_call(thread, call, timed, ns, result);
	if (with_lines) {
		if (!timed) {
			thread->since_ns = bpf_ktime_get_ns();
			arch_arguments(regs, thread->arg);
			forget_inputs();
		}
		end.call = call;
		end.ns = ns;
		end.unshown = !(about & SYSCALL_WANTED);
		emit(thread, &end);
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct thread *thread = thread_of(prev);

	if (thread)
		thread->left_ns = bpf_ktime_get_ns();
	thread = thread_of(next);
	if (thread && thread->left_ns) {
		/* A call begins on the CPU, so all of this is part of the open one. */
		thread->off_cpu_ns += bpf_ktime_get_ns() - thread->left_ns;
		thread->left_ns = 0;
	}
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct thread *by = thread_of(parent), *thread;

	if (!with_children || !by || !by->number || by->before_exec)
		return 0;
	thread = meet(child, true);
	if (thread)
		thread->in_unseen = true; /* it returns from its parent's call */
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid, struct linux_binprm *program_file)
{
	struct thread *thread = thread_of(task);

	if (!thread)
		return 0;
	thread->before_exec = false;
	if (with_lines && thread->number)
		keep_path(task, program_file);
	return 0;
}

/* The part of an open call that has passed. */
static __always_inline void close_call(struct thread *thread, __u64 now_ns, bool returns_never)
{
	struct syscall_line end = { .call = thread->call, .returns_never = true };
	struct syscall_sum *sum;
	__u8 about;

	thread->call = SYSCALL_NONE;
	if (end.call == SYSCALL_NONE || end.call == UNWANTED || thread->before_exec)
		return;
	about = interest(end.call);
	if (only_errors || (min_ns && (returns_never || now_ns < thread->since_ns + min_ns)))
		about &= SYSCALL_FOLLOWED;
	end.unshown = !(about & SYSCALL_WANTED);
	if (with_lines && returns_never && about)
		emit(thread, &end);
	if (!with_sums || end.unshown)
		return;
	sum = sum_of(thread, end.call);
	if (!sum)
		return;
	if (returns_never)
		sum->calls++;
	else if (now_ns > thread->since_ns)
		sum->open_ns = now_ns - thread->since_ns;
}

/* Without room in the ring it stays in the map. */
static long hand_out(__u32 number, struct thread **context)
{
	struct thread *thread = *context;
	struct syscall_key key = { thread->number, number };
	struct syscall_sum *sum;
	__u64 word = number / 64;

	__asm__ volatile("" : "+r"(word));
	if (word >= USED_WORDS || !(thread->used[word] >> number % 64 & 1))
		return 0;
	sum = bpf_map_lookup_elem(&sums, &key);
	if (sum && !bpf_ringbuf_output(&ended, sum, sizeof(*sum), 0))
		(void)bpf_map_delete_elem(&sums, &key);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct *task)
{
	struct thread *thread = thread_of(task);
	long call;

	if (!thread || !thread->number)
		return 0;
	if (!with_times) {
		/* A thread that is killed has left its call; only these do not return. */
		call = arch_ending_call((const struct pt_regs *)bpf_task_pt_regs(task));
		if (call >= 0 && is_wanted(call_of(task, call)))
			thread->call = call_of(task, call);
	}
	flush_all_recent(thread);
	close_call(thread, 0, true);
	name(task, thread->number, true);
	LOOP(USED_NUMBERS, hand_out, &thread);
	thread->number = 0;
	return 0;
}

static __always_inline bool is_chosen(const struct task_struct *task)
{
	bool thread = by_tid && (__u32)task->tgid != program;

	return is_target(thread ? (__u32)task->pid : (__u32)task->tgid);
}

/* Of a thread that is chosen, at any remove; but we are not traced as a child of the shell. */
static __always_inline bool is_descendant(const struct task_struct *task)
{
	if (is_own((__u32)task->tgid))
		return false;
	for (int i = 0; i < MAX_DESCENT; i++) {
		task = task->real_parent;
		if (!task || (__u32)task->pid <= 1)
			return false;
		if (is_chosen(task))
			return true;
	}
	return false;
}

/* Whether it is met at the start: of all threads those in a cgroup, to know what they wait in;
 * others are met with their first call. A program that is to be run has calls before it that are
 * not its.
 */
static __always_inline bool is_met_at_start(const struct task_struct *task)
{
	if (!everybody)
		return is_chosen(task) || (with_descendants && is_descendant(task));
	return program ? (__u32)task->tgid == program
		       : !is_own((__u32)task->tgid) && !uid_plus_one &&
				 !(but_targets && is_target((__u32)task->tgid));
}

/* Read once at the start, by reading the iterator. */
SEC("iter/task")
int begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread;

	if (!task || !task->pid || !in_cgroup(task))
		return 0;
	if (!is_met_at_start(task))
		return 0;
	thread = meet(task, true);
	if (!thread)
		return 0;
	thread->in_unseen = with_times;
	thread->before_exec = (__u32)task->tgid == program;
	if (with_lines)
		emit_open(task, thread, 0);
	return 0;
}

/* Read at the end: the names of threads, and the calls they are in. */
SEC("iter/task")
int finish(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread;

	if (!task)
		return 0;
	thread = thread_of(task);
	if (!thread || !thread->number)
		return 0;
	flush_all_recent(thread);
	if (with_lines)
		emit_open(task, thread, stopped_ns);
	if (thread->call == SYSCALL_NONE && thread->in_unseen) {
		thread->call = waits_in(task, (const struct pt_regs *)bpf_task_pt_regs(task));
		thread->since_ns = started_ns;
	}
	close_call(thread, stopped_ns, false);
	name(task, thread->number, false);
	return 0;
}
