/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/pack: an archive holds the recording as it is, and the name of a function that it hit.
 * session/build_ids: the binaries that it hit. session/unpack: of an archive only
 * binaries that are what their names say become files. */
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
#include "format/archive/archive_write.h"
#include "format/archive/tar.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "proc/binary_cache.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "proc/module_bundle.h"
#include "session/archived_files.h"
#include "session/build_ids.h"
#include "session/pack.h"
#include "session/recording.h"
#include "session/replay.h"
#include "session/unpack.h"

__attribute__((noinline)) static int function_that_was_hit(int x)
{
	return x * 3 + 1;
}

/* This program's own mapping of that function. */
static void find_mapping(struct event *ret, char *path)
{
	uintptr_t pc = (uintptr_t)function_that_was_hit;
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	char line[4096];

	assert_non_null(maps);
	*ret = (struct event){ .type = EVENT_MMAP, .misc = PERF_RECORD_MISC_USER };
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start, &end, &offset, path) !=
			    4 ||
		    pc < start || pc >= end)
			continue;
		ret->pid = ret->tid = 42;
		ret->mmap.start = start;
		ret->mmap.len = end - start;
		ret->mmap.pgoff = offset;
		ret->mmap.path = path;
		ret->mmap.prot = PROT_READ | PROT_EXEC;
		break;
	}
	(void)fclose(maps);
	assert_int_equal(ret->pid, 42);
}

static int make_recording(void)
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
		     .ip = (uintptr_t)function_that_was_hit,
		     .pid = 42,
		     .tid = 42 };
	struct perf_data_summary summary = { 0 };
	struct perf_data_writer *writer;
	struct event_set set = { 0 };
	struct err err = { 0 };
	struct perf_data_facts facts = { .fd = fd_temporary("recording", &err) };
	struct event mapping;
	char path[4096];

	event_set_add_id(&set, event_set_add(&set, &attr, "cpu-clock"), 17);
	find_mapping(&mapping, path);
	assert_int_equal(perf_data_writer_open(&set, &facts, &writer, &err), 0);
	assert_int_equal(perf_data_writer_event(writer, &mapping, &err), 0);
	assert_int_equal(perf_data_writer_records(writer, &sample, sizeof(sample), &err), 0);
	assert_int_equal(perf_data_writer_round(writer, &err), 0);
	assert_int_equal(perf_data_writer_finish(writer, &summary, &err), 0);
	perf_data_writer_free(writer);
	event_set_done(&set);
	return facts.fd;
}

static struct recording *open_descriptor(int fd)
{
	struct recording *recording;
	struct err err = { 0 };
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (recording_open(path, &recording, &err))
		fail_msg("%s", err.msg);
	return recording;
}

static int check_name(struct replay_handler *handler, const struct replay_sample *sample,
		      struct err *err)
{
	(void)handler;
	(void)err;
	assert_non_null(sample->ip.symbol);
	assert_string_equal(sample->ip.symbol->frame[0].name, "function_that_was_hit");
	return 0;
}

static void test_a_name_travels_in_the_archive(void **state)
{
	const struct pack_options options = { 0 };
	/* no file is found below that folder */
	const struct replay_options elsewhere = { .symbol = { .symfs = "/proc/self/fdinfo" } };
	struct replay_handler handler = { .sample = check_name };
	AUTO_CLOSE int fd = make_recording(), packed = -1;
	struct recording *recording = open_descriptor(fd);
	struct archive_writer *writer;
	struct err err = { 0 };
	struct pack_tally tally;
	struct perf_data *data;

	(void)state;
	assert_int_equal(function_that_was_hit(2), 7);
	packed = fd_temporary("archive", &err);
	assert_int_equal(archive_writer_open(packed, ARCHIVE_GZIP, &writer, &err), 0);
	assert_int_equal(pack_recording(recording, &options, writer, &tally, &err), 0);
	archive_writer_free(writer);
	recording_close(recording);
	assert_int_equal(tally.modules, 1);
	assert_int_equal(tally.binaries, 0);
	assert_int_equal(tally.missing, 0);
	assert_true(tally.name_bytes > 0);

	recording = open_descriptor(packed);
	assert_int_equal(recording_replay(recording, &elsewhere, &handler, &err), 0);
	assert_int_equal(recording_data(recording, &data, &err), 0);
	assert_int_equal(perf_data_stats(data)->samples, 1);
	recording_close(recording);
}

static void test_other_formats_are_refused(void **state)
{
	static const char text[] = "main;work 7\n";
	const struct pack_options options = { 0 };
	struct err err = { 0 };
	AUTO_CLOSE int fd = fd_temporary("folded", &err), packed = fd_temporary("archive", &err);
	struct archive_writer *writer;
	struct recording *recording;
	struct pack_tally tally;

	(void)state;
	assert_int_equal(fd_write_all(fd, text, sizeof(text) - 1), 0);
	recording = open_descriptor(fd);
	assert_int_equal(archive_writer_open(packed, ARCHIVE_PLAIN, &writer, &err), 0);
	assert_true(pack_recording(recording, &options, writer, &tally, &err) < 0);
	archive_writer_free(writer);
	recording_close(recording);
}

static int count_binary(void *context, const struct build_id *id, const char *path)
{
	(void)id;
	assert_non_null(strstr(path, "test_session_pack"));
	(*(unsigned *)context)++;
	return 0;
}

static void test_binaries_by_build_id(void **state)
{
	AUTO_CLOSE int fd = make_recording();
	struct recording *recording = open_descriptor(fd);
	unsigned count = 0;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(build_ids_of(recording, BUILD_IDS_HIT,
				      &(struct build_id_visit){ count_binary, &count }, &err),
			 0);
	assert_int_equal(count, 1);
	recording_close(recording);
}

static int take_recording(void *context, const void *data, size_t len, struct err *err)
{
	(void)err;
	assert_int_equal(len, 4);
	assert_memory_equal(data, "data", 4);
	(*(unsigned *)context)++;
	return 0;
}

static int count_entry(void *context, const struct binary_cache_entry *entry)
{
	assert_string_equal(entry->path, "/opt/program");
	assert_true(entry->whole);
	(*(unsigned *)context)++;
	return 0;
}

/* An archive with this program in the right place, and with more in the wrong ones. */
static int make_archive(void)
{
	struct elf_file *elf;
	struct err err = { 0 };
	char hex[2 * BUILD_ID_MAX + 1], right[256], above[256], root[256];
	int fd = fd_temporary("archive", &err);
	struct archive_writer *writer;

	assert_int_equal(elf_file_open("/proc/self/exe", &elf, &err), 0);
	build_id_hex(&elf->build_id, hex);
	(void)snprintf(right, sizeof(right), "opt/program/%s/elf", hex);
	(void)snprintf(above, sizeof(above), "../../opt/program/%s/elf", hex);
	(void)snprintf(root, sizeof(root), "/tmp/%s/elf", hex);
	{
		const struct tar_member members[] = {
			{ .name = "perf.data", .data = (const uint8_t *)"data", .len = 4 },
			{ .name = right, .data = elf->data, .len = elf->len },
			{ .name = above, .data = elf->data, .len = elf->len },
			{ .name = root, .data = elf->data, .len = elf->len },
			{ .name = "opt/other/00112233/elf", .data = elf->data, .len = elf->len },
			{ .name = "opt/program/note", .data = (const uint8_t *)"x", .len = 1 },
		};

		assert_int_equal(archive_writer_open(fd, ARCHIVE_ZSTD, &writer, &err), 0);
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
			struct tar_member member = members[i];

			member.type = TAR_FILE;
			assert_int_equal(archive_writer_add(writer, &member, &err), 0);
		}
	}
	assert_int_equal(archive_writer_finish(writer, &err), 0);
	archive_writer_free(writer);
	elf_file_close(elf);
	return fd;
}

static void test_only_binaries_are_unpacked(void **state)
{
	char folder[] = "/tmp/cupel-unpack-XXXXXX", path[64];
	AUTO_CLOSE int fd = make_archive();
	unsigned recordings = 0, entries = 0;
	struct unpack_target target = { .recording = take_recording, .context = &recordings };
	struct unpack_tally tally;
	struct err err = { 0 };
	char hex[2 * BUILD_ID_MAX + 1];
	struct build_id id;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("PERF_BUILDID_DIR", folder, true), 0);
	assert_int_equal(binary_cache_open(true, &target.cache, &err), 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(unpack_archive(path, &target, &tally, &err), 0);
	assert_int_equal(tally.binaries, 1);
	assert_int_equal(tally.refused, 1);
	assert_int_equal(tally.others, 3);
	assert_int_equal(recordings, 1);
	assert_int_equal(binary_cache_list(target.cache, count_entry, &entries), 0);
	assert_int_equal(entries, 1);
	assert_true(build_id_read_file("/proc/self/exe", &id));
	build_id_hex(&id, hex);
	assert_int_equal(binary_cache_remove(target.cache, hex, &err), 0);
	binary_cache_close(target.cache);
	assert_int_equal(rmdir(folder), 0);
}

/* Headers of recordings lack build ids of binaries that only called. */
static void test_files_without_a_build_id_are_found_by_path(void **state)
{
	static const struct tar_member members[] = {
		{ .name = "lib/libc.so.6/00112233/debug", .data = (const uint8_t *)"d", .len = 1 },
		{ .name = "lib/libc.so.6/00112233/elf", .data = (const uint8_t *)"e", .len = 1 },
		{ .name = "lib/libm.so.6/0011/elf", .data = (const uint8_t *)"1", .len = 1 },
		{ .name = "lib/libm.so.6/2233/elf", .data = (const uint8_t *)"2", .len = 1 },
		{ .name = "lib/plain", .data = (const uint8_t *)"p", .len = 1 },
	};
	const struct build_id none = { 0 };
	struct module_bundle bundle;
	struct archive_writer *writer;
	struct err err = { 0 };
	AUTO_CLOSE int fd = fd_temporary("archive", &err);
	struct file_map map;
	struct tar *tar;

	(void)state;
	assert_int_equal(archive_writer_open(fd, ARCHIVE_PLAIN, &writer, &err), 0);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct tar_member member = members[i];

		member.type = TAR_FILE;
		assert_int_equal(archive_writer_add(writer, &member, &err), 0);
	}
	assert_int_equal(archive_writer_finish(writer, &err), 0);
	archive_writer_free(writer);
	assert_int_equal(file_map_fd(fd, &map, &err), 0);
	assert_int_equal(tar_parse(map.data, map.len, &tar, &err), 0);
	archived_files_init(&bundle, tar);
	assert_memory_equal(bundle.find(&bundle, &none, "/lib/libc.so.6", "elf").data, "e", 1);
	assert_memory_equal(bundle.find(&bundle, &none, "/lib/plain", "elf").data, "p", 1);
	assert_null(bundle.find(&bundle, &none, "/lib/libm.so.6", "elf").data); /* which one? */
	assert_null(bundle.find(&bundle, &none, "/lib/libc", "elf").data);
	tar_free(tar);
	file_map_close(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_travels_in_the_archive),
		cmocka_unit_test(test_other_formats_are_refused),
		cmocka_unit_test(test_binaries_by_build_id),
		cmocka_unit_test(test_only_binaries_are_unpacked),
		cmocka_unit_test(test_files_without_a_build_id_are_found_by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
