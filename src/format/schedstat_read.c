/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading of /proc/schedstat (see schedstat_read.h). Its format: "version N", "timestamp JIFFIES",
 * and for each CPU a line "cpuN …" that "domainN [NAME] MASK …" lines follow. */
#include "format/schedstat_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/sched/schedstat.h"

#define MAX_CPUS    65536
#define MAX_DOMAINS 32 /* of a CPU; the kernel has 4 levels at most so far */
#define MAX_MASK    32768

/* A line, and its next word. */
struct words {
	const char *at, *end;
	size_t len; /* of the word at `at` */
};

static bool next_word(struct words *words)
{
	words->at += words->len;
	words->len = 0;
	while (words->at < words->end && (*words->at == ' ' || *words->at == '\t'))
		words->at++;
	while (words->at + words->len < words->end && words->at[words->len] != ' ' &&
	       words->at[words->len] != '\t')
		words->len++;
	return words->len > 0;
}

static bool parse_number(const char *digits, size_t len, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)digits[i]) ||
		    __builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(digits[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return len > 0;
}

/* The word is `name` and a number: "cpu12". */
static bool numbered(const struct words *words, const char *name, uint64_t *ret)
{
	size_t len = strlen(name);

	return words->len > len && strncmp(words->at, name, len) == 0 &&
	       parse_number(words->at + len, words->len - len, ret);
}

/* Reads the rest of the line, which must be exactly that many numbers. */
static int take_numbers(struct words *words, size_t count, uint64_t *ret, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!next_word(words))
			return err_set(err, -EBADMSG, "schedstat: %zu of %zu numbers in a line", i,
				       count);
		if (!parse_number(words->at, words->len, &ret[i]))
			return err_set(err, -EBADMSG, "schedstat: invalid number '%.*s'",
				       (int)(words->len < 40 ? words->len : 40), words->at);
	}
	if (next_word(words))
		return err_set(err, -EBADMSG, "schedstat: more than %zu numbers in a line", count);
	return 0;
}

static int take_cpu(struct schedstat *stat, struct words *words, uint64_t cpu, struct err *err)
{
	struct schedstat_cpu row = { .cpu = (uint32_t)cpu, .first_domain = stat->domain.count };
	int code;

	if (cpu >= MAX_CPUS || stat->cpu.count >= MAX_CPUS)
		return err_set(err, -EBADMSG, "schedstat: too many CPUs");
	code = take_numbers(words, SCHEDSTAT_CPU_FIELDS, row.value, err);
	if (!code)
		vec_push(&stat->cpu, row);
	return code;
}

static int take_domain(struct schedstat *stat, struct words *words, struct err *err)
{
	struct schedstat_cpu *cpu = stat->cpu.count ? vec_last(&stat->cpu) : NULL;
	struct schedstat_field field[SCHEDSTAT_DOMAIN_FIELDS];
	struct schedstat_domain domain = { 0 };
	size_t name_len = words->len < sizeof(domain.name) ? words->len : sizeof(domain.name) - 1;
	int code;

	if (!cpu || cpu->domain_count >= MAX_DOMAINS)
		return err_set(err, -EBADMSG, "schedstat: domain without a CPU, or too many");
	memcpy(domain.name, words->at, name_len);
	if (stat->version >= 17 && next_word(words)) {
		name_len = words->len < sizeof(domain.name) ? words->len : sizeof(domain.name) - 1;
		memset(domain.name, 0, sizeof(domain.name));
		memcpy(domain.name, words->at, name_len);
	}
	text_tidy(domain.name, name_len);
	if (!next_word(words) || words->len > MAX_MASK)
		return err_set(err, -EBADMSG, "schedstat: domain without a mask of CPUs");
	domain.cpus = arena_strndup(&stat->arena, words->at, words->len);
	text_tidy((char *)(uintptr_t)domain.cpus, words->len);
	code = take_numbers(words, schedstat_domain_layout(stat->version, field), domain.value,
			    err);
	if (code)
		return code;
	vec_push(&stat->domain, domain);
	cpu->domain_count++;
	return 0;
}

static int take_version(struct words *words, uint32_t *ret, struct err *err)
{
	uint64_t version;

	if (!next_word(words) || !parse_number(words->at, words->len, &version))
		return err_set(err, -EBADMSG, "schedstat: version without a number");
	if (version < SCHEDSTAT_OLDEST || version > SCHEDSTAT_NEWEST)
		return err_set(err, -ENOTSUP,
			       "schedstat: unsupported version %llu (expected %d to %d)",
			       (unsigned long long)version, SCHEDSTAT_OLDEST, SCHEDSTAT_NEWEST);
	*ret = (uint32_t)version;
	return 0;
}

static int take_line(struct schedstat *stat, struct words *words, struct err *err)
{
	uint64_t number;

	if (!next_word(words))
		return 0;
	if (!stat->version && (words->len != 7 || strncmp(words->at, "version", 7) != 0))
		return err_set(err, -EBADMSG, "schedstat: missing version");
	if (!stat->version)
		return take_version(words, &stat->version, err);
	if (words->len == 9 && strncmp(words->at, "timestamp", 9) == 0)
		return take_numbers(words, 1, &stat->jiffies, err);
	if (numbered(words, "cpu", &number))
		return take_cpu(stat, words, number, err);
	if (numbered(words, "domain", &number))
		return take_domain(stat, words, err);
	return err_set(err, -EBADMSG, "schedstat: unknown line '%.*s'",
		       (int)(words->len < 40 ? words->len : 40), words->at);
}

static bool begins_reading(const char *at, const char *end)
{
	return end - at > 8 && strncmp(at, "version ", 8) == 0;
}

int schedstat_read(const char **text, const char *end, struct schedstat *ret, struct err *err)
{
	struct schedstat stat = { 0 };
	const char *at = *text;
	int code = 0;

	while (at < end && !code && !(stat.version && begins_reading(at, end))) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct words words = { .at = at, .end = newline ? newline : end };

		at = newline ? newline + 1 : end;
		code = take_line(&stat, &words, err);
	}
	if (!code && !stat.version)
		code = err_set(err, -ENODATA, "schedstat: empty");
	if (code) {
		schedstat_done(&stat);
		return code;
	}
	*text = at;
	*ret = stat;
	return 0;
}
