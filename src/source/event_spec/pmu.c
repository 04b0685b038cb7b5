/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading /sys/bus/event_source/devices/NAME (see pmu.h). */
#include "source/event_spec/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/suggest.h"
#include "source/event_spec/name_list.h"

#define DEVICES	   "/sys/bus/event_source/devices"
#define FILE_LIMIT ((size_t)64 << 10)

/* Content of one small file without trailing white space, or NULL. */
static char *read_word(const char *folder, const char *file, struct arena *arena)
{
	struct buf text = { .limit = FILE_LIMIT };
	struct err ignored;
	char path[PATH_MAX];
	char *word = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return NULL;
	if (fd_read_file(path, &text, &ignored) == 0) {
		while (text.len && isspace((unsigned char)text.data[text.len - 1]))
			text.len--;
		word = arena_strndup(arena, text.len ? text.data : "", text.len);
	}
	buf_done(&text);
	return word;
}

/* "uncore_imc" means uncore_imc_0, uncore_imc_1, …; "imc" means uncore_imc_0 too, as in perf. */
static bool pmu_name_matches(const char *name, const char *pattern)
{
	size_t len = strlen(pattern);

	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, 0) == 0;
	if (strncmp(name, "uncore_", 7) == 0 && strncmp(pattern, "uncore_", 7) != 0)
		name += 7;
	if (strncmp(name, pattern, len) != 0)
		return false;
	name += len;
	if (*name == '_')
		name++;
	return *name && strspn(name, "0123456789") == strlen(name);
}

void pmu_match(const char *root, const char *pattern, struct arena *arena, struct name_list *list)
{
	struct name_list all = { 0 };
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s" DEVICES "/%s/type", root, pattern) <
		    (int)sizeof(path) &&
	    !strchr(pattern, '/') && access(path, F_OK) == 0) {
		vec_push(list, arena_strdup(arena, pattern));
		return;
	}
	if (snprintf(path, sizeof(path), "%s" DEVICES, root) >= (int)sizeof(path) ||
	    name_list_folder(&all, path, "*", "", arena))
		return; /* no sysfs: no PMUs */
	for (size_t i = 0; i < all.count; i++)
		if (pmu_name_matches(all.item[i], pattern))
			vec_push(list, all.item[i]);
	name_list_done(&all);
}

int pmu_format_parse(const char *text, struct pmu_format *ret)
{
	static const char *const words[PMU_CONFIG_WORDS] = { "config:", "config1:", "config2:" };
	uint64_t mask = 0;
	unsigned word;

	for (word = 0; word < PMU_CONFIG_WORDS; word++)
		if (strncmp(text, words[word], strlen(words[word])) == 0)
			break;
	if (word == PMU_CONFIG_WORDS)
		return -ENOTSUP;
	text += strlen(words[word]);
	for (;;) {
		unsigned low, high;
		int used = 0;

		if (!isdigit((unsigned char)*text) || sscanf(text, "%2u%n", &low, &used) != 1)
			return -EINVAL;
		text += used;
		high = low;
		if (*text == '-') {
			if (!isdigit((unsigned char)*++text) ||
			    sscanf(text, "%2u%n", &high, &used) != 1)
				return -EINVAL;
			text += used;
		}
		if (low > high || high > 63)
			return -EINVAL;
		mask |= (UINT64_MAX >> (63 - (high - low))) << low;
		if (*text == '\0')
			break;
		if (*text++ != ',')
			return -EINVAL;
	}
	ret->word = word;
	ret->mask = mask;
	return 0;
}

bool pmu_format_put(const struct pmu_format *format, uint64_t value,
		    uint64_t words[PMU_CONFIG_WORDS])
{
	uint64_t bits = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (format->mask >> bit & 1) {
			bits |= (value & 1) << bit;
			value >>= 1;
		}
	if (value)
		return false;
	words[format->word] = (words[format->word] & ~format->mask) | bits;
	return true;
}

static void read_formats(const char *folder, struct arena *arena, struct pmu *pmu)
{
	struct name_list names = { 0 };
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/format", folder) < (int)sizeof(path))
		(void)name_list_folder(&names, path, "*", "", arena); /* a PMU may have none */
	for (size_t i = 0; i < names.count; i++) {
		struct pmu_format format = { .name = names.item[i] };
		const char *text = read_word(path, names.item[i], arena);

		if (text && pmu_format_parse(text, &format) == 0)
			vec_push(&pmu->format, format);
	}
	name_list_done(&names);
}

/* Files NAME.scale, NAME.unit, NAME.snapshot and NAME.per-pkg qualify the event NAME. */
static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len > tail && strcmp(name + len - tail, suffix) == 0;
}

static double read_scale(const char *folder, const char *name, struct arena *arena)
{
	char file[NAME_MAX + 8];
	const char *text;
	char *end;
	double scale;

	(void)snprintf(file, sizeof(file), "%s.scale", name); /* names are ≤ NAME_MAX */
	text = read_word(folder, file, arena);
	if (!text)
		return 1;
	scale = strtod(text, &end);
	return *end || end == text || !(scale > 0) ? 1 : scale;
}

static void read_aliases(const char *folder, struct arena *arena, struct pmu *pmu)
{
	struct name_list names = { 0 };
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/events", folder) < (int)sizeof(path))
		(void)name_list_folder(&names, path, "*", "", arena); /* a PMU may have none */
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.item[i];
		struct pmu_alias alias = { .name = name };
		char unit[NAME_MAX + 8];

		if (has_suffix(name, ".scale") || has_suffix(name, ".unit") ||
		    has_suffix(name, ".snapshot") || has_suffix(name, ".per-pkg"))
			continue;
		alias.terms = read_word(path, name, arena);
		if (!alias.terms || !alias.terms[0])
			continue;
		alias.scale = read_scale(path, name, arena);
		(void)snprintf(unit, sizeof(unit), "%s.unit", name); /* ≤ NAME_MAX */
		alias.unit = read_word(path, unit, arena);
		vec_push(&pmu->alias, alias);
	}
	name_list_done(&names);
}

static void read_cpus(const char *folder, struct arena *arena, struct pmu *pmu)
{
	const char *text = read_word(folder, "cpumask", arena);

	pmu->has_cpumask = text != NULL;
	if (!text)
		text = read_word(folder, "cpus", arena);
	if (text && cpu_list_parse(text, &pmu->cpu))
		vec_done(&pmu->cpu); /* no restriction that we can understand */
}

static bool is_core(const char *name, const struct pmu *pmu)
{
	return strcmp(name, "cpu") == 0 || (pmu->cpu.count && !pmu->has_cpumask) ||
	       strncmp(name, "armv8_", 6) == 0;
}

bool pmu_is_core(const char *root, const char *name, struct arena *arena)
{
	struct pmu pmu = { 0 };
	char folder[PATH_MAX];
	bool core;

	if (snprintf(folder, sizeof(folder), "%s" DEVICES "/%s", root, name) >= (int)sizeof(folder))
		return false;
	read_cpus(folder, arena, &pmu);
	core = is_core(name, &pmu);
	pmu_done(&pmu);
	return core;
}

int pmu_open(const char *root, const char *name, struct arena *arena, struct pmu *ret,
	     struct err *err)
{
	struct pmu pmu = { .name = arena_strdup(arena, name) };
	char folder[PATH_MAX];
	const char *type;
	char *end;
	unsigned long number;

	if (strchr(name, '/') || name[0] == '.' ||
	    snprintf(folder, sizeof(folder), "%s" DEVICES "/%s", root, name) >= (int)sizeof(folder))
		return err_set(err, -ENOENT, "%s: no such PMU", name);
	type = read_word(folder, "type", arena);
	if (!type)
		return err_set(err, -ENOENT, "%s: no such PMU", name);
	errno = 0;
	number = strtoul(type, &end, 10);
	if (errno || *end || end == type || number > UINT32_MAX)
		return err_set(err, -EINVAL, "%s/type: invalid number '%.40s'", folder, type);
	pmu.type = (uint32_t)number;
	read_formats(folder, arena, &pmu);
	read_aliases(folder, arena, &pmu);
	read_cpus(folder, arena, &pmu);
	pmu.core = is_core(name, &pmu);
	*ret = pmu;
	return 0;
}

void pmu_done(struct pmu *pmu)
{
	vec_done(&pmu->cpu);
	vec_done(&pmu->format);
	vec_done(&pmu->alias);
}

void pmu_offer(const char *root, struct arena *arena, struct suggest *suggest)
{
	struct name_list names = { 0 };

	pmu_match(root, "*", arena, &names);
	for (size_t i = 0; i < names.count; i++)
		suggest_offer(suggest, names.item[i]);
	name_list_done(&names);
}

const struct pmu_format *pmu_format_find(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->format.count; i++)
		if (strcmp(pmu->format.item[i].name, name) == 0)
			return &pmu->format.item[i];
	return NULL;
}

const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->alias.count; i++)
		if (strcasecmp(pmu->alias.item[i].name, name) == 0)
			return &pmu->alias.item[i];
	return NULL;
}
