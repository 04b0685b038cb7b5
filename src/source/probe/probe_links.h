/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches a loaded BPF program to many places or tracepoints. All that is attached belongs to
 * descriptors of this process: whatever ends it, nothing stays behind. The program finds the number
 * of the place in bpf_get_attach_cookie(). */
#ifndef SOURCE_PROBE_PROBE_LINKS_H
#define SOURCE_PROBE_PROBE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct bpf_object_skeleton;
struct bpf_program;
struct err;
struct probe_choice;
struct source;
struct source_options;

/* From Linux 6.6 and 6.13; the headers that programs are built with may be older. */
#define ATTACH_UPROBE_MULTI   48
#define ATTACH_UPROBE_SESSION 57

struct probe_links {
	VEC(int) fds; /* in order: to be closed from the last on */
	/* Numbers of places that were left out, because the kernel cannot probe what is there. */
	VEC(uint32_t) refused;
};

/* Whether this kernel attaches one link to many places; then programs are to be loaded with
 * ATTACH_UPROBE_MULTI. */
bool probe_links_multi(void);

/* Whether programs for raw tracepoints can find their number; else such programs do not load. */
bool probe_links_raw(void);

struct probe_attach {
	const struct probe_choice *choice; /* its binaries */
	const struct probe_place *place;
	size_t places;
	uint32_t attach_type; /* that the program was loaded with; 0 = an event for each place */
	bool at_return;
	int pid; /* only in this process; 0 = in all */
};

/* How to attach to the places of a choice with these options. */
struct probe_attach probe_attach_to(const struct probe_choice *choice,
				    const struct source_options *options);
/* Before loading: for all programs at places. */
void probe_links_prepare(const struct bpf_object_skeleton *skeleton,
			 const struct probe_attach *attach);
/* Fails if it can attach to none of the places. */
int probe_links_places(struct probe_links *links, int program, const struct probe_attach *attach,
		       struct err *err);
/* Programs for the ends of calls. */
struct probe_ends {
	int on_return; /* at return addresses */
	int on_leave;  /* at exits of one function alone */
	/* At exits that other functions come by, too; and where the function begins, -1 = not. */
	int on_leave_shared, on_enter;
};

/* What cannot be probed is not noted: the beginnings will be the same. */
int probe_links_ends(struct probe_links *links, const struct probe_ends *ends,
		     const struct probe_attach *attach, struct err *err);
/* raw: a program for raw tracepoints, for those tracepoints that have one; -1 = none. tp: one for
 * the others. */
int probe_links_tracepoints(struct probe_links *links, int raw, int tp,
			    const struct probe_choice *choice, struct err *err);
/* Notes which places were left out. */
void probe_links_note(const struct probe_links *links, const struct probe_choice *choice,
		      struct source *source);
/* Events that came while the program ran for another one on the same CPU. */
uint64_t probe_links_missed(const struct bpf_program *program);
void probe_links_close(struct probe_links *links);

#endif
