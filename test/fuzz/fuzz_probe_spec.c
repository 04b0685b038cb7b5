/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of probes; what is accepted has a place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "source/probe/probe_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct probe_spec spec;
	struct err err = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	if (!probe_spec_parse(text, &spec, &err)) {
		if (!spec.function + !spec.has_address + !spec.source != 2)
			abort();
		if (spec.function && !spec.function[0])
			abort();
		probe_spec_done(&spec);
	}
	free(text);
	return 0;
}
