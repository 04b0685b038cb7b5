/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else samples carry, what else is recorded, and how it is read. */
#include "command/record/record_options_groups.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "session/record/recording_options.h"
#include "source/arch.h"
#include "source/event_spec/branch_type.h"

#define FIELD(name) OPT(recording_options, name)

static int set_branch_any(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	*(uint64_t *)field = 0;
	return negated ? 0 : branch_type_parse("any", field, err);
}

static int set_branch_filter(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	return branch_type_parse(value ? value : "any", field, err);
}

static int list_registers(struct err *err)
{
	char text[400];
	size_t len = 0;

	for (const struct sample_register *r = sample_registers; r->name && len < sizeof(text); r++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %s", r->name);
	return err_set(err, -EINVAL, "available registers:%s", text);
}

static int set_registers(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t mask = 0;

	*(uint64_t *)field = negated ? 0 : sample_registers_all;
	if (negated || !value)
		return 0;
	if (strcmp(value, "?") == 0)
		return list_registers(err);
	for (const char *p = value; *p;) {
		size_t len = strcspn(p, ",");
		const struct sample_register *r = sample_registers;

		while (r->name && (strlen(r->name) != len || strncasecmp(r->name, p, len) != 0))
			r++;
		if (!r->name)
			return err_set(err, -EINVAL, "unknown register '%.*s' (list them with =?)",
				       (int)len, p);
		mask |= 1ull << r->bit;
		p += len + (p[len] == ',');
	}
	*(uint64_t *)field = mask;
	return 0;
}

static int set_timestamp(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = negated; /* field is no_time */
	return 0;
}

static int set_clock(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		int id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	struct recording_clock *clock = field;
	const char *name = value;
	uint64_t id;

	(void)negated;
	if (strncasecmp(name, "CLOCK_", 6) == 0)
		name += 6;
	clock->given = true;
	if (option_parse_plain(name, &id) && id <= CLOCK_TAI) {
		clock->id = (int32_t)id;
		return 0;
	}
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strcasecmp(clocks[i].name, name) == 0) {
			clock->id = clocks[i].id;
			return 0;
		}
	return option_bad_value(err, value, "a clock: mono, raw, real, boot, tai");
}

const struct option_def record_content_rows[] = {
	{ "Sample contents", 0, OPT_GROUP, NULL, 0, NULL },
	{ "branch-any", 'b', OPT_CALL, NULL, FIELD(source.branch_type), "the last taken branches",
	  set_branch_any, NULL },
	{ "branch-filter", 'j', OPT_CALL, "LIST", FIELD(source.branch_type),
	  "the last branches of these kinds: any, any_call, any_ret, ind_call, u, k, …",
	  set_branch_filter,
	  .choices = "any any_call any_ret ind_call ind_jmp call cond u k hv save_type" },
	{ "data", 'd', OPT_FLAG, NULL, FIELD(source.data), "data addresses and data mappings" },
	{ "phys-data", 0, OPT_FLAG, NULL, FIELD(source.phys_data), "physical data addresses" },
	{ "data-page-size", 0, OPT_FLAG, NULL, FIELD(source.data_page_size),
	  "page size at the data address" },
	{ "code-page-size", 0, OPT_FLAG, NULL, FIELD(source.code_page_size),
	  "page size at the instruction" },
	{ "weight", 'W', OPT_FLAG, NULL, FIELD(source.weight), "cost of the sampled access" },
	{ "transaction", 0, OPT_FLAG, NULL, FIELD(source.transaction),
	  "transactional memory flags" },
	{ "user-regs", 0, OPT_CALL, "[=LIST]", FIELD(source.user_regs),
	  "user registers; =? lists them", set_registers, NULL },
	{ "intr-regs", 'I', OPT_CALL, "[=LIST]", FIELD(source.intr_regs),
	  "registers at the sample; =? lists them", set_registers, NULL },
	{ "raw-samples", 'R', OPT_FLAG, NULL, FIELD(source.raw),
	  "raw data (tracepoints always have it)" },
	{ "timestamp", 'T', OPT_CALL, NULL, FIELD(source.no_time), "time of each sample (default)",
	  set_timestamp, NULL },
	{ "period", 'P', OPT_FLAG, NULL, FIELD(source.sample_period),
	  "period of each sample (default unless -c)" },
	{ "sample-cpu", 0, OPT_FLAG, NULL, FIELD(source.sample_cpu),
	  "CPU of each sample (default with -a)" },
	{ "sample-identifier", 0, OPT_FLAG, NULL, FIELD(source.sample_identifier),
	  "event id in each record" },
	{ "stat", 's', OPT_FLAG, NULL, FIELD(source.stat), "counts per thread" },
	{ "running-time", 0, OPT_FLAG, NULL, FIELD(source.running_time),
	  "enabled and running time of :S events" },
	{ "no-samples", 'n', OPT_FLAG, NULL, FIELD(source.no_samples), "record no samples" },
	{ "clockid", 'k', OPT_CALL, "CLOCK", FIELD(source.clock),
	  "clock for timestamps: mono, raw, real, boot, tai", set_clock,
	  .choices = "mono raw real boot tai" },
	{ .type = OPT_END },
};

static int set_synth(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		unsigned bits;
	} kinds[] = {
		{ "no", 0 },
		{ "none", 0 },
		{ "all", RECORDING_SYNTH_ALL },
		{ "task", RECORDING_SYNTH_TASK },
		{ "mmap", RECORDING_SYNTH_TASK | RECORDING_SYNTH_MMAP },
		{ "cgroup", RECORDING_SYNTH_CGROUP },
	};
	struct record_synth_option *synth = field;

	*synth = (struct record_synth_option){ .given = true };
	for (const char *p = negated ? "no" : value; *p;) {
		size_t len = strcspn(p, ","), i = 0;

		while (i < sizeof(kinds) / sizeof(kinds[0]) &&
		       (strlen(kinds[i].name) != len || strncmp(kinds[i].name, p, len) != 0))
			i++;
		if (i == sizeof(kinds) / sizeof(kinds[0]))
			return option_bad_value(err, value,
						"a list of no, all, task, mmap, cgroup");
		synth->mask |= kinds[i].bits;
		p += len + (p[len] == ',');
	}
	return 0;
}

const struct option_def record_other_rows[] = {
	{ "Other records", 0, OPT_GROUP, NULL, 0, NULL },
	{ "namespaces", 0, OPT_FLAG, NULL, FIELD(source.namespaces), "namespaces of processes" },
	{ "all-cgroups", 0, OPT_FLAG, NULL, FIELD(source.all_cgroups), "cgroup of each sample" },
	{ "switch-events", 0, OPT_FLAG, NULL, FIELD(source.switch_events), "context switches" },
	{ "latency", 0, OPT_FLAG, NULL, FIELD(latency),
	  "what report --latency needs: context switches of the program's threads" },
	{ "no-bpf-event", 0, OPT_FLAG, NULL, FIELD(source.no_bpf_events),
	  "do not record loading of BPF programs" },
	{ "synth", 0, OPT_CALL, "LIST", FIELD(synth),
	  "synthesize records for existing tasks: no, all, task, mmap, cgroup", set_synth,
	  .choices = "no all task mmap cgroup" },
	{ .type = OPT_END },
};

/* perf's -m: pages, or bytes with a unit; what follows a comma is for AUX areas. */
static int set_ring(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0;
	size_t len = strcspn(value, ",");
	char text[32];

	(void)negated;
	if (len >= sizeof(text))
		return option_bad_value(err, value, "a number of pages or a size");
	memcpy(text, value, len);
	text[len] = '\0';
	if (len && isdigit((unsigned char)text[len - 1])) {
		if (!option_parse_plain(text, &bytes) || bytes > UINT32_MAX)
			return option_bad_value(err, value, "a number of pages");
		bytes *= page;
		if (bytes & (bytes - 1))
			return option_bad_value(err, value, "a power of two");
	} else if (option_parse_number(OPT_SIZE, text, &bytes, err)) {
		return err->code;
	}
	if (bytes == 0 || bytes > 1ull << 30)
		return option_bad_value(err, value, "a ring between one page and 1 GiB");
	*(uint64_t *)field = page;
	while (*(uint64_t *)field < bytes)
		*(uint64_t *)field *= 2;
	return 0;
}

const struct option_def record_buffer_rows[] = {
	{ "Buffers", 0, OPT_GROUP, NULL, 0, NULL },
	{ "mmap-pages", 'm', OPT_CALL, "PAGES", FIELD(source.ring_bytes),
	  "ring buffer size per CPU, in pages or bytes (default: automatic, grows before loss)",
	  set_ring, NULL },
	{ "overwrite", 0, OPT_FLAG, NULL, FIELD(source.overwrite),
	  "rings keep the latest records, read at the end or when the output is switched" },
	{ "realtime", 'r', OPT_UINT, "PRIORITY", FIELD(realtime_priority),
	  "SCHED_FIFO priority of the reader" },
	{ "quiet", 'q', OPT_FLAG, NULL, FIELD(quiet), "print errors only" },
	{ "verbose", 'v', OPT_COUNT, NULL, FIELD(verbose), "be more verbose" },
	{ .type = OPT_END },
};
