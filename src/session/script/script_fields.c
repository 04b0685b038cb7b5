/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -F of perf script (see script_fields.h); the rules are those of perf-script(1). */
#include "session/script/script_fields.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "event/desc.h"

#define F(id) SCRIPT_FIELD(id)

#define HEAD   (F(COMM) | F(TID) | F(TIME) | F(CPU) | F(EVENT))
#define PLACE  (F(IP) | F(SYM) | F(SYMOFF) | F(DSO))
#define SAMPLE (HEAD | PLACE | F(PERIOD))
#define MEMORY                                                                  \
	(F(ADDR) | F(DATA_SRC) | F(WEIGHT) | F(PHYS_ADDR) | F(DATA_PAGE_SIZE) | \
	 F(CODE_PAGE_SIZE) | F(INS_LAT))

static const char *const names[SCRIPT_FIELD_COUNT] = {
#define SCRIPT_FIELD_NAME(id, name) name,
	SCRIPT_FIELDS(SCRIPT_FIELD_NAME)
#undef SCRIPT_FIELD_NAME
};

static const uint64_t defaults[SCRIPT_KINDS] = {
	[PERF_TYPE_HARDWARE] = SAMPLE,
	[PERF_TYPE_SOFTWARE] = SAMPLE | F(BPF_OUTPUT),
	[PERF_TYPE_TRACEPOINT] = HEAD | F(TRACE),
	[PERF_TYPE_HW_CACHE] = SAMPLE,
	[PERF_TYPE_RAW] = SAMPLE | MEMORY,
	[PERF_TYPE_BREAKPOINT] = SAMPLE,
	[SCRIPT_KIND_OTHER] = SAMPLE,
};

/* What perf calls the kinds in front of a colon. */
static const struct {
	const char *prefix;
	unsigned kind;
} prefixes[] = {
	{ "hw:", PERF_TYPE_HARDWARE },	    { "sw:", PERF_TYPE_SOFTWARE },
	{ "trace:", PERF_TYPE_TRACEPOINT }, { "raw:", PERF_TYPE_RAW },
	{ "break:", PERF_TYPE_BREAKPOINT }, { "synth:", SCRIPT_KIND_OTHER },
};

/* The sample must have any of these bits for the field to be printed. */
static const struct {
	uint64_t field, sample_type;
	const char *attribute;
} needs[] = {
	{ F(IP) | F(INSN) | F(INSNLEN), PERF_SAMPLE_IP, "IP" },
	{ F(ADDR), PERF_SAMPLE_ADDR, "ADDR" },
	{ F(DATA_SRC), PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ F(WEIGHT), PERF_SAMPLE_WEIGHT_TYPE, "WEIGHT" },
	{ F(TID) | F(PID), PERF_SAMPLE_TID, "TID" },
	{ F(TIME), PERF_SAMPLE_TIME, "TIME" },
	{ F(CPU), PERF_SAMPLE_CPU, "CPU" },
	{ F(PERIOD), PERF_SAMPLE_PERIOD, "PERIOD" },
	{ F(IREGS), PERF_SAMPLE_REGS_INTR, "IREGS" },
	{ F(UREGS), PERF_SAMPLE_REGS_USER, "UREGS" },
	{ F(PHYS_ADDR), PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ F(DATA_PAGE_SIZE), PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ F(CODE_PAGE_SIZE), PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ F(INS_LAT) | F(RETIRE_LAT), PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ F(CGROUP), PERF_SAMPLE_CGROUP, "CGROUP" },
};

void script_fields_init(struct script_fields *fields)
{
	memset(fields, 0, sizeof(*fields));
	for (unsigned kind = 0; kind < SCRIPT_KINDS; kind++)
		fields->kind[kind].fields = defaults[kind];
}

static unsigned kind_of(const struct event_desc *desc)
{
	return desc->attr.type < SCRIPT_KIND_OTHER ? desc->attr.type : SCRIPT_KIND_OTHER;
}

uint64_t script_fields_of(const struct script_fields *fields, const struct event_desc *desc)
{
	return fields->kind[kind_of(desc)].fields;
}

/* Fields of perf that are elsewhere. */
static const struct {
	const char *name, *instead;
} absent[] = {
	{ "disasm", "instructions of hot code: cupel annotate" },
	{ "srccode", "source lines of hot code: cupel annotate" },
	{ "brstackinsn", "the branches: cupel script -F brstacksym" },
	{ "brstackinsnlen", "the branches: cupel script -F brstacksym" },
	{ "brstackdisasm", "the branches: cupel script -F brstacksym" },
	{ "metric", "rates of counters: cupel stat" },
	{ "ipc", "instructions per cycle: cupel stat" },
};

static int unknown_field(const char *word, size_t len, struct err *err)
{
	err_set(err, -EINVAL, "unknown field '%.*s'", (int)len, word);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (strlen(absent[i].name) == len && memcmp(absent[i].name, word, len) == 0)
			(void)err_hint(err, "%s", absent[i].instead);
	return -EINVAL;
}

static int parse_name(const char *word, size_t len, uint64_t *ret, struct err *err)
{
	for (unsigned i = 0; i < SCRIPT_FIELD_COUNT; i++)
		if (strlen(names[i]) == len && memcmp(names[i], word, len) == 0) {
			*ret = 1ull << i;
			return 0;
		}
	return unknown_field(word, len, err);
}

/* All words of one value: bits to add, to remove, and to set instead of the defaults. */
struct change {
	uint64_t add, remove, set;
	bool plain;
};

static int parse_words(const char *text, struct change *ret, struct err *err)
{
	while (*text) {
		size_t len = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : 0;
		uint64_t field = 0;

		if (len && parse_name(text + !!sign, len - !!sign, &field, err))
			return err->code;
		if (len && sign == '+')
			ret->add |= field;
		else if (len && sign == '-')
			ret->remove |= field;
		else if (len) {
			ret->set |= field;
			ret->plain = true;
		}
		text += len + (text[len] == ',');
	}
	if (ret->plain && (ret->add || ret->remove))
		return err_set(err, -EINVAL,
			       "+FIELD and -FIELD cannot be combined with plain fields");
	return 0;
}

int script_fields_parse(struct script_fields *fields, const char *text, struct err *err)
{
	struct change change = { 0 };
	unsigned first = 0, last = SCRIPT_KINDS - 1;
	bool one_kind = false;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (strncmp(text, prefixes[i].prefix, len) != 0)
			continue;
		first = last = prefixes[i].kind;
		one_kind = true;
		text += len;
		break;
	}
	if (parse_words(text, &change, err))
		return err->code;
	for (unsigned kind = first; kind <= last; kind++) {
		uint64_t *now = &fields->kind[kind].fields;

		if (change.add || change.remove) {
			*now = (*now | change.add) & ~change.remove;
		} else {
			*now = change.set;
			fields->kind[kind].given = true;
		}
		fields->kind[kind].asked |= change.add | change.set;
		if (kind != PERF_TYPE_TRACEPOINT)
			*now &= ~F(TRACE); /* only tracepoints have one */
		fields->kind[kind].given_kind = one_kind;
	}
	return 0;
}

static const char *field_name(uint64_t field)
{
	return names[__builtin_ctzll(field)];
}

/* Without one in each sample, the period is that of all, or what counters read in groups count. */
static bool has_period(const struct perf_event_attr *attr)
{
	return (attr->sample_period && !attr->freq) || (attr->sample_type & PERF_SAMPLE_READ);
}

static int check_kind(struct script_fields *fields, const struct event_desc *desc, struct err *err)
{
	unsigned kind = kind_of(desc);
	uint64_t *now = &fields->kind[kind].fields;

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (!(*now & needs[i].field) || (desc->attr.sample_type & needs[i].sample_type) ||
		    (needs[i].field == F(PERIOD) && has_period(&desc->attr)))
			continue;
		if (!(fields->kind[kind].asked & needs[i].field)) {
			*now &= ~needs[i].field;
			continue;
		}
		return err_set(err, -EINVAL, "field '%s': samples of '%s' have no %s",
			       field_name(*now & needs[i].field), desc->name, needs[i].attribute);
	}
	return 0;
}

/* Tracepoints print a place only when they have call chains. */
static void add_tracepoint_place(struct script_fields *fields, const struct event_set *events)
{
	for (size_t i = 0; i < events->desc.count; i++) {
		const struct perf_event_attr *attr = &events->desc.item[i]->attr;

		if (attr->type == PERF_TYPE_TRACEPOINT &&
		    (attr->sample_type & PERF_SAMPLE_CALLCHAIN))
			fields->kind[PERF_TYPE_TRACEPOINT].fields |= PLACE;
	}
}

int script_fields_check(struct script_fields *fields, const struct event_set *events, bool chains,
			struct err *err)
{
	bool seen[SCRIPT_KINDS] = { false };

	for (size_t i = 0; i < events->desc.count; i++) {
		const struct event_desc *desc = events->desc.item[i];

		if (seen[kind_of(desc)])
			continue;
		seen[kind_of(desc)] = true;
		if (check_kind(fields, desc, err))
			return err->code;
	}
	for (unsigned kind = 0; kind < SCRIPT_KINDS; kind++)
		if (fields->kind[kind].given_kind && fields->kind[kind].fields && !seen[kind])
			return err_set(err, -EINVAL, "the recording has no events of this type");
	if (chains && !fields->kind[PERF_TYPE_TRACEPOINT].given)
		add_tracepoint_place(fields, events);
	return 0;
}
