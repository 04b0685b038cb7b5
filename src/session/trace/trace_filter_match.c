/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a call is what a filter asks for (see trace_filter.h). */
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "session/trace/trace_call.h"
#include "session/trace/trace_filter.h"
#include "session/trace/trace_filter_node.h"

static bool number_of(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = *text == '-' ? (int64_t)strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return end != text && !*end && !errno;
}

static bool flag_of(const struct syscall_flag_set *set, const char *word, size_t len, uint64_t *ret)
{
	for (size_t i = 0; i < set->count; i++)
		if (strlen(set->flag[i].name) == len && !memcmp(set->flag[i].name, word, len)) {
			*ret |= set->flag[i].value;
			return true;
		}
	return false;
}

static bool signal_of(const char *word, int64_t *ret)
{
	for (int number = 1; strncmp(word, "SIG", 3) == 0 && number < SIGRTMIN; number++) {
		const char *name = sigabbrev_np(number);

		*ret = number;
		if (name && strcmp(name, word + 3) == 0)
			return true;
	}
	return false;
}

bool trace_filter_value(const char *value, enum syscall_arg kind, int64_t *ret)
{
	const struct syscall_flag_set *set =
		syscall_flags(kind == ARG_SOCKET_OPTION ? ARG_SOL_SOCKET : kind);
	uint64_t flags = 0;

	if (number_of(value, ret))
		return true;
	if (kind == ARG_SIGNAL)
		return signal_of(value, ret);
	if (kind == ARG_DIRFD && strcmp(value, "AT_FDCWD") == 0) {
		*ret = -100;
		return true;
	}
	if (!set)
		return false;
	for (const char *at = value;; at++) {
		size_t len = strcspn(at, "|");

		if (!flag_of(set, at, len, &flags))
			return false;
		at += len;
		if (!*at)
			break;
	}
	*ret = (int64_t)flags;
	return true;
}

bool trace_filter_error(const char *value, int64_t *ret)
{
	if (number_of(value, ret))
		return true;
	for (uint32_t error = 1; error < 4096; error++) {
		const char *name = syscall_error_name(error);

		*ret = error;
		if (name && strcmp(name, value) == 0)
			return true;
	}
	return false;
}

static bool compare_text(const struct trace_filter_node *node, const char *text)
{
	switch (node->op) {
	case FILTER_EQUAL:
		return strcmp(text, node->value) == 0;
	case FILTER_UNEQUAL:
		return strcmp(text, node->value) != 0;
	case FILTER_GLOB:
		return fnmatch(node->value, text, 0) == 0;
	case FILTER_NO_GLOB:
		return fnmatch(node->value, text, 0) != 0;
	default:
		return false;
	}
}

static bool compare(enum trace_filter_op op, bool is_signed, uint64_t left, uint64_t right)
{
	bool less = is_signed ? (int64_t)left < (int64_t)right : left < right;

	switch (op) {
	case FILTER_EQUAL:
		return left == right;
	case FILTER_UNEQUAL:
		return left != right;
	case FILTER_LESS:
		return less;
	case FILTER_LESS_EQUAL:
		return less || left == right;
	case FILTER_MORE:
		return !less && left != right;
	case FILTER_MORE_EQUAL:
		return !less;
	case FILTER_BITS:
		return left & right;
	default:
		return false;
	}
}

static bool compare_argument(const struct trace_filter_node *node,
			     const struct trace_argument *argument)
{
	enum syscall_arg kind = argument->kind;
	bool is_signed = trace_argument_is_signed(argument), cut;
	uint64_t value = argument->value;
	char text[SYSCALL_COPY_MAX + 1];
	int64_t right;
	size_t len;

	if (node->quoted || node->op == FILTER_GLOB || node->op == FILTER_NO_GLOB) {
		if (!trace_argument_text(argument, &len, &cut) || len >= sizeof(text))
			return false;
		memcpy(text, argument->data, len);
		text[len] = '\0';
		return compare_text(node, text);
	}
	if (!trace_filter_value(node->value, kind, &right))
		return false;
	if (is_signed && kind != ARG_LONG)
		value = (uint64_t)(int64_t)(int)value;
	else if (kind == ARG_UINT || kind >= ARG_FLAGS)
		value = (uint32_t)value;
	return compare(node->op, is_signed, value, (uint64_t)right);
}

bool trace_filter_is_common(const char *name)
{
	static const char *const names[] = { "ret", "errno", "comm", "common_pid", "pid" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool compare_common(const struct trace_filter_node *node, const struct syscall_line *line)
{
	char comm[sizeof(line->comm) + 1] = { 0 };
	int64_t left, right;

	if (strcmp(node->name, "comm") == 0) {
		memcpy(comm, line->comm, sizeof(line->comm));
		return compare_text(node, comm);
	}
	if (line->open && (strcmp(node->name, "errno") == 0 || strcmp(node->name, "ret") == 0))
		return false;
	if (strcmp(node->name, "errno") == 0) {
		left = trace_call_failed(line) ? -line->result : 0;
		return trace_filter_error(node->value, &right) &&
		       compare(node->op, true, (uint64_t)left, (uint64_t)right);
	}
	if (strcmp(node->name, "ret") == 0 && line->returns_never)
		return false;
	left = strcmp(node->name, "ret") == 0	? line->result
	       : strcmp(node->name, "pid") == 0 ? (int64_t)line->tgid
						: (int64_t)line->tid;
	return number_of(node->value, &right) &&
	       compare(node->op, true, (uint64_t)left, (uint64_t)right);
}

static bool accepts(const struct trace_filter *filter, size_t at, const struct trace_call *call)
{
	const struct trace_filter_node *node = &filter->node.item[at];
	size_t len;

	if (node->op == FILTER_OR)
		return accepts(filter, node->left, call) || accepts(filter, node->right, call);
	if (node->op == FILTER_AND)
		return accepts(filter, node->left, call) && accepts(filter, node->right, call);
	if (node->op == FILTER_NOT)
		return !accepts(filter, node->left, call);
	len = strlen(node->name);
	for (size_t i = 0; i < call->count; i++)
		if (call->arg[i].name_len == len && !memcmp(call->arg[i].name, node->name, len))
			return compare_argument(node, &call->arg[i]);
	return trace_filter_is_common(node->name) && compare_common(node, call->line);
}

const char *trace_filter_text(const struct trace_filter *filter)
{
	for (size_t i = 0; i < filter->node.count; i++) {
		const struct trace_filter_node *node = &filter->node.item[i];

		if (node->op >= FILTER_EQUAL && strcmp(node->name, "comm") != 0 &&
		    (node->quoted || node->op >= FILTER_GLOB))
			return node->name;
	}
	return NULL;
}

bool trace_filter_accepts(const struct trace_filter *filter, const struct trace_call *call)
{
	return accepts(filter, filter->root, call);
}
