/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of formats (see format.h). A new format is one file and one row here. */
#include "format/format.h"

#include <string.h>

#include "format/callgrind/callgrind.h"
#include "format/folded/folded.h"
#include "format/json/json_read.h"
#include "format/json/json_write.h"
#include "format/perf_script/perf_sched_read.h"
#include "format/perf_script/perf_script_read.h"
#include "format/perf_script/perf_script_write.h"
#include "format/picture/picture.h"
#include "format/pprof/gperftools_read.h"
#include "format/pprof/pprof.h"
#include "format/text/text.h"
#include "profile/profile.h"

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
	.write = perf_script_write,
	.places = true,
	.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_CPU,
};

static const struct format_ops format_perf_sched = {
	.name = "perf-sched",
	.help = "text of perf script with scheduler events, read as time off the CPU",
	.sniff = perf_sched_sniff,
	.read = perf_sched_read,
};

static const struct format_ops format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks, one per line, as FlameGraph's scripts exchange them",
	.sniff = folded_sniff,
	.read = folded_read,
	.write = folded_write,
};

static const struct format_ops format_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "pprof's profile.proto, gzipped",
	.sniff = pprof_sniff,
	.read = pprof_read,
	.write = pprof_write,
	.places = true,
	.packed = true,
};

static const struct format_ops format_gperftools = {
	.name = "gperftools",
	.help = "gperftools' profiles: CPU, heap, contention, threads",
	.sniff = gperftools_sniff,
	.read = gperftools_read,
};

static const struct format_ops format_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "speedscope's own format",
	.write = speedscope_write,
	.keep = PROFILE_KEEP_TIME,
};

static const struct format_ops format_firefox = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.help = "Firefox Profiler's processed format",
	.write = firefox_write,
	.places = true,
	.keep = PROFILE_KEEP_TIME,
};

static const struct format_ops format_chrome_trace = {
	.name = "chrome-trace",
	.suffix = ".trace.json",
	.help = "Chrome trace events, for Perfetto",
	.write = chrome_trace_write,
	.keep = PROFILE_KEEP_TIME,
};

/* Which JSON it is says its content. */
static const struct format_ops format_json = {
	.name = "json",
	.help = "JSON of speedscope, Firefox, Chrome, V8, stackprof or d3-flame-graph",
	.sniff = json_profile_sniff,
	.read = json_profile_read,
};

static const struct format_ops format_picture = {
	.name = "picture",
	.help = "flame graph: SVG of cupel, FlameGraph or inferno, HTML of cupel",
	.sniff = picture_sniff,
	.read = picture_read,
};

static const struct format_ops format_callgrind = {
	.name = "callgrind",
	.suffix = ".callgrind",
	.help = "callgrind's costs of functions and calls",
	.sniff = callgrind_sniff,
	.read = callgrind_read,
	.write = callgrind_write,
	.places = true,
};

static const struct format_ops format_dtrace = {
	.name = "dtrace",
	.help = "stacks that DTrace aggregated",
	.sniff = dtrace_sniff,
	.read = dtrace_read,
};

static const struct format_ops format_sample = {
	.name = "sample",
	.help = "macOS sample's report",
	.sniff = sample_sniff,
	.read = sample_read,
};

static const struct format_ops format_call_csv = {
	.name = "call-csv",
	.help = "call trees in CSV: VTune, Visual Studio",
	.sniff = call_csv_sniff,
	.read = call_csv_read,
};

static const struct format_ops format_ghcprof = {
	.name = "ghcprof",
	.help = "GHC's .prof",
	.sniff = ghcprof_sniff,
	.read = ghcprof_read,
};

static const struct format_ops format_instruments = {
	.name = "instruments",
	.help = "call tree copied from Instruments",
	.sniff = instruments_sniff,
	.read = instruments_read,
};

static const struct format_ops format_xctrace = {
	.name = "xctrace",
	.help = "XML of xctrace export",
	.sniff = xctrace_sniff,
	.read = xctrace_read,
};

/* Of those that are equally sure the first: names in files may look like text of perf script. */
static const struct format_ops *const formats[] = {
	&format_perf_data,
	&format_pprof,
	&format_json,
	&format_callgrind,
	&format_picture,
	&format_perf_script,
	&format_folded,
	&format_speedscope,
	&format_firefox,
	&format_chrome_trace,
	&format_perf_sched,
	&format_gperftools,
	&format_dtrace,
	&format_sample,
	&format_call_csv,
	&format_ghcprof,
	&format_instruments,
	&format_xctrace,
	NULL,
};

const struct format_ops *const *format_all(void)
{
	return formats;
}

/* Pictures and pages hold style sheets and scripts with lines of any shape. */
static bool is_markup(const uint8_t *head, size_t len)
{
	return len >= 2 && head[0] == '<' && memchr("?!hs", head[1], 4);
}

const struct format_ops *format_sniff(const uint8_t *head, size_t len)
{
	const struct format_ops *best = NULL;
	int best_sure = is_markup(head, len); /* then only a format that is certain */

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
