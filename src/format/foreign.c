/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/foreign.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *start, *part;
	const char *what;
} texts[] = {
	{ "event  ", "\nbefore ",
	  "a comparison by cupel diff: give its inputs, or write it with --format folded" },
	{ "#", "\n# Overhead ", "a report of perf or cupel: give the recording that it is of" },
	{ "BZh", "1AY&SY",
	  "packed with bzip2: unpack it first, or if it is of perf archive: cupel archive "
	  "--unpack" },
	{ "\xfd"
	  "7zXZ",
	  "", "packed with xz: unpack it first" },
	{ "Flat profile:", "cumulative", "a report of gprof: record with cupel record" },
};

/* Its first header is damaged, otherwise it would have been read. */
static bool is_tar(const uint8_t *head, size_t len)
{
	return len >= 512 && memcmp(head + 257, "ustar", 5) == 0;
}

const char *format_foreign(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t start = strlen(texts[i].start);

		if (len > start && memcmp(head, texts[i].start, start) == 0 &&
		    memmem(head, len, texts[i].part, strlen(texts[i].part)))
			return texts[i].what;
	}
	return is_tar(head, len) ? "a tar archive with a damaged header" : NULL;
}
