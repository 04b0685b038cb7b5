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
#include "bpf/syscall_length.bpf.h"
#include "bpf/syscall_line.bpf.h"
#include "bpf/syscall_open.bpf.h"
#include "bpf/syscall_recent.bpf.h"
#include "bpf/targets.bpf.h"
#include "bpf/task_state.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MAX_ERRNO 4095

/* Set before loading. */
const volatile bool everybody;	   /* all threads of the machine, but not ours */
const volatile bool by_tid;	   /* targets are threads, else processes */
const volatile bool with_children; /* threads and processes that a traced one makes */
const volatile bool with_sums;
const volatile __u64 min_ns;	    /* sums and lines are of calls that take this long, */
const volatile bool only_errors;    /* and fail */
const volatile bool with_times;	    /* sys_enter and sched_switch are attached, too */
const volatile __u32 program;	    /* the process that is traced from its exec on; 0 = none */
const volatile __u32 recorder;	    /* our process */
const volatile bool unknown_wanted; /* calls with a number that the tables do not have */
const volatile __u8 wanted[SYSCALL_ABIS][SYSCALL_NUMBERS];

struct syscall_counts counts;
__u64 started_ns, stopped_ns; /* when tracing began and ended */

#define UNWANTED     (SYSCALL_NONE - 1)
#define USED_NUMBERS 512 /* sums of higher ones stay in the map until the end */
#define USED_WORDS   (USED_NUMBERS / 64)

struct thread {
	__u32 number; /* 0 = it is not traced */
	__u32 call;   /* the open one; SYSCALL_NONE, UNWANTED */
	__u64 since_ns, left_ns, off_cpu_ns;
	bool before_exec; /* the program: what it calls is not its own yet */
	bool in_unseen;	  /* perhaps in a call that is not to be counted */
	__u32 missing;	  /* calls without a line since its last one */
	__u64 arg[SYSCALL_ARGS];
	__u64 used[USED_WORDS]; /* a bit for each native call that has a sum */
	struct recent_calls recent[RECENT_CALLS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

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

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

static __always_inline bool is_wanted(__u32 call)
{
	__u64 number = call & ~(SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);

	__asm__ volatile("" : "+r"(number));
	if (number >= SYSCALL_NUMBERS)
		return unknown_wanted;
	return call & SYSCALL_COMPAT_BIT ? wanted[SYSCALL_COMPAT][number]
					 : wanted[SYSCALL_NATIVE][number];
}

static __always_inline __u32 call_of(struct task_struct *task, long number)
{
	__u32 call = (__u32)number & ~SYSCALL_COMPAT_BIT;

	return arch_in_compat(task) ? call | SYSCALL_COMPAT_BIT : call;
}

/* The call that another task sleeps in. What runs may have left the one in its registers. */
static __always_inline __u32 waits_in(struct task_struct *task, const struct pt_regs *regs)
{
	const __u32 waits = TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE;
	long number = (long)ARCH_CALL(regs);

	return task_state(task) & waits && task->mm && number >= 0 ? call_of(task, number)
								   : SYSCALL_NONE;
}

static __always_inline void name(struct task_struct *task, __u32 number, bool ends)
{
	struct syscall_thread who = { .number = number };

	who.tid = (__u32)task->pid;
	who.tgid = (__u32)task->tgid;
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
	return meet(task, (__u32)task->tgid != recorder && in_cgroup(task));
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);
	__u32 call;

	if (!thread && everybody)
		thread = meet_here(task);
	if (!thread || !thread->number)
		return 0;
	thread->in_unseen = false;
	call = call_of(task, number);
	if (!is_wanted(call)) {
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

static __always_inline bool is_error(long result)
{
	return result < 0 && result >= -MAX_ERRNO;
}

static __always_inline struct line_scratch *new_line(struct task_struct *task,
						     const struct thread *thread, __u32 call)
{
	const __u32 zero = 0;
	struct line_scratch *to = bpf_map_lookup_elem(&scratch, &zero);

	if (!to)
		return NULL;
	__builtin_memset(&to->line, 0, sizeof(to->line));
	to->line.start_ns = thread->since_ns;
	__builtin_memcpy(to->line.arg, thread->arg, sizeof(to->line.arg));
	to->line.call = call;
	to->line.tid = (__u32)task->pid;
	to->line.tgid = (__u32)task->tgid;
	to->line.missing = thread->missing;
	__builtin_memcpy(to->line.comm, task->comm, sizeof(to->line.comm));
	return to;
}

static __always_inline void sent(struct thread *thread, bool yes)
{
	if (yes) {
		thread->missing = 0;
	} else {
		thread->missing++;
		__sync_fetch_and_add(&counts.lost_lines, 1);
	}
}

/* Of the current task. */
static __always_inline void emit(struct thread *thread, __u32 call, __u64 ns, long result,
				 bool returns_never)
{
	struct line_scratch *to = new_line(bpf_get_current_task_btf(), thread, call);

	if (!to)
		return;
	to->line.ns = ns;
	to->line.result = result;
	to->line.returns_never = returns_never;
	sent(thread, send_line(to));
}

/* The call that any task is in, at `now_ns`. */
static __always_inline void emit_open(struct task_struct *task, struct thread *thread, __u64 now_ns)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	bool old = thread->call == SYSCALL_NONE && thread->in_unseen;
	__u32 call = thread->call;
	struct line_scratch *to;

	if (old)
		call = waits_in(task, regs);
	if (call == SYSCALL_NONE || call == UNWANTED || thread->before_exec || only_errors ||
	    !is_wanted(call))
		return;
	if (old && call & SYSCALL_COMPAT_BIT)
		arch_compat_arguments(regs, thread->arg);
	else if (old)
		arch_arguments(regs, thread->arg);
	to = new_line(task, thread, call);
	if (!to)
		return;
	to->line.open = true;
	to->line.old = old;
	if (old)
		to->line.start_ns = started_ns;
	if (now_ns > to->line.start_ns)
		to->line.ns = now_ns - to->line.start_ns;
	if (to->line.ns < min_ns)
		return;
	sent(thread, send_open_line(to, old ? NULL : task));
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
	__u64 ns = 0;
	bool timed;
	__u32 call;

	if (!thread && everybody && !with_times)
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
	if (thread->before_exec || call == UNWANTED || !is_wanted(call))
		return 0;
	if (timed)
		ns = bpf_ktime_get_ns() - thread->since_ns;
	if (ns < min_ns || (only_errors && !is_error(result)))
		return 0;
	if (with_sums)
		count_call(thread, call, timed, ns, result);
	if (with_lines) {
		if (!timed) {
			thread->since_ns = bpf_ktime_get_ns();
			arch_arguments(regs, thread->arg);
			forget_inputs();
		}
		emit(thread, call, ns, result, false);
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
	if (with_lines)
		keep_path(task, program_file);
	return 0;
}

/* The part of an open call that has passed. */
static __always_inline void close_call(struct thread *thread, __u64 now_ns, bool returns_never)
{
	__u32 call = thread->call;
	struct syscall_sum *sum;

	thread->call = SYSCALL_NONE;
	if (call == SYSCALL_NONE || call == UNWANTED || thread->before_exec || only_errors)
		return;
	if (min_ns && (returns_never || now_ns < thread->since_ns + min_ns))
		return;
	if (with_lines && returns_never)
		emit(thread, call, 0, 0, true);
	if (!with_sums)
		return;
	sum = sum_of(thread, call);
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

/* Read once at the start, by reading the iterator. */
SEC("iter/task")
int begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread;
	__u32 id;

	if (!task || !task->pid)
		return 0;
	id = by_tid && (__u32)task->tgid != program ? (__u32)task->pid : (__u32)task->tgid;
	if (!is_target(id) || !in_cgroup(task))
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
	close_call(thread, stopped_ns, false);
	name(task, thread->number, false);
	return 0;
}
