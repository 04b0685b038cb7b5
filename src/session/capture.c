/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of samples and where they lie (see capture.h). */
#include "session/capture.h"

#include "base/err.h"
#include "format/perf_data/perf_data.h"
#include "symbol/kept/kept_names.h"

void capture_open(struct capture *capture)
{
	capture->modules = module_table_new();
	capture->procs = proc_table_new(capture->modules);
}

void capture_close(struct capture *capture)
{
	proc_table_free(capture->procs);
	module_table_free(capture->modules);
	kept_names_free(capture->kept);
	*capture = (struct capture){ 0 };
}

static int apply_build_id(void *context, const struct event *event)
{
	struct capture *capture = context;

	proc_table_apply(capture->procs, event);
	return 0;
}

int capture_build_ids(struct capture *capture, const struct perf_data *data)
{
	return perf_data_build_ids(data, apply_build_id, capture);
}

void capture_take_beside(struct capture *capture, const struct perf_data *data)
{
	const struct perf_data_beside *beside = perf_data_beside(data);
	struct err ignored = { 0 };
	const uint8_t *bytes = beside->names;
	size_t len = beside->names_len;

	capture->archived = bytes != NULL;
	module_table_set_bundle(capture->modules, beside->binaries);
	if (bytes || perf_data_feature(data, PERF_FEATURE_KEPT_NAMES, &bytes, &len))
		(void)kept_names_parse(bytes, len, &capture->kept, &ignored);
}

static bool is_kernel_mode(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_HYPERVISOR;
}

bool capture_has_user_stack(const struct event *event)
{
	const struct event_sample *sample = &event->sample;

	return sample->user_abi != PERF_SAMPLE_REGS_ABI_NONE && sample->user_regs &&
	       sample->stack_len > 0;
}

bool capture_wants_chain(const struct event *event)
{
	return event->desc && (event->desc->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

/* perf record --call-graph lbr: the CPU kept the user part as branches, the innermost first. The
 * chain has the kernel part and, behind a marker, where the user part would begin. */
bool capture_has_call_stack(const struct event *event)
{
	return event->desc && event->sample.branch_len &&
	       (event->desc->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

static void take_call_stack(const struct event_sample *sample, struct capture_chain *ret)
{
	for (uint64_t i = 0; i <= sample->branch_len; i++) {
		if (ret->count == CAPTURE_MAX_CHAIN) {
			ret->truncated = true;
			return;
		}
		ret->pc[ret->count++] = i ? sample->branch[i - 1].from : sample->branch[0].to;
	}
	ret->stop = STACK_STOP_LBR;
}

void capture_chain_split(const struct event *event, struct capture_chain *ret)
{
	const struct event_sample *sample = &event->sample;
	bool kernel = is_kernel_mode(event->misc);

	ret->count = ret->kernel = 0;
	ret->truncated = ret->branch = false;
	ret->stop = stack_stop_get(sample->chain, sample->chain_len);
	ret->in_kernel = kernel;
	for (uint32_t i = 0; i < sample->chain_len; i++) {
		uint64_t pc = sample->chain[i];

		if (pc >= PERF_CONTEXT_MAX) { /* a marker: what follows belongs to that mode */
			kernel = pc == PERF_CONTEXT_KERNEL || pc == PERF_CONTEXT_HV;
			if (pc != PERF_CONTEXT_USER || !capture_has_call_stack(event))
				continue;
			take_call_stack(sample, ret);
			return;
		}
		if (ret->count == CAPTURE_MAX_CHAIN) {
			ret->truncated = true;
			break;
		}
		if (kernel && ret->kernel != ret->count)
			continue; /* kernel below user does not happen; never mix them up */
		ret->pc[ret->count++] = pc;
		ret->kernel += kernel;
	}
	if (ret->count == 0 && !capture_has_user_stack(event)) {
		ret->pc[ret->count++] = sample->ip;
		ret->kernel = is_kernel_mode(event->misc);
	}
}

static const struct mapping *find_mapping(const struct capture *capture,
					  const struct address_space *space, uint64_t pc,
					  enum capture_mode mode)
{
	switch (mode) {
	case CAPTURE_KERNEL:
		return proc_table_kernel(capture->procs, pc);
	case CAPTURE_USER_IN_KERNEL:
		return address_space_find_from_kernel(space, pc);
	default:
		return address_space_find(space, pc);
	}
}

void capture_locate(const struct capture *capture, const struct address_space *space, uint64_t pc,
		    enum capture_mode mode, struct capture_place *ret)
{
	const struct mapping *mapping = find_mapping(capture, space, pc, mode);

	if (mapping)
		*ret = (struct capture_place){ .module = mapping->module,
					       .offset = pc - mapping->start + mapping->pgoff };
	else
		*ret = (struct capture_place){
			.module = module_table_get(capture->modules, (module_id){ 0 }), .offset = pc
		};
}
