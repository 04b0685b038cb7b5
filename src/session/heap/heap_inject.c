/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of the library in a running process (see heap_inject.h). */
#include "session/heap/heap_inject.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "heap/injected.h"
#include "session/heap/inject_image.h"
#include "session/heap/remote.h"

#define SCRATCH_BYTES 65536
#define PATIENCE_NS   2000000000u /* for the loader */
#define WAIT_NS	      1000000
#define MOST_WAIT_NS  50000000
#define MAX_OBJECTS   65536

struct call {
	struct heap_injected *injected;
	struct remote *remote;
	uint64_t scratch; /* a stack, with the request at its beginning */
	bool fresh;	  /* the library was put there by this call */
	uint64_t result;  /* of the function, enum of heap/injected.h */
};

static int begin_call(struct call *call, struct err *err)
{
	const uint64_t room[6] = {
		0, SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1,
		0
	};
	int64_t result;
	int code = remote_stop(call->injected->pid, &call->remote, err);

	if (code)
		return code;
	result = remote_must_call(call->remote, SYS_mmap, room, err);
	if (result < 0)
		return (int)result;
	call->scratch = (uint64_t)result;
	return 0;
}

static void end_call(struct call *call)
{
	struct err ignored = { 0 };
	uint64_t ns;

	if (call->scratch)
		(void)remote_must_call(call->remote, SYS_munmap,
				       (uint64_t[6]){ call->scratch, SCRATCH_BYTES }, &ignored);
	ns = remote_resume(call->remote);
	if (ns > call->injected->stopped_ns)
		call->injected->stopped_ns = ns;
}

/* Calls a function of the library with this request, which then has what the function set. */
static int run(struct call *call, const char *function, struct heap_inject *request, uint64_t *ret,
	       struct err *err)
{
	const uint64_t base = call->injected->base;
	const struct remote_code code_of = {
		.at = base + inject_image_symbol(HEAP_INJECT_ENTER),
		.stack = call->scratch + SCRATCH_BYTES,
		.args = { call->scratch, 0, 0, base + inject_image_symbol(function) },
	};
	int code = remote_write(call->remote, call->scratch, request, sizeof(*request));

	if (!code)
		code = remote_run(call->remote, &code_of, ret, err);
	if (!code)
		code = remote_read(call->injected->pid, call->scratch, request, sizeof(*request));
	if (code && !err->code)
		return err_set(err, code, "process %d: its memory cannot be reached",
			       call->injected->pid);
	return code;
}

/* Its objects as a number; 0: the loader is at work. */
static uint64_t read_objects(const struct heap_injected *injected)
{
	struct r_debug loader;
	struct link_map map;
	uint64_t mixed = 1;
	size_t count = 0;

	if (!injected->loader ||
	    remote_read(injected->pid, injected->loader, &loader, sizeof(loader)) ||
	    loader.r_state != RT_CONSISTENT)
		return 0;
	for (uint64_t at = (uintptr_t)loader.r_map; at && count < MAX_OBJECTS; count++) {
		if (remote_read(injected->pid, at, &map, sizeof(map)))
			return 0;
		mixed = (mixed ^ map.l_addr ^ at) * 0x100000001b3ull;
		at = (uintptr_t)map.l_next;
	}
	return mixed | 1;
}

static int refuse(const struct heap_injected *injected, uint64_t result, struct err *err)
{
	pid_t pid = injected->pid;

	switch (result) {
	case HEAP_INJECT_DONE:
		return 0;
	case HEAP_INJECT_STATIC:
		return err_set(err, -ENOEXEC,
			       "process %d: statically linked: there is no table through which "
			       "it calls its allocator",
			       pid);
	case HEAP_INJECT_BUSY:
		return err_set(err, -EBUSY, "process %d: it is loading libraries all the time",
			       pid);
	case HEAP_INJECT_NO_MALLOC:
		return err_set(err, -ENOEXEC, "process %d: no malloc, calloc, realloc and free",
			       pid);
	default:
		return err_set(err, -ENOEXEC,
			       "process %d: it has an allocator of its own that no library calls",
			       pid);
	}
}

static struct heap_inject request_of(const struct heap_injected *injected)
{
	struct heap_inject request = { .headers = injected->headers,
				       .header_count = injected->header_count,
				       .rate = injected->rate,
				       .token = injected->token,
				       .owner = injected->owner };

	(void)!getrandom(&request.seed, sizeof(request.seed), GRND_NONBLOCK); /* else the token's */
	request.seed ^= injected->token;
	return request;
}

/* One try: -EAGAIN while the loader is at work. */
static int try_begin(struct call *call, struct err *err)
{
	struct heap_injected *injected = call->injected;
	struct heap_inject request = request_of(injected);
	uint64_t result = 0;
	int code = begin_call(call, err);

	if (!code)
		code = inject_image_place(call->remote, injected, call->scratch, &call->fresh, err);
	if (!code)
		code = run(call, HEAP_INJECT_BEGIN, &request, &result, err);
	if (!code && result == HEAP_INJECT_DONE) {
		injected->loader = request.loader;
		injected->objects = read_objects(injected);
		injected->slots = request.slots;
		injected->own_malloc = request.own_malloc;
	} else if (call->fresh) {
		inject_image_remove(call->remote, injected);
	}
	end_call(call);
	call->result = result;
	if (code)
		return code;
	return result == HEAP_INJECT_BUSY ? -EAGAIN : refuse(injected, result, err);
}

/* A program that has just begun: its loader has not made the list of objects yet, or not even
 * itself whole, so that the code which looks for them finds none, or faults. Static ones are not
 * tried. */
static bool may_be_early(const struct call *call, int code)
{
	return code == -EFAULT || (code && call->result == HEAP_INJECT_STATIC);
}

int heap_inject_begin(struct heap_injected *injected, struct err *err)
{
	struct timespec wait = { .tv_nsec = WAIT_NS };
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);

	for (;;) {
		struct call call = { .injected = injected };
		struct err why = { 0 };
		int code = inject_image_check(injected, &why);
		bool early;

		if (!code)
			code = try_begin(&call, &why);
		if (!code)
			return 0;
		early = may_be_early(&call, code);
		if ((code == -EAGAIN || early) &&
		    clock_ns(CLOCK_MONOTONIC) - began_ns < PATIENCE_NS) {
			(void)nanosleep(&wait, NULL);
			if (early && wait.tv_nsec < MOST_WAIT_NS)
				wait.tv_nsec *=
					2; /* it may be that it is not, and stops each time */
			continue;
		}
		if (code == -EAGAIN)
			return refuse(injected, HEAP_INJECT_BUSY, err);
		*err = why;
		return code;
	}
}

bool heap_inject_changed(struct heap_injected *injected)
{
	uint64_t now = read_objects(injected);

	return now && now != injected->objects;
}

static int call_again(struct heap_injected *injected, const char *function, struct err *err)
{
	struct heap_inject request = request_of(injected);
	struct call call = { .injected = injected };
	uint64_t result = 0;
	int code = begin_call(&call, err);

	if (!code)
		code = run(&call, function, &request, &result, err);
	if (!code && result == HEAP_INJECT_DONE)
		injected->objects = read_objects(injected);
	end_call(&call);
	return code ? code : result == HEAP_INJECT_BUSY ? -EAGAIN : 0;
}

int heap_inject_repeat(struct heap_injected *injected, struct err *err)
{
	return call_again(injected, HEAP_INJECT_REPEAT, err);
}

int heap_inject_end(struct heap_injected *injected, struct err *err)
{
	const struct timespec wait = { .tv_nsec = WAIT_NS };
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	int code;

	do {
		code = call_again(injected, HEAP_INJECT_END, err);
		if (code == -EAGAIN)
			(void)nanosleep(&wait, NULL);
	} while (code == -EAGAIN && clock_ns(CLOCK_MONOTONIC) - began_ns < PATIENCE_NS);
	return code;
}
