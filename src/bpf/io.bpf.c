/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of threads for I/O, from the system call to the disk. A call that reads, writes or syncs
 * is followed by its thread: while the thread runs, waits for a CPU, or waits for its own requests
 * to disks, for those of others, for the journal, the network or a lock, that time is in one layer,
 * so that the layers add up to the call's length. What is written back later by the kernel is
 * charged to the thread that wrote.
 *
 * Parts: io_thread.bpf.h follows a thread, io_disk.bpf.h requests to disks, io_ring.bpf.h those of
 * io_uring, io_aio.bpf.h those of io_submit, io_fault.bpf.h page faults, io_file.bpf.h names files,
 * io_sums.bpf.h sums up. event/io_request.h is shared with user space. Stacks are named as those of
 * waits for locks. */
#include "bpf/io/io_disk.bpf.h"

#include <bpf/bpf_tracing.h>

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/lock/lock_stack.bpf.h"
#include "bpf/own.bpf.h"
#include "bpf/targets.bpf.h"
#include "bpf/wait/interrupts.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile bool everybody; /* all threads */
const volatile bool inherit = true;
const volatile __u32 program; /* waits for its exec, which begins everything; 0 = none */

/* Nothing is taken before. */
bool enabled;

static __always_inline __u32 futex_account(struct task_struct *task, struct thread *thread,
					   const uint64_t arg[3])
{
	return LEDGER_LOCK;
}

#include "bpf/io/io_aio.bpf.h"
#include "bpf/io/io_fault.bpf.h"
#include "bpf/io/io_ring.bpf.h"
#include "bpf/wait/block_reason.bpf.h"
#include "bpf/wait/kernel_lock.bpf.h"

static __always_inline const volatile struct io_role *role_of(__u64 number)
{
	if (number >= SYSCALL_NUMBERS)
		return NULL;
	UNWIND_OPAQUE(number);
	return &role_of_call[number & (SYSCALL_NUMBERS - 1)];
}

static __always_inline __u64 argument(const struct io_call *call, __u8 which)
{
	__u64 place = which - 1u;

	UNWIND_OPAQUE(place);
	return place < SYSCALL_ARGS ? call->arg[place] : 0;
}

static __always_inline struct io_call *watch(struct task_struct *task)
{
	if (is_own((__u32)task->tgid) ||
	    !bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE))
		return NULL;
	return bpf_task_storage_get(&calls, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* A thread may move into the cgroup, and out of it, while it is watched. */
static __always_inline struct io_call *call_to_begin(struct task_struct *task)
{
	struct io_call *call;

	if (!in_cgroup(task))
		return NULL;
	call = call_of_task(task);
	return call || !cgroup_id || !everybody ? call : watch(task);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	const volatile struct io_role *role = role_of((__u64)number);
	struct task_struct *task;
	struct io_call *call;

	if (!role || !role->operation_plus_one || !enabled)
		return 0;
	task = bpf_get_current_task_btf();
	call = call_to_begin(task);
	if (!call || arch_in_compat(task))
		return 0;
	(void)end_fault(call, 0);
	call->role.operation_plus_one = role->operation_plus_one;
	call->role.fd = role->fd;
	call->role.offset = role->offset;
	arch_arguments(regs, call->arg);
	__builtin_memset(call->layer_ns, 0, sizeof(call->layer_ns));
	call->read_pages = call->bio_disk = 0;
	call->waits = call->of_disk = false;
	call->open = true;
	call->since_ns = lock_now();
	return 0;
}

struct ended_call {
	struct io_call *call;
	long result;
	__u64 now_ns;
};

static __always_inline void note_disk(struct io_sum *sum, __u32 tid)
{
	struct disk_wait *disk = bpf_map_lookup_elem(&disk_waits, &tid);

	if (!disk)
		return;
	sum->requests = disk->requests;
	sum->disk_read = disk->read_bytes;
	sum->disk_written = disk->written_bytes;
	sum->disk = disk->disk;
	(void)bpf_map_delete_elem(&disk_waits, &tid);
}

static __always_inline void note_file_place(struct io_making *making, const struct ended_call *end,
					    __u64 position)
{
	struct io_call *call = end->call;
	__u64 begin, bytes = making->sum.bytes;

	if (making->key.file_kind != IO_FILE_REGULAR && making->key.file_kind != IO_FILE_BLOCK)
		return;
	begin = call->role.offset ? argument(call, call->role.offset) : position - bytes;
	making->sum.sequential = call->last_inode == making->key.inode && call->last_end == begin;
	call->last_inode = making->key.inode;
	call->last_end = begin + bytes;
}

static __noinline int put_ended(struct io_making *making, struct ended_call *end)
{
	struct io_call *call = end ? end->call : NULL;
	struct io_sum *sum;
	struct file *file;
	__u64 waited = 0, fd, position;

	if (!making || !call)
		return 0;
	sum = &making->sum;
	sum->count = 1;
	sum->ns = end->now_ns - call->since_ns;
	sum->errors = end->result < 0;
	sum->read_pages = call->read_pages;
	for (__u32 i = 0; i < IO_LAYER_COUNT; i++) {
		sum->layer_ns[i] = call->layer_ns[i];
		waited += call->layer_ns[i];
	}
	sum->layer_ns[IO_LAYER_RUNNING] = waited < sum->ns ? sum->ns - waited : 0;
	making->key.operation = call->role.operation_plus_one - 1;
	if (end->result > 0 && making->key.operation != IO_OPEN &&
	    making->key.operation != IO_ACCEPT && making->key.operation != IO_SUBMIT &&
	    making->key.operation != IO_COLLECT && making->key.operation != IO_ENTER)
		sum->bytes = (__u64)end->result;
	if (call->of_disk)
		note_disk(sum, making->key.tid);
	else
		sum->disk = call->bio_disk;
	fd = argument(call, call->role.fd);
	if (making->key.operation == IO_OPEN)
		fd = (__u64)end->result;
	file = call->role.fd || (making->key.operation == IO_OPEN && end->result >= 0)
		       ? open_file(bpf_get_current_task_btf(), fd)
		       : NULL;
	if (!file)
		return 0;
	position = set_file(making, file);
	if (making->key.operation == IO_READ || making->key.operation == IO_WRITE)
		note_file_place(making, end, position);
	sum->hits = making->key.operation == IO_READ && !sum->errors && !sum->read_pages &&
		    !sum->requests && making->key.file_kind == IO_FILE_REGULAR;
	return 0;
}

static __always_inline void note_writer(const struct io_making *making)
{
	struct io_file_key file = key_of_file(&making->key);

	if (making->key.operation == IO_WRITE && making->key.file_kind == IO_FILE_REGULAR &&
	    !making->sum.requests)
		(void)bpf_map_update_elem(&writers, &file, &making->key, BPF_ANY);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct io_call *call = call_of_task(task);
	struct ended_call end = { call, result, 0 };
	struct io_making *making;
	struct lock_stand *stand;
	struct thread *thread;
	struct io_key key;

	if (!call || !call->open || end_fault(call, 0))
		return 0;
	call->open = false;
	end.now_ns = lock_now();
	thread = thread_of(task);
	making = making_here(0);
	if (!thread || !making || !enabled)
		return 0;
	making->key.pid = (__u32)task->tgid;
	making->key.tid = (__u32)task->pid;
	stand = stand_here(thread);
	(void)take_place(ctx, stand, LOCK_STACK_USER, end.now_ns);
	making->key.stack = stand->stack.name;
	making->key.flags = stand->stack.raw ? IO_RAW_STACK : 0;
	(void)put_ended(making, &end);
	(void)add_request(0, end.now_ns);
	note_writer(making);
	if (making->key.operation == IO_SUBMIT && result > 0) {
		key = making->key;
		(void)begin_aios(call, &key, result);
	} else if (making->key.operation == IO_COLLECT && result > 0) {
		(void)end_aios(call, (__u32)task->tgid, result, end.now_ns);
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct io_call *call = call_of_task(prev);
	struct interrupts *here = interrupts_here();
	unsigned int state;
	__u32 account;

	if (here) {
		here->timers = here->irqs = here->in_softirq = 0;
		here->turn++;
	}
	if (call && call->open) {
		state = preempt ? TASK_RUNNING : task_state(prev);
		account = state == TASK_RUNNING ? LEDGER_PREEMPTED
						: blocked_account(prev, thread_of(prev), state);
		if (call->fault.open && account != LEDGER_PAGE_FAULT && account != LEDGER_DISK)
			(void)end_fault(call, 1);
		else
			begin_wait(call, (__u32)prev->pid, account, lock_now());
	}
	call = call_of_task(next);
	if (call && call->open && call->waits) {
		(void)end_wait(call, (__u32)next->pid, lock_now());
		(void)end_fault(call, 1);
	}
	return 0;
}

static __always_inline bool is_journal(const char *comm)
{
	return comm[0] == 'j' && comm[1] == 'b' && comm[2] == 'd' && comm[3] == '2' &&
	       comm[4] == '/';
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct io_call *call = call_of_task(task);
	struct ledger_edge_key by = { 0 };
	char comm[16];

	if (!call || !call->open || !call->waits || call->woken_ns)
		return 0;
	call->woken_ns = lock_now();
	find_waker(&by, 0);
	if (by.waker != LEDGER_WAKER_THREAD)
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	call->of_journal = is_journal(comm);
	return 0;
}

/* A page is read into the page cache, by the thread that needs it or reads ahead. */
SEC("raw_tp/mm_filemap_add_to_page_cache")
int on_page_added(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct io_call *call = call_of_task(task);

	if (!call)
		return 0;
	/* The first argument is the folio, which begins as its first page does. */
	if (!call->open)
		return in_cgroup(task)
			       ? begin_fault(ctx, task, call, (const struct page *)ctx->args[0])
			       : 0;
	if (call->role.operation_plus_one - 1 != IO_WRITE)
		call->read_pages++;
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (everybody ? in_cgroup(child) : inherit && thread_of(parent))
		(void)watch(child);
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

	if (!task || !task->pid)
		return 0;
	if (everybody ? in_cgroup(task) : is_target((__u32)task->pid))
		(void)watch(task);
	return 0;
}
