/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated code as perf inject --jit makes it: each function of a jitdump becomes an ELF file
 * jitted-PID-NUMBER.so beside the jitdump, and a mapping of it at the time of its load. Times of
 * the two agree when the recording has the clock of the runtime (-k mono); else the mappings hold
 * from the start. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "session/inject/inject_private.h"
#include "session/recording.h"
#include "session/replay.h"
#include "symbol/jit/jitdump.h"
#include "symbol/process_file.h"
#include "symbol/symbolizer.h"

#define TEXT_OFFSET 128 /* behind the headers */
#define ID_BYTES    20

/* A mapping of a jitdump, which is how a runtime announces it. */
struct marker {
	uint32_t pid;
	const char *path;
};

struct finder {
	struct replay_handler handler;
	struct arena arena;
	VEC(struct marker) markers;
	struct map seen; /* hash of PID and path → 1 */
};

static bool is_jitdump(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t len = strlen(base);

	return len > 9 && strncmp(base, "jit-", 4) == 0 && strcmp(base + len - 5, ".dump") == 0;
}

static int see(struct replay_handler *handler, const struct event *event,
	       const struct thread *thread, struct err *err)
{
	struct finder *finder = (struct finder *)handler;
	uint64_t key;
	bool added;

	(void)thread;
	(void)err;
	if (event->type != EVENT_MMAP || !is_jitdump(event->mmap.path))
		return 0;
	key = hash_bytes(event->mmap.path, strlen(event->mmap.path)) ^ hash_u64(event->pid);
	*map_add(&finder->seen, key, &added) = 1;
	if (added)
		vec_push(&finder->markers,
			 ((struct marker){ event->pid,
					   arena_strdup(&finder->arena, event->mmap.path) }));
	return 0;
}

static int skip_sample(struct replay_handler *handler, const struct replay_sample *sample,
		       struct err *err)
{
	(void)handler;
	(void)sample;
	(void)err;
	return 0;
}

/* What one ELF file is made of. */
struct code {
	const char *name;
	const uint8_t *bytes;
	size_t len;
	uint16_t machine;
	struct build_id id;
};

enum { SECTION_NONE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_STRINGS, SECTION_NOTE, SECTION_NAMES };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0.shstrtab";

static uint32_t name_at(const char *name)
{
	return (uint32_t)((const char *)memmem(section_names, sizeof(section_names), name,
					       strlen(name) + 1) -
			  section_names);
}

/* Appends a section's bytes, aligned to 8, and notes where they are. */
static void put_section(struct buf *elf, Elf64_Shdr *section, const void *bytes, size_t len)
{
	(void)buf_pad(elf, '\0', -elf->len & 7);
	section->sh_offset = elf->len;
	section->sh_size = len;
	section->sh_addralign = 8;
	(void)buf_append(elf, bytes, len);
}

static void put_symbols(struct buf *elf, Elf64_Shdr *section, const struct code *code)
{
	const Elf64_Sym symbols[2] = { [1] = { .st_name = 1,
					       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					       .st_shndx = SECTION_TEXT,
					       .st_value = TEXT_OFFSET,
					       .st_size = code->len } };

	put_section(elf, section, symbols, sizeof(symbols));
	section->sh_type = SHT_SYMTAB;
	section->sh_link = SECTION_STRINGS;
	section->sh_info = 1;
	section->sh_entsize = sizeof(Elf64_Sym);
}

static void put_note(struct buf *elf, Elf64_Shdr *section, const struct code *code)
{
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[ID_BYTES];
	} note = { { 4, ID_BYTES, NT_GNU_BUILD_ID }, "GNU", { 0 } };

	memcpy(note.id, code->id.bytes, ID_BYTES);
	put_section(elf, section, &note, sizeof(note));
	section->sh_type = SHT_NOTE;
	section->sh_flags = SHF_ALLOC;
}

static void make_elf(const struct code *code, struct buf *ret)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = code->machine,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 1,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = SECTION_NAMES + 1,
			      .e_shstrndx = SECTION_NAMES };
	const Elf64_Phdr segment = { .p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_offset = TEXT_OFFSET,
				     .p_vaddr = TEXT_OFFSET,
				     .p_filesz = code->len,
				     .p_memsz = code->len,
				     .p_align = 8 };
	Elf64_Shdr section[SECTION_NAMES + 1] = { 0 };
	struct buf strings = { 0 };

	(void)buf_pad(ret, '\0', TEXT_OFFSET);
	put_section(ret, &section[SECTION_TEXT], code->bytes, code->len);
	section[SECTION_TEXT].sh_type = SHT_PROGBITS;
	section[SECTION_TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	section[SECTION_TEXT].sh_addr = TEXT_OFFSET;
	put_symbols(ret, &section[SECTION_SYMBOLS], code);
	(void)buf_putc(&strings, '\0');
	(void)buf_append(&strings, code->name, strlen(code->name) + 1);
	put_section(ret, &section[SECTION_STRINGS], strings.data, strings.len);
	put_note(ret, &section[SECTION_NOTE], code);
	section[SECTION_NOTE].sh_addr = section[SECTION_NOTE].sh_offset;
	put_section(ret, &section[SECTION_NAMES], section_names, sizeof(section_names));
	section[SECTION_STRINGS].sh_type = section[SECTION_NAMES].sh_type = SHT_STRTAB;
	section[SECTION_TEXT].sh_name = name_at(".text");
	section[SECTION_SYMBOLS].sh_name = name_at(".symtab");
	section[SECTION_STRINGS].sh_name = name_at(".strtab");
	section[SECTION_NOTE].sh_name = name_at(".note.gnu.build-id");
	section[SECTION_NAMES].sh_name = name_at(".shstrtab");
	(void)buf_pad(ret, '\0', -ret->len & 7);
	header.e_shoff = ret->len;
	(void)buf_append(ret, section, sizeof(section));
	memcpy(ret->data, &header, sizeof(header));
	memcpy(ret->data + sizeof(header), &segment, sizeof(segment));
	buf_done(&strings);
}

/* Beside its place, then there at once; no link and no file of another user is written to. */
static int write_elf(int folder, const char *name, const struct buf *elf)
{
	char temporary[64];
	AUTO_CLOSE int fd = -1;
	int code;

	(void)snprintf(temporary, sizeof(temporary), ".cupel-jitted-%d", (int)getpid());
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	code = fd_write_all(fd, elf->data, elf->len);
	if (!code && renameat(folder, temporary, folder, name))
		code = -errno;
	if (code)
		(void)unlinkat(folder, temporary, 0);
	return code;
}

/* One jitdump on its way into files and mappings. */
struct dumping {
	struct inject_jit *jit;
	const struct marker *marker;
	const struct jitdump *dump;
	const struct file_map *map;
	int folder;
	bool timed; /* times of the jitdump are those of the recording */
};

static void add_mapping(struct dumping *dumping, const struct jit_function *function,
			const char *name, const struct code *code)
{
	const char *path = dumping->marker->path, *slash = strrchr(path, '/');
	struct event event = { .type = EVENT_MMAP,
			       .misc = PERF_RECORD_MISC_USER,
			       .pid = dumping->marker->pid,
			       .tid = dumping->marker->pid,
			       .has_time = dumping->timed,
			       .time_ns = dumping->timed ? function->time : 0 };
	struct buf full = { 0 };

	(void)buf_printf(&full, "%.*s/%s", slash ? (int)(slash - path) : 1, slash ? path : ".",
			 name);
	event.mmap = (struct event_mmap){ .start = function->start,
					  .len = code->len,
					  .pgoff = TEXT_OFFSET,
					  .prot = PROT_READ | PROT_EXEC,
					  .flags = MAP_SHARED,
					  .build_id = code->id };
	event.mmap.path = arena_strdup(&dumping->jit->arena, full.data);
	vec_push(&dumping->jit->maps, event);
	buf_done(&full);
}

static int dump_function(struct dumping *dumping, size_t number)
{
	const struct jit_function *function = &dumping->dump->functions.item[number];
	struct code code = { .name = dumping->dump->text.data + function->name,
			     .bytes = dumping->map->data + function->code,
			     .len = (size_t)(function->end - function->start),
			     .machine = dumping->dump->machine,
			     .id = { .len = ID_BYTES } };
	uint64_t hash[3] = { 0 };
	struct buf elf = { 0 };
	char name[64];
	int failed;

	if (!function->code || code.len > dumping->map->len - function->code)
		return 0; /* its code is not in the file */
	hash[0] = hash_bytes(code.bytes, code.len);
	hash[1] = hash_bytes(code.name, strlen(code.name)) ^ hash_u64(number);
	memcpy(code.id.bytes, hash, ID_BYTES);
	(void)snprintf(name, sizeof(name), "jitted-%u-%zu.so", dumping->marker->pid, number);
	make_elf(&code, &elf);
	failed = write_elf(dumping->folder, name, &elf);
	buf_done(&elf);
	if (failed)
		return failed;
	add_mapping(dumping, function, name, &code);
	dumping->jit->functions++;
	return 0;
}

static int dump_all(struct dumping *dumping, struct err *err)
{
	const char *path = dumping->marker->path, *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	int code = 0;

	(void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
		       slash ? path : ".");
	dumping->folder = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dumping->folder < 0)
		return err_errno(err, "%s", folder);
	for (size_t i = 0; i < dumping->dump->functions.count && !code; i++)
		code = dump_function(dumping, i);
	fd_close(&dumping->folder);
	return code ? err_set(err, code, "%s/jitted-%u-….so: %s", folder, dumping->marker->pid,
			      strerror(-code))
		    : 0;
}

/* A jitdump that cannot be read is reported, and the recording is copied without it. */
static int take_marker(struct inject_jit *jit, const struct marker *marker, bool monotonic,
		       struct buf *notes, struct err *err)
{
	const struct symbol_options here = { .symfs = "" };
	struct dumping dumping = { .jit = jit, .marker = marker };
	struct err why = { 0 };
	struct file_map map = { 0 };
	struct jitdump dump;
	AUTO_CLOSE int fd = process_file_open(marker->path, marker->pid, &here, &why);
	int code;

	if (fd < 0 || file_map_fd(fd, &map, &why) ||
	    jitdump_parse(map.data, map.len, &dump, &why)) {
		(void)buf_printf(notes, "%s: %s\n", marker->path, why.msg);
		file_map_close(&map);
		return 0;
	}
	dumping.dump = &dump;
	dumping.map = &map;
	dumping.timed = monotonic && !dump.cpu_time;
	if (!dumping.timed)
		(void)buf_printf(notes,
				 "%s: its times are not those of the recording (record with -k "
				 "mono): functions count from the start\n",
				 marker->path);
	code = dump_all(&dumping, err);
	map_set(&jit->pids, marker->pid, 1);
	jitdump_done(&dump);
	file_map_close(&map);
	return code;
}

static bool has_monotonic_clock(const struct perf_data *data)
{
	const struct event_set *events = perf_data_events(data);

	return events->desc.count && events->desc.item[0]->attr.use_clockid &&
	       events->desc.item[0]->attr.clockid == CLOCK_MONOTONIC;
}

int inject_find_jit(struct recording *base, struct inject_jit *ret, struct buf *notes,
		    struct err *err)
{
	const struct replay_options options = { .no_symbols = true, .no_frames = true };
	struct finder finder = { .handler = { .sample = skip_sample, .other = see } };
	struct recording *recording;
	struct perf_data *data = NULL;
	int code = recording_again(base, &recording, err);

	if (code)
		return code;
	code = recording_data(recording, &data, err);
	if (!code)
		code = recording_replay(recording, &options, &finder.handler, err);
	for (size_t i = 0; i < finder.markers.count && !code; i++)
		code = take_marker(ret, &finder.markers.item[i], has_monotonic_clock(data), notes,
				   err);
	if (!code && !finder.markers.count)
		(void)buf_puts(notes, "the recording names no jitdump\n");
	recording_close(recording);
	vec_done(&finder.markers);
	map_done(&finder.seen);
	arena_done(&finder.arena);
	return code;
}

bool inject_jit_replaces(const struct inject_jit *jit, const uint8_t *record,
			 struct perf_event_header header)
{
	size_t at = header.type == PERF_RECORD_MMAP    ? 40
		    : header.type == PERF_RECORD_MMAP2 ? 72
						       : 0;
	char path[PATH_MAX] = "";
	uint64_t ignored;
	uint32_t pid;

	if (!at || header.size <= at || !jit->functions)
		return false;
	memcpy(&pid, record + sizeof(header), sizeof(pid));
	(void)snprintf(path, sizeof(path), "%.*s", (int)(header.size - at),
		       (const char *)record + at);
	return map_get(&jit->pids, pid, &ignored) &&
	       (is_jitdump(path) || strncmp(path, "//anon", 6) == 0 ||
		strncmp(path, "[anon", 5) == 0 || strncmp(path, "/anon_hugepage", 14) == 0);
}

void inject_jit_done(struct inject_jit *jit)
{
	vec_done(&jit->maps);
	map_done(&jit->pids);
	arena_done(&jit->arena);
}
