/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel buildid-list: the binaries of a recording by build id, or the build id of one binary or of
 * the running kernel. Lines are spelled as perf buildid-list spells them. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "session/recording.h"
#include "session/replay.h"

struct buildid_list_options {
	const char *input;
	bool with_hits, kernel;
};

static const struct option_def buildid_list_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(buildid_list_options, input),
	  "recording or ELF file to read (default perf.data, - for stdin)" },
	{ "with-hits", 'H', OPT_FLAG, NULL, OPT(buildid_list_options, with_hits),
	  "only binaries that were sampled" },
	{ "kernel", 'k', OPT_FLAG, NULL, OPT(buildid_list_options, kernel),
	  "build id of the running kernel" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ 0 },
};

static void put_id(struct buf *out, const struct build_id *id)
{
	for (size_t i = 0; i < id->len; i++)
		(void)buf_printf(out, "%02x", id->bytes[i]);
}

/* Lines, each once: a header may name a binary twice, and so may mappings of two namespaces. */
struct list {
	struct map seen; /* hash of a line → 1 */
	struct buf *out;
};

/* An unknown id leaves its place blank. */
static int put_line(struct list *list, const struct build_id *id, const char *path)
{
	size_t start = list->out->len;
	bool added;

	put_id(list->out, id);
	if (buf_printf(list->out, "%*s ", id->len ? 0 : 2 * BUILD_ID_MAX, "") ||
	    buf_put_tidy(list->out, path) || buf_putc(list->out, '\n'))
		return -E2BIG;
	*map_add(&list->seen, hash_bytes(list->out->data + start, list->out->len - start), &added) =
		1;
	if (!added)
		list->out->len = start;
	return 0;
}

static int put_header_id(void *context, const struct event *event)
{
	return put_line(context, &event->build_id.id, event->build_id.path);
}

static int list_header(const struct perf_data *data, struct buf *out, struct err *err)
{
	struct list list = { .out = out };
	int failed = perf_data_build_ids(data, put_header_id, &list);

	map_done(&list.seen);
	return failed ? err_set(err, failed, "the list is too large") : 0;
}

/* Notes which modules samples fall into; in the order they are met. */
struct hits {
	struct replay_handler handler;
	struct map seen; /* module id → 1 */
	struct list list;
};

static int note_hit(struct replay_handler *handler, const struct replay_sample *sample,
		    struct err *err)
{
	struct hits *hits = (struct hits *)handler;
	const struct module *module = sample->ip.module;
	bool added;

	*map_add(&hits->seen, module->id.v, &added) = 1;
	if (!added || module->kind == MODULE_UNKNOWN)
		return 0;
	return put_line(&hits->list, &module->build_id, module->path)
		       ? err_set(err, -E2BIG, "the list is too large")
		       : 0;
}

static int list_hits(struct recording *recording, struct buf *out, struct err *err)
{
	const struct replay_options options = { .no_symbols = true };
	struct hits hits = { .handler = { .sample = note_hit }, .list = { .out = out } };
	int failed = recording_replay(recording, &options, &hits.handler, err);

	map_done(&hits.seen);
	map_done(&hits.list.seen);
	return failed;
}

static int list_recording(struct recording *recording, bool with_hits, struct buf *out,
			  struct err *err)
{
	struct perf_data *data;
	const uint8_t *bytes;
	size_t len;

	if (recording_data(recording, &data, err))
		return err->code;
	/* Without a list in the header, list the modules themselves. */
	if (with_hits || !perf_data_feature(data, PERF_FEATURE_BUILD_ID, &bytes, &len))
		return list_hits(recording, out, err);
	return list_header(data, out, err);
}

static int list_elf(struct input *input, struct buf *out, struct err *err)
{
	struct elf_file *elf;
	const uint8_t *data;
	size_t len;

	if (input_map(input, &data, &len, err) || elf_file_parse(data, len, &elf, err))
		return err->code;
	if (elf->build_id.len) {
		put_id(out, &elf->build_id);
		(void)buf_putc(out, '\n');
	} else {
		(void)err_set(err, -ENODATA, "%s: no build id", input_name(input));
	}
	elf_file_close(elf);
	return err->code;
}

/* The kernel shows its own notes: {name length, content length, type} and both padded to 4. */
static int list_kernel(struct buf *out, struct err *err)
{
	struct buf notes = { .limit = 1 << 20 };
	Elf64_Nhdr note;
	size_t at = 0;
	int failed = fd_read_file("/sys/kernel/notes", &notes, err);

	while (!failed && notes.len - at > sizeof(note)) {
		const char *name = notes.data + at + sizeof(note);
		struct build_id id = { 0 };
		size_t skip;

		memcpy(&note, notes.data + at, sizeof(note));
		skip = sizeof(note) + (((size_t)note.n_namesz + 3) & ~(size_t)3);
		if (skip + note.n_descsz > notes.len - at)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0 && note.n_descsz <= BUILD_ID_MAX) {
			id.len = (uint8_t)note.n_descsz;
			memcpy(id.bytes, notes.data + at + skip, id.len);
			put_id(out, &id);
			(void)buf_putc(out, '\n');
			break;
		}
		at += skip + (((size_t)note.n_descsz + 3) & ~(size_t)3);
		if (at > notes.len)
			break;
	}
	buf_done(&notes);
	if (!failed && !out->len)
		return err_set(err, -ENODATA, "the running kernel has no build id");
	return failed;
}

static int list_input(const struct buildid_list_options *o, const char *input, struct buf *out,
		      struct err *err)
{
	struct recording *recording;
	const uint8_t *head;
	size_t len;
	int failed;

	if (recording_open(input, &recording, err))
		return err->code;
	failed = input_peek(recording_input(recording), &head, &len, err);
	if (!failed && len >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
		failed = list_elf(recording_input(recording), out, err);
	else if (!failed)
		failed = list_recording(recording, o->with_hits, out, err);
	recording_close(recording);
	return failed;
}

static int buildid_list_run(void *options, int argc, char **argv, struct err *err)
{
	const struct buildid_list_options *o = options;
	struct buf out = { 0 };
	const char *input;
	int failed;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input, &input, err))
		return EXIT_STATUS_USAGE;
	failed = o->kernel ? list_kernel(&out, err) : list_input(o, input, &out, err);
	failed = command_end_output(failed, NULL, &out, err);
	return failed ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.args = "[options] [FILE]",
	.summary = "list the binaries of a recording by build id",
	.options = buildid_list_rows,
	.options_size = sizeof(struct buildid_list_options),
	.run = buildid_list_run,
	.reads = true,
};
