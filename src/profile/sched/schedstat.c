/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts, differences and means of schedstats (see schedstat.h). */
#include "profile/sched/schedstat.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put_field(struct schedstat_field *ret, enum schedstat_group group, const char *prefix,
		      const char *name)
{
	*ret = (struct schedstat_field){ .group = group, .share_of = SCHEDSTAT_NONE, .bits = 32 };
	(void)snprintf(ret->name, sizeof(ret->name), "%s%s", prefix, name);
}

size_t schedstat_cpu_layout(struct schedstat_field ret[SCHEDSTAT_CPU_FIELDS])
{
	static const struct {
		const char *name;
		uint8_t share_of, bits;
	} fields[SCHEDSTAT_CPU_FIELDS] = {
		{ "yld_count", SCHEDSTAT_NONE, 32 },   { "array_exp", SCHEDSTAT_NONE, 32 },
		{ "sched_count", SCHEDSTAT_NONE, 32 }, { "sched_goidle", 2, 32 },
		{ "ttwu_count", SCHEDSTAT_NONE, 32 },  { "ttwu_local", 4, 32 },
		{ "rq_cpu_time", SCHEDSTAT_NONE, 64 }, { "run_delay", 6, 64 },
		{ "pcount", SCHEDSTAT_NONE, 64 },
	};

	for (size_t i = 0; i < COUNT(fields); i++) {
		put_field(&ret[i], SCHEDSTAT_CPU, "", fields[i].name);
		ret[i].share_of = fields[i].share_of;
		ret[i].bits = fields[i].bits;
	}
	return COUNT(fields);
}

/* What load_balance() counts; versions before 17 have one imbalance. */
static size_t put_balance(uint32_t version, enum schedstat_group group, struct schedstat_field *ret)
{
	static const char *const prefix[] = { [SCHEDSTAT_BUSY] = "busy_lb_",
					      [SCHEDSTAT_IDLE] = "idle_lb_",
					      [SCHEDSTAT_NEWIDLE] = "newidle_lb_" };
	static const struct {
		const char *name;
		uint8_t paced;
		uint32_t from, to;
	} fields[] = {
		{ "count", 1, 0, 99 },		 { "balanced", 1, 0, 99 },
		{ "failed", 1, 0, 99 },		 { "imbalance", 0, 0, 16 },
		{ "imbalance_load", 0, 17, 99 }, { "imbalance_util", 0, 17, 99 },
		{ "imbalance_task", 0, 17, 99 }, { "imbalance_misfit", 0, 17, 99 },
		{ "gained", 0, 0, 99 },		 { "hot_gained", 0, 0, 99 },
		{ "nobusyq", 1, 0, 99 },	 { "nobusyg", 1, 0, 99 },
	};
	size_t count = 0;

	for (size_t i = 0; i < COUNT(fields); i++) {
		if (version < fields[i].from || version > fields[i].to)
			continue;
		put_field(&ret[count], group, prefix[group], fields[i].name);
		ret[count++].paced = fields[i].paced;
	}
	return count;
}

size_t schedstat_domain_layout(uint32_t version,
			       struct schedstat_field ret[SCHEDSTAT_DOMAIN_FIELDS])
{
	static const struct {
		enum schedstat_group group;
		const char *name;
	} rest[] = {
		{ SCHEDSTAT_ACTIVE, "alb_count" },	  { SCHEDSTAT_ACTIVE, "alb_failed" },
		{ SCHEDSTAT_ACTIVE, "alb_pushed" },	  { SCHEDSTAT_EXEC, "sbe_count" },
		{ SCHEDSTAT_EXEC, "sbe_balanced" },	  { SCHEDSTAT_EXEC, "sbe_pushed" },
		{ SCHEDSTAT_FORK, "sbf_count" },	  { SCHEDSTAT_FORK, "sbf_balanced" },
		{ SCHEDSTAT_FORK, "sbf_pushed" },	  { SCHEDSTAT_WAKEUP, "ttwu_wake_remote" },
		{ SCHEDSTAT_WAKEUP, "ttwu_move_affine" }, { SCHEDSTAT_WAKEUP, "ttwu_move_balance" },
	};
	/* Version 16 put the busy CPU first. */
	enum schedstat_group first = version < 16 ? SCHEDSTAT_IDLE : SCHEDSTAT_BUSY;
	size_t count = put_balance(version, first, ret);

	count += put_balance(version, first == SCHEDSTAT_IDLE ? SCHEDSTAT_BUSY : SCHEDSTAT_IDLE,
			     ret + count);
	count += put_balance(version, SCHEDSTAT_NEWIDLE, ret + count);
	for (size_t i = 0; i < COUNT(rest); i++)
		put_field(&ret[count++], rest[i].group, "", rest[i].name);
	return count;
}

static uint64_t advance(uint64_t before, uint64_t after, uint8_t bits)
{
	uint64_t step = after - before;

	return bits < 64 ? step & (((uint64_t)1 << bits) - 1) : step;
}

static const struct schedstat_cpu *find_cpu(const struct schedstat *stat, uint32_t cpu)
{
	for (size_t i = 0; i < stat->cpu.count; i++)
		if (stat->cpu.item[i].cpu == cpu)
			return &stat->cpu.item[i];
	return NULL;
}

static void domains_between(const struct schedstat *before, const struct schedstat_cpu *was,
			    const struct schedstat *after, const struct schedstat_cpu *is,
			    struct schedstat *ret)
{
	struct schedstat_field field[SCHEDSTAT_DOMAIN_FIELDS];
	size_t fields = schedstat_domain_layout(after->version, field);

	for (size_t i = 0; i < was->domain_count && i < is->domain_count; i++) {
		const struct schedstat_domain *old = &before->domain.item[was->first_domain + i];
		struct schedstat_domain domain = after->domain.item[is->first_domain + i];

		for (size_t f = 0; f < fields; f++)
			domain.value[f] = advance(old->value[f], domain.value[f], field[f].bits);
		vec_push(&ret->domain, domain);
	}
}

void schedstat_between(const struct schedstat *before, const struct schedstat *after,
		       struct schedstat *ret)
{
	struct schedstat_field field[SCHEDSTAT_CPU_FIELDS];
	size_t fields = schedstat_cpu_layout(field);

	*ret = (struct schedstat){ .version = after->version,
				   .jiffies = after->jiffies - before->jiffies };
	for (size_t i = 0; i < after->cpu.count; i++) {
		const struct schedstat_cpu *is = &after->cpu.item[i];
		const struct schedstat_cpu *was = find_cpu(before, is->cpu);
		struct schedstat_cpu cpu = { .cpu = is->cpu, .first_domain = ret->domain.count };

		if (!was)
			continue;
		for (size_t f = 0; f < fields; f++)
			cpu.value[f] = advance(was->value[f], is->value[f], field[f].bits);
		domains_between(before, was, after, is, ret);
		cpu.domain_count = ret->domain.count - cpu.first_domain;
		vec_push(&ret->cpu, cpu);
	}
	ret->unmatched = before->cpu.count + after->cpu.count - 2 * ret->cpu.count;
}

/* Sums of the domains at one level; how many there were. */
static size_t sum_level(const struct schedstat *stat, size_t level, struct schedstat_domain *ret)
{
	size_t count = 0;

	*ret = (struct schedstat_domain){ .cpus = "" };
	for (size_t i = 0; i < stat->cpu.count; i++) {
		const struct schedstat_cpu *cpu = &stat->cpu.item[i];
		const struct schedstat_domain *domain;

		if (level >= cpu->domain_count)
			continue;
		domain = &stat->domain.item[cpu->first_domain + level];
		if (!count++)
			memcpy(ret->name, domain->name, sizeof(ret->name));
		for (size_t f = 0; f < SCHEDSTAT_DOMAIN_FIELDS; f++)
			ret->value[f] += domain->value[f];
	}
	return count;
}

void schedstat_mean(const struct schedstat *stat, struct schedstat *ret)
{
	struct schedstat_cpu mean = { 0 };
	struct schedstat_domain domain;

	*ret = (struct schedstat){ .version = stat->version, .jiffies = stat->jiffies };
	if (!stat->cpu.count)
		return;
	for (size_t i = 0; i < stat->cpu.count; i++)
		for (size_t f = 0; f < SCHEDSTAT_CPU_FIELDS; f++)
			mean.value[f] += stat->cpu.item[i].value[f];
	for (size_t f = 0; f < SCHEDSTAT_CPU_FIELDS; f++)
		mean.value[f] /= stat->cpu.count;
	for (size_t count; (count = sum_level(stat, mean.domain_count, &domain));
	     mean.domain_count++) {
		for (size_t f = 0; f < SCHEDSTAT_DOMAIN_FIELDS; f++)
			domain.value[f] /= count;
		vec_push(&ret->domain, domain);
	}
	vec_push(&ret->cpu, mean);
}

void schedstat_done(struct schedstat *stat)
{
	vec_done(&stat->cpu);
	vec_done(&stat->domain);
	arena_done(&stat->arena);
}
