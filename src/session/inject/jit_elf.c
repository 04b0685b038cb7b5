/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files of generated functions (see jit_elf.h). */
#include "session/inject/jit_elf.h"

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "symbol/jit/jitdump.h"

/* SLEB128. */
static void put_signed(struct buf *buf, int64_t value)
{
	bool more = true;

	while (more) {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		more = value != (byte & 0x40 ? -1 : 0);
		(void)buf_putc(buf, (char)(byte | (more ? 0x80 : 0)));
	}
}

enum {
	SECTION_NONE,
	SECTION_TEXT,
	SECTION_SYMBOLS,
	SECTION_STRINGS,
	SECTION_NOTE,
	SECTION_NAMES,
	/* only with source lines */
	SECTION_LINES,
	SECTION_UNIT,
	SECTION_ABBREVIATIONS,
	SECTIONS
};

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0.shstrtab"
				    "\0.debug_line\0.debug_info\0.debug_abbrev";

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

static void put_symbols(struct buf *elf, Elf64_Shdr *section, const struct jit_code *code)
{
	const Elf64_Sym symbols[2] = { [1] = { .st_name = 1,
					       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					       .st_shndx = SECTION_TEXT,
					       .st_value = JIT_ELF_TEXT,
					       .st_size = code->len } };

	put_section(elf, section, symbols, sizeof(symbols));
	section->sh_type = SHT_SYMTAB;
	section->sh_link = SECTION_STRINGS;
	section->sh_info = 1;
	section->sh_entsize = sizeof(Elf64_Sym);
}

static void put_note(struct buf *elf, Elf64_Shdr *section, const struct jit_code *code)
{
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[sizeof(code->id.bytes)];
	} note = { { 4, sizeof(note.id), NT_GNU_BUILD_ID }, "GNU", { 0 } };

	memcpy(note.id, code->id.bytes, sizeof(note.id));
	put_section(elf, section, &note, sizeof(note));
	section->sh_type = SHT_NOTE;
	section->sh_flags = SHF_ALLOC;
}

/* Numbers of files in the line table, by their place in the text of the jitdump: each has been
 * written when it is first named. */
struct line_files {
	const struct jitdump *dump;
	struct buf table;
	struct map number; /* hash of the name → number, from 1 */
};

static uint64_t file_number(struct line_files *files, uint32_t at)
{
	const char *name = files->dump->text.data + at;
	bool added;
	uint64_t *number = map_add(&files->number, hash_bytes(name, strlen(name)), &added);

	if (!added)
		return *number;
	*number = files->number.count;
	(void)buf_append(&files->table, name, strlen(name) + 1);
	(void)buf_append(&files->table, "\0\0", 3); /* folder, time and size are unknown */
	return *number;
}

/* Opcodes that take numbers of any size. Lines that are not in the code or go back are no use. */
static void put_rows(const struct jit_code *code, struct line_files *files, struct buf *out)
{
	const struct jit_function *function = code->function;
	const struct jit_line *line = files->dump->lines.item + function->first_line;
	uint64_t pc = 0, file = 1, start = JIT_ELF_TEXT;
	int64_t number = 1;

	(void)buf_append(out, (const char[]){ 0, 9, DW_LNE_set_address }, 3);
	(void)buf_append(out, &start, sizeof(start));
	for (uint32_t i = 0; i < function->lines; i++, line++) {
		uint64_t at = line->addr - function->loaded_at, of = file_number(files, line->file);

		if (at < pc || at >= code->len)
			continue;
		if (of != file) {
			(void)buf_putc(out, DW_LNS_set_file);
			(void)buf_put_varint(out, of);
		}
		(void)buf_putc(out, DW_LNS_advance_pc);
		(void)buf_put_varint(out, at - pc);
		(void)buf_putc(out, DW_LNS_advance_line);
		put_signed(out, (int64_t)line->line - number);
		(void)buf_putc(out, DW_LNS_copy);
		pc = at;
		file = of;
		number = line->line;
	}
	(void)buf_putc(out, DW_LNS_advance_pc);
	(void)buf_put_varint(out, code->len - pc);
	(void)buf_append(out, (const char[]){ 0, 1, DW_LNE_end_sequence }, 3);
}

/* Of DWARF 2, which all that read any understand. */
static void put_lines(struct buf *elf, Elf64_Shdr *section, const struct jit_code *code,
		      const struct jitdump *dump)
{
	/* instructions of 1 byte; statements; special opcodes that are not used; operands */
	static const char fixed[] = { 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0 };
	struct line_files files = { .dump = dump };
	struct buf rows = { 0 }, all = { 0 };
	struct {
		uint32_t len;
		uint16_t version;
		uint32_t header_len;
	} __attribute__((packed)) head = { .version = 2 };

	put_rows(code, &files, &rows);
	head.header_len = (uint32_t)(sizeof(fixed) + files.table.len + 1);
	head.len = (uint32_t)(sizeof(head) - sizeof(head.len) + head.header_len + rows.len);
	(void)buf_append(&all, &head, sizeof(head));
	(void)buf_append(&all, fixed, sizeof(fixed)); /* its last byte ends the list of folders */
	(void)buf_append(&all, files.table.data, files.table.len);
	(void)buf_putc(&all, '\0');
	(void)buf_append(&all, rows.data, rows.len);
	put_section(elf, section, all.data, all.len);
	buf_done(&all);
	buf_done(&rows);
	buf_done(&files.table);
	map_done(&files.number);
}

static void put_unit(struct buf *elf, Elf64_Shdr section[SECTIONS], const struct jit_code *code)
{
	static const char abbreviations[] = { 1,
					      DW_TAG_compile_unit,
					      DW_CHILDREN_no,
					      DW_AT_stmt_list,
					      DW_FORM_sec_offset,
					      DW_AT_low_pc,
					      DW_FORM_addr,
					      DW_AT_high_pc,
					      DW_FORM_data8,
					      0,
					      0,
					      0 };
	struct {
		uint32_t len;
		uint16_t version;
		uint32_t abbreviations;
		uint8_t address_bytes, number;
		uint32_t lines;
		uint64_t low, size;
	} __attribute__((packed)) unit = { .len = sizeof(unit) - sizeof(unit.len),
					   .version = 4,
					   .address_bytes = 8,
					   .number = 1,
					   .low = JIT_ELF_TEXT,
					   .size = code->len };

	put_section(elf, &section[SECTION_UNIT], &unit, sizeof(unit));
	put_section(elf, &section[SECTION_ABBREVIATIONS], abbreviations, sizeof(abbreviations));
}

static void put_debug(struct buf *elf, Elf64_Shdr section[SECTIONS], const struct jit_code *code,
		      const struct jitdump *dump)
{
	put_lines(elf, &section[SECTION_LINES], code, dump);
	put_unit(elf, section, code);
	section[SECTION_LINES].sh_name = name_at(".debug_line");
	section[SECTION_UNIT].sh_name = name_at(".debug_info");
	section[SECTION_ABBREVIATIONS].sh_name = name_at(".debug_abbrev");
	for (size_t i = SECTION_LINES; i < SECTIONS; i++)
		section[i].sh_type = SHT_PROGBITS;
}

void jit_elf_make(const struct jit_code *code, const struct jitdump *dump, struct buf *ret)
{
	bool lines = code->function->lines > 0;
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = dump->machine,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 1,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = lines ? SECTIONS : SECTION_LINES,
			      .e_shstrndx = SECTION_NAMES };
	const Elf64_Phdr segment = { .p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_offset = JIT_ELF_TEXT,
				     .p_vaddr = JIT_ELF_TEXT,
				     .p_filesz = code->len,
				     .p_memsz = code->len,
				     .p_align = 8 };
	Elf64_Shdr section[SECTIONS] = { 0 };
	struct buf strings = { 0 };

	(void)buf_pad(ret, '\0', JIT_ELF_TEXT);
	put_section(ret, &section[SECTION_TEXT], code->bytes, code->len);
	section[SECTION_TEXT].sh_type = SHT_PROGBITS;
	section[SECTION_TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	section[SECTION_TEXT].sh_addr = JIT_ELF_TEXT;
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
	if (lines)
		put_debug(ret, section, code, dump);
	(void)buf_pad(ret, '\0', -ret->len & 7);
	header.e_shoff = ret->len;
	(void)buf_append(ret, section, header.e_shnum * sizeof(section[0]));
	memcpy(ret->data, &header, sizeof(header));
	memcpy(ret->data + sizeof(header), &segment, sizeof(segment));
	buf_done(&strings);
}
