/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Context samples in recordings (see machine_text.h): a key and numbers a line, zeros at the end
 * left out, so that an idle CPU costs a few bytes. */
#include "format/perf_data/machine_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "format/perf_data/perf_data_write_private.h"

static void put_numbers(const uint64_t *value, size_t count, struct buf *out)
{
	while (count && !value[count - 1])
		count--;
	for (size_t i = 0; i < count; i++)
		(void)buf_printf(out, " %" PRIu64, value[i]);
	(void)buf_putc(out, '\n');
}

static void put_device(const char *kind, const struct machine_device *device, struct buf *out)
{
	(void)buf_printf(out, "%s %s", kind, device->name);
	put_numbers(device->value, MACHINE_DEVICE_VALUES, out);
}

static void cut(struct buf *text, size_t start, size_t max_bytes)
{
	while (text->len - start > max_bytes ||
	       (text->len > start && text->data[text->len - 1] != '\n'))
		text->data[--text->len] = '\0';
}

void machine_text_put(const struct machine_sample *sample, size_t max_bytes, struct buf *ret)
{
	size_t start = ret->len;

	(void)buf_printf(ret, "time %" PRIu64 " %" PRIu64 "\n", sample->time_ns,
			 sample->interval_ns);
	for (int i = 0; i < MACHINE_VALUE_COUNT; i++)
		if (machine_knows(sample, (enum machine_value)i))
			(void)buf_printf(ret, "%s %" PRIu64 "\n",
					 machine_value_name((enum machine_value)i),
					 sample->value[i]);
	for (size_t i = 0; i < sample->disk.count; i++)
		put_device("disk", &sample->disk.item[i], ret);
	for (size_t i = 0; i < sample->net.count; i++)
		put_device("net", &sample->net.item[i], ret);
	for (size_t i = 0; i < sample->cpu.count; i++) {
		(void)buf_printf(ret, "cpu %" PRIu32, sample->cpu.item[i].cpu);
		put_numbers(sample->cpu.item[i].ms, MACHINE_MODE_COUNT, ret);
	}
	cut(ret, start, max_bytes);
}

void context_record_put(const struct machine_sample *sample, struct buf *ret)
{
	struct perf_event_header header = { .type = RECORD_ID_INDEX };
	const uint64_t entries = 0;
	struct buf record = { 0 };

	(void)buf_append(&record, &header, sizeof(header));
	(void)buf_append(&record, &entries, sizeof(entries));
	(void)buf_puts(&record, MACHINE_TEXT_MAGIC);
	machine_text_put(sample, PERF_RECORD_BYTES_MAX - record.len, &record);
	while (record.len % sizeof(uint64_t))
		(void)buf_putc(&record, '\0');
	header.size = (uint16_t)record.len;
	memcpy(record.data, &header, sizeof(header));
	(void)buf_append(ret, record.data, record.len);
	buf_done(&record);
}

/* The next word of a line, or an empty one. */
struct words {
	const char *at, *end;
};

static size_t next_word(struct words *words, const char **ret)
{
	while (words->at < words->end && *words->at == ' ')
		words->at++;
	*ret = words->at;
	while (words->at < words->end && *words->at != ' ')
		words->at++;
	return (size_t)(words->at - *ret);
}

static bool next_number(struct words *words, uint64_t *ret)
{
	const char *word;
	size_t len = next_word(words, &word);
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned)word[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return len > 0;
}

static void read_numbers(struct words *words, size_t count, uint64_t *ret)
{
	for (size_t i = 0; i < count && next_number(words, &ret[i]); i++)
		;
}

static bool read_device(struct words *words, struct machine_device *ret)
{
	const char *name;
	size_t len = next_word(words, &name);

	if (!len)
		return false;
	(void)snprintf(ret->name, sizeof(ret->name), "%.*s",
		       (int)(len < sizeof(ret->name) ? len : sizeof(ret->name) - 1), name);
	if (!ret->name[0])
		return false;
	text_tidy(ret->name, strlen(ret->name));
	read_numbers(words, MACHINE_DEVICE_VALUES, ret->value);
	return true;
}

static bool is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(word, name, len) == 0;
}

static void read_value(struct words *words, const char *key, size_t len, struct machine_sample *ret)
{
	uint64_t value;

	for (int i = 0; i < MACHINE_VALUE_COUNT; i++)
		if (is(key, len, machine_value_name((enum machine_value)i)) &&
		    next_number(words, &value))
			machine_set(ret, (enum machine_value)i, value);
}

static void read_line(struct words words, struct machine_sample *ret)
{
	struct machine_device device = { 0 };
	struct machine_cpu cpu = { 0 };
	const char *key;
	size_t len = next_word(&words, &key);
	uint64_t number;

	if (is(key, len, "time")) {
		if (next_number(&words, &ret->time_ns) && !next_number(&words, &ret->interval_ns))
			ret->interval_ns = 0;
	} else if (is(key, len, "cpu")) {
		if (ret->cpu.count == MACHINE_MAX_CPUS || !next_number(&words, &number) ||
		    number >= MACHINE_MAX_CPUS)
			return;
		cpu.cpu = (uint32_t)number;
		read_numbers(&words, MACHINE_MODE_COUNT, cpu.ms);
		vec_push(&ret->cpu, cpu);
	} else if (is(key, len, "disk")) {
		if (ret->disk.count < MACHINE_MAX_DEVICES && read_device(&words, &device))
			vec_push(&ret->disk, device);
	} else if (is(key, len, "net")) {
		if (ret->net.count < MACHINE_MAX_DEVICES && read_device(&words, &device))
			vec_push(&ret->net, device);
	} else {
		read_value(&words, key, len, ret);
	}
}

bool machine_text_parse(const char *text, size_t len, struct machine_sample *ret)
{
	const char *end = text + len;

	*ret = (struct machine_sample){ 0 };
	while (text < end && *text) { /* records are padded with NULs */
		const char *line = text, *stop = memchr(text, '\n', (size_t)(end - text));

		text = stop ? stop + 1 : end;
		read_line((struct words){ line, stop ? stop : end }, ret);
	}
	return ret->time_ns && ret->interval_ns;
}
