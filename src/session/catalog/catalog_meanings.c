/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Meanings of tracepoints (see catalog_meanings.h): of those that questions about time, waits,
 * memory, disks and the network lead to, and of system calls by their names. */
#include "session/catalog/catalog_meanings.h"

#include <stdlib.h>
#include <string.h>

#include "session/catalog/catalog.h"

/* In the order of strcmp(). */
static const struct meaning {
	const char *name, *meaning;
} meanings[] = {
	{ "block:block_bio_queue", "a request is given to a disk's queue" },
	{ "block:block_rq_complete", "a disk request has ended" },
	{ "block:block_rq_error", "a disk request has failed" },
	{ "block:block_rq_insert", "a disk request waits in the scheduler's queue" },
	{ "block:block_rq_issue", "a disk request goes to the device" },
	{ "block:block_rq_merge", "a disk request becomes part of another" },
	{ "block:block_rq_requeue", "a disk request goes back to the queue" },
	{ "compaction:mm_compaction_begin", "memory is moved to make large free parts" },
	{ "compaction:mm_compaction_end", "the moving of memory has ended" },
	{ "exceptions:page_fault_kernel", "a page fault in the kernel" },
	{ "exceptions:page_fault_user", "a page fault in a program" },
	{ "filemap:mm_filemap_add_to_page_cache", "a page of a file comes into memory" },
	{ "filemap:mm_filemap_delete_from_page_cache", "a page of a file leaves memory" },
	{ "irq:irq_handler_entry", "a handler of a device's interrupt begins" },
	{ "irq:irq_handler_exit", "a handler of a device's interrupt ends" },
	{ "irq:softirq_entry", "deferred work of an interrupt begins" },
	{ "irq:softirq_exit", "deferred work of an interrupt ends" },
	{ "irq:softirq_raise", "an interrupt asks for deferred work" },
	{ "kmem:kfree", "the kernel frees memory" },
	{ "kmem:kmalloc", "the kernel allocates memory" },
	{ "kmem:kmem_cache_alloc", "the kernel allocates an object of a slab" },
	{ "kmem:kmem_cache_free", "the kernel frees an object of a slab" },
	{ "kmem:mm_page_alloc", "pages of memory are allocated" },
	{ "kmem:mm_page_free", "pages of memory are freed" },
	{ "kmem:rss_stat", "the resident memory of a process changes" },
	{ "lock:contention_begin", "a thread begins to wait for a lock of the kernel" },
	{ "lock:contention_end", "a wait for a lock of the kernel ends" },
	{ "mmap_lock:mmap_lock_acquire_returned", "the lock of an address space was obtained" },
	{ "mmap_lock:mmap_lock_released", "the lock of an address space is released" },
	{ "mmap_lock:mmap_lock_start_locking", "the lock of an address space is requested" },
	{ "napi:napi_poll", "packets of a network device are polled" },
	{ "net:net_dev_queue", "a packet is queued for a network device" },
	{ "net:net_dev_start_xmit", "a packet is given to a network device" },
	{ "net:net_dev_xmit", "a network device has taken a packet, or not" },
	{ "net:netif_receive_skb", "a packet has arrived" },
	{ "net:netif_rx", "a packet has arrived and is queued" },
	{ "oom:mark_victim", "a process is chosen to die for lack of memory" },
	{ "oom:oom_score_adj_update", "how likely that a process is chosen is changed" },
	{ "page_pool:page_pool_state_hold", "a page is taken for network packets" },
	{ "power:clock_set_rate", "the rate of a clock changes" },
	{ "power:cpu_frequency", "the frequency of a CPU changes" },
	{ "power:cpu_idle", "a CPU goes idle, or leaves it (4294967295)" },
	{ "power:suspend_resume", "a step of suspending or resuming the machine" },
	{ "raw_syscalls:sys_enter", "any system call begins" },
	{ "raw_syscalls:sys_exit", "any system call returns" },
	{ "rcu:rcu_utilization", "the kernel's RCU begins or ends some work" },
	{ "sched:sched_kthread_stop", "a thread of the kernel is asked to end" },
	{ "sched:sched_migrate_task", "a thread moves to another CPU" },
	{ "sched:sched_move_numa", "a thread moves to another memory node" },
	{ "sched:sched_pi_setprio", "a thread gets the priority of one that waits for it" },
	{ "sched:sched_process_exec", "a process starts a program" },
	{ "sched:sched_process_exit", "a thread ends" },
	{ "sched:sched_process_fork", "a thread or process is created" },
	{ "sched:sched_process_free", "a thread that has ended is freed" },
	{ "sched:sched_process_wait", "a process waits for a child" },
	{ "sched:sched_stat_blocked", "how long a thread waited for a disk or a lock" },
	{ "sched:sched_stat_iowait", "how long a thread waited for a disk" },
	{ "sched:sched_stat_runtime", "how long a thread ran" },
	{ "sched:sched_stat_sleep", "how long a thread slept" },
	{ "sched:sched_stat_wait", "how long a thread waited for a CPU" },
	{ "sched:sched_switch", "a CPU goes from one thread to another" },
	{ "sched:sched_wait_task", "a thread waits until another is off its CPU" },
	{ "sched:sched_wakeup", "a thread becomes ready to run" },
	{ "sched:sched_wakeup_new", "a new thread becomes ready to run" },
	{ "sched:sched_waking", "a thread wakes another" },
	{ "signal:signal_deliver", "a signal reaches a process" },
	{ "signal:signal_generate", "a signal is sent" },
	{ "skb:consume_skb", "a packet is freed after use" },
	{ "skb:kfree_skb", "a packet is dropped" },
	{ "skb:skb_copy_datagram_iovec", "data of a packet goes to a program" },
	{ "sock:inet_sock_set_state", "a TCP connection changes its state" },
	{ "sock:sock_exceed_buf_limit", "a socket has too much memory" },
	{ "sock:sock_rcvqueue_full", "a socket's queue of received data is full" },
	{ "task:task_newtask", "a thread is created" },
	{ "task:task_rename", "a thread changes its name" },
	{ "tcp:tcp_probe", "a TCP segment has arrived, with the connection's state" },
	{ "tcp:tcp_receive_reset", "a TCP connection is reset by the other side" },
	{ "tcp:tcp_retransmit_skb", "a TCP segment is sent again" },
	{ "tcp:tcp_send_reset", "a reset of a TCP connection is sent" },
	{ "timer:hrtimer_expire_entry", "a precise timer's function begins" },
	{ "timer:hrtimer_expire_exit", "a precise timer's function ends" },
	{ "timer:hrtimer_start", "a precise timer is set" },
	{ "timer:timer_expire_entry", "a timer's function begins" },
	{ "timer:timer_expire_exit", "a timer's function ends" },
	{ "timer:timer_start", "a timer is set" },
	{ "vmscan:mm_vmscan_direct_reclaim_begin", "an allocation begins to free memory itself" },
	{ "vmscan:mm_vmscan_direct_reclaim_end", "an allocation has freed memory itself" },
	{ "vmscan:mm_vmscan_kswapd_sleep", "the thread that frees memory sleeps" },
	{ "vmscan:mm_vmscan_kswapd_wake", "the thread that frees memory wakes up" },
	{ "workqueue:workqueue_execute_end", "work of a queue has ended" },
	{ "workqueue:workqueue_execute_start", "work of a queue begins" },
	{ "workqueue:workqueue_queue_work", "work is put into a queue" },
	{ "writeback:writeback_start", "changed pages are written to disk" },
	{ "xdp:xdp_exception", "an XDP program's packet could not be handled" },
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct meaning *)row)->name);
}

const char *catalog_tracepoint_meaning(struct catalog *catalog, const char *name)
{
	static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";
	const struct meaning *row;

	if (strncmp(name, enter, sizeof(enter) - 1) == 0)
		return catalog_text(catalog, "%s() is called", name + sizeof(enter) - 1);
	if (strncmp(name, leave, sizeof(leave) - 1) == 0)
		return catalog_text(catalog, "%s() returns", name + sizeof(leave) - 1);
	row = bsearch(name, meanings, sizeof(meanings) / sizeof(meanings[0]), sizeof(meanings[0]),
		      compare);
	return row ? row->meaning : NULL;
}
