/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for I/O in tables (see io_table.h). */
#include "profile/io_table.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/lock/lock_place.h"
#include "profile/lock/lock_samples.h"
#include "profile/lock/lock_table.h"

const char *io_operation_name(uint8_t operation)
{
	static const char *const names[] = {
#define X(id, name) name,
		IO_OPERATIONS(X)
#undef X
	};

	return operation < IO_OPERATION_COUNT ? names[operation] : "?";
}

const char *io_layer_name(enum io_layer layer)
{
	static const char *const names[] = {
#define X(id, name) name,
		IO_LAYERS(X)
#undef X
	};

	return names[layer < IO_LAYER_COUNT ? layer : IO_LAYER_OTHER];
}

uint64_t io_percentile(const struct io_sum *sum, double share)
{
	struct lock_sum same = { .ns = sum->ns, .count = sum->count, .max_ns = sum->max_ns };

	_Static_assert(IO_BUCKETS == LOCK_BUCKETS && IO_BUCKET_SHIFT == LOCK_BUCKET_SHIFT,
		       "buckets");
	memcpy(same.bucket, sum->bucket, sizeof(same.bucket));
	return lock_percentile(&same, share);
}

enum io_layer io_longest_wait(const struct io_sum *sum)
{
	enum io_layer longest = IO_LAYER_RUNNING;

	for (unsigned i = IO_LAYER_RUNNING + 1; i < IO_LAYER_COUNT; i++)
		if (sum->layer_ns[i] &&
		    (longest == IO_LAYER_RUNNING || sum->layer_ns[i] > sum->layer_ns[longest]))
			longest = i;
	return longest;
}

static void add(struct io_sum *to, const struct io_sum *from)
{
	to->ns += from->ns;
	to->count += from->count;
	to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
	to->bytes += from->bytes;
	to->errors += from->errors;
	for (unsigned i = 0; i < IO_LAYER_COUNT; i++)
		to->layer_ns[i] += from->layer_ns[i];
	to->sequential += from->sequential;
	to->hits += from->hits;
	to->read_pages += from->read_pages;
	to->requests += from->requests;
	to->disk_read += from->disk_read;
	to->disk_written += from->disk_written;
	to->punted += from->punted;
	for (unsigned i = 0; i < IO_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/* The names come from the file up to the root; they are checked, as all of the payload. */
static void put_path(const struct io_names *names, size_t len, struct buf *out)
{
	while (len) {
		size_t at = len - 1;

		while (at && names->text[at - 1])
			at--;
		if (at == len - 1) /* empty: there are more before */
			(void)buf_puts(out, "…");
		else
			(void)buf_printf(out, "/%.*s", (int)(len - 1 - at), names->text + at);
		len = at;
	}
}

static void put_address(const struct io_names *names, bool remote, struct buf *out)
{
	char text[INET6_ADDRSTRLEN] = "?";

	(void)inet_ntop(names->family == AF_INET6 ? AF_INET6 : AF_INET,
			names->text + (remote ? 16 : 0), text, sizeof(text));
	(void)buf_printf(out, "%s:%" PRIu32, text, names->ports >> (remote ? 0 : 16) & 0xffff);
}

static void put_file(const struct io_data *data, struct buf *out)
{
	static const char *const kinds[] = { "file", "file", "socket", "pipe", "terminal", "disk" };
	const struct io_names *names = &data->names;
	size_t len = names->len <= IO_NAMES ? names->len : 0;

	if (names->family) {
		(void)buf_puts(out, "tcp ");
		put_address(names, false, out);
		(void)buf_puts(out, " - ");
		put_address(names, true, out);
	} else if (len && !names->text[len - 1]) {
		put_path(names, len, out);
	} else if (data->key.inode) {
		(void)buf_printf(
			out, "%s:[%" PRIu64 "]",
			kinds[data->key.file_kind < IO_FILE_KINDS ? data->key.file_kind : 0],
			data->key.inode);
	} else {
		(void)buf_puts(out, "-");
	}
}

static string_id file_of(struct profile *profile, const struct io_data *data)
{
	struct buf text = { 0 };
	string_id name;

	put_file(data, &text);
	name = strtab_intern(profile->strings, text.data, text.len);
	buf_done(&text);
	return name;
}

static struct io_row *row_of(struct io_table *table, enum io_by by, uint64_t key)
{
	bool added;
	uint64_t *index = map_add(&table->by_key[by], hash_u64(key), &added);

	if (added) {
		*index = table->row[by].count;
		vec_push(&table->row[by], (struct io_row){ 0 });
	}
	return &table->row[by].item[*index];
}

static void add_rows(struct io_table *table, struct profile *profile, const struct io_data *data,
		     const struct io_one *one)
{
	const struct profile_thread *thread = &profile->threads.item[one->thread.v];
	struct io_row *row = row_of(table, IO_BY_FILE, one->file.v);

	row->name = one->file;
	add(&row->sum, &data->sum);
	row = row_of(table, IO_BY_PROCESS, (uint64_t)thread->pid << 32 | thread->comm.v);
	row->name = thread->comm;
	row->pid = thread->pid;
	add(&row->sum, &data->sum);
	row = row_of(table, IO_BY_OPERATION, data->key.operation);
	row->operation = data->key.operation;
	add(&row->sum, &data->sum);
	row = row_of(table, IO_BY_STACK, (uint64_t)one->stack.v << 8 | data->key.operation);
	row->stack = one->stack;
	row->operation = data->key.operation;
	add(&row->sum, &data->sum);
	if (!data->sum.disk)
		return;
	row = row_of(table, IO_BY_DISK, data->sum.disk);
	row->disk = data->sum.disk;
	add(&row->sum, &data->sum);
}

static int by_time(const void *a, const void *b)
{
	uint64_t left = ((const struct io_row *)a)->sum.ns,
		 right = ((const struct io_row *)b)->sum.ns;

	return left == right ? 0 : left < right ? 1 : -1;
}

static int by_end(const void *a, const void *b)
{
	uint64_t left = ((const struct io_one *)a)->end_ns,
		 right = ((const struct io_one *)b)->end_ns;

	return left == right ? 0 : left > right ? 1 : -1;
}

/* Samples that have a stack that sums refer to by its number. */
static void list_stacks(const struct profile *profile, struct map *stacks)
{
	struct io_data data;
	uint64_t number;

	for (size_t i = 0; i < profile->samples.count; i++)
		if (!lock_words(profile, &profile->samples.item[i], &data, sizeof(data)) &&
		    lock_words(profile, &profile->samples.item[i], &number, sizeof(number)))
			map_set(stacks, number, i);
}

static stack_id stack_of(const struct profile *profile, const struct map *stacks,
			 const struct profile_sample *sample, const struct io_key *key)
{
	uint64_t index;

	if (!(key->flags & IO_RAW_STACK))
		return lock_trim(profile, sample->stack);
	return map_get(stacks, key->stack, &index)
		       ? lock_trim(profile, profile->samples.item[index].stack)
		       : STACK_EMPTY;
}

void io_table_fill(struct io_table *table, struct profile *profile)
{
	struct map stacks = { 0 };
	struct io_data data;

	list_stacks(profile, &stacks);
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		struct io_one one = { .thread = sample->thread };

		if (!lock_sample_is(profile, sample, EVENT_KIND_IO) ||
		    !lock_words(profile, sample, &data, sizeof(data)))
			continue;
		one.end_ns = data.end_ns;
		one.operation = data.key.operation;
		one.file = file_of(profile, &data);
		one.stack = stack_of(profile, &stacks, sample, &data.key);
		one.sum = data.sum;
		if (data.end_ns) {
			vec_push(&table->slow, one);
			continue;
		}
		add(&table->total, &data.sum);
		add_rows(table, profile, &data, &one);
	}
	map_done(&stacks);
	for (unsigned by = 0; by < IO_BY_COUNT; by++)
		if (table->row[by].count)
			qsort(table->row[by].item, table->row[by].count, sizeof(struct io_row),
			      by_time);
	if (table->slow.count)
		qsort(table->slow.item, table->slow.count, sizeof(struct io_one), by_end);
}

void io_table_done(struct io_table *table)
{
	for (unsigned by = 0; by < IO_BY_COUNT; by++) {
		vec_done(&table->row[by]);
		map_done(&table->by_key[by]);
	}
	vec_done(&table->slow);
}

static frame_id request_frame(struct profile *profile, const struct io_data *data)
{
	struct frame frame = { .kind = FRAME_SEPARATOR };
	struct buf text = { 0 };

	(void)buf_printf(&text, "[%s ", io_operation_name(data->key.operation));
	put_file(data, &text);
	(void)buf_putc(&text, ']');
	frame.function = strtab_intern(profile->strings, text.data, text.len);
	buf_done(&text);
	return profile_frame(profile, &frame);
}

void io_flame_make(struct profile *profile, enum io_weight weight)
{
	static const char *const names[] = { "io-time", "io-bytes", "io-requests" };
	static const char *const units[] = { "ns", "bytes", "count" };
	uint16_t event =
		profile_event_of_kind(profile, names[weight], units[weight], EVENT_KIND_OTHER);
	VEC(struct profile_sample) made = { 0 };
	struct map stacks = { 0 };
	struct io_data data;

	list_stacks(profile, &stacks);
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample sample = profile->samples.item[i];
		struct profile_sample to = { .thread = sample.thread,
					     .event = event,
					     .cpu = PROFILE_NO_CPU };

		if (!lock_words(profile, &sample, &data, sizeof(data)) || data.end_ns)
			continue;
		to.weight = weight == IO_WEIGHT_TIME	? data.sum.ns
			    : weight == IO_WEIGHT_BYTES ? data.sum.bytes
							: data.sum.count;
		to.stack = profile_stack_push(profile,
					      stack_of(profile, &stacks, &sample, &data.key),
					      request_frame(profile, &data));
		if (to.weight)
			vec_push(&made, to);
	}
	map_done(&stacks);
	profile->samples.count = 0;
	for (size_t i = 0; i < profile->events.count; i++)
		profile->events.item[i].samples = profile->events.item[i].weight = 0;
	profile->events.item[event].measured = true;
	for (size_t i = 0; i < made.count; i++)
		profile_add(profile, &made.item[i]);
	vec_done(&made);
}
