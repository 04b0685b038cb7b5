/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's half of bpf/walk/sample_out.bpf.h, for BPF programs that walk user stacks beside the
 * CPU sampler, in an object of their own: at tracepoints, at probes. They search the sampler's
 * tables, and have memory, rings and a tree of stacks of their own. The order of things:
 *
 *	program = NAME_bpf__open();
 *	BPF_WALKER_CONFIGURE(program->rodata, sampler);
 *	bpf_walker_share(program->obj, sampler);
 *	bpf_load(program->skeleton, ...);
 *	bpf_walker_open(&walker, &options, err);
 *	    attach, then watch bpf_walker_fd(); for each round of the sampler
 *	bpf_walker_drain(walker, sink, err);            samples arrive in the sink
 *	    detach, drain once more
 *	bpf_walker_report(walker, source, lost);
 *	bpf_walker_close(walker); NAME_bpf__destroy(program);
 */
#ifndef SOURCE_BPF_BPF_WALKER_H
#define SOURCE_BPF_BPF_WALKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_cpu;
struct bpf_object;
struct bpf_stacks_record;
struct bpf_walker;
struct err;
struct sink;
struct source;
struct source_loss;
struct walk_cost;

#define BPF_WALKER_RING_BYTES (512u << 10)
/* Names of stacks are unlike those of the sampler. */
#define BPF_WALKER_SEED 0x0bb0bb0bb0bb0bb1u

/* What is set in a skeleton's rodata: see bpf/cpu_state.bpf.h. `many_events` and `with_payload` are
 * the program's matter. */
#define BPF_WALKER_CONFIGURE(rodata_, sampler_)                                   \
	do {                                                                      \
		const struct bpf_cpu_settings *settings_ = &(sampler_)->settings; \
		(rodata_)->seed = settings_->seed ^ BPF_WALKER_SEED;              \
		(rodata_)->max_frames = settings_->max_frames;                    \
		(rodata_)->with_user = settings_->with_user;                      \
		(rodata_)->clock_boottime = settings_->boottime;                  \
		(rodata_)->wakeup_bytes = BPF_WALKER_RING_BYTES / 4;              \
	} while (0)

struct bpf_walker_options {
	const struct bpf_cpu *sampler;
	const struct bpf_object *object; /* loaded */
	const char *what;		 /* for messages: "stacks of tracepoints" */
	bool many_events, with_payload;	 /* as in rodata */
	uint64_t *seen;			 /* the program's bss->seen */
	uint32_t ring_bytes;		 /* of each CPU; 0 = BPF_WALKER_RING_BYTES */
};

/* Sizes the object's maps, and gives it the sampler's tables. Returns 0 or -errno. */
int bpf_walker_share(const struct bpf_object *object, const struct bpf_cpu *sampler);
/* After that, of an object with bpf/walk/walk_slot.bpf.h: adds the spare slots. */
int bpf_walker_add_slots(const struct bpf_object *object, const struct bpf_cpu *sampler);
int bpf_walker_open(struct bpf_walker **ret, const struct bpf_walker_options *options,
		    struct err *err);
void bpf_walker_close(struct bpf_walker *walker); /* NULL is fine */
/* For poll(2). */
int bpf_walker_fd(const struct bpf_walker *walker);
/* Reads all rings once. Returns bytes or -errno. */
int64_t bpf_walker_drain(struct bpf_walker *walker, struct sink *sink, struct err *err);
/* Delivers a sample that refers to a stack that the program has named, at once or, if the name has
 * not come yet, with the next drain. */
int bpf_walker_take(struct bpf_walker *walker, const struct bpf_stacks_record *record,
		    struct sink *sink, struct err *err);
/* At the end: fills source->loss and source->walks, which stay valid until bpf_walker_close().
 * lost: what else the program lost, on no CPU in particular. */
void bpf_walker_report(struct bpf_walker *walker, struct source *source, uint64_t lost);
/* Adds what the program did. loss: what it lost on each CPU of the sampler; may be NULL. */
void bpf_walker_counts(const struct bpf_walker *walker, struct walk_cost *cost,
		       struct source_loss *loss);

#endif
