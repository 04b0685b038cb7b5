/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of trace_programs. */
#ifndef TEST_LIVE_TRACE_PROGRAMS_H
#define TEST_LIVE_TRACE_PROGRAMS_H

#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name, ...) ((void)syscall(SYS_##name, ##__VA_ARGS__))
#define FD(name, ...)	((int)syscall(SYS_##name, ##__VA_ARGS__))

struct program {
	const char *name; /* NULL = the last one */
	void (*run)(void);
};

#define PROGRAM(name)       \
	{                   \
#name, name \
	}

extern const struct program file_programs[], stop_programs[];

#endif
