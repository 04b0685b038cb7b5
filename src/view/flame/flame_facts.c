/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subtitle of a flame graph (see flame_facts.h). */
#include "view/flame/flame_facts.h"

#include <stdbool.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/sample_weight.h"
#include "profile/share_interval.h"
#include "view/flame/flame_advice.h"
#include "view/flame/flame_info.h"
#include "view/flame/flame_layout.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_tree.h"

#define COMMAND_MAX 60 /* bytes of the command that are shown */

const char *flame_title(const struct flame_graph_options *o)
{
	return o->title	       ? o->title
	       : o->flamechart ? "Flame Chart"
	       : o->inverted   ? "Icicle Graph"
			       : "Flame Graph";
}

static void separate(struct buf *text)
{
	if (text->len)
		(void)buf_puts(text, " \xc2\xb7 ");
}

static void put_time(struct buf *text, uint64_t ns)
{
	double seconds = (double)ns / 1e9;

	if (seconds >= 1)
		(void)buf_printf(text, "%.1f s", seconds);
	else if (seconds >= 1e-3)
		(void)buf_printf(text, "%.0f ms", seconds * 1e3);
	else
		(void)buf_printf(text, "%.0f \xc2\xb5s", seconds * 1e6);
}

/* The recorded program, where the recorder's own words end in "-- program". */
static void put_command(struct buf *text, const char *command)
{
	const char *program = strstr(command, " -- ");
	size_t len;

	command = program ? program + 4 : command;
	len = strlen(command);
	if (len <= COMMAND_MAX) {
		(void)buf_append(text, command, len);
		return;
	}
	len = COMMAND_MAX;
	while (len && ((unsigned char)command[len] & 0xc0) == 0x80) /* not inside a letter */
		len--;
	(void)buf_append(text, command, len);
	(void)buf_puts(text, "\xe2\x80\xa6");
}

/* Sums over the events drawn. */
struct sums {
	uint64_t samples, weight, stacks, complete, frames, unknown, lost;
};

static struct sums add_up(const struct profile *profile, const struct flame_tree *tree)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];

		if (!tree->events[i])
			continue;
		sums.samples += event->samples;
		sums.weight += event->weight;
		sums.stacks += event->samples - event->stop[STACK_STOP_NONE];
		sums.complete += event->stop[STACK_STOP_ROOT];
		sums.frames += event->frames;
		sums.unknown += event->unknown_frames;
		sums.lost += event->lost;
	}
	return sums;
}

static bool is_waiting(const struct profile_event *event)
{
	return event->kind == EVENT_KIND_OFF_CPU || event->kind == EVENT_KIND_WAKEUP ||
	       event->kind == EVENT_KIND_WAIT_CHAIN;
}

/* Whether the name of the input is the title, where no command is known. */
static bool names_source(const struct flame_graph_options *o)
{
	return o->source && !o->title && !o->inverted && !o->flamechart;
}

/* Where each occurrence is a sample, samples are what is counted. */
static void put_samples(const struct profile_event *event,
			const struct flame_graph_options *options, const struct sums *sums,
			struct buf *text)
{
	const char *unit = profile_event_is_counted(event) ? "samples" : "units";

	if (options->countname && (event->exact || !profile_event_is_counted(event)))
		unit = options->countname;
	(void)buf_printf(text, "%llu %s", (unsigned long long)sums->samples, unit);
}

/* Of text without a command: file, total and unit. */
static void put_source(const struct profile *profile, const struct flame_tree *tree,
		       const struct flame_graph_options *options, const struct sums *sums,
		       struct buf *text)
{
	const struct profile_event *event = &profile->events.item[tree->main_event];
	bool named = text->len; /* what was counted is known, so samples are */

	if (options->source && !names_source(options)) {
		separate(text);
		(void)buf_puts(text, options->source);
	}
	if (tree->other)
		return;
	separate(text);
	if (tree->by_samples || named)
		put_samples(event, options, sums, text);
	else if (event->unit_type == EVENT_UNIT_NS)
		put_time(text, sums->weight);
	else
		(void)buf_printf(text, "%.10g %s",
				 (double)sums->weight / (event->scale ? event->scale : 1),
				 flame_count_name(profile, tree, options));
}

static void put_about(const struct profile *profile, const struct flame_tree *tree,
		      const struct flame_graph_options *options, const struct sums *sums,
		      struct buf *text)
{
	const struct profile_event *event = &profile->events.item[tree->main_event];
	const char *name = profile_string(profile, event->name);
	const char *command = profile_string(profile, profile->meta.command);

	if (*name && strcmp(name, "samples") != 0 && !tree->other)
		(void)buf_puts(text, name);
	if (event->measured) {
		separate(text);
		put_time(text, event->weight);
		(void)buf_puts(text, " in total");
	} else if (!*command) {
		put_source(profile, tree, options, sums, text);
	} else if (is_waiting(event)) {
		separate(text);
		(void)buf_printf(text, "%llu waits", (unsigned long long)sums->samples);
		separate(text);
		put_time(text, sums->weight);
		(void)buf_puts(text, " waited");
	} else {
		separate(text);
		put_samples(event, options, sums, text);
	}
	if (*command && event->kind == EVENT_KIND_WALL_TIME && !event->measured) {
		separate(text);
		put_time(text, sums->weight);
		(void)buf_puts(text, " of all threads");
	}
	if (profile->meta.duration_ns) {
		separate(text);
		put_time(text, profile->meta.duration_ns);
	}
	if (*command && options->title) {
		separate(text);
		put_command(text, command);
	}
}

static void put_count(struct buf *text, uint64_t count, const char *what)
{
	if (!count)
		return;
	separate(text);
	(void)buf_printf(text, "%llu %s", (unsigned long long)count, what);
}

/* "12% of stacks incomplete"; never 0% or 100% when it is not exactly that. */
static void put_share(struct buf *text, uint64_t part, uint64_t whole, const char *what)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (!part)
		return;
	separate(text);
	if (percent < 0.1)
		(void)buf_printf(text, "<0.1%% %s", what);
	else if (part < whole && percent > 99.9)
		(void)buf_printf(text, ">99.9%% %s", what);
	else
		(void)buf_printf(text, percent < 9.95 ? "%.1f%% %s" : "%.0f%% %s", percent, what);
}

/* What the second profile has where the first has nothing: no width, so no box. */
static uint64_t gone(const struct flame_tree *tree)
{
	uint64_t sum = 0;

	for (size_t i = 0; tree->other && i < tree->nodes.count; i++)
		if (!tree->nodes.item[i].total)
			sum += tree->other[i];
	return sum;
}

static void put_few(const struct profile *profile, const struct flame_tree *tree, struct buf *text)
{
	share_put_few(share_effective_of(profile, tree->events), text);
}

uint64_t flame_facts_gathered(const struct flame_tree *tree)
{
	uint64_t sum = 0;

	for (size_t i = 0; tree->smaller && i < tree->nodes.count; i++)
		if (tree->smaller[i])
			sum += tree->nodes.item[i].total;
	return sum;
}

/* An SVG with a script draws them when its reader zooms in. */
static void put_hidden(const struct flame_layout *layout, const struct flame_graph_options *o,
		       struct buf *text)
{
	put_share(text, layout->hidden, layout->total,
		  o->no_javascript ? "in frames too small to draw (--minwidth draws more)"
				   : "in frames too small to draw (zoom in to see them)");
}

static void put_missing(const struct profile *profile, const struct flame_tree *tree,
			const struct sums *sums, struct buf *text)
{
	const struct profile_meta *meta = &profile->meta;
	uint64_t lost = meta->lost_samples > sums->lost ? meta->lost_samples : sums->lost;

	put_few(profile, tree, text);
	put_count(text, lost, "samples lost");
	put_count(text, meta->lost_events, "events lost");
	put_count(text, meta->throttled, "times throttled");
	put_share(text, sums->stacks - sums->complete, sums->stacks, "of stacks incomplete");
	put_share(text, sums->unknown, sums->frames, "of frames without a symbol");
	put_count(text, meta->truncated_bytes, "bytes missing at the end");
	put_count(text, meta->unknown_records, "unrecognized lines or records");
	if (meta->unfinished.count)
		put_count(text, meta->unfinished.count, "stack may be truncated");
	put_share(text, gone(tree), tree->other_total,
		  "of the samples before are gone and have no frame (cupel diff draws them)");
	put_share(text, tree->left_out, tree->left_out + tree->nodes.item[0].total,
		  "outside the base");
	put_share(text, flame_facts_gathered(tree), tree->nodes.item[0].total,
		  "in frames too small to search in an SVG (-o flame.html has them)");
}

void flame_facts_collect(const struct profile *profile, const struct flame_tree *tree,
			 const struct flame_graph_options *options,
			 const struct flame_layout *layout, struct flame_facts *ret)
{
	const char *command = profile_string(profile, profile->meta.command);
	struct sums sums = add_up(profile, tree);

	*ret = (struct flame_facts){ 0 };
	if (!options->title && *command)
		put_command(&ret->title, command);
	else
		(void)buf_puts(&ret->title,
			       names_source(options) ? options->source : flame_title(options));
	put_about(profile, tree, options, &sums, &ret->about);
	flame_advice_hint(profile, tree, options, &ret->hint);
	flame_advice_remedies(profile, tree, &ret->remedies);
	put_missing(profile, tree, &sums, &ret->missing);
	if (layout)
		put_hidden(layout, options, &ret->missing);
}

void flame_facts_about(const struct profile *profile, const struct flame_tree *tree,
		       const struct flame_graph_options *options, struct buf *ret)
{
	struct sums sums = add_up(profile, tree);

	put_about(profile, tree, options, &sums, ret);
}

double flame_sample_width(const struct profile *profile, const struct flame_tree *tree,
			  const struct flame_graph_options *options)
{
	double effective = share_effective_of(profile, tree->events), width = 0;

	if (options->no_interval || effective <= 0)
		return 0;
	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];

		if (tree->events[i])
			width += (double)(tree->by_samples ? event->samples : event->weight);
	}
	return width / effective;
}

void flame_facts_done(struct flame_facts *facts)
{
	buf_done(&facts->title);
	buf_done(&facts->about);
	buf_done(&facts->hint);
	buf_done(&facts->remedies);
	buf_done(&facts->missing);
}

const char *flame_count_name(const struct profile *profile, const struct flame_tree *tree,
			     const struct flame_graph_options *options)
{
	const struct profile_event *event = &profile->events.item[tree->main_event];
	const char *unit = profile_string(profile, event->unit);

	if (options->countname)
		return options->countname;
	if (tree->by_samples)
		return profile_event_is_counted(event) ? "samples" : "units";
	if (event->unit_type != EVENT_UNIT_NONE && event->unit_type != EVENT_UNIT_COUNT)
		return unit;
	unit = profile_string(profile, event->name);
	return *unit ? unit : "samples";
}
