/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes, threads and address spaces as the event stream moves through time. Feed events in time
 * order with proc_table_apply(); ask for the state "now" with the find functions. Reads nothing
 * from /proc itself (proc/scan.h turns /proc into events). Not thread-safe for writing.
 *
 * Answers are valid at the time of the last applied event; there is no way back. */
#ifndef PROC_PROC_H
#define PROC_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "proc/module.h"

struct proc_table;

/* One executable mapping. pc → offset in module: pc - start + pgoff. */
struct mapping {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t pgoff;	     /* file offset of start; for kernel and JIT modules chosen so that the
				offset equals the address */
	struct module *module;
};

/* An address space: sorted, non-overlapping executable mappings. Shared by forked processes until
 * one of them changes its own. `id` is never reused; it changes with every change of the mappings,
 * so (id, pc) is a key that may be cached forever. */
struct address_space {
	uint32_t id;
	uint32_t pid; /* process of /proc/PID/root for the paths */
	uint32_t refs;
	size_t count, capacity;
	struct mapping *item;
	struct address_space *before; /* what execve(2) replaced; NULL = nothing */
};

/* A thread group. Threads reach their address space through it. */
struct process {
	uint32_t pid;
	struct address_space *space;
	uint32_t threads; /* that are known */
	size_t number;	  /* the table's own */
};

struct thread {
	uint32_t pid, tid;
	const char *comm; /* lives as long as the table; ":TID" until known */
	struct process *process;
	uint32_t index; /* dense; a new one whenever pid, tid, comm or the life changes: the key of
			   profile threads */
	uint64_t cgroup;
	bool named; /* comm is known */
	bool exited;
};

struct proc_table *proc_table_new(struct module_table *modules);
void proc_table_free(struct proc_table *table);

/* From now on threads are forgotten some time (thousands of ends) after they end, and processes
 * with their last one: for recordings that have no end. */
void proc_table_forget_ended(struct proc_table *table);

/* Applies MMAP, COMM, FORK, EXIT, NAMESPACES, KSYMBOL, BPF, CGROUP and BUILD_ID events; ignores the
 * rest. A PID that comes back after its EXIT is a new process. */
void proc_table_apply(struct proc_table *table, const struct event *event);

/* Finds the thread or creates it (comm ":TID", parent's address space if the process is known) if
 * no event announced it. pid 0 is the idle task "swapper"; pid -1 is the kernel. */
struct thread *proc_table_thread(struct proc_table *table, uint32_t pid, uint32_t tid);

/* Mapping of a user pc, or NULL. */
const struct mapping *address_space_find(const struct address_space *space, uint64_t pc);
/* The same for a thread that is in the kernel: inside execve(2) its user registers are still those
 * of the program that is being replaced. */
const struct mapping *address_space_find_from_kernel(const struct address_space *space,
						     uint64_t pc);
/* Mapping of a kernel pc (kernel text, modules, BPF programs); never NULL once a kernel exists:
 * unknown kernel addresses belong to the kernel module. */
const struct mapping *proc_table_kernel(const struct proc_table *table, uint64_t pc);

/* Changes whenever the kernel's mappings change: a cache key like space.id. */
uint32_t proc_table_kernel_space(const struct proc_table *table);

/* Name of a cgroup by its id; NULL = unknown. */
const char *proc_table_cgroup(const struct proc_table *table, uint64_t id);

#endif
