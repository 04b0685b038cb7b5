/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel buildid-list: the binaries of a recording by build id, or the build id of one binary or of
 * the running kernel. Lines are spelled as perf buildid-list spells them. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "event/event.h"
#include "format/input.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "proc/scan.h"
#include "session/build_ids.h"
#include "session/recording.h"

struct buildid_list_options {
	const char *input;
	bool with_hits, kernel, kernel_maps;
};

static const struct option_def buildid_list_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(buildid_list_options, input),
	  "recording or ELF file to read (default perf.data, - for stdin)" },
	{ "with-hits", 'H', OPT_FLAG, NULL, OPT(buildid_list_options, with_hits),
	  "only binaries that were sampled" },
	{ "kernel", 'k', OPT_FLAG, NULL, OPT(buildid_list_options, kernel),
	  "build id of the running kernel" },
	{ "kernel-maps", 'm', OPT_FLAG, NULL, OPT(buildid_list_options, kernel_maps),
	  "build ids and addresses of the running kernel and its modules" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ 0 },
};

static void put_id(struct buf *out, const struct build_id *id)
{
	for (size_t i = 0; i < id->len; i++)
		(void)buf_printf(out, "%02x", id->bytes[i]);
}

static int put_line(void *context, const struct build_id *id, const char *path)
{
	struct buf *out = context;

	put_id(out, id); /* an unknown id leaves its place blank */
	return buf_printf(out, "%*s ", id->len ? 0 : 2 * BUILD_ID_MAX, "") ||
			       buf_put_tidy(out, path) || buf_putc(out, '\n')
		       ? -E2BIG
		       : 0;
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

static int list_kernel(struct buf *out, struct err *err)
{
	struct build_id id;

	if (!build_id_read_kernel("", NULL, &id))
		return err_set(err, -ENODATA, "the running kernel has no build id");
	put_id(out, &id);
	return buf_putc(out, '\n');
}

/* A map of the kernel, as perf prints it: id, start, end, path. */
struct kernel_maps {
	struct sink sink;
	struct buf *out;
};

/* "ext4" of "/lib/modules/…/ext4.ko.xz" or "[ext4]": sysfs spells - as _. */
static void module_name(const char *path, char *ret, size_t size)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path + (*path == '[');

	(void)snprintf(ret, size, "%.*s", (int)strcspn(base, ".]"), base);
	for (char *dash = strchr(ret, '-'); dash; dash = strchr(dash, '-'))
		*dash = '_';
}

static int put_map(struct sink *sink, const struct event *event, struct err *err)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const struct event_mmap *map = &event->mmap;
	struct buf *out = ((struct kernel_maps *)sink)->out;
	bool is_kernel = strncmp(map->path, kernel, sizeof(kernel) - 1) == 0;
	struct build_id id = { 0 };
	char name[NAME_MAX + 1];

	(void)err;
	if (event->type != EVENT_MMAP)
		return 0;
	module_name(map->path, name, sizeof(name));
	(void)build_id_read_kernel("", is_kernel ? NULL : name, &id);
	put_id(out, &id);
	(void)buf_printf(out, " %16" PRIx64 " %16" PRIx64 " ", map->start, map->start + map->len);
	(void)buf_put_tidy(out, is_kernel ? kernel : map->path);
	return buf_putc(out, '\n');
}

static int list_kernel_maps(struct buf *out, struct err *err)
{
	const struct scan_options options = { 0 };
	struct kernel_maps maps = { .sink = { .event = put_map }, .out = out };
	int code = scan_kernel(&options, &maps.sink, err);

	if (!code && !out->len) {
		(void)err_set(err, -EPERM, "the kernel hides its addresses");
		return err_hint(err, "as root: sysctl kernel.kptr_restrict=0; or run as root");
	}
	return code;
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
		failed = build_ids_of(recording, o->with_hits ? BUILD_IDS_HIT : BUILD_IDS_LISTED,
				      &(struct build_id_visit){ put_line, out }, err);
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
	failed = o->kernel	  ? list_kernel(&out, err)
		 : o->kernel_maps ? list_kernel_maps(&out, err)
				  : list_input(o, input, &out, err);
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
	.names_outputs = true,
};
