/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -e strings from anyone, against a small sysfs and tracefs with files from the input's
 * second line on (a PMU's format and event files are outside bytes too). */
#include <stdint.h>

#include "base/err.h"
#include "source/event_spec/event_parse.h"
#include "temporary_root.h"

#define PMU "/sys/bus/event_source/devices/cpu/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct event_parse_options options = { .root = fuzz_root() };
	struct event_list list = { 0 };
	struct err err = { 0 };
	const uint8_t *line = memchr(data, '\n', size);
	size_t text_len = line ? (size_t)(line - data) : size;
	char *text = malloc(text_len + 1);

	if (!text)
		return 0;
	memcpy(text, data, text_len);
	text[text_len] = '\0';
	fuzz_put_file(PMU "type", "4", 1);
	fuzz_put_file(PMU "format/event", "config:0-7", 10);
	fuzz_put_file(PMU "events/some", "event=1", 7);
	fuzz_put_file("/sys/kernel/tracing/events/sched/sched_switch/id", "7", 1);
	if (line) {
		fuzz_put_file(PMU "format/word", line + 1, size - text_len - 1);
		fuzz_put_file(PMU "events/named", line + 1, size - text_len - 1);
		fuzz_put_file(PMU "cpumask", line + 1, size - text_len - 1);
		fuzz_put_file(PMU "events/named.scale", line + 1, size - text_len - 1);
	}
	if (event_list_parse(&list, text, &options, &err) == 0 &&
	    event_list_filter(&list, text, &err) == 0 && list.spec.count == 0)
		abort();
	event_list_done(&list);
	free(text);
	return 0;
}
