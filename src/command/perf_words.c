/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's other commands (see perf_words.h). */
#include "command/perf_words.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *instead;
} words[] = {
	{ "bench", "use: perf bench" },
	{ "check", "see: cupel version" },
	{ "config", "there is no configuration file: options are on the command line" },
	{ "daemon",
	  "record all the time: cupel record -a --switch-output=1m --switch-max-files 10" },
	{ "data", "see: cupel convert --list" },
	{ "kallsyms", "use: perf kallsyms, or: grep -w NAME /proc/kallsyms" },
	{ "kvm", "use: perf kvm" },
};

const char *perf_word_instead(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i].name, name) == 0)
			return words[i].instead;
	return NULL;
}
