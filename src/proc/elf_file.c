/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounds-checked ELF headers on a mapped file (see elf_file.h). Format: System V ABI, chapters
 * "Object Files" and "Program Loading", and <elf.h>. */
#include "proc/elf_file.h"

#include <byteswap.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sandbox.h"

/* The kernel maps whole pages, of at least this size. */
#define PAGE_BYTES 4096u
/* More headers than this are invalid or an attack; the largest real object files have about
 * 300,000 sections. */
#define MAX_HEADERS (1u << 20)
#define NOTE_ALIGN  4u

uint16_t elf_u16(const struct elf_file *elf, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return elf->swap ? bswap_16(v) : v;
}

uint32_t elf_u32(const struct elf_file *elf, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return elf->swap ? bswap_32(v) : v;
}

uint64_t elf_u64(const struct elf_file *elf, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return elf->swap ? bswap_64(v) : v;
}

uint64_t elf_word(const struct elf_file *elf, const uint8_t *p)
{
	return elf->is_64 ? elf_u64(elf, p) : elf_u32(elf, p);
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

void build_id_hex(const struct build_id *id, char *ret)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < id->len && i < BUILD_ID_MAX; i++) {
		*ret++ = digit[id->bytes[i] >> 4];
		*ret++ = digit[id->bytes[i] & 15];
	}
	*ret = '\0';
}

static uint64_t align_note(uint64_t bytes)
{
	return (bytes + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1);
}

bool elf_notes_build_id(const uint8_t *data, size_t len, bool swap, struct build_id *ret)
{
	const struct elf_file order = { .swap = swap };

	while (len >= sizeof(Elf64_Nhdr)) {
		uint64_t name_bytes = elf_u32(&order, data);
		uint64_t desc_bytes = elf_u32(&order, data + 4);
		uint32_t type = elf_u32(&order, data + 8);
		uint64_t desc = sizeof(Elf64_Nhdr) + align_note(name_bytes);
		uint64_t next = desc + align_note(desc_bytes);

		if (desc + desc_bytes > len)
			return false;
		if (type == NT_GNU_BUILD_ID && name_bytes == 4 && desc_bytes &&
		    !memcmp(data + sizeof(Elf64_Nhdr), "GNU", 4)) {
			ret->len = (uint8_t)(desc_bytes < BUILD_ID_MAX ? desc_bytes : BUILD_ID_MAX);
			memset(ret->bytes, 0, sizeof(ret->bytes));
			memcpy(ret->bytes, data + desc, ret->len);
			return true;
		}
		if (next >= len)
			return false;
		data += next;
		len -= next;
	}
	return false;
}

/* Whether [offset, offset + bytes) lies in the file. */
static bool inside(const struct elf_file *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->len && bytes <= elf->len - offset;
}

/* Header tables: how many whole entries of at least `least` bytes are really in the file. */
static size_t table_count(const struct elf_file *elf, uint64_t offset, uint64_t count,
			  uint64_t entry_bytes, size_t least)
{
	if (offset == 0 || offset > elf->len || entry_bytes < least)
		return 0;
	if (count > MAX_HEADERS)
		count = MAX_HEADERS;
	if (count > (elf->len - offset) / entry_bytes)
		count = (elf->len - offset) / entry_bytes;
	return (size_t)count;
}

static void read_section(const struct elf_file *elf, const uint8_t *p, struct elf_section *ret)
{
	ret->name = "";
	ret->type = elf_u32(elf, p + 4);
	if (elf->is_64) {
		ret->flags = elf_u64(elf, p + 8);
		ret->addr = elf_u64(elf, p + 16);
		ret->offset = elf_u64(elf, p + 24);
		ret->size = elf_u64(elf, p + 32);
		ret->link = elf_u32(elf, p + 40);
		ret->info = elf_u32(elf, p + 44);
		ret->entry_bytes = elf_u64(elf, p + 56);
		return;
	}
	ret->flags = elf_u32(elf, p + 8);
	ret->addr = elf_u32(elf, p + 12);
	ret->offset = elf_u32(elf, p + 16);
	ret->size = elf_u32(elf, p + 20);
	ret->link = elf_u32(elf, p + 24);
	ret->info = elf_u32(elf, p + 28);
	ret->entry_bytes = elf_u32(elf, p + 36);
}

static void read_segment(const struct elf_file *elf, const uint8_t *p, struct elf_segment *ret)
{
	ret->type = elf_u32(elf, p);
	if (elf->is_64) {
		ret->flags = elf_u32(elf, p + 4);
		ret->offset = elf_u64(elf, p + 8);
		ret->vaddr = elf_u64(elf, p + 16);
		ret->file_bytes = elf_u64(elf, p + 32);
		ret->memory_bytes = elf_u64(elf, p + 40);
		return;
	}
	ret->offset = elf_u32(elf, p + 4);
	ret->vaddr = elf_u32(elf, p + 8);
	ret->file_bytes = elf_u32(elf, p + 16);
	ret->memory_bytes = elf_u32(elf, p + 20);
	ret->flags = elf_u32(elf, p + 24);
}

static void name_sections(struct elf_file *elf, const uint8_t *table, uint64_t entry_bytes,
			  uint32_t name_section)
{
	const uint8_t *names;
	size_t len;

	if (name_section >= elf->section_count ||
	    !elf_section_data(elf, &elf->section[name_section], &names, &len))
		return;
	/* Any name that starts before the last NUL ends in the table. */
	while (len && names[len - 1])
		len--;
	for (size_t i = 0; i < elf->section_count; i++) {
		uint32_t at = elf_u32(elf, table + i * entry_bytes);

		if (at < len)
			elf->section[i].name = (const char *)names + at;
	}
}

/* Counts that do not fit the ELF header are in section 0 (ABI: "extended section numbering"). */
static void read_sections(struct elf_file *elf)
{
	const uint8_t *head = elf->data;
	uint64_t offset = elf_word(elf, head + (elf->is_64 ? 40 : 32));
	uint64_t entry_bytes = elf_u16(elf, head + (elf->is_64 ? 58 : 46));
	uint64_t count = elf_u16(elf, head + (elf->is_64 ? 60 : 48));
	uint32_t names = elf_u16(elf, head + (elf->is_64 ? 62 : 50));
	size_t least = elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	struct elf_section first;

	if (table_count(elf, offset, 1, entry_bytes, least) == 0)
		return;
	read_section(elf, elf->data + offset, &first);
	if (count == 0)
		count = first.size;
	if (names == SHN_XINDEX)
		names = first.link;
	elf->section_count = table_count(elf, offset, count, entry_bytes, least);
	elf->section = mem_zalloc((elf->section_count + 1) * sizeof(*elf->section));
	for (size_t i = 0; i < elf->section_count; i++)
		read_section(elf, elf->data + offset + i * entry_bytes, &elf->section[i]);
	name_sections(elf, elf->data + offset, entry_bytes, names);
}

static void read_segments(struct elf_file *elf)
{
	const uint8_t *head = elf->data;
	uint64_t offset = elf_word(elf, head + (elf->is_64 ? 32 : 28));
	uint64_t entry_bytes = elf_u16(elf, head + (elf->is_64 ? 54 : 42));
	uint64_t count = elf_u16(elf, head + (elf->is_64 ? 56 : 44));
	size_t least = elf->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (count == PN_XNUM && elf->section_count)
		count = elf->section[0].info;
	elf->segment_count = table_count(elf, offset, count, entry_bytes, least);
	elf->segment = mem_zalloc((elf->segment_count + 1) * sizeof(*elf->segment));
	for (size_t i = 0; i < elf->segment_count; i++)
		read_segment(elf, elf->data + offset + i * entry_bytes, &elf->segment[i]);
}

static void find_build_id(struct elf_file *elf)
{
	const uint8_t *data;
	size_t len;

	for (size_t i = 0; i < elf->section_count; i++)
		if (elf->section[i].type == SHT_NOTE &&
		    elf_section_data(elf, &elf->section[i], &data, &len) &&
		    elf_notes_build_id(data, len, elf->swap, &elf->build_id))
			return;
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->type == PT_NOTE && inside(elf, s->offset, s->file_bytes) &&
		    elf_notes_build_id(elf->data + s->offset, s->file_bytes, elf->swap,
				       &elf->build_id))
			return;
	}
}

static int read_headers(struct elf_file *elf, struct err *err)
{
	const uint8_t *head = elf->data;

	if (elf->len < sizeof(Elf32_Ehdr) || memcmp(head, ELFMAG, SELFMAG))
		return err_set(err, -ENOEXEC, "not an ELF file");
	elf->is_64 = head[EI_CLASS] == ELFCLASS64;
	if ((!elf->is_64 && head[EI_CLASS] != ELFCLASS32) ||
	    (elf->is_64 && elf->len < sizeof(Elf64_Ehdr)))
		return err_set(err, -ENOEXEC, "broken ELF header");
	elf->swap = (head[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER == __BIG_ENDIAN);
	elf->type = elf_u16(elf, head + 16);
	elf->machine = elf_u16(elf, head + 18);
	elf->entry = elf_word(elf, head + 24);
	read_sections(elf);
	read_segments(elf);
	find_build_id(elf);
	return 0;
}

static int finish_open(struct elf_file *elf, struct elf_file **ret, struct err *err)
{
	int code = read_headers(elf, err);

	if (code) {
		elf_file_close(elf);
		return code;
	}
	*ret = elf;
	return 0;
}

int elf_file_parse(const void *data, size_t len, struct elf_file **ret, struct err *err)
{
	struct elf_file *elf = mem_zalloc(sizeof(*elf));

	elf->data = data;
	elf->len = len;
	elf->path = mem_strdup("");
	return finish_open(elf, ret, err);
}

int elf_file_adopt(void *data, size_t len, struct elf_file **ret, struct err *err)
{
	struct elf_file *elf = mem_zalloc(sizeof(*elf));

	elf->heap = data;
	elf->data = data;
	elf->len = len;
	elf->path = mem_strdup("");
	return finish_open(elf, ret, err);
}

int elf_file_open(const char *path, struct elf_file **ret, struct err *err)
{
	struct elf_file *elf = mem_zalloc(sizeof(*elf));
	int code = file_map_open(path, &elf->map, err);

	if (code) {
		free(elf);
		return code;
	}
	elf->data = elf->map.data;
	elf->len = elf->map.len;
	elf->path = mem_strdup(path);
	sandbox_check(path);
	code = finish_open(elf, ret, err);
	return code ? err_wrap(err, "%s", path) : 0;
}

void elf_file_forget(const struct elf_file *elf)
{
	if (elf && elf->map.data) /* advice: after a failure memory is freed later */
		(void)madvise((void *)(uintptr_t)elf->map.data, elf->map.len, MADV_DONTNEED);
}

struct elf_file *elf_file_ref(struct elf_file *elf)
{
	atomic_fetch_add(&elf->others, 1);
	return elf;
}

bool elf_file_same(const struct elf_file *a, const struct elf_file *b)
{
	return a->map.data && b->map.data && a->map.device == b->map.device &&
	       a->map.inode == b->map.inode && a->len == b->len;
}

void elf_file_close(struct elf_file *elf)
{
	if (!elf || atomic_fetch_sub(&elf->others, 1) > 0)
		return;
	free((char *)(uintptr_t)elf->path);
	free(elf->segment);
	free(elf->section);
	free(elf->heap);
	file_map_close(&elf->map);
	free(elf);
}

bool elf_file_is_cut(const struct elf_file *elf)
{
	const uint8_t *head = elf->data;
	uint64_t table = elf_word(elf, head + (elf->is_64 ? 40 : 32));
	uint64_t bytes = (uint64_t)elf_u16(elf, head + (elf->is_64 ? 58 : 46)) *
			 elf_u16(elf, head + (elf->is_64 ? 60 : 48));

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->type == PT_LOAD && s->file_bytes && !inside(elf, s->offset, s->file_bytes))
			return true;
	}
	return !inside(elf, table, bytes);
}

const struct elf_section *elf_file_section(const struct elf_file *elf, const char *name)
{
	for (size_t i = 1; i < elf->section_count; i++)
		if (!strcmp(elf->section[i].name, name))
			return &elf->section[i];
	return NULL;
}

bool elf_section_data(const struct elf_file *elf, const struct elf_section *section,
		      const uint8_t **data, size_t *len)
{
	if (section->type == SHT_NOBITS || section->type == SHT_NULL ||
	    !inside(elf, section->offset, section->size))
		return false;
	*data = elf->data + section->offset;
	*len = section->size;
	return true;
}

/* True if the mapping of a segment, with ends rounded to pages by the kernel, covers `offset`. */
static bool segment_maps(const struct elf_segment *s, uint64_t offset, uint64_t page)
{
	uint64_t start = s->offset & ~(page - 1);

	if (s->type != PT_LOAD || offset < start || s->file_bytes == 0)
		return false;
	return offset - start < ((s->offset - start + s->file_bytes + page - 1) & ~(page - 1));
}

bool elf_file_vaddr(const struct elf_file *elf, uint64_t offset, uint64_t *ret)
{
	/* What an executable mapping shows first, then neighbours that share a page. */
	static const struct {
		uint32_t flags;
		uint64_t page;
	} pass[] = { { PF_X, 1 }, { PF_X, PAGE_BYTES }, { 0, 1 }, { 0, PAGE_BYTES } };

	for (size_t k = 0; k < sizeof(pass) / sizeof(pass[0]); k++)
		for (size_t i = 0; i < elf->segment_count; i++) {
			const struct elf_segment *s = &elf->segment[i];

			if ((s->flags & pass[k].flags) == pass[k].flags &&
			    segment_maps(s, offset, pass[k].page)) {
				*ret = offset - s->offset + s->vaddr;
				return true;
			}
		}
	for (size_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->section[i];

		if ((s->flags & SHF_ALLOC) && s->type != SHT_NOBITS && offset >= s->offset &&
		    offset - s->offset < s->size) {
			*ret = offset - s->offset + s->addr;
			return true;
		}
	}
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->type == PT_LOAD && offset >= s->offset &&
		    offset - s->offset < s->memory_bytes) {
			*ret = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

bool elf_file_offset(const struct elf_file *elf, uint64_t vaddr, uint64_t *ret)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->type == PT_LOAD && vaddr >= s->vaddr && vaddr - s->vaddr < s->file_bytes) {
			*ret = vaddr - s->vaddr + s->offset;
			return true;
		}
	}
	for (size_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->section[i];

		if ((s->flags & SHF_ALLOC) && s->type != SHT_NOBITS && vaddr >= s->addr &&
		    vaddr - s->addr < s->size) {
			*ret = vaddr - s->addr + s->offset;
			return true;
		}
	}
	return false;
}

bool elf_file_data_offset(const struct elf_file *elf, uint64_t vaddr, uint64_t *ret)
{
	uint64_t offset, back;
	bool found = elf_file_offset(elf, vaddr, &offset);

	for (size_t i = 0; !found && i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];

		found = s->type == PT_LOAD && vaddr >= s->vaddr &&
			vaddr - s->vaddr < s->memory_bytes;
		if (found)
			offset = vaddr - s->vaddr + s->offset;
	}
	if (!found || !elf_file_vaddr(elf, offset, &back) || back != vaddr)
		return false;
	*ret = offset;
	return true;
}

bool elf_file_at(const struct elf_file *elf, uint64_t vaddr, const uint8_t **data, size_t *len)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segment[i];
		uint64_t at = vaddr - s->vaddr;

		if (s->type != PT_LOAD || vaddr < s->vaddr || at >= s->file_bytes ||
		    !inside(elf, s->offset, s->file_bytes))
			continue;
		*data = elf->data + s->offset + at;
		*len = s->file_bytes - at;
		return true;
	}
	return false;
}
