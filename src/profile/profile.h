/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model every view and format is a function of: weighted stacks in time. Stacks are nodes of
 * one tree (parent, frame), so equal prefixes are stored once and a child's id is always greater
 * than its parent's. No I/O, no printing, no clock. Ids are dense and stay valid until
 * profile_free(). Not thread-safe for writing. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "event/heap_block.h"
#include "event/kind.h"
#include "event/stop.h"
#include "event/walk_cost.h"
#include "profile/profile_access.h"
#include "profile/profile_keep.h"

typedef struct {
	uint32_t v;
} frame_id;
typedef struct {
	uint32_t v;
} stack_id;
typedef struct {
	uint32_t v;
} thread_id;

#define STACK_EMPTY ((stack_id){ 0 }) /* the root of the tree: a stack without frames */

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_INTERPRETER,
	FRAME_GUEST,
	FRAME_HYPERVISOR,
	FRAME_SEPARATOR,
};

/* A place in code, or where the loader merges them a whole function (offset 0). Frames from text
 * formats have function and maybe module only. All strings are ids in profile->strings,
 * STRING_EMPTY = unknown. */
struct frame {
	uint32_t module; /* index in profile->modules */
	enum frame_kind kind;
	bool inlined;  /* inlined into its parent frame of the stack */
	bool caller;   /* offset is a return address: the call is just before it */
	char binding;  /* 'g', 'l', 'w' or 0 */
	uint32_t line; /* 0 = unknown */
	string_id function, file;
	uint64_t offset; /* in the module (see proc/module.h); return addresses as recorded */
	uint64_t symbol_start, symbol_end; /* of the real function, module offsets; 0 = unknown */
	uint64_t pc;			   /* one of its absolute addresses; 0: unknown */
};

struct stack_node {
	stack_id parent;
	frame_id frame;
	uint32_t depth; /* 1 = outermost */
	uint32_t hash;	/* private: of the frames up to here */
};

struct profile_module {
	string_id path, name; /* "/usr/lib/libc.so.6", "libc.so.6" */
	char build_id[41];    /* hex, "" = unknown */
	string_id problem;    /* why its symbols are missing, empty = none */
	string_id remedy;     /* what brings them on this machine, empty = see nameless.h */
};

struct profile_thread {
	uint32_t pid, tid; /* PROFILE_NO_ID = unknown */
	string_id comm;
};

struct profile_event {
	string_id name, unit;
	enum event_kind kind;
	enum event_unit unit_type; /* what the text in unit means */
	double sample_weight;	   /* see sample_weight.h */
	uint32_t scale; /* weights are in 1/scale of the unit: fractions of text formats; 0 = 1 */
	bool measured,
		precise; /* times are complete, not sampled: counts are not statistics; no skid */
	bool exact;	 /* each occurrence is a sample: counts are not statistics */
	uint64_t samples, weight;	 /* sums over all samples, also filtered-in only */
	double squares;			 /* of the weights of all samples, likewise */
	uint64_t lost;			 /* lost records and samples, if known per event */
	uint64_t stop[STACK_STOP_COUNT]; /* samples by stop reason of the user part */
	uint64_t frames, unknown_frames; /* frames over all samples; those without a name */
	uint16_t leader; /* of the group it was recorded in: its index + 1; 0 = none */
};

/* One or many samples with the same key. time_ns and cpu are kept only on request. */
struct profile_sample {
	stack_id stack; /* leaf node */
	thread_id thread;
	uint16_t event;	  /* index in profile->events */
	uint8_t stop;	  /* enum stack_stop */
	uint32_t cpu;	  /* PROFILE_NO_CPU when not kept */
	uint64_t time_ns; /* 0 when not kept; see PROFILE_KEEP_FIRST */
	uint64_t weight;  /* summed periods */
	uint64_t count;	  /* samples */
	uint64_t addr;	  /* data address, when kept; or see enum profile_keep, branch.h */
};

#define PROFILE_MAX_SCALE 1000000
#define PROFILE_NO_CPU	  UINT32_MAX
#define PROFILE_NO_ID	  UINT32_MAX /* a pid or tid that is unknown or not kept */

/* Facts about where the profile comes from; strings owned by profile->strings. */
struct profile_meta {
	string_id command;    /* the recorded command, as one shell line */
	VEC(string_id) words; /* the same as separate words */
	string_id hostname, os_release, arch, cpu_desc;
	uint32_t cpus;
	uint64_t total_mem_kb;
	uint64_t first_ns, last_ns; /* of samples */
	uint64_t duration_ns;
	uint64_t lost_events, lost_samples, throttled; /* over all */
	uint64_t self_cpu_ns, self_peak_rss_bytes;     /* cost of the recorder; 0 = unknown */
	struct walk_cost walks;			       /* likewise, in the kernel */
	uint64_t truncated_bytes;		       /* of the input, that could not be read */
	uint64_t unknown_records;		       /* or lines, that were not understood */
	uint64_t aux_bytes; /* of hardware traces, which are not decoded */
	string_id damage;   /* the first damage found; empty: none */
	bool ends_only;	    /* only the leaf and the root of each stack were loaded */
	/* The last stack of a text that ends without the mark of a complete stack; it is also among
	 * the samples. count 0: none. */
	struct profile_sample unfinished;
};

struct profile_source_line {
	string_id file; /* as frames have it */
	uint32_t line;
	string_id text;
};

struct profile {
	struct strtab *strings;
	VEC(struct frame) frames;
	VEC(struct stack_node) nodes;	    /* item 0 is the empty stack */
	VEC(struct profile_module) modules; /* item 0 is "[unknown]" */
	VEC(struct profile_thread) threads;
	VEC(struct profile_event) events;
	VEC(struct profile_sample) samples;
	VEC(struct heap_block) blocks;	     /* with PROFILE_ADDR_IS_BLOCK */
	VEC(uint64_t) values;		     /* with PROFILE_ADDR_IS_VALUES */
	VEC(struct profile_access) accesses; /* with PROFILE_ADDR_IS_ACCESS */
	VEC(struct profile_object) objects;  /* that samples are about, where a loader found them */
	/* Text of lines, those of a file together in order; none unless source_text.h kept them. */
	VEC(struct profile_source_line) source;
	struct profile_meta meta;
	unsigned keep;		     /* enum profile_keep bits */
	struct profile_index *index; /* private lookup tables */
};

struct profile *profile_new(unsigned keep);
void profile_free(struct profile *profile); /* NULL is fine */

/* Interns; `frame` is compared on every field but pc. */
frame_id profile_frame(struct profile *profile, const struct frame *frame);
stack_id profile_stack_push(struct profile *profile, stack_id parent, frame_id frame);
/* The same for a chain, outermost first; ret has the stack up to each frame. */
void profile_stack_push_all(struct profile *profile, stack_id parent, const frame_id *frames,
			    size_t count, stack_id *ret);
/* The stack, or, if empty, one with an unknown frame, so that its weight is kept. */
stack_id profile_stack_or_unknown(struct profile *profile, stack_id stack);
void profile_name_empty_stacks(struct profile *profile); /* gives it to samples without one */
uint32_t profile_module(struct profile *profile, const char *path, const char *build_id);
thread_id profile_thread(struct profile *profile, uint32_t pid, uint32_t tid, const char *comm);
uint16_t profile_event(struct profile *profile, const char *name, const char *unit);
/* The same with an explicit kind; profile_event() derives it from the name. */
uint16_t profile_event_of_kind(struct profile *profile, const char *name, const char *unit,
			       enum event_kind kind);
bool profile_find_kind(const struct profile *profile, enum event_kind kind, uint16_t *ret);
/* Requests weights in 1/scale of the event's unit, a power of ten up to a million; not for times
 * (ns). Returns the scale in effect: the first one requested, else 1. */
uint32_t profile_event_scale(struct profile *profile, uint16_t event, uint64_t scale);
/* Adds one sample (count 1 unless set); merges with an equal key unless KEEP_TIME. */
void profile_add(struct profile *profile, const struct profile_sample *sample);
void profile_add_all(struct profile *profile, const struct profile_sample *samples, size_t count);
void profile_forget_samples(struct profile *profile); /* with KEEP_TIME; stacks stay */
void profile_trim(struct profile *profile);	      /* frees memory that only adding needs */
void profile_reindex(struct profile *profile);	      /* after the arrays were filled directly */
/* Sum of the squared weights of the samples that this one stands for, taken as equal. */
double sample_squares(const struct profile_sample *sample);
/* Adds all of `from`, as if it had been read after what is there. Events of one name have one
 * scale. Of meta only `unfinished` comes along, the rest is the caller's. */
void profile_merge(struct profile *profile, const struct profile *from);
uint64_t profile_sample_count(const struct profile *profile); /* a stack may stand for many */
/* Sorts numbers of samples by time, those of one moment as they are stored. */
void profile_order_by_time(const struct profile *profile, uint32_t *order, size_t count);
/* Fills events[].frames/unknown_frames and the total counts from the samples; call last. */
void profile_count(struct profile *profile);
#define profile_string(p, id) strtab_get((p)->strings, (id))

#endif
