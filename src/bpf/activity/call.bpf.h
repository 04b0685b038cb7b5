/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls and what they are about: paths, signals, programs, files and sockets. User space
 * says what each number is (struct activity_role). */
#ifndef BPF_ACTIVITY_CALL_BPF_H
#define BPF_ACTIVITY_CALL_BPF_H

#include "bpf/activity/call_about.bpf.h"
#include "bpf/activity/call_state.bpf.h"
#include "bpf/activity/connection.bpf.h"

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call_begin, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 call = numbered_call(task, number);
	const volatile struct activity_role *role = role_of(call);
	struct call_state *state;

	if (!role || !role->kind_plus_one || !is_of_interest())
		return 0;
	if (rules.ppid && (__u32)BPF_CORE_READ(task, real_parent, tgid) != rules.ppid)
		return 0;
	state = bpf_task_storage_get(&call_states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	state->call = call;
	if (call & SYSCALL_COMPAT_BIT)
		arch_compat_arguments(regs, state->arg);
	else
		arch_arguments(regs, state->arg);
	state->since_ns = bpf_ktime_get_ns();
	return 0;
}

struct call_end {
	struct task_struct *task;
	const struct call_state *state;
	const volatile struct activity_role *role;
	long result;
};

static __always_inline bool put_file_call(struct activity *to, const struct call_end *end)
{
	__u8 what = end->role->what;
	struct file *file;
	__u64 fd = argument(end->state, end->role->fd);

	if (end->result < 0)
		return false;
	if (what == 'O')
		fd = (__u64)end->result;
	file = open_file(end->task, fd);
	if (!file)
		return false;
	to->operation = what;
	if (what == 'R') {
		to->number[FILE_READ_BYTES] = (__u64)end->result;
		to->number[FILE_READS] = 1;
	} else if (what == 'W') {
		to->number[FILE_WRITE_BYTES] = (__u64)end->result;
		to->number[FILE_WRITES] = 1;
	}
	return put_file(to, file, argument(end->state, end->role->offset), end->role->offset);
}

static __always_inline bool put_accepted(struct activity *to, const struct call_end *end)
{
	struct socket *socket;
	struct file *file;
	struct sock *sock;

	if (end->result < 0)
		return false;
	file = open_file(end->task, (__u64)end->result);
	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & FILE_KIND) != KIND_SOCKET)
		return false;
	socket = (struct socket *)BPF_CORE_READ(file, private_data);
	sock = BPF_CORE_READ(socket, sk);
	if (!is_tcp(sock))
		return false;
	own_connection(sock);
	put_socket(to, sock);
	return rules.kinds >> ACTIVITY_ACCEPT & 1;
}

static __always_inline bool put_call(struct activity *to, const struct call_end *end)
{
	__u8 kind = end->role->kind_plus_one - 1;
	struct task_struct *task = end->task;

	put_thread(to);
	to->ns = to->time_ns - end->state->since_ns;
	if (kind == ACTIVITY_FILE)
		return put_file_call(to, end);
	if (kind == ACTIVITY_ACCEPT)
		return put_accepted(to, end);
	if (rules.only_failed && end->result >= 0)
		return false;
	if (rules.error_plus_one && end->result != 1 - (long)rules.error_plus_one)
		return false;
	to->number[CALL_RESULT] = (__u64)end->result;
	to->number[CALL_NUMBER] = end->state->call;
	to->number[CALL_ARG] = argument(end->state, end->role->argument);
	to->number[CALL_TARGET] = argument(end->state, end->role->target);
	to->number[CALL_SYNC] = end->role->what;
	if (kind == ACTIVITY_EXEC) {
		to->ppid = (__u32)BPF_CORE_READ(task, real_parent, tgid);
		if (!end->result)
			put_own_words(to, task);
		else if (!(end->state->call & SYSCALL_COMPAT_BIT))
			(void)put_words(to, argument(end->state, end->role->argument));
	} else if (rules.full_path && kind == ACTIVITY_OPEN && end->result >= 0) {
		(void)put_opened(to, (__u64)end->result);
	} else if (end->role->path) {
		put_path(to, argument(end->state, end->role->path));
	}
	if (kind == ACTIVITY_OPEN && end->role->what) /* openat2(): in a struct */
		(void)bpf_probe_read_user(&to->number[CALL_ARG], 16,
					  (const void *)argument(end->state, end->role->argument));
	return true;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_call_end, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct call_state *state = bpf_task_storage_get(&call_states, task, NULL, 0);
	struct call_end end = { task, state, NULL, result };
	struct activity *activity;

	if (!state || state->call == SYSCALL_NONE)
		return 0;
	end.role = role_of(state->call);
	if (end.role && end.role->kind_plus_one && state->since_ns) {
		activity = begin_activity(end.role->kind_plus_one - 1);
		if (activity && put_call(activity, &end))
			(void)deliver(activity);
		else if (activity)
			give_back();
	}
	state->call = SYSCALL_NONE;
	return 0;
}

#endif
