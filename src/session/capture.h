/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the recorded machine while a recording is read: modules, processes, and what turns
 * one sample into addresses. Used by load.c (whole profiles) and replay.c (event by event). */
#ifndef SESSION_CAPTURE_H
#define SESSION_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "event/stop.h"
#include "proc/proc.h"

struct err;
struct kept_names;
struct perf_data;

struct capture {
	struct module_table *modules;
	struct proc_table *procs;
	struct kept_names *kept; /* of the recording; NULL = none */
	bool archived;		 /* they are all that its own machine knew */
};

void capture_open(struct capture *capture);
void capture_close(struct capture *capture);
/* Applies the build ids of the header. */
int capture_build_ids(struct capture *capture, const struct perf_data *data);
/* Reads the names that the recording keeps, or that came beside it; damaged ones are as good as
 * none. Uses the binaries that came beside it. */
void capture_take_beside(struct capture *capture, const struct perf_data *data);

/* The longest call chain taken from a sample; the kernel's own limit is 127 + contexts by default
 * and 640 K by sysctl. */
#define CAPTURE_MAX_CHAIN 4096

/* A sample's addresses, leaf first: kernel ones, then user ones. */
struct capture_chain {
	uint64_t pc[CAPTURE_MAX_CHAIN];
	size_t kernel; /* [0, kernel) */
	size_t count;  /* user: [kernel, count) */
	bool truncated;
	enum stack_stop stop; /* of the user part, as recorded; NONE: not recorded */
	bool branch;	      /* both ends of a branch: none is a return address */
	bool in_kernel;	      /* the sample hit the kernel */
};

/* Splits the recorded call chain (or only the ip without one) at its context markers. */
void capture_chain_split(const struct event *event, struct capture_chain *ret);
/* True when the sample carries registers and stack bytes to unwind the user part from. */
bool capture_has_user_stack(const struct event *event);
/* True when the user part of the chain is in the branches (perf's --call-graph lbr). */
bool capture_has_call_stack(const struct event *event);
/* True when the event was recorded with call chains or user stacks. */
bool capture_wants_chain(const struct event *event);

/* Whether the i-th address of a half (kernel or user) of a chain is a return address. The call is
 * the instruction before: function, inlined functions and line of such a place are those of one
 * byte before it. After a call that does not return, the address itself may belong to the next
 * function. */
static inline bool capture_is_caller(size_t i)
{
	return i > 0;
}

/* Whether the user part is of the branches that the CPU keeps (LBR): these are the addresses of the
 * calls. */
static inline bool capture_has_calls(const struct capture_chain *chain)
{
	return chain->branch || chain->stop == STACK_STOP_LBR;
}

struct capture_place {
	const struct module *module; /* the unknown module if nothing is mapped */
	uint64_t offset;
};

/* Whose address it is. */
enum capture_mode {
	CAPTURE_USER,
	CAPTURE_USER_IN_KERNEL, /* a user address of a thread that is in the kernel */
	CAPTURE_KERNEL,
};

void capture_locate(const struct capture *capture, const struct address_space *space, uint64_t pc,
		    enum capture_mode mode, struct capture_place *ret);

#endif
