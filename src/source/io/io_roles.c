/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which system calls are I/O (see io_choice.h). */
#include <string.h>

#include "source/io/io_choice.h"
#include "source/syscall/syscall_table.h"

#define ROLE(id, fd, offset)               \
	{                                  \
		IO_##id + 1, fd, offset, 0 \
	}

/* Places of the descriptor and the offset, from 1. */
static const struct {
	const char *name;
	struct io_role role;
} rows[] = {
	{ "read", ROLE(READ, 1, 0) },
	{ "readv", ROLE(READ, 1, 0) },
	{ "pread64", ROLE(READ, 1, 4) },
	{ "preadv", ROLE(READ, 1, 4) },
	{ "preadv2", ROLE(READ, 1, 4) },
	{ "recvfrom", ROLE(READ, 1, 0) },
	{ "recvmsg", ROLE(READ, 1, 0) },
	{ "write", ROLE(WRITE, 1, 0) },
	{ "writev", ROLE(WRITE, 1, 0) },
	{ "pwrite64", ROLE(WRITE, 1, 4) },
	{ "pwritev", ROLE(WRITE, 1, 4) },
	{ "pwritev2", ROLE(WRITE, 1, 4) },
	{ "sendto", ROLE(WRITE, 1, 0) },
	{ "sendmsg", ROLE(WRITE, 1, 0) },
	{ "fsync", ROLE(SYNC, 1, 0) },
	{ "fdatasync", ROLE(SYNC, 1, 0) },
	{ "sync_file_range", ROLE(SYNC, 1, 0) },
	{ "syncfs", ROLE(SYNC, 1, 0) },
	{ "sync", ROLE(SYNC, 0, 0) },
	{ "msync", ROLE(SYNC, 0, 0) },
	{ "open", ROLE(OPEN, 0, 0) },
	{ "openat", ROLE(OPEN, 0, 0) },
	{ "openat2", ROLE(OPEN, 0, 0) },
	{ "creat", ROLE(OPEN, 0, 0) },
	{ "connect", ROLE(CONNECT, 1, 0) },
	{ "accept", ROLE(ACCEPT, 1, 0) },
	{ "accept4", ROLE(ACCEPT, 1, 0) },
	{ "sendfile", ROLE(COPY, 2, 0) },
	{ "splice", ROLE(COPY, 1, 0) },
	{ "tee", ROLE(COPY, 1, 0) },
	{ "vmsplice", ROLE(COPY, 1, 0) },
	{ "copy_file_range", ROLE(COPY, 1, 0) },
	{ "io_submit", ROLE(SUBMIT, 0, 0) },
	{ "io_getevents", ROLE(COLLECT, 0, 0) },
	{ "io_pgetevents", ROLE(COLLECT, 0, 0) },
	{ "io_uring_enter", ROLE(ENTER, 0, 0) },
};

static struct io_role role_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].role;
	return (struct io_role){ 0 };
}

void io_roles(struct io_role ret[SYSCALL_NUMBERS])
{
	const struct syscall_numbers *native = &syscall_numbers[SYSCALL_NATIVE];

	memset(ret, 0, sizeof(*ret) * SYSCALL_NUMBERS);
	for (size_t i = 0; i < native->count && i < SYSCALL_NUMBERS; i++)
		if (native->name[i])
			ret[i] = role_of(native->name[i]);
}
