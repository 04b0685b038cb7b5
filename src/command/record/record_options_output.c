/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a recording begins and ends, and where it goes. */
#include "command/record/record_options_groups.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "session/record/recording_options.h"

#define MAX_ZSTD_LEVEL 22

#define FIELD(name) OPT(recording_options, name)

const struct option_def record_duration_rows[] = {
	{ "Time", 0, OPT_GROUP, NULL, 0, NULL },
	{ "duration", 0, OPT_DURATION, "TIME", FIELD(duration_ns),
	  "stop after this time (30s, 500ms); a started program receives SIGTERM" },
	{ .type = OPT_END },
};

static int set_delay(void *field, const char *value, bool negated, struct err *err)
{
	struct record_delay *delay = field;

	(void)negated;
	*delay = (struct record_delay){ .disabled = strcmp(value, "-1") == 0 };
	if (delay->disabled)
		return 0;
	for (const char *p = value;; p++) {
		struct record_window window = { 0 };
		char *end;

		if (!isdigit((unsigned char)*p) || delay->count == RECORD_MAX_WINDOWS)
			return option_bad_value(err, value,
						"milliseconds, -1, or ranges such as 10-20,30-40");
		window.start_ms = strtoull(p, &end, 10);
		p = end;
		if (*p == '-' && isdigit((unsigned char)p[1])) {
			window.end_ms = strtoull(p + 1, &end, 10);
			p = end;
		}
		if (window.end_ms && window.end_ms <= window.start_ms)
			return option_bad_value(err, value, "a range that ends after its start");
		if (delay->count && window.start_ms < delay->window[delay->count - 1].end_ms)
			return option_bad_value(err, value, "a list of ranges in order");
		delay->window[delay->count++] = window;
		if (!*p)
			break;
		if (*p != ',' || !window.end_ms)
			return option_bad_value(err, value,
						"milliseconds, -1, or ranges such as 10-20,30-40");
	}
	/* Zero is no delay at all. */
	if (delay->count == 1 && !delay->window[0].start_ms && !delay->window[0].end_ms)
		delay->count = 0;
	return 0;
}

const struct option_def record_delay_rows[] = {
	{ "delay", 'D', OPT_CALL, "MS", FIELD(delay),
	  "start sampling after this delay; -1 = on a --control command; ranges: 10-20,30-40",
	  set_delay, NULL },
	{ .type = OPT_END },
};

static int set_level(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t level = 1;

	if (value && (!option_parse_plain(value, &level) || level > MAX_ZSTD_LEVEL))
		return option_bad_value(err, value, "a compression level from 0 to 22");
	*(int *)field = negated ? 0 : (int)level;
	return 0;
}

static int set_switch_output(void *field, const char *value, bool negated, struct err *err)
{
	struct record_switch_output *output = field;
	uint64_t number;
	char *unit;

	*output = (struct record_switch_output){ 0 };
	if (negated)
		return 0;
	output->mode = RECORDING_SWITCH_SIGNAL;
	if (!value || strcmp(value, "signal") == 0)
		return 0;
	if (!isdigit((unsigned char)value[0]))
		return option_bad_value(err, value, "signal, a size (10M) or a time (30s)");
	errno = 0;
	number = strtoull(value, &unit, 10);
	if (errno || number == 0 || !unit[0])
		return option_bad_value(
			err, value,
			"signal, a size with B, K, M or G, or a time with s, m, h or d");
	if (strchr("BKMG", unit[0])) {
		output->mode = RECORDING_SWITCH_SIZE;
		return option_parse_number(OPT_SIZE, value, &output->size_bytes, err);
	}
	output->mode = RECORDING_SWITCH_TIME;
	if (strcmp(unit, "d") == 0) {
		output->time_ns = number * 86400 * 1000000000;
		return 0;
	}
	return option_parse_number(OPT_DURATION, value, &output->time_ns, err);
}

static int set_build_id_mmap(void *field, const char *value, bool negated, struct err *err)
{
	enum recording_map_ids *ids = field;

	(void)value;
	(void)err;
	*ids = negated ? RECORDING_MAP_IDS_NONE : RECORDING_MAP_IDS_KERNEL;
	return 0;
}

const struct option_def record_file_rows[] = {
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "output", 'o', OPT_STR, "FILE", FIELD(output),
	  "file (default perf.data); - = pipe mode" },
	{ "compression-level", 'z', OPT_CALL, "[=LEVEL]", FIELD(zstd_level),
	  "compress with zstd, level 1 (default) to 22", set_level, NULL },
	{ "max-size", 0, OPT_SIZE, "SIZE", FIELD(max_size_bytes), "stop recording at this size" },
	{ "max-memory", 0, OPT_SIZE, "SIZE", FIELD(max_memory_bytes),
	  "memory of the recorder, and of each process that reads binaries for it (default 256M)" },
	{ "switch-output", 0, OPT_CALL, "[=WHEN]", FIELD(switch_output),
	  "switch to a new file at every SIGUSR2 (signal), size (10M) or time (30s)",
	  set_switch_output, NULL },
	{ "switch-max-files", 0, OPT_UINT, "N", FIELD(switch_max_files),
	  "keep the last N of these files" },
	{ "timestamp-filename", 0, OPT_FLAG, NULL, FIELD(timestamp_filename),
	  "append the time to file names" },
	{ "tail-synthesize", 0, OPT_FLAG, NULL, FIELD(tail_synthesize),
	  "synthesize records for existing tasks at the end of the file" },
	{ "control", 0, OPT_STR, "CHANNEL", FIELD(control),
	  "read commands (enable, disable, snapshot, stop, ping, evlist) from fd:CTL[,ACK] or "
	  "fifo:CTL[,ACK]" },
	{ "no-buildid", 'B', OPT_FLAG, NULL, FIELD(no_build_id),
	  "do not store build ids in the file header" },
	{ "no-buildid-cache", 'N', OPT_FLAG, NULL, FIELD(no_names),
	  "do not keep names of the sampled code in the file" },
	{ "buildid-mmap", 0, OPT_CALL, NULL, FIELD(map_ids),
	  "let the kernel read build ids; perf 6.1 that records at the same time then aborts",
	  set_build_id_mmap, NULL },
	{ "no-context", 0, OPT_FLAG, NULL, FIELD(no_context),
	  "do not record the machine state (see cupel context)" },
	{ "dry-run", 0, OPT_FLAG, NULL, FIELD(dry_run), "open the events, record nothing" },
	{ .type = OPT_END },
};
