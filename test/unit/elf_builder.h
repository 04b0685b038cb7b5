/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes small ELF files in memory for tests: sections in the order given, one PT_LOAD over .text,
 * either byte order, 64-bit. Sections are described with what the tests care about. */
#ifndef TEST_ELF_BUILDER_H
#define TEST_ELF_BUILDER_H

#include <byteswap.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BUILDER_TEXT_ADDR   0x401000u
#define BUILDER_TEXT_OFFSET 0x200u
#define BUILDER_TEXT_BYTES  0x100u

struct elf_builder {
	bool swap; /* the other byte order than the host's */
	uint8_t data[0x2000];
	size_t len;
	Elf64_Shdr section[12];
	size_t sections;
	char names[256];
	size_t names_len;
	Elf64_Sym symbol[32];
	size_t symbols;
	char strings[512];
	size_t strings_len;
};

static inline uint16_t builder_16(const struct elf_builder *b, uint16_t v)
{
	return b->swap ? bswap_16(v) : v;
}

static inline uint32_t builder_32(const struct elf_builder *b, uint32_t v)
{
	return b->swap ? bswap_32(v) : v;
}

static inline uint64_t builder_64(const struct elf_builder *b, uint64_t v)
{
	return b->swap ? bswap_64(v) : v;
}

/* Returns the section's index. Contents are appended to the file. */
static inline size_t builder_section(struct elf_builder *b, const char *name, uint32_t type,
				     const void *content, size_t len)
{
	Elf64_Shdr *s = &b->section[b->sections];

	b->len = (b->len + 15) & ~(size_t)15;
	s->sh_name = builder_32(b, (uint32_t)b->names_len);
	s->sh_type = builder_32(b, type);
	s->sh_offset = builder_64(b, b->len);
	s->sh_size = builder_64(b, len);
	memcpy(b->names + b->names_len, name, strlen(name) + 1);
	b->names_len += strlen(name) + 1;
	if (content)
		memcpy(b->data + b->len, content, len);
	b->len += content ? len : 0;
	return b->sections++;
}

static inline void builder_start(struct elf_builder *b, bool swap)
{
	Elf64_Shdr *text;

	memset(b, 0, sizeof(*b));
	b->swap = swap;
	b->strings_len = 1;
	b->symbols = 1;
	b->sections = 1;
	b->names_len = 1;
	b->len = BUILDER_TEXT_OFFSET;
	text = &b->section[builder_section(b, ".text", SHT_PROGBITS, NULL, BUILDER_TEXT_BYTES)];
	text->sh_addr = builder_64(b, BUILDER_TEXT_ADDR);
	text->sh_flags = builder_64(b, SHF_ALLOC | SHF_EXECINSTR);
	b->len += BUILDER_TEXT_BYTES;
}

/* at: from the start of .text. info: ELF64_ST_INFO(binding, type). */
static inline void builder_symbol(struct elf_builder *b, const char *name, uint64_t at,
				  uint64_t size, uint8_t info)
{
	b->symbol[b->symbols++] = (Elf64_Sym){ .st_name = builder_32(b, (uint32_t)b->strings_len),
					       .st_info = info,
					       .st_shndx = builder_16(b, 1),
					       .st_value = builder_64(b, BUILDER_TEXT_ADDR + at),
					       .st_size = builder_64(b, size) };
	memcpy(b->strings + b->strings_len, name, strlen(name) + 1);
	b->strings_len += strlen(name) + 1;
}

static inline void builder_build_id(struct elf_builder *b, const char *id)
{
	uint8_t note[64] = { 0 };
	Elf64_Nhdr head = { builder_32(b, 4), builder_32(b, (uint32_t)strlen(id)),
			    builder_32(b, NT_GNU_BUILD_ID) };

	memcpy(note, &head, sizeof(head));
	memcpy(note + sizeof(head), "GNU", 4);
	memcpy(note + sizeof(head) + 4, id, strlen(id));
	(void)builder_section(b, ".note.gnu.build-id", SHT_NOTE, note,
			      sizeof(head) + 4 + ((strlen(id) + 3) & ~(size_t)3));
}

/* Writes symbol table, names and headers; afterwards data and len are the file. */
static inline void builder_finish(struct elf_builder *b)
{
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 } };
	Elf64_Phdr load = { .p_type = builder_32(b, PT_LOAD),
			    .p_flags = builder_32(b, PF_R | PF_X),
			    .p_offset = builder_64(b, BUILDER_TEXT_OFFSET),
			    .p_vaddr = builder_64(b, BUILDER_TEXT_ADDR),
			    .p_filesz = builder_64(b, BUILDER_TEXT_BYTES),
			    .p_memsz = builder_64(b, BUILDER_TEXT_BYTES) };
	size_t index = builder_section(b, ".symtab", SHT_SYMTAB, b->symbol,
				       b->symbols * sizeof(b->symbol[0]));

	b->section[index].sh_link = builder_32(b, (uint32_t)index + 1);
	(void)builder_section(b, ".strtab", SHT_STRTAB, b->strings, b->strings_len);
	index = builder_section(b, ".shstrtab", SHT_STRTAB, b->names,
				b->names_len + sizeof(".shstrtab"));
	b->len = (b->len + 15) & ~(size_t)15;
	head.e_ident[EI_DATA] = b->swap ? ELFDATA2MSB : ELFDATA2LSB;
	head.e_type = builder_16(b, ET_EXEC);
	head.e_machine = builder_16(b, EM_X86_64);
	head.e_phoff = builder_64(b, sizeof(head));
	head.e_phentsize = builder_16(b, sizeof(load));
	head.e_phnum = builder_16(b, 1);
	head.e_shoff = builder_64(b, b->len);
	head.e_shentsize = builder_16(b, sizeof(Elf64_Shdr));
	head.e_shnum = builder_16(b, (uint16_t)b->sections);
	head.e_shstrndx = builder_16(b, (uint16_t)index);
	memcpy(b->data, &head, sizeof(head));
	memcpy(b->data + sizeof(head), &load, sizeof(load));
	memcpy(b->data + b->len, b->section, b->sections * sizeof(b->section[0]));
	b->len += b->sections * sizeof(b->section[0]);
}

#endif
