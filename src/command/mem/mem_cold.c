/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem --cold: how much of a process's memory is not touched for a while. */
#include <errno.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/mem/mem_cold.h"
#include "proc/referenced_map.h"
#include "session/run.h"
#include "source/id_list.h"
#include "view/stack_line.h"

static uint64_t cold_of(uint64_t resident, uint64_t referenced)
{
	return resident > referenced ? resident - referenced : 0;
}

static void put_row(const struct referenced_map *map, const struct referenced_mapping *row,
		    struct buf *out)
{
	const char *path = strtab_get(map->strings, row->path);
	uint64_t cold = cold_of(row->resident, row->referenced);

	bytes_put((double)cold, 9, out);
	(void)buf_printf(out, "  %5.1f %%  ",
			 row->resident ? 100 * (double)cold / (double)row->resident : 0);
	bytes_put((double)row->resident, 9, out);
	(void)buf_puts(out, "  ");
	(void)buf_put_tidy(out, path[0] ? path : "anonymous memory");
	(void)buf_putc(out, '\n');
}

void mem_cold_text(const struct mem_look *look, const struct referenced_map *map, double seconds,
		   struct buf *out)
{
	uint64_t shown = 0;

	(void)buf_printf(out, "In %.1f s, ", seconds);
	bytes_put((double)cold_of(map->resident, map->referenced), 0, out);
	(void)buf_puts(out, " of ");
	bytes_put((double)map->resident, 0, out);
	(void)buf_puts(out, " resident memory were not touched.\n\n");
	(void)buf_puts(out, "    cold      of its     resident  mapping\n");
	for (size_t i = 0; i < map->item.count; i++) {
		if (!map->item.item[i].resident)
			continue;
		if (look->rows && shown++ == look->rows) {
			(void)buf_puts(out, "more: --rows 0\n");
			break;
		}
		put_row(map, &map->item.item[i], out);
	}
	if (map->swapped) {
		(void)buf_puts(out, "\nswapped out, not in the table: ");
		bytes_put((double)map->swapped, 0, out);
		(void)buf_putc(out, '\n');
	}
}

void mem_cold_json(const struct referenced_map *map, double seconds, const char *member,
		   struct buf *out)
{
	const struct option_words *words = command_words();

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (int i = 0; i < words->argc; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, words->argv[i]);
	}
	(void)buf_printf(out,
			 "], \"seconds\": %.3f, \"resident\": %" PRIu64 ", \"touched\": %" PRIu64
			 ", \"swapped\": %" PRIu64 ",\n%s  \"rows\": [",
			 seconds, map->resident, map->referenced, map->swapped, member);
	for (size_t i = 0; i < map->item.count; i++) {
		const struct referenced_mapping *row = &map->item.item[i];

		(void)buf_puts(out, i ? ",\n    { \"mapping\": " : "\n    { \"mapping\": ");
		(void)buf_put_json(out, strtab_get(map->strings, row->path));
		(void)buf_printf(out,
				 ", \"resident\": %" PRIu64 ", \"touched\": %" PRIu64
				 ", \"swapped\": %" PRIu64 " }",
				 row->resident, row->referenced, row->swapped);
	}
	(void)buf_puts(out, " ] }\n");
}

void mem_cold_warn(const char *pid)
{
	command_warn("--cold clears the accessed bits of the pages of %s%s: the kernel may take "
		     "its cold pages later than it would",
		     pid ? "process " : "the program", pid ? pid : "");
}

int mem_cold_process(const char *text, pid_t *ret, struct err *err)
{
	struct id_list ids = { 0 };
	int code = id_list_parse(text, "process", &ids, err);

	if (!code && ids.count != 1)
		code = err_usage(err, "-p: expected one process");
	if (!code)
		*ret = ids.item[0];
	vec_done(&ids);
	return code;
}

static int wait_a_while(struct run *run, const struct mem_look *look, pid_t pid, struct err *err)
{
	int code = run_open(run, err);

	run->duration_ns = look->duration_ns ? look->duration_ns : MEM_COLD_NS;
	if (!code)
		code = run_add_targets(run, look->pid, NULL, err);
	if (!code)
		code = referenced_map_clear(pid, err);
	return code ? code : run_watch(run, err);
}

int mem_cold_run(struct mem_look *look, struct err *err)
{
	struct referenced_map map;
	struct run run = { 0 };
	struct buf out = { 0 };
	double seconds;
	pid_t pid = 0;
	int code = mem_cold_process(look->pid, &pid, err);

	if (code)
		return code == -EINVAL ? EXIT_STATUS_USAGE : -1;
	mem_cold_warn(look->pid);
	code = wait_a_while(&run, look, pid, err);
	seconds = (double)(run.end_ns - run.start_ns) / 1e9;
	run_close(&run);
	if (!code)
		code = referenced_map_read(pid, &map, err);
	if (code == -ENOENT || code == -ESRCH)
		(void)err_hint(err, "the process ended meanwhile; watch it for less with -d");
	if (code)
		return -1;
	if (look->output.json)
		mem_cold_json(&map, seconds, "", &out);
	else
		mem_cold_text(look, &map, seconds, &out);
	referenced_map_done(&map);
	return command_end_output(0, look->output.path, &out, err) ? -1 : EXIT_STATUS_OK;
}
