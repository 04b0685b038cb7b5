/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about probes: the user's definitions, the kernel's lists, what is typed, and source lines.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "session/probe/probe_define.h"
#include "session/probe/probe_definitions.h"
#include "session/probe/probe_request.h"
#include "session/probe/probe_source.h"
#include "session/probe/show_probes.h"
#include "source/probe/persistent_probes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lists(const char *text, size_t len)
{
	struct persistent_probes persistent = { 0 };
	struct probe_definitions own;
	struct buf out = { 0 };

	persistent_probes_parse(text, len, false, &persistent);
	persistent_probes_parse(text, len, true, &persistent);
	for (size_t i = 0; i < persistent.item.count; i++)
		if (!persistent.item.item[i].file == !persistent.item.item[i].place ||
		    !persistent.item.item[i].event[0])
			abort();
	persistent_probes_done(&persistent);
	probe_definitions_parse(text, len, &own);
	for (size_t i = 0; i < own.item.count; i++)
		probe_spec_put(own.item.item[i].spec, &out);
	probe_definitions_done(&own);
	buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct probe_request request;
	struct arena arena = { 0 };
	struct buf name = { 0 };
	struct err err = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	read_lists(text, size);
	if (!probe_request_parse(text, &arena, &request, &err)) {
		probe_request_name(&request, "/usr/lib/libx-1.so", NULL, &name);
		if (!strchr(name.data, ':'))
			abort();
	}
	(void)probe_source_matches(text, "*x?");
	(void)probe_filter_matches(text, "work");
	buf_done(&name);
	arena_done(&arena);
	free(text);
	return 0;
}
