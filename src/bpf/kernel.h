/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of kernel types that our programs read, written by hand so that building needs neither
 * a vmlinux.h nor the BTF of the building machine. Only names and types of members count: libbpf
 * looks their offsets up in the running kernel when it loads a program (CO-RE). */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/types.h>

#include <linux/bpf.h>

#include "bpf/kernel_io.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct maple_tree {
	unsigned int ma_flags;
};

struct mm_struct {
	unsigned long start_stack, arg_start, arg_end;
	struct maple_tree mm_mt; /* of mappings; since Linux 6.1 */
};

struct vm_area_struct {
	unsigned long vm_flags;
};

struct ma_state {
	struct maple_tree *tree;
	unsigned long index, last;
};

struct vm_unmapped_area_info {
	unsigned long length;
};

struct thread_struct {
	unsigned long fsbase; /* x86-64 */
};

struct thread_info {
	unsigned long flags;
	unsigned int status; /* x86-64: TS_* */
};

struct rq {
	unsigned int nr_running; /* threads that have the CPU or wait for it */
};

struct cfs_rq {
	unsigned int nr_running; /* named nr_queued since Linux 6.14 */
	int throttle_count;	 /* with CONFIG_CFS_BANDWIDTH: it, or one above it, may not run */
	struct rq *rq;		 /* with CONFIG_FAIR_GROUP_SCHED */
};

struct cfs_rq___since_6_14 {
	unsigned int nr_queued;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};

struct kernfs_node {
	__u64 id; /* on 64-bit machines the inode number */
};

struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self; /* first */
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

typedef struct {
	long counter;
} atomic_long_t;

struct mutex {
	atomic_long_t owner;
};

struct rw_semaphore {
	atomic_long_t owner;
};

struct ns_common {
	unsigned int inum; /* as in the link /proc/PID/ns/pid */
};

struct pid_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct pid_namespace *pid_ns_for_children;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;	      /* what user space calls the thread id */
	int tgid;	      /* what user space calls the process id */
	unsigned int __state; /* named `state` before Linux 5.14 */
	unsigned int flags;   /* PF_* */
	int on_cpu;
	unsigned in_execve : 1;
	unsigned in_iowait : 1;
	unsigned frozen : 1; /* by its cgroup (v2) */
	char comm[16];
	__u64 utime, stime; /* ns */
	struct mm_struct *mm;
	struct files_struct *files;
	int exit_code;
	__u64 start_time; /* CLOCK_MONOTONIC */
	struct css_set *cgroups;
	struct nsproxy *nsproxy;
	struct sched_entity se;
	void *stack;
	struct task_struct *real_parent;
	struct thread_struct thread;
	_Bool throttled; /* since Linux 6.18: its group has used up its time */
};

struct linux_binprm {
	const char *filename;
	const char *interp; /* another string if a script's interpreter is run */
};

struct task_struct___before_5_14 {
	long state;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#define VM_EXEC 0x00000004 /* vm_area_struct.vm_flags */

/* task_struct.flags */
#define PF_USER_WORKER 0x00004000 /* Linux 6.4; io threads, which never are in user space */
#define PF_IO_WORKER   0x00000010
#define PF_KTHREAD     0x00200000
#define PF_EXITING     0x00000004
#define PF_FORKNOEXEC  0x00000040

#endif
