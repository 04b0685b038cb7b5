/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of formats (see format.h). A new format is one file and one row here. */
#include "format/format.h"

#include <string.h>

#include "format/folded.h"
#include "format/perf_script/perf_script_read.h"

static int perf_data_sniff(const uint8_t *head, size_t len)
{
	static const char *const magic[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };

	for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
		if (len >= 8 && memcmp(head, magic[i], 8) == 0)
			return 2;
	return 0;
}

static const struct format_ops format_perf_data = {
	.name = "perf.data",
	.suffix = ".data",
	.help = "recording of cupel or perf",
	.sniff = perf_data_sniff,
	.events = true,
};

static const struct format_ops format_perf_script = {
	.name = "perf-script",
	.suffix = ".perf",
	.help = "text of perf script",
	.sniff = perf_script_sniff,
	.read = perf_script_read,
};

static const struct format_ops format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks, one per line, as FlameGraph's scripts exchange them",
	.sniff = folded_sniff,
	.read = folded_read,
	.write = folded_write,
};

static const struct format_ops *const formats[] = {
	&format_perf_data,
	&format_perf_script,
	&format_folded,
	NULL,
};

const struct format_ops *const *format_all(void)
{
	return formats;
}

const struct format_ops *format_sniff(const uint8_t *head, size_t len)
{
	const struct format_ops *best = NULL;
	int best_sure = 0;

	for (const struct format_ops *const *f = formats; *f; f++) {
		int sure = (*f)->sniff ? (*f)->sniff(head, len) : 0;

		if (sure > best_sure) {
			best_sure = sure;
			best = *f;
		}
	}
	return best;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = suffix ? strlen(suffix) : 0;

	return n && len > n && strcmp(path + len - n, suffix) == 0;
}

const struct format_ops *format_find(const char *name_or_path)
{
	for (const struct format_ops *const *f = formats; *f; f++)
		if (strcmp((*f)->name, name_or_path) == 0)
			return *f;
	for (const struct format_ops *const *f = formats; *f; f++)
		if (has_suffix(name_or_path, (*f)->suffix))
			return *f;
	return NULL;
}
