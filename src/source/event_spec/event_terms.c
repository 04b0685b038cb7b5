/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terms of one event (see event_terms.h). A term is looked up as a setting, then as a format of
 * the PMU, then as one of its named events, then as a generic event counted on that PMU. */
#include "source/event_spec/event_terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "source/event_spec/branch_type.h"
#include "source/event_spec/event_names.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/pmu.h"

#define MAX_ALIAS_DEPTH 4

struct term_context {
	struct event_spec *spec;
	const struct pmu *pmu;
	struct arena *arena;
	unsigned depth;
	struct err *err;
};

static int term_number(const char *name, const char *value, uint64_t *ret, struct err *err)
{
	char *end;

	errno = 0;
	*ret = strtoull(value, &end, 0);
	if (errno || *end || end == value || *value == '-')
		return err_usage(err, "term '%s': invalid number '%s'", name, value);
	return 0;
}

static int term_u32(const char *name, const char *value, uint32_t *ret, struct err *err)
{
	uint64_t number;
	int r = term_number(name, value, &number, err);

	if (r)
		return r;
	if (number > UINT32_MAX)
		return err_set(err, -ERANGE, "term '%s': %s is too large", name, value);
	*ret = (uint32_t)number;
	return 0;
}

static int set_call_graph(struct event_spec *spec, const char *value, struct err *err)
{
	static const char *const names[] = { "no", "fp", "dwarf", "lbr" };

	for (unsigned i = 0; i < 4; i++)
		if (strcmp(value, names[i]) == 0) {
			spec->call_graph = (enum event_call_graph)i;
			spec->terms |= EVENT_TERM_CALL_GRAPH;
			return 0;
		}
	return err_usage(
		err, "term 'call-graph': invalid value '%s': expected fp, dwarf, lbr or no", value);
}

enum setting {
	SET_CONFIG,
	SET_CONFIG1,
	SET_CONFIG2,
	SET_NAME,
	SET_PERIOD,
	SET_FREQ,
	SET_BRANCH_TYPE,
	SET_TIME,
	SET_CALL_GRAPH,
	SET_STACK_SIZE,
	SET_MAX_STACK,
	SET_INHERIT,
	SET_NO_INHERIT,
	SET_OVERWRITE,
	SET_NO_OVERWRITE,
	SET_PERCORE,
	SET_UNSUPPORTED,
};

static const struct {
	const char *name;
	enum setting setting;
	bool value; /* needs one */
} settings[] = {
	{ "config", SET_CONFIG, true },
	{ "config1", SET_CONFIG1, true },
	{ "config2", SET_CONFIG2, true },
	{ "name", SET_NAME, true },
	{ "period", SET_PERIOD, true },
	{ "freq", SET_FREQ, true },
	{ "branch_type", SET_BRANCH_TYPE, true },
	{ "time", SET_TIME, true },
	{ "call-graph", SET_CALL_GRAPH, true },
	{ "stack-size", SET_STACK_SIZE, true },
	{ "max-stack", SET_MAX_STACK, true },
	{ "inherit", SET_INHERIT, false },
	{ "no-inherit", SET_NO_INHERIT, false },
	{ "overwrite", SET_OVERWRITE, false },
	{ "no-overwrite", SET_NO_OVERWRITE, false },
	{ "nr", SET_UNSUPPORTED, false },
	{ "percore", SET_PERCORE, false },
	{ "aux-output", SET_UNSUPPORTED, false },
	{ "aux-sample-size", SET_UNSUPPORTED, false },
	{ "driver-config", SET_UNSUPPORTED, false },
	{ "metric-id", SET_UNSUPPORTED, false },
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* Settings that are numbers or words with a value. */
static int apply_value(struct term_context *context, size_t row, const char *value)
{
	struct event_spec *spec = context->spec;
	const char *name = settings[row].name;
	struct err *err = context->err;
	uint64_t number = 0;
	int r;

	switch (settings[row].setting) {
	case SET_NAME:
		spec->name = arena_strdup(context->arena, value);
		return 0;
	case SET_CALL_GRAPH:
		return set_call_graph(spec, value, err);
	case SET_STACK_SIZE:
		spec->terms |= EVENT_TERM_STACK_SIZE;
		return term_u32(name, value, &spec->stack_size, err);
	case SET_MAX_STACK:
		spec->terms |= EVENT_TERM_MAX_STACK;
		return term_u32(name, value, &spec->max_stack, err);
	case SET_BRANCH_TYPE:
		spec->terms |= EVENT_TERM_BRANCH;
		return branch_type_parse(value, &spec->branch_type, err);
	default:
		r = term_number(name, value, &number, err);
		if (r)
			return r;
	}
	switch (settings[row].setting) {
	case SET_CONFIG:
		spec->attr.config = number;
		break;
	case SET_CONFIG1:
		spec->attr.config1 = number;
		break;
	case SET_CONFIG2:
		spec->attr.config2 = number;
		break;
	case SET_PERIOD:
		spec->period = number;
		spec->terms |= EVENT_TERM_PERIOD;
		break;
	case SET_FREQ:
		spec->freq = number;
		spec->terms |= EVENT_TERM_FREQ;
		break;
	default: /* SET_TIME */
		spec->time = number != 0;
		spec->terms |= EVENT_TERM_TIME;
		break;
	}
	return 0;
}

static int apply_setting(struct term_context *context, size_t row, const char *value)
{
	struct event_spec *spec = context->spec;
	const char *name = settings[row].name;

	if (settings[row].value && !value)
		return err_usage(context->err, "term '%s': missing value", name);
	switch (settings[row].setting) {
	case SET_UNSUPPORTED:
		return err_set(context->err, -EOPNOTSUPP, "term '%s': not supported", name);
	case SET_PERCORE:
		spec->percore = true;
		return 0;
	case SET_INHERIT:
	case SET_NO_INHERIT:
		spec->inherit = settings[row].setting == SET_INHERIT;
		spec->terms |= EVENT_TERM_INHERIT;
		return 0;
	case SET_OVERWRITE:
	case SET_NO_OVERWRITE:
		spec->overwrite = settings[row].setting == SET_OVERWRITE;
		spec->terms |= EVENT_TERM_OVERWRITE;
		return 0;
	default:
		return apply_value(context, row, value);
	}
}

static int apply_format(struct term_context *context, const struct pmu_format *format,
			const char *value)
{
	struct perf_event_attr *attr = &context->spec->attr;
	uint64_t words[PMU_CONFIG_WORDS] = { attr->config, attr->config1, attr->config2 };
	uint64_t number = 1;
	int bits;

	if (value && term_number(format->name, value, &number, context->err))
		return context->err->code;
	if (!pmu_format_put(format, number, words)) {
		bits = __builtin_popcountll(format->mask);
		return err_set(context->err, -ERANGE,
			       "term '%s': %s does not fit into %d bit%s of PMU %s", format->name,
			       value, bits, bits == 1 ? "" : "s", context->pmu->name);
	}
	attr->config = words[0];
	attr->config1 = words[1];
	attr->config2 = words[2];
	return 0;
}

static int unknown_term(const struct term_context *context, const char *name)
{
	const struct pmu *pmu = context->pmu;
	struct suggest suggest = { .word = name };
	char text[256];

	for (size_t i = 0; i < SETTINGS; i++)
		suggest_offer(&suggest, settings[i].name);
	for (size_t i = 0; pmu && i < pmu->format.count; i++)
		suggest_offer(&suggest, pmu->format.item[i].name);
	for (size_t i = 0; pmu && i < pmu->alias.count; i++)
		suggest_offer(&suggest, pmu->alias.item[i].name);
	err_usage(context->err, "unknown term '%s'%s%s", name, pmu ? " to PMU " : "",
		  pmu ? pmu->name : "");
	if (suggest.count)
		return err_hint(context->err, "did you mean %s?",
				suggest_text(&suggest, text, sizeof(text)));
	if (pmu)
		return err_hint(context->err,
				"see /sys/bus/event_source/devices/%s/format and events",
				pmu->name);
	return err_hint(context->err, "expected period, freq, call-graph, stack-size, max-stack, "
				      "time, name, no-inherit, overwrite, branch_type");
}

/* "r1a8" inside a PMU: the raw config word. */
static bool raw_term(const char *name, uint64_t *ret)
{
	char *end;

	if (name[0] != 'r' || strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1) ||
	    !name[1] || strlen(name) > 17)
		return false;
	*ret = strtoull(name + 1, &end, 16);
	return true;
}

static int apply_list(struct term_context *context, char *text);

static int apply_alias(struct term_context *context, const struct pmu_alias *alias)
{
	int r;

	if (context->depth == MAX_ALIAS_DEPTH)
		return err_set(context->err, -ELOOP, "term '%s': event of PMU %s refers to itself",
			       alias->name, context->pmu->name);
	context->depth++;
	r = apply_list(context, arena_strdup(context->arena, alias->terms));
	context->depth--;
	context->spec->unit = alias->unit;
	context->spec->scale = alias->scale;
	return r;
}

static int apply_term(struct term_context *context, char *name, const char *value)
{
	struct perf_event_attr *attr = &context->spec->attr;
	const struct pmu *pmu = context->pmu;
	const struct pmu_format *format = pmu ? pmu_format_find(pmu, name) : NULL;
	const struct pmu_alias *alias = pmu ? pmu_alias_find(pmu, name) : NULL;
	uint32_t type;
	uint64_t config;

	if (value && strcmp(value, "?") == 0) /* in an event of sysfs: the user must say */
		return 0;
	for (size_t i = 0; i < SETTINGS; i++)
		if (strcmp(name, settings[i].name) == 0)
			return apply_setting(context, i, value);
	if (format)
		return apply_format(context, format, value);
	if (alias && !value)
		return apply_alias(context, alias);
	if (pmu && !value && raw_term(name, &config)) {
		attr->config = config;
		return 0;
	}
	if (pmu && pmu->core && !value && event_name_find(name, &type, &config) &&
	    type != PERF_TYPE_SOFTWARE) {
		attr->type = type; /* the PMU's number in the upper half: hybrid cores */
		attr->config = config | (strcmp(pmu->name, "cpu") ? (uint64_t)pmu->type << 32 : 0);
		return 0;
	}
	return unknown_term(context, name);
}

static int apply_list(struct term_context *context, char *text)
{
	for (char *next; text; text = next) {
		char *value;
		int r;

		next = strchr(text, ',');
		if (next)
			*next++ = '\0';
		value = strchr(text, '=');
		if (value)
			*value++ = '\0';
		if (!*text)
			return err_usage(context->err, "empty term");
		r = apply_term(context, text, value);
		if (r)
			return r;
	}
	return 0;
}

int event_terms_apply(struct event_spec *spec, const struct pmu *pmu, char *text,
		      struct arena *arena, struct err *err)
{
	struct term_context context = {
		.spec = spec, .pmu = pmu, .arena = arena, .depth = 0, .err = err
	};

	if (!*text)
		return 0;
	return apply_list(&context, text);
}
