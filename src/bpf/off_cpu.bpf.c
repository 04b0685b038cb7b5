/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time off the CPU with stacks: the stack of a thread is walked when it leaves the CPU, given a
 * name (bpf/cpu.h), and remembered in the thread's storage. The wait is told when it ends, with how
 * long it was: long ones one by one, short ones as sums by thread and stack, so that no nanosecond
 * is lost and little is written. The waker's stack is walked when it wakes a thread that waited
 * long. */
#include "bpf/off_cpu.h"
#include "bpf/raw_out.bpf.h"
#include "bpf/user_walk.bpf.h"

#include "event/ledger_account.h"

#include <bpf/bpf_tracing.h>

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/interrupts.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* linux/futex.h; the word of a contended mutex of glibc */
#define FUTEX_OPERATION		  0x7f
#define FUTEX_WAIT_OP		  0
#define FUTEX_LOCK_PI_OP	  6
#define FUTEX_LOCK_PI2_OP	  13
#define MUTEX_LOCKED_WITH_WAITERS 2

/* Frames of the tracing itself on top of the kernel's stack. */
#define OWN_FRAMES 2
/* What an interrupt's wake-up is shown with: these are of its handler, those below may be of the
 * thread that happened to be on the CPU. */
#define INTERRUPT_FRAMES 3

/* Set before loading; these are usual. */
const volatile __u32 accounts = 0x1ff8;	     /* bits of enum ledger_account that are wanted */
const volatile __u64 threshold_ns = 1000000; /* shorter waits are summed up */
const volatile __u64 off_cpu_id, wakeup_id;  /* of events, when there are several */
const volatile bool with_sleepers = true, with_wakers; /* whose samples are wanted */
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

/* A stack that was taken: whose, and its name, 0 = there is none. */
struct taken {
	__u64 stack;
	__u32 pid, tid;
	bool raw;
};

/* A thread that is watched. */
struct thread {
	__u64 since_ns; /* it left the CPU, or was woken; 0 = nothing that is wanted */
	struct taken taken, waker;
	__u32 account; /* enum ledger_account */
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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct off_cpu_sum_key);
	__type(value, struct off_cpu_sum);
} sums SEC(".maps");

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

static __always_inline __u32 futex_account(struct thread *thread, const uint64_t arg[3])
{
	__u32 operation = (__u32)arg[1] & FUTEX_OPERATION;

	(void)thread;
	if (operation == FUTEX_LOCK_PI_OP || operation == FUTEX_LOCK_PI2_OP ||
	    (operation == FUTEX_WAIT_OP && (__u32)arg[2] == MUTEX_LOCKED_WITH_WAITERS))
		return LEDGER_LOCK;
	return LEDGER_CONDITION;
}

#include "bpf/block_reason.bpf.h"

static __always_inline __u64 time_ns(void)
{
	return clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
}

/* The current thread's user stack behind the frames that are there. */
static __noinline int take_user_stack(struct cpu_memory *memory, struct cpu_counts *count)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, cpu = bpf_get_smp_processor_id();
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
	if (!arch_is_native(&memory->regs) || !find_space(&memory->walk, task, tgid))
		return 0;
	memory->walk.hits = memory->walk.misses = 0;
	python_start(&memory->walk.python, task, arch_thread_pointer(task));
	walk_user(memory, cache, in_syscall);
	count->walked++;
	count->cache_hits += memory->walk.hits;
	count->cache_misses += memory->walk.misses;
	count->replaced += memory->walk.met_replaced;
	return 0;
}

/* The name of the stack in memory, which user space will know. 0 = it will not. */
static __noinline __u64 name_stack(void *ring, struct cpu_memory *memory)
{
	struct outgoing *out = &memory->out;
	struct search search;
	__u64 bytes, name;

	name = find_base(memory, cpu_node_root(seed, memory->walk.stop), &search);
	if (!search.left)
		return name;
	out->head.kind = CPU_DEFINE;
	out->head.base = search.base;
	out->head.frames = search.left;
	bytes = sizeof(out->head) + 8ull * search.left;
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(*out) ||
	    bpf_ringbuf_output(ring, out, bytes, wakeup(ring, memory->walk.python.fresh)))
		return 0;
	memory->walk.python.fresh = false;
	remember_rest(memory, &search);
	return name;
}

/* What only another look at the process, or all its registers, can make whole. */
static __always_inline bool must_go_up(__u32 stop)
{
	return stop == WALK_HANDED_UP || stop == STACK_STOP_UNSUPPORTED ||
	       stop == STACK_STOP_NO_MAPPING || stop == STACK_STOP_READ_FAULT;
}

/* Sends the stack for user space to unwind, under a name of its own. False: it must be named as it
 * is. */
static __always_inline bool hand_up(void *ring, struct cpu_memory *memory, struct cpu_counts *count,
				    __u32 kernel_frames, __u64 *ret)
{
	struct sample_facts facts = { .ip = kernel_frames ? memory->out.frame[0]
							  : memory->regs.rip };
	struct walk *walk = &memory->walk;
	bool may = may_send_raw(ring, memory, memory->out.head.time_ns);
	__u64 name = cpu_node_child(cpu_node_root(seed, STACK_STOP_COUNT),
				    memory->out.head.time_ns ^ (__u64)memory->out.head.tid << 40);
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

/* The current thread's whole stack, or so many of the kernel's frames when an interrupt is served.
 */
static __always_inline void take_stack(void *ctx, bool interrupt, __u64 now_ns, struct taken *ret)
{
	__u32 cpu = bpf_get_smp_processor_id(), kernel_frames = 0;
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 pid_tgid = interrupt ? 0 : bpf_get_current_pid_tgid();
	long bytes;

	*ret = (struct taken){ .pid = pid_tgid >> 32, .tid = (__u32)pid_tgid };
	if (!memory || !count || !ring)
		return;
	memory->out.head.time_ns = now_ns;
	memory->out.head.tid = ret->tid;
	memory->out.head.pid = ret->pid;
	memory->out.head.flags = OFF_CPU_STACK | (with_kernel ? CPU_IN_KERNEL : 0);
	if (with_kernel || interrupt) {
		bytes = bpf_get_stack(ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8, OWN_FRAMES);
		if (bytes > 0)
			kernel_frames = (__u32)bytes / 8;
		if (interrupt && kernel_frames > INTERRUPT_FRAMES)
			kernel_frames = INTERRUPT_FRAMES;
	}
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	if (with_user && !interrupt)
		(void)take_user_stack(memory, count);
	if (must_go_up(memory->walk.stop) &&
	    hand_up(ring, memory, count, kernel_frames, &ret->stack)) {
		ret->raw = true;
		return;
	}
	ret->stack = name_stack(ring, memory);
	if (!ret->stack)
		count->lost++;
}

/* A sample: head, the event's id when there are several, the weight when it is long. */
struct told {
	struct cpu_sample head;
	__u64 word[2];
};

static __noinline int tell(const struct taken *stack, __u64 now_ns, __u64 ns, __u64 id)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct told told = { 0 };
	__u64 bytes = sizeof(told.head);

	if (!ring || !count || !stack)
		return 0;
	told.head.time_ns = now_ns;
	told.head.base = stack->stack;
	told.head.pid = stack->pid;
	told.head.tid = stack->tid;
	told.head.flags = (with_kernel ? CPU_IN_KERNEL : 0) | (stack->raw ? OFF_CPU_RAW : 0);
	told.head.kind = CPU_WALKED;
	told.head.period = ns < UINT32_MAX ? ns : UINT32_MAX;
	told.word[0] = many_events ? id : ns;
	told.word[1] = ns;
	if (many_events)
		bytes += 8;
	if (ns >= UINT32_MAX)
		bytes += 8;
	count->samples++;
	if (bpf_ringbuf_output(ring, &told, bytes & 63, wakeup(ring, false)))
		count->lost++;
	return 0;
}

/* False when there is no room for another sum. */
static __noinline int add_up(const struct taken *waiter, const struct taken *waker, __u64 now_ns,
			     __u64 ns)
{
	static const struct off_cpu_sum none;
	struct off_cpu_sum_key key = { 0 };
	struct off_cpu_sum *sum;

	if (!waiter || !waker)
		return 0;
	key = (struct off_cpu_sum_key){ waiter->stack, waker->stack, waiter->pid,
					waiter->tid,   waker->pid,   waker->tid };
	sum = bpf_map_lookup_elem(&sums, &key);
	if (!sum) {
		(void)bpf_map_update_elem(&sums, &key, &none, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&sums, &key);
	}
	if (!sum)
		return 0;
	/* Only ever written by who ends the thread's wait, one at a time. */
	sum->ns += ns;
	sum->count++;
	sum->last_ns = now_ns;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
	return 1;
}

/* The wait of a thread that is watched is over. */
static __always_inline void end_wait(const struct taken *waiter, const struct taken *waker,
				     __u64 now_ns, __u64 ns)
{
	if (ns < min_ns || ns > max_ns)
		return;
	if (ns < threshold_ns && !waiter->raw && !waker->raw && add_up(waiter, waker, now_ns, ns))
		return;
	if (waker->stack)
		(void)tell(waker, now_ns, ns, wakeup_id);
	if (with_sleepers)
		(void)tell(waiter, now_ns, ns, off_cpu_id);
}

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

static __always_inline void leave(void *ctx, struct task_struct *task, bool preempt, __u64 now_ns)
{
	struct thread *thread = thread_of(task);
	unsigned int state;
	__u32 account;

	if (!thread)
		return;
	thread->since_ns = 0;
	thread->waker = (struct taken){ 0 };
	state = preempt ? TASK_RUNNING : task_state(task);
	if (!is_watched(task, state))
		return;
	account = state == TASK_RUNNING ? LEDGER_PREEMPTED : blocked_account(task, thread, state);
	thread->account = account;
	if (!is_wanted(account) && !(is_wanted(LEDGER_WOKEN) && account > LEDGER_PREEMPTED))
		return;
	take_stack(ctx, false, now_ns, &thread->taken);
	if (thread->taken.stack)
		thread->since_ns = now_ns;
}

static __always_inline void arrive(struct task_struct *task, __u64 now_ns)
{
	struct thread *thread = thread_of(task);

	if (!thread || !thread->since_ns)
		return;
	if (is_wanted(thread->account))
		end_wait(&thread->taken, &thread->waker, now_ns, now_ns - thread->since_ns);
	thread->since_ns = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct interrupts *here = interrupts_here();
	__u64 now_ns = time_ns();

	if (here)
		here->timers = here->irqs = here->in_softirq = 0;
	if (!enabled)
		return 0;
	leave(ctx, prev, preempt, now_ns);
	arrive(next, now_ns);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *thread = thread_of(task);
	struct ledger_edge_key by = { 0 };
	__u64 now_ns;

	if (!thread || !thread->since_ns || thread->account <= LEDGER_PREEMPTED)
		return 0;
	now_ns = time_ns();
	if (with_wakers) {
		find_waker(&by, 0);
		take_stack(ctx, by.waker != LEDGER_WAKER_THREAD, now_ns, &thread->waker);
	}
	if (until_running)
		return 0;
	if (is_wanted(thread->account))
		end_wait(&thread->taken, &thread->waker, now_ns, now_ns - thread->since_ns);
	thread->waker = (struct taken){ 0 };
	thread->account = LEDGER_WOKEN;
	thread->since_ns = is_wanted(LEDGER_WOKEN) ? now_ns : 0;
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
