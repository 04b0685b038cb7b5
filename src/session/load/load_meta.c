/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about a recording for its profile (see load_meta.h). */
#include "session/load/load_meta.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "profile/profile.h"

static string_id intern(struct profile *profile, const char *s)
{
	return s ? strtab_puts(profile->strings, s) : STRING_EMPTY;
}

static void put_word(struct buf *buf, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-+=./:,@%^";

	if (buf->len)
		(void)buf_putc(buf, ' ');
	if (*word && strspn(word, plain) == strlen(word)) {
		(void)buf_puts(buf, word);
		return;
	}
	(void)buf_putc(buf, '\'');
	for (; *word; word++)
		(void)(*word == '\'' ? buf_puts(buf, "'\\''") : buf_putc(buf, *word));
	(void)buf_putc(buf, '\'');
}

void load_meta(struct profile *profile, const struct perf_data *data)
{
	const struct perf_data_header *header = perf_data_header(data);
	const struct perf_data_stats *stats = perf_data_stats(data);
	struct profile_meta *meta = &profile->meta;
	struct buf words = { .limit = 1 << 20 };

	for (size_t i = 0; i < header->cmdline_count; i++) {
		put_word(&words, header->cmdline[i]);
		vec_push(&meta->words, intern(profile, header->cmdline[i]));
	}
	meta->command = strtab_intern(profile->strings, words.data ? words.data : "", words.len);
	buf_done(&words);
	meta->hostname = intern(profile, header->hostname);
	meta->os_release = intern(profile, header->os_release);
	meta->arch = intern(profile, header->arch);
	meta->cpu_desc = intern(profile, header->cpu_desc);
	meta->cpus = header->cpus_online;
	meta->total_mem_kb = header->total_mem_kb;
	meta->lost_events = stats->lost_events;
	meta->lost_samples = stats->lost_samples;
	meta->throttled = stats->throttled;
	meta->self_cpu_ns = stats->self_cpu_ns;
	meta->self_peak_rss_bytes = stats->self_peak_rss_bytes;
	meta->walks = stats->walks;
	meta->truncated_bytes = stats->truncated_bytes;
	meta->unknown_records = stats->unknown_records + stats->bad_records;
	meta->aux_bytes = stats->aux_bytes;
	meta->damage = intern(profile, stats->damage);
}

bool load_meta_is_counted(const struct perf_data *data)
{
	const struct event_set *events = perf_data_events(data);

	for (size_t i = 0; i < events->desc.count; i++)
		if (events->desc.item[i]->attr.sample_period)
			return false;
	return events->desc.count;
}

int load_meta_no_samples(const struct perf_data *data, const char *path, struct err *err)
{
	const struct perf_data_stats *stats = perf_data_stats(data);

	if (stats->damage[0])
		return err_set(err, -ENODATA, "%s: no readable samples: %s", path, stats->damage);
	if (stats->lost_samples) {
		(void)err_set(err, -ENODATA, "%s: no samples: all that came were lost (%llu)", path,
			      (unsigned long long)stats->lost_samples);
		return err_hint(err, "record with larger rings (-m 8M), a lower -F, or smaller "
				     "samples");
	}
	err_set(err, -ENODATA, "%s: no samples", path);
	if (load_meta_is_counted(data))
		return err_hint(
			err, "its events were counted, not sampled: cupel stat report -i %s", path);
	return err_hint(err,
			"the recording has %llu records but no samples: the program may be too "
			"short for the sampling frequency, or the event did not occur",
			(unsigned long long)stats->records);
}
