/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data → symbolised profile (see load.h). A recording passes once, in time order: records that
 * change the world go to the capture, samples become stacks of places, which another thread names
 * and puts into the profile (load_finish.c). Whole call chains are remembered by hash per address
 * space, so a repeated stack costs one look-up. */
#include "session/load/load.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/vec.h"
#include "format/perf_data/perf_data.h"
#include "profile/branch.h"
#include "profile/profile.h"
#include "session/capture.h"
#include "session/filter.h"
#include "session/load/load_access.h"
#include "session/load/load_chain.h"
#include "session/load/load_fault.h"
#include "session/load/load_finish.h"
#include "session/load/load_heap.h"
#include "session/load/load_history.h"
#include "session/load/load_kept.h"
#include "session/load/load_latency.h"
#include "session/load/load_meta.h"
#include "session/load/resolve.h"
#include "session/load/unwind_batch.h"

/* The cache of chains stays in the CPU's: a lost entry is only worked out again. */
#define CHAIN_SLOTS (1u << 13)

/* A call chain that the batch already has. */
struct known_chain {
	uint64_t key; /* hash of (spaces, mode, chain) */
	uint32_t batch;
	uint32_t chain : 24; /* fewer than BATCH_SAMPLES */
	uint32_t stop : 8;   /* enum stack_stop of its user part */
};

/* Between looks at the clock for the progress display. */
#define PROGRESS_EVENTS 65536

/* Samples and places of a batch: some 5 ms of work. */
#define BATCH_SAMPLES (1u << 14)
#define BATCH_PLACES  (1u << 17)

struct moments {
	uint64_t first_ns, last_ns; /* 0 = none has a time */
};

struct loader {
	struct sink sink;
	struct progress progress;
	uint64_t events;
	const struct load_options *options;
	struct load_options settled; /* them, unless the recording needs others */
	bool heap;		     /* blocks of memory are followed */
	struct perf_data *data;
	struct capture capture;
	struct profile *profile;
	struct filter *filter;
	struct unwind_batch *unwind; /* NULL until the first sample that needs unwinding */
	struct known_chain *known;
	struct load_chains *chains;
	struct load_kept *kept;
	struct load_access_table *access; /* NULL = none is kept */
	struct load_latency *latency;	  /* with options->latency */
	struct load_history *history;	  /* with options->branch_history */
	struct resolver *resolver;
	struct load_finish *finish;
	struct load_batch *batch;   /* that is being filled */
	VEC(uint32_t) thread_of;    /* struct thread.index → number of its batch_thread + 1 */
	uint32_t threads;	    /* numbered so far */
	VEC(uint32_t) event_of;	    /* event_desc.index + 1 → profile event + 1 */
	struct capture_chain chain; /* scratch */
	uint64_t filtered;	    /* samples that the filter or --event left out */
	struct moments all, passed; /* of all samples, of those that passed */
	/* --time is applied at the end: a stream does not say before when it ends. */
	bool late_time;
};

/* True if they would be one sample in the profile as well; their chains are equal. */
static bool is_same(const struct loader *loader, const struct profile_sample *a,
		    const struct profile_sample *b)
{
	unsigned keep = loader->profile->keep;

	return a->thread.v == b->thread.v && a->event == b->event && a->stop == b->stop &&
	       !(keep & PROFILE_KEEP_TIME) && (!(keep & PROFILE_KEEP_CPU) || a->cpu == b->cpu) &&
	       (!(keep & PROFILE_KEEP_ADDR) || a->addr == b->addr);
}

static void add_sample(struct loader *loader, struct profile_sample *sample, uint32_t chain)
{
	struct load_batch *batch = loader->batch;
	uint32_t *last = &batch->chains.item[chain].sample;

	if (*last != UINT32_MAX && is_same(loader, &batch->samples.item[*last], sample)) {
		batch->samples.item[*last].weight += sample->weight;
		batch->samples.item[*last].count++;
		return;
	}
	*last = (uint32_t)batch->samples.count;
	sample->stack.v = chain;
	sample->count = 1;
	vec_push(&batch->samples, *sample);
	if (batch->samples.count >= BATCH_SAMPLES || batch->places.count >= BATCH_PLACES)
		loader->batch = load_finish_submit(loader->finish);
}

static struct known_chain *known_chain(struct loader *loader, uint64_t key)
{
	return &loader->known[key >> 32 & (CHAIN_SLOTS - 1)];
}

static bool is_known(const struct loader *loader, const struct known_chain *known, uint64_t key)
{
	return known->key == key && known->batch == loader->batch->number;
}

static void learn_chain(struct loader *loader, struct known_chain *known, uint64_t key,
			const struct address_space *space, uint16_t cpu)
{
	uint32_t chain = load_chains_add(loader->chains, loader->batch, space, cpu, &loader->chain);

	*known = (struct known_chain){ .key = key, .batch = loader->batch->number, .chain = chain };
}

static uint64_t chain_key(struct loader *loader, const struct event *event,
			  const struct address_space *space, const void *pcs, size_t count)
{
	uint64_t key = hash_bytes(pcs, count * sizeof(uint64_t));

	key ^= hash_u64((uint64_t)space->id << 32 | proc_table_kernel_space(loader->capture.procs));
	return hash_u64(key ^ (event->misc & PERF_RECORD_MISC_CPUMODE_MASK)) | 1; /* 0 = free */
}

/* Why a user part of a recorded chain ends. Frame pointers just end somewhere. */
static enum stack_stop stop_of(const struct capture_chain *chain, const struct event_sample *sample)
{
	if (!sample->chain_len || chain->count == chain->kernel)
		return STACK_STOP_NONE;
	return chain->stop ? chain->stop : STACK_STOP_FP_LOST;
}

/* A sample with a call chain from the kernel. */
static void add_walked(struct loader *loader, const struct event *event,
		       const struct address_space *space, struct profile_sample *sample)
{
	const struct event_sample *s = &event->sample;
	uint64_t key = s->chain_len ? chain_key(loader, event, space, s->chain, s->chain_len)
				    : chain_key(loader, event, space, &s->ip, 1);
	struct known_chain *known;

	if (capture_has_call_stack(event))
		key ^= hash_bytes(s->branch, s->branch_len * sizeof(*s->branch)) << 1;
	known = known_chain(loader, key);
	if (!is_known(loader, known, key)) {
		capture_chain_split(event, &loader->chain);
		loader->chain.branch = loader->history && !capture_has_call_stack(event);
		learn_chain(loader, known, key, space, sample->cpu);
		known->stop = stop_of(&loader->chain, s);
	}
	sample->stop = (uint8_t)known->stop;
	add_sample(loader, sample, known->chain);
}

static bool is_kernel_address(uint64_t address)
{
	return (int64_t)address < 0;
}

static uint64_t branch_flags(const struct perf_branch_entry *branch)
{
	return (branch->mispred ? PROFILE_BRANCH_MISPREDICTED : 0) |
	       (branch->predicted ? PROFILE_BRANCH_PREDICTED : 0) |
	       (branch->in_tx ? PROFILE_BRANCH_IN_TRANSACTION : 0) |
	       (branch->abort ? PROFILE_BRANCH_ABORT : 0) |
	       (uint64_t)branch->cycles << PROFILE_BRANCH_CYCLES_SHIFT;
}

/* Kernel addresses come first in a chain. */
static void add_branch(struct loader *loader, const struct event *event,
		       const struct address_space *space, const struct perf_branch_entry *branch,
		       struct profile_sample sample)
{
	bool from = is_kernel_address(branch->from), to = is_kernel_address(branch->to);
	bool swapped = to && !from;
	const uint64_t pc[2] = { swapped ? branch->to : branch->from,
				 swapped ? branch->from : branch->to };
	uint64_t key = ~chain_key(loader, event, space, pc, 2) | 1;
	struct known_chain *known = known_chain(loader, key);

	if (!is_known(loader, known, key)) {
		loader->chain.kernel = (size_t)from + to;
		loader->chain.count = 2;
		loader->chain.branch = true;
		loader->chain.in_kernel = false;
		loader->chain.stop = STACK_STOP_NONE;
		memcpy(loader->chain.pc, pc, sizeof(pc));
		learn_chain(loader, known, key, space, sample.cpu);
	}
	sample.weight = 1;
	sample.addr = branch_flags(branch) | (swapped ? PROFILE_BRANCH_SWAPPED : 0);
	add_sample(loader, &sample, known->chain);
}

/* The number of the thread's batch_thread. */
static thread_id thread_of(struct loader *loader, const struct thread *thread)
{
	bool merge = loader->options->merge_threads;

	while (loader->thread_of.count <= thread->index)
		vec_push(&loader->thread_of, 0);
	if (!loader->thread_of.item[thread->index]) {
		vec_push(&loader->batch->threads,
			 ((struct batch_thread){ .pid = merge ? PROFILE_NO_ID : thread->pid,
						 .tid = merge ? PROFILE_NO_ID : thread->tid,
						 .comm = thread->comm }));
		loader->thread_of.item[thread->index] = ++loader->threads;
	}
	return (thread_id){ loader->thread_of.item[thread->index] - 1 };
}

/* Whether each occurrence is recorded. A clock has none. */
static bool is_exact(const struct event_desc *desc)
{
	return !desc->attr.freq && desc->attr.sample_period == 1 && desc->kind == EVENT_KIND_OTHER;
}

/* Makes event_of[] reach `index`; events enter the profile in the order of the recording. */
static void add_events(struct loader *loader, uint32_t index)
{
	const struct event_set *events = perf_data_events(loader->data);
	const char *wanted = loader->options->event;

	load_finish_wait(loader->finish); /* its thread uses the profile */
	for (uint32_t i = (uint32_t)loader->event_of.count; i <= index; i++) {
		const struct event_desc *desc = i ? events->desc.item[i - 1] : NULL;
		const char *name = desc ? desc->name : "unknown";
		uint32_t entry = 0;

		if (desc && (!wanted || strcmp(wanted, name) == 0) &&
		    (!loader->options->kind || desc->kind == loader->options->kind))
			entry = profile_event_of_kind(loader->profile, name,
						      event_unit_name(desc->unit), desc->kind) +
				1u;
		if (entry) {
			loader->profile->events.item[entry - 1].precise = desc->attr.precise_ip > 0;
			loader->profile->events.item[entry - 1].exact = is_exact(desc);
		}
		vec_push(&loader->event_of, entry);
	}
}

/* Index in profile->events + 1, or 0 when --event leaves it out. */
static uint32_t event_of(struct loader *loader, const struct event_desc *desc)
{
	uint32_t index = desc ? desc->index + 1 : 0;

	if (index >= loader->event_of.count)
		add_events(loader, index);
	if (!desc && !loader->options->event && !loader->event_of.item[0]) {
		load_finish_wait(loader->finish);
		loader->event_of.item[0] = profile_event(loader->profile, "unknown", "count") + 1u;
	}
	return loader->event_of.item[index];
}

/* Takes what a batch of unwound user stacks is about. */
static void add_unwound(void *context, const struct unwound *unwound)
{
	struct loader *loader = context;
	struct capture_chain *chain = &loader->chain;
	struct profile_sample sample = unwound->sample;
	size_t count = unwound->count;
	struct event event = { .misc = unwound->misc };
	uint64_t key = (chain_key(loader, &event, unwound->space, unwound->pc, unwound->count) ^
			hash_u64(unwound->kernel)) |
		       1;
	struct known_chain *known = known_chain(loader, key);

	sample.stop = (uint8_t)unwound->stop;
	if (!is_known(loader, known, key)) {
		if (count > CAPTURE_MAX_CHAIN)
			count = CAPTURE_MAX_CHAIN;
		memcpy(chain->pc, unwound->pc, count * sizeof(*chain->pc));
		chain->count = count;
		chain->kernel = unwound->kernel;
		chain->in_kernel = unwound->kernel > 0;
		chain->stop = unwound->stop;
		chain->branch = false;
		learn_chain(loader, known, key, unwound->space, sample.cpu);
	}
	add_sample(loader, &sample, known->chain);
}

static bool passes(struct loader *loader, const struct event *event, const struct thread *thread)
{
	struct filter_subject subject = { .comm = thread->comm,
					  .pid = event->pid,
					  .tid = event->tid,
					  .cpu = event->cpu,
					  .has_time = event->has_time,
					  .time_ns = event->time_ns };

	return filter_match(loader->filter, &subject);
}

static void note_time(struct moments *moments, uint64_t time_ns)
{
	if (!moments->first_ns || time_ns < moments->first_ns)
		moments->first_ns = time_ns;
	if (time_ns > moments->last_ns)
		moments->last_ns = time_ns;
}

/* A copy of the event at the place that its first value names, if the options want that. */
static const struct event *move_to_value(const struct loader *loader, const struct event *event,
					 uint64_t value, struct event *copy)
{
	const struct load_options *options = loader->options;

	if (!value ||
	    !(options->value_is_stack || (options->value_is_place && !event->sample.chain_len)))
		return event;
	*copy = *event;
	copy->sample.ip = value;
	copy->sample.chain_len = 0;
	return copy;
}

static void load_sample(struct loader *loader, const struct event *event)
{
	struct event copy;
	struct thread *thread = proc_table_thread(loader->capture.procs, event->pid, event->tid);
	struct address_space *space = thread->process->space;
	uint32_t index = event_of(loader, event->desc);
	struct profile_sample sample = { .cpu = event->cpu,
					 .time_ns = event->time_ns,
					 .weight = event->sample.period,
					 .addr = load_kept_value(loader->kept, event) };

	if (loader->latency)
		load_latency_set(loader->latency, loader->options, event, &sample);
	if (event->has_time)
		note_time(&loader->all, event->time_ns);
	if (!index || (loader->filter && !passes(loader, event, thread))) {
		loader->filtered++;
		return;
	}
	if (event->has_time)
		note_time(&loader->passed, event->time_ns);
	sample.event = (uint16_t)(index - 1);
	sample.thread = thread_of(loader, thread);
	if (loader->access)
		sample.addr = load_access_add(loader->access, event, space, &sample.weight);
	if (loader->options->branches) {
		for (uint64_t i = 0; i < event->sample.branch_len; i++)
			add_branch(loader, event, space, &event->sample.branch[i], sample);
		return;
	}
	if (loader->history && !capture_has_call_stack(event)) {
		load_history_set(loader->history, event, &copy);
		add_walked(loader, &copy, space, &sample);
		return;
	}
	if (capture_has_user_stack(event)) {
		if (!loader->unwind)
			loader->unwind = unwind_batch_new(loader->options->symbol.symfs,
							  add_unwound, loader);
		capture_chain_split(event, &loader->chain);
		unwind_batch_add(loader->unwind, event, space, &loader->chain, &sample);
		return;
	}
	event = move_to_value(loader, event, load_kept_first(loader->kept, sample.addr), &copy);
	add_walked(loader, event, space, &sample);
}

/* Samples that wait for unwinding also have kernel addresses; resolve them in the state of their
 * time. */
static bool changes_kernel(const struct event *event)
{
	unsigned mode = event->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return event->type == EVENT_KSYMBOL ||
	       (event->type == EVENT_MMAP && mode == PERF_RECORD_MISC_KERNEL);
}

static int load_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct loader *loader = (struct loader *)sink;

	(void)err;
	if (++loader->events % PROGRESS_EVENTS == 0)
		progress_update(&loader->progress, event->file_offset);
	if (event->type == EVENT_SAMPLE) {
		load_sample(loader, event);
		return 0;
	}
	if (loader->unwind && changes_kernel(event))
		unwind_batch_run(loader->unwind);
	if (loader->access)
		load_access_apply(loader->access, event);
	if (loader->latency)
		load_latency_apply(loader->latency, event);
	proc_table_apply(loader->capture.procs, event);
	return 0;
}

static int load_flush(struct sink *sink, struct err *err)
{
	struct loader *loader = (struct loader *)sink;

	(void)err;
	if (loader->unwind)
		unwind_batch_run(loader->unwind);
	return 0;
}

/* Which events were recorded as one group. */
static void fill_groups(const struct loader *loader, struct profile *profile)
{
	const struct event_set *events = perf_data_events(loader->data);

	for (size_t i = 1; i < loader->event_of.count && !loader->options->live; i++) {
		uint32_t leader = (uint32_t)events->desc.item[i - 1]->group_leader + 1;

		if (leader != i && leader < loader->event_of.count && loader->event_of.item[i])
			profile->events.item[loader->event_of.item[i] - 1].leader =
				(uint16_t)loader->event_of.item[leader];
	}
}

static void fill_meta(const struct loader *loader, struct profile *profile)
{
	struct profile_meta *meta = &profile->meta;

	load_meta(profile, loader->data);
	meta->first_ns = loader->passed.first_ns;
	meta->last_ns = loader->passed.last_ns;
	meta->duration_ns = meta->last_ns - meta->first_ns;
	meta->ends_only = loader->options->ends_only;
}

static int check_samples(const struct loader *loader, const char *path, struct err *err)
{
	if (loader->latency &&
	    load_latency_check(loader->latency, perf_data_events(loader->data), path, err))
		return err->code;
	if (loader->profile->samples.count)
		return 0;
	if (loader->filtered)
		return err_set(err, -ENODATA, "%s: none of %llu samples matches the filters", path,
			       (unsigned long long)loader->filtered);
	return load_meta_no_samples(loader->data, path, err);
}

struct filter_spec load_filters(const struct load_options *options)
{
	return (struct filter_spec){ .comms = options->comms,
				     .pids = options->pids,
				     .tids = options->tids,
				     .cpus = options->cpus,
				     .time = options->time,
				     .event = options->event,
				     .kind = options->kind };
}

static int filter_times(struct loader *loader, const char *path, struct err *err)
{
	const struct filter_spec spec = { .time = loader->options->time };
	struct profile *profile = loader->profile;
	int code;

	profile->meta.first_ns = loader->all.first_ns;
	profile->meta.last_ns = loader->all.last_ns;
	code = filter_profile(&spec, profile, path, err);
	loader->passed = (struct moments){ 0 };
	for (size_t i = 0; i < profile->samples.count; i++)
		note_time(&loader->passed, profile->samples.item[i].time_ns);
	return code;
}

static int read_recording(struct loader *loader, const char *path, struct err *err)
{
	const struct load_options *options = loader->options;
	const struct perf_data_header *header = perf_data_header(loader->data);
	struct filter_spec spec = load_filters(options);
	int code;

	loader->late_time = spec.time && *spec.time && !header->last_ns;
	if (loader->late_time) {
		loader->profile->keep |= filter_keeps(&(struct filter_spec){ .time = spec.time });
		spec.time = NULL;
	}
	if (filter_parse(&spec, header->first_ns, header->last_ns, &loader->filter, err))
		return err->code;
	(void)capture_build_ids(&loader->capture, loader->data); /* the callback cannot fail */
	if (!options->live)
		progress_start(&loader->progress, "reading",
			       header->data_offset + header->data_size);
	code = perf_data_read(loader->data, &loader->sink, err);
	progress_finish(&loader->progress);
	if (code)
		return err_wrap(err, "%s", path);
	(void)load_flush(&loader->sink, err);	  /* cannot fail */
	(void)load_finish_submit(loader->finish); /* the batch after the last stays empty */
	load_finish_wait(loader->finish);
	code = check_samples(loader, path, err);
	return code || !loader->late_time ? code : filter_times(loader, path, err);
}

static void loader_done(struct loader *loader)
{
	load_finish_free(loader->finish);
	unwind_batch_free(loader->unwind);
	free(loader->known);
	load_chains_free(loader->chains);
	load_kept_free(loader->kept);
	load_access_free(loader->access);
	load_latency_free(loader->latency);
	load_history_free(loader->history);
	resolver_finish(loader->resolver);
	vec_done(&loader->thread_of);
	vec_done(&loader->event_of);
	filter_free(loader->filter);
	if (loader->options->capture)
		*loader->options->capture = loader->capture;
	else
		capture_close(&loader->capture);
}

int load_perf_data(struct perf_data *data, const char *name, const struct load_options *options,
		   struct profile *profile, struct err *err)
{
	struct loader *loader = mem_zalloc(sizeof(*loader));
	struct symbol_options symbol = options->symbol;
	struct resolve_options resolve = { .symbol = options->no_symbols ? NULL : &symbol,
					   .detail = options->detail };
	const struct resolve_options late = { .late = true };
	bool faults;
	int code;

	loader->sink = (struct sink){ .event = load_event, .flush = load_flush };
	loader->settled = *options;
	loader->options = &loader->settled;
	loader->heap = load_heap_begin(perf_data_events(data), &loader->settled);
	if (loader->heap)
		profile->keep |= load_heap_keeps();
	faults = !loader->heap && load_fault_begin(perf_data_events(data), &loader->settled);
	if (faults)
		profile->keep |= load_fault_keeps();
	loader->profile = options->live ? profile_new(profile->keep) : profile;
	loader->data = data;
	loader->known = mem_zalloc(CHAIN_SLOTS * sizeof(*loader->known));
	capture_open(&loader->capture);
	capture_take_beside(&loader->capture, data);
	symbol.kept = loader->capture.kept;
	symbol.archived = loader->capture.archived;
	if (options->live)
		proc_table_forget_ended(loader->capture.procs);
	loader->resolver = resolver_new(loader->profile, loader->capture.modules,
					options->live ? &late : &resolve);
	loader->chains = load_chains_new(loader->options, &loader->capture, loader->resolver);
	loader->kept = load_kept_new(data, loader->profile->keep, loader->options);
	if (loader->profile->keep & PROFILE_ADDR_IS_ACCESS)
		loader->access = load_access_new(loader->options, loader->capture.modules);
	loader->latency = options->latency || options->both_weights ? load_latency_new() : NULL;
	loader->history = options->branch_history ? load_history_new() : NULL;
	loader->finish = load_finish_new(loader->profile, loader->resolver);
	loader->batch = load_finish_batch(loader->finish);
	code = read_recording(loader, name, err);
	if (!code && options->live)
		resolver_name_late(loader->resolver, loader->capture.modules, &resolve, profile);
	if (!code) {
		fill_meta(loader, profile);
		fill_groups(loader, profile);
		load_kept_finish(loader->kept, loader->capture.procs, profile);
		if (loader->access)
			load_access_finish(loader->access, profile);
		load_finish_roots(profile);
	}
	if (!code && faults)
		load_fault_finish(profile, !options->event && !options->kind, options->keep);
	if (!code && loader->heap)
		code = load_heap_finish(perf_data_events(data), name, options, profile, err);
	loader_done(loader);
	if (options->live)
		profile_free(loader->profile);
	free(loader);
	return code;
}
