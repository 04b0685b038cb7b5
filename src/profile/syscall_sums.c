/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of system calls (see syscall_sums.h). */
#include "profile/syscall_sums.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"

#define LINEAR	   16 /* buckets of 1 ns */
#define LOG2_FIRST 4
#define PER_POWER  4

uint64_t syscall_bucket_ns(size_t bucket)
{
	size_t above = bucket - LINEAR, power = LOG2_FIRST + above / PER_POWER;

	if (bucket < LINEAR)
		return bucket;
	return (PER_POWER + above % PER_POWER) << (power - 2);
}

void syscall_sums_add(struct syscall_sums *sums, const struct syscall_sum *sum)
{
	struct syscall_row row = {
		.key = sum->key,
		.calls = sum->calls,
		.errors = sum->errors,
		.timed = sum->timed,
		.total_ns = sum->total_ns,
		.min_ns = sum->min_ns,
		.max_ns = sum->max_ns,
		.off_cpu_ns = sum->off_cpu_ns,
		.open_ns = sum->open_ns,
		.first = sums->bucket.count,
	};
	size_t from = 0, to = SYSCALL_BUCKETS;

	while (from < to && !sum->bucket[from])
		from++;
	while (to > from && !sum->bucket[to - 1])
		to--;
	row.first_bucket = (uint16_t)from;
	row.buckets = (uint16_t)(to - from);
	for (; from < to; from++)
		vec_push(&sums->bucket, sum->bucket[from]);
	vec_push(&sums->row, row);
}

static int compare_call_names(const void *left, const void *right)
{
	const struct syscall_call_name *a = left, *b = right;

	return a->call < b->call ? -1 : a->call > b->call;
}

static int compare_error_names(const void *left, const void *right)
{
	const struct syscall_error_name *a = left, *b = right;

	return a->error < b->error ? -1 : a->error > b->error;
}

void syscall_sums_name(struct syscall_sums *sums,
		       const char *(*call_label)(uint32_t call, char buf[48]),
		       const char *(*error_name)(uint32_t error))
{
	struct map calls = { 0 }, errors = { 0 };
	bool added;

	for (size_t i = 0; i < sums->row.count; i++) {
		struct syscall_call_name name = { .call = sums->row.item[i].key.call };

		(void)map_add(&calls, name.call, &added);
		if (added) {
			(void)call_label(name.call, name.name);
			vec_push(&sums->call_name, name);
		}
	}
	for (size_t i = 0; i < sums->error.count; i++) {
		struct syscall_error_name name = { .error = sums->error.item[i].key.error };
		const char *text = error_name(name.error);

		(void)map_add(&errors, name.error, &added);
		if (!added)
			continue;
		if (text)
			(void)snprintf(name.name, sizeof(name.name), "%s", text);
		else
			(void)snprintf(name.name, sizeof(name.name), "error %u", name.error);
		vec_push(&sums->error_name, name);
	}
	map_done(&calls);
	map_done(&errors);
	if (sums->call_name.count)
		qsort(sums->call_name.item, sums->call_name.count, sizeof(*sums->call_name.item),
		      compare_call_names);
	if (sums->error_name.count)
		qsort(sums->error_name.item, sums->error_name.count, sizeof(*sums->error_name.item),
		      compare_error_names);
}

void syscall_sums_done(struct syscall_sums *sums)
{
	vec_done(&sums->thread);
	vec_done(&sums->row);
	vec_done(&sums->error);
	vec_done(&sums->bucket);
	vec_done(&sums->call_name);
	vec_done(&sums->error_name);
	for (size_t i = 0; i < sums->cgroup_name.count; i++)
		free(sums->cgroup_name.item[i].name);
	vec_done(&sums->cgroup_name);
}

/* A row, and the group it goes into. */
struct placed {
	const struct syscall_row *row;
	uint32_t group;
};

struct grouping {
	const struct syscall_sums *sums;
	struct syscall_groups *groups;
	struct map group_of_thread; /* by syscall_thread.number */
	VEC(struct placed) placed;
};

static const char *cgroup_name(const struct syscall_sums *sums, uint64_t cgroup)
{
	for (size_t i = 0; i < sums->cgroup_name.count; i++)
		if (sums->cgroup_name.item[i].cgroup == cgroup)
			return sums->cgroup_name.item[i].name;
	return NULL;
}

/* What the threads of a group have in common. */
static uint64_t key_of(const struct syscall_thread *thread, enum syscall_group_by by)
{
	switch (by) {
	case SYSCALL_BY_TOTAL:
		return 0;
	case SYSCALL_BY_CGROUP:
		return thread->cgroup;
	case SYSCALL_BY_PROCESS:
		return thread->tgid;
	default:
		return thread->number;
	}
}

/* The group of a thread, new or there already. */
static void place_thread(struct grouping *grouping, const struct syscall_thread *thread,
			 enum syscall_group_by by, struct map *known)
{
	struct syscall_groups *groups = grouping->groups;
	bool added, leader = by == SYSCALL_BY_PROCESS && thread->tid == thread->tgid;
	uint64_t *index = map_add(known, key_of(thread, by), &added);

	if (added) {
		*index = groups->group.count;
		vec_push(&groups->group, (struct syscall_group){ 0 });
	}
	if (added && by == SYSCALL_BY_CGROUP) {
		struct syscall_group *group = &groups->group.item[*index];

		group->is_cgroup = true;
		group->cgroup = thread->cgroup;
		group->cgroup_name = cgroup_name(grouping->sums, thread->cgroup);
	} else if ((by == SYSCALL_BY_THREAD || by == SYSCALL_BY_PROCESS) && (added || leader)) {
		struct syscall_group *group = &groups->group.item[*index];

		group->pid = thread->tgid;
		group->tid = by == SYSCALL_BY_THREAD ? thread->tid : 0;
		memcpy(group->comm, thread->comm, sizeof(group->comm));
	}
	map_set(&grouping->group_of_thread, thread->number, *index);
}

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->row->key.call < b->row->key.call ? -1 : a->row->key.call > b->row->key.call;
}

uint64_t syscall_quantile(const uint64_t bucket[SYSCALL_BUCKETS], unsigned percent, uint64_t min_ns,
			  uint64_t max_ns)
{
	uint64_t count = 0, rank, before = 0, ns;

	for (size_t i = 0; i < SYSCALL_BUCKETS; i++)
		count += bucket[i];
	if (!count)
		return 0;
	rank = (count * percent + 99) / 100;
	for (size_t i = 0; i < SYSCALL_BUCKETS; before += bucket[i], i++) {
		uint64_t from = syscall_bucket_ns(i), to = syscall_bucket_ns(i + 1);

		if (before + bucket[i] < rank)
			continue;
		/* Nothing in the bucket is outside the range of all. */
		from = min_ns > from ? min_ns : from;
		to = max_ns < to ? max_ns : to;
		if (from > to)
			return max_ns;
		ns = from + (uint64_t)((double)(to - from) * ((double)(rank - before) - 0.5) /
				       (double)bucket[i]);
		return ns;
	}
	return max_ns;
}

static void add_row(struct syscall_total *line, const struct syscall_row *row)
{
	if (row->timed && (!line->timed || row->min_ns < line->min_ns))
		line->min_ns = row->min_ns;
	if (row->max_ns > line->max_ns)
		line->max_ns = row->max_ns;
	line->calls += row->calls;
	line->errors += row->errors;
	line->timed += row->timed;
	line->total_ns += row->total_ns;
	line->open_ns += row->open_ns;
	line->cpu_ns += row->total_ns > row->off_cpu_ns ? row->total_ns - row->off_cpu_ns : 0;
}

static const char *call_name(const struct syscall_sums *sums, uint32_t call)
{
	const struct syscall_call_name key = { .call = call }, *found = NULL;

	if (sums->call_name.count)
		found = bsearch(&key, sums->call_name.item, sums->call_name.count, sizeof(key),
				compare_call_names);
	return found ? found->name : "?";
}

static const char *error_name(const struct syscall_sums *sums, uint32_t error)
{
	const struct syscall_error_name key = { .error = error }, *found = NULL;

	if (sums->error_name.count)
		found = bsearch(&key, sums->error_name.item, sums->error_name.count, sizeof(key),
				compare_error_names);
	return found ? found->name : "?";
}

/* The rows of one group and call: `count` of them. */
static void merge_rows(struct grouping *grouping, const struct placed *placed, size_t count)
{
	static const unsigned percent[SYSCALL_QUANTILES] = { 50, 90, 99 };
	struct syscall_group *group = &grouping->groups->group.item[placed->group];
	struct syscall_total line = { .call = placed->row->key.call };
	uint64_t bucket[SYSCALL_BUCKETS] = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct syscall_row *row = placed[i].row;
		const uint32_t *from = grouping->sums->bucket.item + row->first;

		add_row(&line, row);
		for (size_t b = 0; b < row->buckets; b++)
			bucket[row->first_bucket + b] += from[b];
	}
	for (size_t i = 0; i < SYSCALL_QUANTILES; i++)
		line.quantile_ns[i] =
			syscall_quantile(bucket, percent[i], line.min_ns, line.max_ns);
	line.name = call_name(grouping->sums, line.call);
	group->calls += line.calls;
	group->errors += line.errors;
	grouping->groups->calls += line.calls;
	vec_push(&group->line, line);
}

static void merge_all(struct grouping *grouping)
{
	const struct syscall_sums *sums = grouping->sums;
	uint64_t group;
	size_t next;

	for (size_t i = 0; i < sums->row.count; i++)
		if (map_get(&grouping->group_of_thread, sums->row.item[i].key.thread, &group))
			vec_push(&grouping->placed,
				 ((struct placed){ &sums->row.item[i], (uint32_t)group }));
	if (grouping->placed.count)
		qsort(grouping->placed.item, grouping->placed.count, sizeof(struct placed),
		      compare_placed);
	for (size_t i = 0; i < grouping->placed.count; i = next) {
		const struct placed *first = &grouping->placed.item[i];

		for (next = i + 1; next < grouping->placed.count; next++)
			if (compare_placed(first, &grouping->placed.item[next]) != 0)
				break;
		merge_rows(grouping, first, next - i);
	}
}

static int compare_lines(const void *left, const void *right)
{
	const struct syscall_total *a = left, *b = right;

	if (a->total_ns + a->open_ns != b->total_ns + b->open_ns)
		return a->total_ns + a->open_ns > b->total_ns + b->open_ns ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_groups(const void *left, const void *right)
{
	const struct syscall_group *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int compare_errors(const void *left, const void *right)
{
	const struct syscall_total_error *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->error < b->error ? -1 : a->error > b->error;
}

/* Lines are in the order of their calls still. */
static struct syscall_total *find_line(const struct syscall_group *group, uint32_t call)
{
	size_t low = 0, high = group->line.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (group->line.item[middle].call < call)
			low = middle + 1;
		else
			high = middle;
	}
	return low < group->line.count && group->line.item[low].call == call
		       ? &group->line.item[low]
		       : NULL;
}

static void add_error(struct grouping *grouping, const struct syscall_error *error)
{
	const struct syscall_key *key = &error->key.key;
	struct syscall_total_error new = { .error = error->key.error, .count = error->count };
	struct syscall_total *line;
	uint64_t group;

	if (!map_get(&grouping->group_of_thread, key->thread, &group))
		return;
	line = find_line(&grouping->groups->group.item[group], key->call);
	if (!line)
		return;
	for (size_t i = 0; i < line->error.count; i++)
		if (line->error.item[i].error == new.error) {
			line->error.item[i].count += new.count;
			return;
		}
	new.name = error_name(grouping->sums, new.error);
	vec_push(&line->error, new);
}

static void sort(struct syscall_groups *groups)
{
	for (size_t i = 0; i < groups->group.count; i++) {
		struct syscall_group *group = &groups->group.item[i];

		for (size_t j = 0; j < group->line.count; j++)
			if (group->line.item[j].error.count)
				qsort(group->line.item[j].error.item,
				      group->line.item[j].error.count,
				      sizeof(struct syscall_total_error), compare_errors);
		if (group->line.count)
			qsort(group->line.item, group->line.count, sizeof(struct syscall_total),
			      compare_lines);
	}
	if (groups->group.count)
		qsort(groups->group.item, groups->group.count, sizeof(struct syscall_group),
		      compare_groups);
}

void syscall_groups_make(const struct syscall_sums *sums, enum syscall_group_by by,
			 struct syscall_groups *ret)
{
	struct grouping grouping = { .sums = sums, .groups = ret };
	struct map known = { 0 };

	*ret = (struct syscall_groups){ 0 };
	for (size_t i = 0; i < sums->thread.count; i++)
		place_thread(&grouping, &sums->thread.item[i], by, &known);
	merge_all(&grouping);
	for (size_t i = 0; i < sums->error.count; i++)
		add_error(&grouping, &sums->error.item[i]);
	sort(ret);
	map_done(&known);
	map_done(&grouping.group_of_thread);
	vec_done(&grouping.placed);
}

void syscall_groups_done(struct syscall_groups *groups)
{
	for (size_t i = 0; i < groups->group.count; i++) {
		struct syscall_group *group = &groups->group.item[i];

		for (size_t j = 0; j < group->line.count; j++)
			vec_done(&group->line.item[j].error);
		vec_done(&group->line);
	}
	vec_done(&groups->group);
}
