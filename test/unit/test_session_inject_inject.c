/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/inject: a copy has the records of its recording and the given build ids; a function of a
 * jitdump becomes an ELF file that is mapped at its address. */
#include <elf.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "session/inject/inject.h"
#include "session/inject/jit_elf.h"
#include "session/recording.h"
#include "session/replay.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/jit/jitdump.h"
#include "symbol/symbolizer.h"

#define CODE_AT 0x700000
#define PID	4242

static int make_recording(const char *mapped)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.sample_id_all = 1,
	};
	struct {
		struct perf_event_header header;
		uint64_t identifier, ip;
		uint32_t pid, tid;
	} sample = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		     .identifier = 17,
		     .ip = CODE_AT + 2,
		     .pid = PID,
		     .tid = PID };
	struct event map = { .type = EVENT_MMAP,
			     .misc = PERF_RECORD_MISC_USER,
			     .pid = PID,
			     .tid = PID,
			     .mmap = { .start = CODE_AT - 4096,
				       .len = 8192,
				       .prot = PROT_READ | PROT_EXEC,
				       .path = mapped } };
	struct perf_data_summary summary = { 0 };
	struct perf_data_writer *writer;
	struct event_set set = { 0 };
	struct err err = { 0 };
	struct perf_data_facts facts = { .fd = fd_temporary("recording", &err) };

	event_set_add_id(&set, event_set_add(&set, &attr, "cpu-clock"), 17);
	assert_int_equal(perf_data_writer_open(&set, &facts, &writer, &err), 0);
	assert_int_equal(perf_data_writer_event(writer, &map, &err), 0);
	assert_int_equal(perf_data_writer_records(writer, &sample, sizeof(sample), &err), 0);
	assert_int_equal(perf_data_writer_finish(writer, &summary, &err), 0);
	perf_data_writer_free(writer);
	event_set_done(&set);
	return facts.fd;
}

/* Injects, and opens the copy. */
static struct recording *inject(int fd, const struct inject_options *options,
				struct inject_tally *tally)
{
	AUTO_CLOSE int copy = -1;
	struct recording *recording;
	struct err err = { 0 };
	char path[64];

	copy = fd_temporary("copy", &err);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (inject_recording(path, options, copy, tally, &err))
		fail_msg("%s", err.msg);
	buf_done(&tally->notes);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
	assert_int_equal(recording_open(path, &recording, &err), 0);
	return recording;
}

static int check_id(void *context, const struct event *event)
{
	assert_string_equal(event->build_id.path, "/opt/gone");
	assert_int_equal(event->build_id.id.len, 2);
	assert_int_equal(event->build_id.id.bytes[1], 0xcd);
	(*(unsigned *)context)++;
	return 0;
}

static void test_known_build_ids_are_added(void **state)
{
	const struct inject_options options = { .build_ids = true,
						.known_ids = "0123 /opt/other,abcd /opt/gone" };
	AUTO_CLOSE int fd = make_recording("/opt/gone");
	struct inject_tally tally;
	struct recording *recording = inject(fd, &options, &tally);
	struct perf_data *data;
	struct err err = { 0 };
	unsigned count = 0;

	(void)state;
	assert_int_equal(recording_data(recording, &data, &err), 0);
	assert_int_equal(perf_data_build_ids(data, check_id, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(tally.build_ids, 1);
	assert_int_equal(tally.dropped, 0);
	recording_close(recording);
}

/* One function of 8 bytes, "made". */
static void write_jitdump(const char *path)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
		uint32_t id, load_size;
		uint64_t load_time;
		uint32_t load_pid, load_tid;
		uint64_t vma, address, code_size, index;
		char name[8];
		uint8_t code[8];
	} dump = { .magic = 0x4a695444,
		   .version = 1,
		   .size = 40,
		   .machine = 62,
		   .pid = PID,
		   .load_size = sizeof(dump) - 40,
		   .load_pid = PID,
		   .load_tid = PID,
		   .vma = CODE_AT,
		   .address = CODE_AT,
		   .code_size = 8,
		   .name = "madefun",
		   .code = { 1, 2, 3, 4, 5, 6, 7, 8 } };
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(&dump, sizeof(dump), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

static int check_made(struct replay_handler *handler, const struct replay_sample *sample,
		      struct err *err)
{
	(void)handler;
	(void)err;
	assert_non_null(strstr(sample->ip.module->path, "jitted-4242-0.so"));
	assert_non_null(sample->ip.symbol);
	assert_string_equal(sample->ip.symbol->frame[0].name, "madefun");
	return 0;
}

static void test_generated_code_becomes_a_file(void **state)
{
	const struct inject_options options = { .jit = true };
	const struct replay_options replay = { .symbol = { .symfs = "" } };
	struct replay_handler handler = { .sample = check_made };
	char folder[] = "/tmp/cupel-inject-XXXXXX", path[64], made[64];
	struct inject_tally tally;
	struct recording *recording;
	struct err err = { 0 };
	struct elf_file *elf;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, PID);
	(void)snprintf(made, sizeof(made), "%s/jitted-%d-0.so", folder, PID);
	write_jitdump(path);
	{
		AUTO_CLOSE int fd = make_recording(path);

		recording = inject(fd, &options, &tally);
	}
	assert_int_equal(tally.jit_functions, 1);
	assert_int_equal(tally.dropped, 1); /* the mapping of the jitdump */
	assert_int_equal(recording_replay(recording, &replay, &handler, &err), 0);
	recording_close(recording);
	assert_int_equal(elf_file_open(made, &elf, &err), 0);
	assert_int_equal(elf->build_id.len, 20);
	assert_int_equal(elf->machine, 62);
	elf_file_close(elf);
	assert_int_equal(unlink(made) | unlink(path) | rmdir(folder), 0);
}

static void test_waits_need_their_events(void **state)
{
	const struct inject_options options = { .sched_stat = true };
	AUTO_CLOSE int fd = make_recording("/opt/gone"), copy = -1;
	struct inject_tally tally;
	struct err err = { 0 };
	char path[64];

	(void)state;
	copy = fd_temporary("copy", &err);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(inject_recording(path, &options, copy, &tally, &err) < 0);
	buf_done(&tally.notes);
}

/* The line at an offset of the code; 0 = none. */
static uint32_t line_at(struct dwarf *dwarf, uint64_t offset, const char *file)
{
	struct symbol symbol = { .count = 1, .frame = { { .name = "spin" } } };

	if (!dwarf_resolve(dwarf, JIT_ELF_TEXT + offset, false, &symbol) || !symbol.frame[0].file)
		return 0;
	assert_string_equal(file, symbol.frame[0].file);
	return symbol.frame[0].line;
}

/* Lines outside of the code and lines that go back are no part of it. */
static void test_jit_elf__has_the_source_lines(void **state)
{
	static const char names[] = "/a.js\0/b.js";
	const uint8_t bytes[300] = { 0x90 };
	struct jit_line lines[] = { { 0x1000, 7, 0 }, { 0x1008, 100000, 6 }, { 0x1004, 9, 0 },
				    { 0x10c8, 3, 0 }, { 0x9000, 1, 6 },	     { 0x900, 2, 0 } };
	const struct jit_function function = { .loaded_at = 0x1000, .lines = 6 };
	const struct jit_code code = { "spin", bytes, sizeof(bytes), &function, { .len = 20 } };
	struct jitdump dump = { .machine = EM_X86_64 };
	char path[] = "/tmp/cupel-jit-elf-XXXXXX";
	const struct dwarf_options options = { .symfs = "" };
	struct err err = { 0 };
	struct buf elf = { 0 };
	struct elf_file *file;
	struct dwarf *dwarf;
	AUTO_CLOSE int fd = mkstemp(path);

	(void)state;
	assert_int_equal(0, buf_append(&dump.text, names, sizeof(names)));
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		vec_push(&dump.lines, lines[i]);
	jit_elf_make(&code, &dump, &elf);
	assert_int_equal(0, fd_write_all(fd, elf.data, elf.len));
	assert_int_equal(0, elf_file_open(path, &file, &err));
	assert_int_equal(0, dwarf_open(file, &options, &dwarf, &err));
	assert_non_null(dwarf);
	assert_int_equal(7, line_at(dwarf, 5, "/a.js"));
	assert_int_equal(100000, line_at(dwarf, 199, "/b.js"));
	assert_int_equal(3, line_at(dwarf, 299, "/a.js"));
	assert_int_equal(0, line_at(dwarf, 300, ""));
	dwarf_close(dwarf);
	elf_file_close(file);
	assert_int_equal(0, unlink(path));
	buf_done(&elf);
	buf_done(&dump.text);
	vec_done(&dump.lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jit_elf__has_the_source_lines),
		cmocka_unit_test(test_known_build_ids_are_added),
		cmocka_unit_test(test_generated_code_becomes_a_file),
		cmocka_unit_test(test_waits_need_their_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
