/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Off-CPU time with stacks: a thread's stack is unwound when it leaves the CPU, named (bpf/cpu.h),
 * and kept in the thread's storage. The wait is reported when it ends, with its duration: long ones
 * as samples, short ones as sums by thread and stack, so that sums are exact and little is written.
 * A thread that waits in the same place again is not unwound again (bpf/off_cpu/stack_cache.bpf.h).
 * Waits in progress at the start or end are found by iterators. */
#define WALKS_LOG_READS 1

#include "bpf/off_cpu.h"
#include "bpf/off_cpu/stack_cache.bpf.h"
#include "bpf/walk/raw_out.bpf.h"
#include "bpf/walk/user_walk.bpf.h"

#include "event/ledger_account.h"

#include <bpf/bpf_tracing.h>

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/wait/futex.bpf.h"
#include "bpf/wait/handover.bpf.h"
#include "bpf/wait/interrupts.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Frames of the tracing itself on top of the kernel's stack: walk_stack(), its program, the
 * kernel's call of that. */
#define OWN_FRAMES 2
/* What an interrupt's wake-up is shown with: these are of its handler, those below may be of the
 * thread that happened to be on the CPU. */
#define INTERRUPT_FRAMES 3
#define SUM_KEPT_NS	 200000000u

/* Set before loading; these are usual. */
const volatile __u32 accounts = 0x3ff8;	     /* bits of enum ledger_account that are wanted */
const volatile __u64 threshold_ns = 1000000; /* shorter waits are summed up */
const volatile __u64 off_cpu_id, wakeup_id;  /* of events, when there are several */
const volatile bool with_sleepers = true, with_wakers; /* samples to record */
const volatile bool everybody;			       /* all threads */
const volatile bool inherit = true;
const volatile __u32 program;	   /* waits for its exec, which begins everything; 0 = none */
const volatile bool until_running; /* being woken ends no wait, having a CPU again does */
/* Other waits are left out. */
const volatile __u64 min_ns, max_ns = UINT64_MAX;
const volatile __u32 task_states; /* bits of task_struct.__state; 0 = whatever it is */
const volatile bool without_user_threads, without_kernel_threads;

/* Nothing is taken before. */
bool enabled;

/* A recorded stack: its thread and its name, 0: none. */
struct taken {
	__u64 stack;
	__u32 pid, tid;
	bool raw;
	bool fresh; /* with Python functions to be named by user space */
};

/* Where a thread was, and what that was known by. */
struct stand {
	struct taken taken;
	struct stack_cache cache;
};

/* Short waits that a thread carries until another kind of wait follows, or SUM_KEPT_NS. */
struct pending_sum {
	struct off_cpu_sum_key key;
	struct off_cpu_sum sum;
	__u64 first_ns;
};

/* A thread that is watched. */
struct thread {
	__u64 since_ns; /* it left the CPU, or was woken; 0 = nothing that is wanted */
	__u64 woken_ns; /* while it was leaving; waker is set */
	__u64 ran_ns;	/* in its life, when it left the CPU */
	bool leaving;	/* its stack is being taken */
	bool ring;	/* it waits for requests of a ring */
	__u32 kernel_lock_flags;
	__u64 kernel_lock;	   /* that it is about to sleep for; 0 = none */
	struct taken taken, waker; /* where it waits, and its waker */
	__u64 counter;		   /* struct futex_wait */
	struct work work;
	__u32 account; /* enum ledger_account */
	__u32 next_stand;
	struct stand stand[OFF_CPU_STANDS]; /* where it waited */
	struct stand woke;		    /* where it was when it woke another thread last */
	struct pending_sum pending;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

/* Threads to watch. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

static __always_inline __u32 futex_account(struct task_struct *task, struct thread *thread,
					   const uint64_t arg[3])
{
	struct futex_wait wait = { .address = arg[0],
				   .operation = (__u32)arg[1],
				   .value = (__u32)arg[2] };
	__u32 account;

	if (task != bpf_get_current_task_btf())
		return futex_call_account(&wait);
	wait.counter = thread->counter;
	account = (__u32)futex_wait_account(&wait);
	thread->counter = wait.counter;
	return account;
}

#include "bpf/wait/block_reason.bpf.h"
#include "bpf/wait/kernel_lock.bpf.h"
#include "bpf/wait/turn.bpf.h"

static __always_inline __u64 time_ns(void)
{
	return clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
}

/* The current thread's user stack behind the frames that are there. */
SUBPROGRAM int take_user_stack(struct cpu_memory *memory, struct cpu_counts *count)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 cpu = bpf_get_smp_processor_id();
	struct rule_cache *cache = bpf_map_lookup_elem(&caches, &cpu);
	bool in_syscall;
	__u64 word;

	if (!memory || !count)
		return 0;
	memory->walk.stop = STACK_STOP_NONE;
	if (!cache || task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) || !task->mm ||
	    bpf_probe_read_kernel(&memory->regs, sizeof(memory->regs),
				  (void *)bpf_task_pt_regs(task)) ||
	    !memory->regs.rip)
		return 0;
	in_syscall = arch_in_syscall(&memory->regs);
	if (in_syscall && BPF_CORE_READ_BITFIELD(task, in_execve) &&
	    bpf_probe_read_user(&word, sizeof(word), (void *)memory->regs.rsp))
		return 0; /* between two programs */
	if (in_syscall)
		memory->out.head.flags |= CPU_IN_SYSCALL;
	memory->walk.stop = WALK_HANDED_UP;
	if (!arch_is_native(&memory->regs) || !find_space(&memory->walk))
		return 0;
	memory->walk.hits = memory->walk.misses = 0;
	(void)python_start(&memory->walk.python);
	walk_user(memory, cache, in_syscall);
	count->walked++;
	count->cache_hits += memory->walk.hits + memory->walk.cached_frames;
	count->cache_misses += memory->walk.misses;
	count->replaced += memory->walk.met_replaced;
	return 0;
}

/* The name of the stack in memory, which user space will know. 0 = it will not. */
static __noinline __u64 name_stack(void *ring, struct cpu_memory *memory)
{
	struct outgoing *out = &memory->out;
	struct naming naming;
	__u64 bytes, name;

	name = find_base(memory, cpu_node_root(seed, memory->walk.stop), &naming);
	if (!naming.hang)
		return name;
	out->head.kind = CPU_DEFINE;
	out->head.base = naming.base;
	out->head.frames = naming.hang;
	bytes = sizeof(out->head) + 8ull * naming.hang;
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(*out) || bpf_ringbuf_output(ring, out, bytes, wakeup(ring, false)))
		return 0;
	remember_rest(memory, &naming);
	return name;
}

/* What only another look at the process, or all its registers, can make whole. */
static __always_inline bool must_go_up(__u32 stop)
{
	return stop == WALK_HANDED_UP || stop == STACK_STOP_UNSUPPORTED ||
	       stop == STACK_STOP_NO_MAPPING || stop == STACK_STOP_READ_FAULT;
}

/* Of a stack that has no frames yet. */
static __always_inline __u64 raw_name(__u64 time_ns, __u32 tid)
{
	return cpu_node_child(cpu_node_root(seed, STACK_STOP_COUNT), time_ns ^ (__u64)tid << 40);
}

/* Sends the stack to user space for unwinding, with its name and the name of the one it replaces,
 * which is in the head. Returns false if it must be named as it is. Not inlined, because stack
 * space is scarce in a context switch. */
static __noinline bool hand_up(void *ring, struct cpu_memory *memory, struct cpu_counts *count,
			       __u32 kernel_frames, __u64 *ret)
{
	struct sample_facts facts = { .ip = kernel_frames ? memory->out.frame[0] : memory->regs.rip,
				      .base = memory->out.head.base };
	struct walk *walk = &memory->walk;
	bool may = may_send_raw(ring, memory, memory->out.head.time_ns);
	__u64 name = raw_name(memory->out.head.time_ns, memory->out.head.tid);
	long code = NOTHING_THERE;

	if (may) {
		facts.period = name;
		code = send_raw(ring, memory, kernel_frames, &facts);
	} else {
		count->raw_refused++;
	}
	if (!code) {
		count->raw++;
		*ret = name;
		return true;
	}
	if (walk->stop == WALK_HANDED_UP)
		walk->stop = may ? STACK_STOP_READ_FAULT : STACK_STOP_NO_TABLE;
	if (walk->count == kernel_frames)
		put_frame(walk, memory->out.frame, memory->regs.rip);
	return false;
}

/* Reports that a raw stack will not be referenced any more. If the report is lost, the stack is
 * freed with its thread. */
static __always_inline void forget_raw(void *ring, struct cpu_memory *memory, __u64 name)
{
	struct cpu_sample *head = &memory->raw.head;

	*head = memory->out.head;
	head->kind = CPU_RAW;
	head->base = name;
	head->frames = 0;
	(void)bpf_ringbuf_output(ring, head, sizeof(*head), wakeup(ring, false));
}

/* Calls the programs of a tracepoint when there are several, ours and others'. */
extern const void __traceiter_sched_switch __ksym __weak;
extern const void __traceiter_sched_waking __ksym __weak;
#define DISPATCHER_BYTES 128

static __always_inline bool is_dispatcher(__u64 pc)
{
	return pc - (__u64)&__traceiter_sched_switch < DISPATCHER_BYTES ||
	       pc - (__u64)&__traceiter_sched_waking < DISPATCHER_BYTES;
}

#define OF_INTERRUPT LEDGER_ACCOUNTS /* instead of an account */

/* The current thread's complete stack, or so many of the kernel's frames in an interrupt. Stores
 * the position in memo, unless that is NULL. */
static __always_inline void walk_stack(struct stack_cache_now now, struct taken *taken,
				       struct stack_cache *cache)
{
	__u32 cpu = bpf_get_smp_processor_id(), kernel_frames = 0;
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	bool interrupt = now.account == OF_INTERRUPT, whole;
	__u64 pid_tgid = interrupt ? 0 : bpf_get_current_pid_tgid();
	__u64 before = taken->raw ? taken->stack : 0;
	long bytes;

	*taken = (struct taken){ .pid = pid_tgid >> 32, .tid = (__u32)pid_tgid };
	cache->checked_ns = 0;
	if (!memory || !count || !ring)
		return;
	memory->out.head.time_ns = now.ns;
	memory->out.head.tid = taken->tid;
	memory->out.head.pid = taken->pid;
	memory->out.head.base = before;
	memory->out.head.flags = OFF_CPU_STACK | (with_kernel ? CPU_IN_KERNEL : 0);
	if (with_kernel || interrupt) {
		bytes = bpf_get_stack(now.ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8,
				      OWN_FRAMES);
		if (bytes > 0 && is_dispatcher(memory->out.frame[0]))
			bytes = bpf_get_stack(now.ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8,
					      OWN_FRAMES + 1);
		if (bytes > 0)
			kernel_frames = (__u32)bytes / 8;
		if (interrupt && kernel_frames > INTERRUPT_FRAMES)
			kernel_frames = INTERRUPT_FRAMES;
	}
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	memory->walk.log_count = 0;
	memory->walk.log_hash = 0;
	memory->walk.python.count = 0;
	if (with_user && !interrupt)
		(void)take_user_stack(memory, count);
	whole = !must_go_up(memory->walk.stop);
	if (!whole && hand_up(ring, memory, count, kernel_frames, &taken->stack)) {
		taken->raw = true;
		(void)stack_cache_set_raw(cache, memory, now.account);
		return;
	}
	if (before)
		forget_raw(ring, memory, before);
	taken->stack = name_stack(ring, memory);
	if (!taken->stack) {
		count->lost++;
		return;
	}
	taken->fresh = memory->walk.python.fresh;
	memory->walk.python.fresh = false;
	if (whole)
		(void)stack_cache_set(cache, memory, now.ctx, kernel_frames, now.account);
}

/* The current thread's stack; reuses the last one if the thread is in the same place. */
static __always_inline void take_stack(struct stack_cache_now now, struct taken *taken,
				       struct stack_cache *cache)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	enum stack_cache_answer answer;

	if (!memory || !count)
		return;
	/* What user space has forgotten must be sent again. */
	if (taken->raw || is_seen(taken->stack)) {
		answer = stack_cache_ask(cache, memory, now);
		if (answer) {
			if (answer == STACK_CACHE_SAME)
				count->reused++;
			else
				count->believed++;
			return;
		}
	}
	walk_stack(now, taken, cache);
}

/* Which stand the current thread is at; a new one is made of the oldest. */
SUBPROGRAM int find_stand(struct thread *thread)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	if (!thread)
		return 0;
#pragma unroll
	for (int i = 0; i < (int)OFF_CPU_STANDS; i++)
		if (thread->stand[i].cache.rip == regs->rip &&
		    thread->stand[i].cache.rsp == regs->rsp)
			return i;
	return (int)thread->next_stand++;
}

#include "bpf/off_cpu/wait_sums.bpf.h"

static __always_inline bool is_wanted(__u32 account)
{
	return accounts >> (account & 31) & 1;
}

/* Whether a thread that leaves the CPU in this state is looked at. */
static __always_inline bool is_watched(struct task_struct *task, unsigned int state)
{
	if (task->flags & PF_KTHREAD ? without_kernel_threads : without_user_threads)
		return false;
	return !(state & TASK_DEAD) && (!task_states || state & task_states) && in_cgroup(task);
}

/* True if the blocked time, or the time until it runs again, is selected. */
static __always_inline bool is_worth_it(__u32 account)
{
	return is_wanted(account) || (is_wanted(LEDGER_WOKEN) && account > LEDGER_PREEMPTED) ||
	       (is_wanted(LEDGER_THREAD) && account == LEDGER_CONDITION);
}

/* It has been woken: what was waited for is over, and the wait for a CPU begins. A function of its
 * own, because the stack is scarce below on_waking(). */
SUBPROGRAM int end_sleep(struct thread *thread, __u64 now_ns)
{
	if (!thread)
		return 0;
	if (is_wanted(thread->account))
		end_wait(thread, &thread->waker, now_ns);
	thread->waker = (struct taken){ 0 };
	thread->account = LEDGER_WOKEN;
	thread->since_ns = is_wanted(LEDGER_WOKEN) ? now_ns : 0;
	return 0;
}

/* It is on a CPU again. */
SUBPROGRAM int end_leave(struct thread *thread, __u64 now_ns)
{
	if (!thread)
		return 0;
	if (thread->woken_ns && enabled && !until_running)
		(void)end_sleep(thread, thread->woken_ns);
	if (!thread->since_ns)
		return 0;
	if (enabled && is_wanted(thread->account))
		end_wait(thread, &thread->waker, now_ns);
	thread->since_ns = 0;
	return 0;
}

/* A wait that is still on while its thread leaves a CPU has ended. */
static __always_inline void make_up(struct thread *thread, struct task_struct *task, __u64 now_ns)
{
	__u64 began_ns = turn_began(task, thread->ran_ns, thread->since_ns, now_ns);

	if (thread->since_ns && began_ns)
		(void)end_leave(thread, began_ns);
	thread->ran_ns = task->se.sum_exec_runtime;
}

static __always_inline void leave(void *ctx, struct task_struct *task, bool preempt, __u64 now_ns)
{
	struct thread *thread = thread_of(task);
	struct stand *stand;
	unsigned int state;
	__u32 account;
	__u64 place;

	if (!thread)
		return;
	make_up(thread, task, now_ns);
	thread->since_ns = thread->woken_ns = 0;
	thread->ring = false;
	thread->waker = (struct taken){ 0 };
	state = preempt ? TASK_RUNNING : task_state(task);
	if (state & TASK_DEAD)
		(void)flush_sum(&thread->pending, now_ns);
	if (!is_watched(task, state))
		return;
	account = state == TASK_RUNNING ? runnable_account(task, LEDGER_PREEMPTED)
					: blocked_account(task, thread, state);
	thread->account = account;
	if (!is_worth_it(account) && !(thread->ring && is_wanted(LEDGER_POLL)))
		return;
	thread->leaving = true;
	place = (__u32)find_stand(thread);
	UNWIND_OPAQUE(place);
	stand = &thread->stand[place & (OFF_CPU_STANDS - 1)];
	take_stack((struct stack_cache_now){ ctx, task, now_ns, account }, &stand->taken,
		   &stand->cache);
	thread->taken = stand->taken;
	stand->taken.fresh = false;
	/* User space keeps a raw stack for a while only. */
	if (thread->pending.key.raw && thread->pending.key.stack != thread->taken.stack)
		(void)flush_sum(&thread->pending, now_ns);
	if (thread->taken.stack)
		thread->since_ns = now_ns;
	*(volatile bool *)&thread->leaving = false; /* after since_ns */
}

static __always_inline void arrive(struct task_struct *task, __u64 now_ns)
{
	struct thread *thread = thread_of(task);

	if (thread && thread->since_ns)
		(void)end_leave(thread, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct interrupts *here = interrupts_here();
	__u64 now_ns = time_ns();

	if (here)
		here->timers = here->irqs = here->in_softirq = 0;
	if (enabled)
		leave(ctx, prev, preempt, now_ns);
	arrive(next, now_ns);
	return 0;
}

#include "bpf/off_cpu/waker.bpf.h"

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *thread = thread_of(task);
	__u64 now_ns;
	bool leaving;

	if (!thread)
		return 0;
	leaving = UNWIND_LOAD(thread->leaving); /* before since_ns */
	if (thread->account <= LEDGER_PREEMPTED)
		return 0;
	now_ns = time_ns();
	if (is_wanted(LEDGER_THREAD))
		(void)end_condition(thread, task, now_ns);
	if (!leaving && !thread->since_ns)
		return 0;
	if (thread->ring)
		thread->account = ring_account();
	if (leaving)
		thread->woken_ns = now_ns;
	if (with_wakers)
		take_waker(ctx, now_ns, &thread->waker);
	if (!thread->woken_ns && !until_running)
		(void)end_sleep(thread, now_ns);
	return 0;
}

static __always_inline void watch(struct task_struct *task)
{
	(void)bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (everybody || (inherit && thread_of(parent)))
		watch(child);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	if (program && (__u32)task->tgid == program)
		enabled = true;
	return 0;
}

/* Read once at the start, by reading the iterator. */
SEC("iter/task")
int begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	__u32 tid;

	if (!task || !task->pid)
		return 0;
	tid = (__u32)task->pid;
	if (everybody || bpf_map_lookup_elem(&targets, &tid))
		watch(task);
	return 0;
}

#include "bpf/off_cpu/open_waits.bpf.h"
