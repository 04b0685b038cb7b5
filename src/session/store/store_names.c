/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Late names for stored stacks (see store_names.h). */
#include "session/store/store_names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "event/event.h"
#include "proc/module.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/resolve.h"
#include "symbol/kept/kept_names.h"

#define NAMES_FILE	"names"
#define NAMES_MAX_BYTES ((size_t)1 << 30)

/* A frame's own frames in the result: its function and what is inlined there, outermost first. */
struct named {
	uint32_t first, count; /* in names->frames; count 0 = not looked up */
};

struct names {
	const struct profile *raw;
	struct profile *ret;
	struct symbol_options symbol;
	enum resolve_detail detail;
	struct module_table *modules;
	struct kept_names *kept;
	/* by module of the raw profile; opened at first use */
	struct module **module;
	struct symbolizer **symbolizer;
	uint32_t *ret_module;
	/* by frame of the raw profile */
	struct named *named;
	VEC(frame_id) frames;
};

static void names_path(const char *location, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s/%s", location, NAMES_FILE);
}

/* What the store learned; none is fine. */
static void read_kept(const char *location, struct kept_names **ret)
{
	struct buf bytes = { .limit = NAMES_MAX_BYTES };
	struct err ignored = { 0 };
	char path[4096];

	names_path(location, path, sizeof(path));
	if (strstr(location, "://") || fd_read_file(path, &bytes, &ignored) ||
	    kept_names_parse((const uint8_t *)bytes.data, bytes.len, ret, &ignored))
		*ret = NULL;
	buf_done(&bytes);
}

static void names_open(struct names *n, const char *location, const struct profile *raw)
{
	size_t modules = raw->modules.count + 1;

	n->raw = raw;
	n->modules = module_table_new();
	n->module = mem_zalloc(modules * sizeof(*n->module));
	n->symbolizer = mem_zalloc(modules * sizeof(*n->symbolizer));
	n->ret_module = mem_zalloc(modules * sizeof(*n->ret_module));
	n->named = mem_zalloc((raw->frames.count + 1) * sizeof(*n->named));
	read_kept(location, &n->kept);
	n->symbol.kept = n->kept;
	n->symbol.modules = n->modules;
}

static void names_close(struct names *n)
{
	for (size_t i = 0; i < n->raw->modules.count; i++)
		symbolizer_close(n->symbolizer[i]);
	free(n->module);
	free(n->symbolizer);
	free(n->ret_module);
	free(n->named);
	vec_done(&n->frames);
	kept_names_free(n->kept);
	module_table_free(n->modules);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* From hexadecimal digits; what is none ends it. */
static struct build_id build_id_of(const char *text)
{
	struct build_id id = { 0 };

	for (; id.len < BUILD_ID_MAX && digit(text[0]) >= 0 && digit(text[1]) >= 0; text += 2)
		id.bytes[id.len++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return id;
}

/* A module in which offsets mean the same everywhere: a file with a build id, or the vDSO. */
static const struct module *module_of(struct names *n, uint32_t id)
{
	const struct profile_module *from = &n->raw->modules.item[id];
	const char *path = profile_string(n->raw, from->path);
	enum module_kind kind = module_kind_of(path, PERF_RECORD_MISC_USER);

	if (!from->build_id[0] || (kind != MODULE_FILE && kind != MODULE_VDSO))
		return NULL;
	if (!n->module[id]) {
		n->module[id] = module_table_named(n->modules, kind, path, 0);
		n->module[id]->build_id = build_id_of(from->build_id);
	}
	return n->module[id];
}

static bool resolve(struct names *n, uint32_t id, uint64_t offset, struct symbol *ret)
{
	const struct module *module = module_of(n, id);

	if (!module)
		return false;
	if (!n->symbolizer[id])
		n->symbolizer[id] = symbolizer_open(module, &n->symbol);
	return symbolizer_resolve(n->symbolizer[id], offset, ret) && ret->count &&
	       ret->frame[ret->count - 1].name;
}

/* Calls are before their return addresses. */
static uint64_t place_of(const struct frame *frame)
{
	return frame->offset - (frame->caller && frame->offset);
}

static bool find_kept(struct names *n, const struct frame *frame, struct symbol *ret)
{
	const struct module *module = n->kept ? module_of(n, frame->module) : NULL;
	const struct kept_module *kept = module ? kept_names_find(n->kept, module) : NULL;
	const struct kept_place *place =
		kept && frame->offset ? kept_module_place(kept, place_of(frame)) : NULL;

	if (!place)
		return false;
	kept_module_symbol(kept, place, place_of(frame), ret);
	return ret->count > 0;
}

/* The frame as it is, with strings of the result. */
static struct frame copy_frame(struct names *n, const struct frame *from)
{
	struct frame frame = *from;
	uint32_t *module = &n->ret_module[from->module];

	if (!*module && from->module) {
		const struct profile_module *raw = &n->raw->modules.item[from->module];

		*module = profile_module(n->ret, profile_string(n->raw, raw->path), raw->build_id);
	}
	frame.module = *module;
	frame.function = strtab_puts(n->ret->strings, profile_string(n->raw, from->function));
	frame.file = strtab_puts(n->ret->strings, profile_string(n->raw, from->file));
	return frame;
}

static void less_detail(const struct names *n, struct frame *frame)
{
	if (n->detail == RESOLVE_ADDRESSES ||
	    (n->detail == RESOLVE_FUNCTIONS && !frame->function.v))
		return;
	frame->offset = 0;
	frame->pc = 0;
	if (!frame->function.v)
		return;
	frame->caller = false;
	if (n->detail == RESOLVE_NAMES) {
		frame->line = 0;
		frame->file = STRING_EMPTY;
	}
}

static void push_symbol(struct names *n, const struct frame *from, const struct symbol *symbol)
{
	size_t first = n->symbol.inlines ? 0 : symbol->count - 1;

	for (size_t depth = symbol->count; depth-- > first;) {
		const struct symbol_frame *one = &symbol->frame[depth];
		struct frame frame = copy_frame(n, from);

		frame.inlined = depth + 1 < symbol->count;
		frame.binding = symbol->binding;
		frame.symbol_start = symbol->start;
		frame.symbol_end = symbol->end;
		frame.function = strtab_puts(n->ret->strings, one->name ? one->name : "");
		frame.file = strtab_puts(n->ret->strings, one->file ? one->file : "");
		frame.line = one->line;
		less_detail(n, &frame);
		vec_push(&n->frames, profile_frame(n->ret, &frame));
	}
}

static const struct named *name_frame(struct names *n, frame_id id)
{
	const struct frame *frame = &n->raw->frames.item[id.v];
	struct named *named = &n->named[id.v];
	struct symbol symbol = { 0 };

	if (named->count)
		return named;
	named->first = (uint32_t)n->frames.count;
	if (frame->kind == FRAME_USER && !frame->inlined &&
	    (find_kept(n, frame, &symbol) ||
	     (!frame->function.v && resolve(n, frame->module, place_of(frame), &symbol)))) {
		push_symbol(n, frame, &symbol);
	} else {
		struct frame same = copy_frame(n, frame);

		less_detail(n, &same);
		vec_push(&n->frames, profile_frame(n->ret, &same));
	}
	named->count = (uint32_t)n->frames.count - named->first;
	return named;
}

/* Inlined frames that were stored follow their function, which may have been named anew. */
static bool is_replaced(struct names *n, const struct stack_node *node)
{
	const struct stack_node *at = node;
	struct symbol symbol = { 0 };

	while (n->raw->frames.item[at->frame.v].inlined && at->parent.v)
		at = &n->raw->nodes.item[at->parent.v];
	return at != node && find_kept(n, &n->raw->frames.item[at->frame.v], &symbol);
}

static stack_id *name_stacks(struct names *n)
{
	stack_id *stack = mem_zalloc((n->raw->nodes.count + 1) * sizeof(*stack));

	for (size_t i = 1; i < n->raw->nodes.count; i++) {
		const struct stack_node *node = &n->raw->nodes.item[i];
		stack_id at = stack[node->parent.v];

		if (!n->raw->frames.item[node->frame.v].inlined || !is_replaced(n, node)) {
			const struct named *named = name_frame(n, node->frame);

			for (uint32_t f = 0; f < named->count; f++)
				at = profile_stack_push(n->ret, at,
							n->frames.item[named->first + f]);
		}
		stack[i] = at;
	}
	return stack;
}

static void copy_event(struct names *n, size_t i)
{
	const struct profile *raw = n->raw;
	const struct profile_event *from = &raw->events.item[i];
	uint16_t id = profile_event_of_kind(n->ret, profile_string(raw, from->name),
					    profile_string(raw, from->unit), from->kind);
	struct profile_event *event = &n->ret->events.item[id];

	event->unit_type = from->unit_type;
	event->sample_weight = from->sample_weight;
	event->scale = from->scale;
	event->measured = from->measured;
	event->precise = from->precise;
	event->exact = from->exact;
	event->lost = from->lost;
}

static void copy_samples(struct names *n, const stack_id *stack)
{
	const struct profile *raw = n->raw;

	for (size_t i = 0; i < raw->events.count; i++)
		copy_event(n, i);
	for (size_t i = 0; i < raw->samples.count; i++) {
		struct profile_sample sample = raw->samples.item[i];
		const struct profile_thread *thread = &raw->threads.item[sample.thread.v];

		sample.stack = stack[sample.stack.v];
		sample.thread = profile_thread(n->ret, thread->pid, thread->tid,
					       profile_string(raw, thread->comm));
		profile_add(n->ret, &sample);
	}
	/* what they stood for, not what they were added up to */
	for (size_t i = 0; i < raw->events.count; i++)
		n->ret->events.item[i].squares = raw->events.item[i].squares;
	n->ret->meta.first_ns = raw->meta.first_ns;
	n->ret->meta.last_ns = raw->meta.last_ns;
	n->ret->meta.duration_ns = raw->meta.duration_ns;
	n->ret->meta.lost_samples = raw->meta.lost_samples;
	if (raw->meta.damage.v)
		n->ret->meta.damage =
			strtab_puts(n->ret->strings, profile_string(raw, raw->meta.damage));
}

/* Why names are missing. */
static void copy_problems(struct names *n)
{
	for (size_t i = 1; i < n->raw->modules.count; i++) {
		const struct profile_module *raw = &n->raw->modules.item[i];
		const char *problem = n->symbolizer[i] ? symbolizer_problem(n->symbolizer[i])
				      : !raw->build_id[0] &&
						      *profile_string(n->raw, raw->path) == '/'
					      ? "it was stored without a build id"
					      : NULL;

		if (problem && n->ret_module[i])
			n->ret->modules.item[n->ret_module[i]].problem =
				strtab_puts(n->ret->strings, problem);
	}
}

int store_names_apply(const char *location, const struct profile *raw,
		      const struct load_options *options, struct profile *ret, struct err *err)
{
	struct names n = { .ret = ret, .symbol = options->symbol, .detail = options->detail };
	stack_id *stack;

	(void)err;
	names_open(&n, location, raw);
	stack = name_stacks(&n);
	copy_samples(&n, stack);
	free(stack);
	copy_problems(&n);
	names_close(&n);
	return 0;
}

static int write_names(const char *location, const struct buf *bytes, struct err *err)
{
	struct output_file file;
	char path[4096];
	int fd, code;

	names_path(location, path, sizeof(path));
	fd = output_file_open(&file, path);
	if (fd < 0)
		return output_file_error(path, fd, err);
	code = fd_write_all(fd, bytes->data, bytes->len);
	if (!code && fdatasync(fd))
		code = -errno;
	(void)close(fd);
	if (code) {
		(void)output_file_end(&file, false);
		return err_set(err, code, "%s: %s", path, strerror(-code));
	}
	code = output_file_end(&file, true);
	return code ? output_file_error(path, code, err) : 0;
}

int store_names_learn(const char *location, const struct profile *raw,
		      const struct symbol_options *options, uint64_t *ret_count, struct err *err)
{
	struct kept_names_writer *writer = kept_names_writer_new();
	struct names n = { .symbol = *options };
	struct buf bytes = { 0 };
	uint64_t count = 0;
	int code = 0;

	names_open(&n, location, raw);
	n.symbol.inlines = n.symbol.lines = n.symbol.demangle = true;
	for (size_t i = 0; i < raw->frames.count; i++) {
		const struct frame *frame = &raw->frames.item[i];
		struct symbol symbol = { 0 };

		if (frame->kind != FRAME_USER || frame->inlined || !frame->offset ||
		    !resolve(&n, frame->module, place_of(frame), &symbol))
			continue;
		kept_names_add(writer, n.module[frame->module], place_of(frame), &symbol);
		count++;
	}
	kept_names_write(writer, &bytes);
	names_close(&n);
	kept_names_writer_free(writer);
	if (bytes.len)
		code = write_names(location, &bytes, err);
	buf_done(&bytes);
	if (ret_count)
		*ret_count = count;
	return code;
}
