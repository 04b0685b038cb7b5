/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads over time: applies the record stream (see proc.h). */
#include "proc/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "proc/address_space.h"

#define RECENT_THREADS 256
#define ENDED_KEPT     4096u /* ended threads that are still known */

struct proc_table {
	struct module_table *modules;
	struct arena arena; /* threads, processes; bounded by the number of FORK and COMM events */
	struct strtab *strings;
	struct map threads;	   /* tid → struct thread * */
	struct map processes;	   /* pid → struct process * */
	struct map cgroups;	   /* id → string_id */
	VEC(struct process *) all; /* including those with a reused pid */
	struct address_space *kernel;
	struct module *kernel_module;
	struct mapping kernel_rest; /* kernel addresses outside of all mappings */
	uint32_t next_space, next_thread;
	struct thread *recent[RECENT_THREADS]; /* by tid; a cache of `threads` */
	bool forgets;
	struct thread *ended[ENDED_KEPT]; /* a ring; NULL = not so many yet */
	size_t next_ended;
	VEC(struct thread *) unused_threads;
	VEC(struct process *) unused_processes;
};

struct proc_table *proc_table_new(struct module_table *modules)
{
	struct proc_table *table = mem_zalloc(sizeof(*table));

	table->modules = modules;
	table->strings = strtab_new();
	table->kernel = address_space_new(++table->next_space, 0);
	table->kernel_module = module_table_named(modules, MODULE_KERNEL, "[kernel.kallsyms]", 0);
	table->kernel_rest = (struct mapping){ .end = UINT64_MAX, .module = table->kernel_module };
	return table;
}

void proc_table_free(struct proc_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->all.count; i++)
		address_space_unref(table->all.item[i]->space);
	vec_done(&table->all);
	vec_done(&table->unused_threads);
	vec_done(&table->unused_processes);
	address_space_unref(table->kernel);
	map_done(&table->threads);
	map_done(&table->processes);
	map_done(&table->cgroups);
	strtab_free(table->strings);
	arena_done(&table->arena);
	free(table);
}

static struct process *add_process(struct proc_table *table, uint32_t pid,
				   struct address_space *space)
{
	struct process *process = table->unused_processes.count
					  ? *vec_last(&table->unused_processes)
					  : arena_new(&table->arena, struct process);

	table->unused_processes.count -= table->unused_processes.count != 0;
	*process = (struct process){ .pid = pid, .space = space, .number = table->all.count };
	map_set(&table->processes, pid, (uintptr_t)process);
	vec_push(&table->all, process);
	return process;
}

static struct process *find_process(struct proc_table *table, uint32_t pid)
{
	uint64_t found;

	return map_get(&table->processes, pid, &found) ? (struct process *)(uintptr_t)found : NULL;
}

static struct process *get_process(struct proc_table *table, uint32_t pid)
{
	struct process *process = find_process(table, pid);

	return process ? process
		       : add_process(table, pid, address_space_new(++table->next_space, pid));
}

static const char *keep_string(struct proc_table *table, const char *s)
{
	return strtab_get(table->strings, strtab_intern(table->strings, s, strlen(s)));
}

static struct thread *find_thread(struct proc_table *table, uint32_t tid)
{
	struct thread **recent = &table->recent[tid % RECENT_THREADS];
	uint64_t found;

	if (*recent && (*recent)->tid == tid)
		return *recent;
	if (!map_get(&table->threads, tid, &found))
		return NULL;
	*recent = (struct thread *)(uintptr_t)found;
	return *recent;
}

/* comm NULL: not known yet. */
static struct thread *add_thread(struct proc_table *table, uint32_t tid, struct process *process,
				 const char *comm)
{
	struct thread *thread = table->unused_threads.count
					? *vec_last(&table->unused_threads)
					: arena_new(&table->arena, struct thread);
	char made_up[16];

	table->unused_threads.count -= table->unused_threads.count != 0;
	process->threads++;
	(void)snprintf(made_up, sizeof(made_up), ":%" PRId32, (int32_t)tid);
	*thread = (struct thread){ .pid = process->pid,
				   .tid = tid,
				   .comm = comm ? comm : keep_string(table, made_up),
				   .named = comm != NULL,
				   .process = process,
				   .index = table->next_thread++ };
	map_set(&table->threads, tid, (uintptr_t)thread);
	table->recent[tid % RECENT_THREADS] = thread;
	return thread;
}

struct thread *proc_table_thread(struct proc_table *table, uint32_t pid, uint32_t tid)
{
	struct thread *thread = find_thread(table, tid);

	/* a thread of another group: the tid was reused */
	if (thread && (thread->pid == pid || pid == (uint32_t)-1))
		return thread;
	if (tid == 0)
		return add_thread(table, tid, get_process(table, 0), "swapper");
	return add_thread(table, tid, get_process(table, pid), NULL);
}

static void apply_comm(struct proc_table *table, const struct event *event)
{
	struct thread *thread = proc_table_thread(table, event->pid, event->tid);

	if (event->comm.exec) {
		struct address_space *before = thread->process->space;

		address_space_unref(before->before); /* one step back is enough */
		before->before = NULL;
		thread->process->space = address_space_new(++table->next_space, event->pid);
		thread->process->space->before = before;
	}
	thread->comm = keep_string(table, event->comm.name);
	thread->named = true;
	thread->index = table->next_thread++;
}

static void apply_fork(struct proc_table *table, const struct event *event)
{
	struct thread *parent = proc_table_thread(table, event->task.ppid, event->task.ptid);
	struct process *process;

	if (event->pid == event->task.ppid) /* a new thread */
		process = parent->process;
	else if (event->pid == event->tid && (event->misc & PERF_RECORD_MISC_FORK_EXEC))
		/* synthetic, from /proc: its own mappings follow, so the parent's are not copied */
		process = add_process(table, event->pid,
				      address_space_new(++table->next_space, event->pid));
	else if (event->pid == event->tid) /* a new process, perhaps with a reused pid */
		process = add_process(table, event->pid, address_space_ref(parent->process->space));
	else
		process = get_process(table, event->pid);
	(void)add_thread(table, event->tid, process,
			 parent->named ? parent->comm : NULL); /* found again by tid */
}

static void forget_process(struct proc_table *table, struct process *process)
{
	struct process *last = *vec_last(&table->all);

	if (find_process(table, process->pid) == process)
		map_remove(&table->processes, process->pid);
	address_space_unref(process->space);
	table->all.item[process->number] = last;
	last->number = process->number;
	table->all.count--;
	vec_push(&table->unused_processes, process);
}

static void forget_thread(struct proc_table *table, struct thread *thread)
{
	if (find_thread(table, thread->tid) == thread)
		map_remove(&table->threads, thread->tid);
	if (table->recent[thread->tid % RECENT_THREADS] == thread)
		table->recent[thread->tid % RECENT_THREADS] = NULL;
	if (--thread->process->threads == 0)
		forget_process(table, thread->process);
	vec_push(&table->unused_threads, thread);
}

static void apply_exit(struct proc_table *table, const struct event *event)
{
	struct thread *thread = find_thread(table, event->tid), **place;

	if (!thread || thread->pid != event->pid || thread->exited)
		return;
	thread->exited = true;
	if (!table->forgets)
		return;
	place = &table->ended[table->next_ended++ % ENDED_KEPT];
	if (*place)
		forget_thread(table, *place);
	*place = thread;
}

void proc_table_forget_ended(struct proc_table *table)
{
	table->forgets = true;
}

static void map_kernel(struct proc_table *table, const struct event *event, struct module *module)
{
	struct mapping mapping = { .start = event->mmap.start,
				   .end = event->mmap.start + event->mmap.len,
				   .pgoff = event->mmap.start,
				   .module = module };

	if (mapping.end < mapping.start)
		mapping.end = UINT64_MAX;
	if (mapping.end > mapping.start)
		address_space_insert(&table->kernel, ++table->next_space, &mapping);
}

static void apply_mmap(struct proc_table *table, const struct event *event)
{
	unsigned mode = event->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct mapping mapping = { .start = event->mmap.start,
				   .end = event->mmap.start + event->mmap.len,
				   .pgoff = event->mmap.pgoff };
	struct process *process;

	if (mode == PERF_RECORD_MISC_KERNEL || event->pid == (uint32_t)-1) {
		uint16_t misc = (uint16_t)((event->misc & ~PERF_RECORD_MISC_CPUMODE_MASK) |
					   PERF_RECORD_MISC_KERNEL);

		map_kernel(table, event,
			   module_table_intern(table->modules, &event->mmap, misc, event->pid));
		return;
	}
	if (!(event->mmap.prot & PROT_EXEC) || (event->misc & PERF_RECORD_MISC_MMAP_DATA) ||
	    mapping.end <= mapping.start)
		return;
	process = get_process(table, event->pid);
	mapping.module = module_table_intern(table->modules, &event->mmap, event->misc, event->pid);
	if (address_space_is_text_copy(process->space, &mapping))
		return;
	if (mapping.module->kind == MODULE_JIT || mapping.module->kind == MODULE_VSYSCALL)
		mapping.pgoff = mapping.start; /* offsets are addresses */
	address_space_insert(&process->space, ++table->next_space, &mapping);
}

static void apply_ksymbol(struct proc_table *table, const struct event *event)
{
	struct mapping mapping = { .start = event->ksymbol.addr,
				   .end = event->ksymbol.addr + event->ksymbol.len,
				   .pgoff = event->ksymbol.addr };

	if (mapping.end <= mapping.start)
		return;
	if (event->ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		address_space_remove(&table->kernel, ++table->next_space, mapping.start,
				     mapping.end);
		return;
	}
	mapping.module = module_table_named(table->modules, MODULE_BPF, event->ksymbol.name, 0);
	mapping.module->map_start = mapping.start;
	mapping.module->map_end = mapping.end;
	address_space_insert(&table->kernel, ++table->next_space, &mapping);
}

void proc_table_apply(struct proc_table *table, const struct event *event)
{
	switch (event->type) {
	case EVENT_MMAP:
		apply_mmap(table, event);
		break;
	case EVENT_COMM:
		apply_comm(table, event);
		break;
	case EVENT_FORK:
		apply_fork(table, event);
		break;
	case EVENT_EXIT:
		apply_exit(table, event);
		break;
	case EVENT_KSYMBOL:
		apply_ksymbol(table, event);
		break;
	case EVENT_CGROUP:
		map_set(&table->cgroups, event->cgroup.id,
			strtab_puts(table->strings, event->cgroup.path).v);
		break;
	case EVENT_BUILD_ID:
		module_table_set_build_id(table->modules, event->build_id.path,
					  &event->build_id.id);
		break;
	default: /* other events do not change processes or mappings */
		break;
	}
}

const struct mapping *proc_table_kernel(const struct proc_table *table, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(table->kernel, pc);

	return mapping ? mapping : &table->kernel_rest;
}

uint32_t proc_table_kernel_space(const struct proc_table *table)
{
	return table->kernel->id;
}

const char *proc_table_cgroup(const struct proc_table *table, uint64_t id)
{
	uint64_t found;

	return map_get(&table->cgroups, id, &found)
		       ? strtab_get(table->strings, (string_id){ (uint32_t)found })
		       : NULL;
}
