/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes call frame sections for tests: one CIE (CFA = rsp + 8, return address at CFA - 8) and FDEs
 * with given instructions. */
#ifndef TEST_CFI_BYTES_H
#define TEST_CFI_BYTES_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "unwind/cfi/cfi.h"

/* def_cfa rsp+8; offset ra c-8 */
#define CIE_CODE "\x0c\x07\x08\x90\x01"

struct bytes {
	uint8_t data[8192];
	size_t len;
};

static inline void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

#define PUT(b, text) put(b, text, sizeof(text) - 1)

static inline void put_word(struct bytes *b, uint64_t value, size_t size)
{
	put(b, &value, size);
}

static inline size_t entry_begin(struct bytes *b)
{
	put_word(b, 0, 4);
	return b->len;
}

static inline void entry_end(struct bytes *b, size_t body)
{
	uint32_t len;

	while ((b->len - body) % 8 != 4)
		put_word(b, 0, 1); /* DW_CFA_nop */
	len = (uint32_t)(b->len - body);
	memcpy(b->data + body - 4, &len, 4);
}

/* augmentation: the whole string; data: what follows its length ("" when there is no z). */
static inline void put_cie(struct bytes *b, uint8_t version, const char *augmentation,
			   const char *data, size_t data_len)
{
	size_t body = entry_begin(b);

	put_word(b, 0, 4);
	put_word(b, version, 1);
	put(b, augmentation, strlen(augmentation) + 1);
	if (version == 4)
		PUT(b, "\x08\x00");
	PUT(b, "\x01\x78\x10"); /* code 1, data -8, ra 16 */
	if (augmentation[0] == 'z') {
		put_word(b, data_len, 1);
		put(b, data, data_len);
	}
	PUT(b, CIE_CODE);
	entry_end(b, body);
}

/* Refers to the CIE at offset 0; pointers are 8 bytes, absolute. */
static inline void put_fde(struct bytes *b, bool augmented, uint64_t start, uint64_t len,
			   const void *code, size_t code_len)
{
	size_t body = entry_begin(b);

	put_word(b, body, 4);
	put_word(b, start, 8);
	put_word(b, len, 8);
	if (augmented)
		put_word(b, 0, 1);
	put(b, code, code_len);
	entry_end(b, body);
}

static inline struct cfi_section section_of(const struct bytes *b)
{
	return (struct cfi_section){ .data = b->data, .len = b->len };
}

__attribute__((format(printf, 3, 4))) __attribute__((format(printf, 3, 4))) static inline void
print_text(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text + used, size - used, fmt, args);
	va_end(args);
}

/* Rows as readelf writes them: "1000 rsp+8 ra=c-8; …", or "… !" where instructions go bad. */
static inline const char *rows_text(const struct cfi_section *section, const struct cfi_fde *fde)
{
	static char text[1024];
	static const char *const name[] = { "", "s", "u", "c", "v", "r", "exp", "vexp" };
	struct cfi_vm vm;
	int more = cfi_vm_start(&vm, section, fde);

	text[0] = '\0';
	while (!more && (more = cfi_vm_next(&vm)) == 1) {
		const struct cfi_row *row = &vm.row;

		print_text(text, sizeof(text), "%s%llx ", text[0] ? "; " : "",
			   (unsigned long long)row->start);
		if (row->cfa.kind == CFI_REGISTER)
			print_text(text, sizeof(text), "r%u%+d", row->cfa.reg, row->cfa.value);
		else
			print_text(text, sizeof(text), "exp");
		for (unsigned reg = 0; reg < ARCH_DWARF_REGS; reg++) {
			if (!row->reg[reg].kind)
				continue;
			print_text(text, sizeof(text), " %u=%s", reg, name[row->reg[reg].kind]);
			if (strlen(name[row->reg[reg].kind]) == 1 && row->reg[reg].value)
				print_text(text, sizeof(text), "%+d", row->reg[reg].value);
		}
		more = 0;
		if (row->end == fde->end)
			break;
	}
	if (more)
		print_text(text, sizeof(text), " !");
	return text;
}

#endif
