/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of .eh_frame and .debug_frame: CIE versions 1, 3 and 4, augmentations z R P L S B and the
 * old "eh", 32- and 64-bit lengths, all pointer encodings. */
#include "unwind/cfi/cfi.h"

#include <dwarf.h>

#define LENGTH_64 0xffffffffu /* the real length follows in 8 bytes */

/* DW_EH_PE encodings are two numbers in one byte. */
#define ENCODING_FORMAT	     0x0f
#define ENCODING_APPLICATION 0x70

/* Every row lookup runs the CIE's instructions first; real ones take about ten bytes. */
#define MAX_CIE_CODE 4096

struct entry_header {
	const uint8_t *end;   /* of the entry */
	const uint8_t *id_at; /* where the CIE id or CIE pointer stands */
	const uint8_t *body;  /* after it */
	uint64_t id;
	bool is_cie;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	const uint8_t *code, *code_end;
	uint8_t pointer_encoding, address_size, segment_size, ra;
	bool augmented; /* 'z': FDEs have augmentation data */
	bool signal;
};

static uint64_t relative_base(const struct cfi_section *section, uint8_t encoding,
			      const uint8_t *at, bool *known)
{
	*known = true;
	switch (encoding & ENCODING_APPLICATION) {
	case DW_EH_PE_absptr:
		return 0;
	case DW_EH_PE_pcrel:
		return section->addr + (uint64_t)(at - section->data);
	case DW_EH_PE_textrel:
		return section->text_addr;
	case DW_EH_PE_datarel:
		return section->data_addr;
	default: /* funcrel: no function yet where we read pointers */
		*known = false;
		return 0;
	}
}

static uint64_t read_value(struct cfi_cursor *cursor, uint8_t format)
{
	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_signed:
	case DW_EH_PE_sdata8:
		return cursor_unsigned(cursor, 8);
	case DW_EH_PE_uleb128:
		return cursor_uleb(cursor);
	case DW_EH_PE_udata2:
		return cursor_unsigned(cursor, 2);
	case DW_EH_PE_udata4:
		return cursor_unsigned(cursor, 4);
	case DW_EH_PE_sleb128:
		return (uint64_t)cursor_sleb(cursor);
	case DW_EH_PE_sdata2:
		return (uint64_t)cursor_signed(cursor, 2);
	case DW_EH_PE_sdata4:
		return (uint64_t)cursor_signed(cursor, 4);
	default:
		cursor->bad = true;
		return 0;
	}
}

uint64_t cfi_pointer(struct cfi_cursor *cursor, const struct cfi_section *section, uint8_t encoding)
{
	const uint8_t *at = cursor->at;
	uint64_t base;
	bool known;

	if (encoding == DW_EH_PE_aligned) {
		uint64_t addr = section->addr + (uint64_t)(at - section->data);

		cursor_skip(cursor, -addr & 7);
		return cursor_unsigned(cursor, 8);
	}
	base = relative_base(section, encoding, at, &known);
	if (!known || encoding & DW_EH_PE_indirect)
		cursor->bad = true; /* the value lies in the process's memory */
	return base + read_value(cursor, encoding & ENCODING_FORMAT);
}

/* Skips a pointer with an irrelevant value (the personality routine, mostly indirect). */
static void skip_pointer(struct cfi_cursor *cursor, const struct cfi_section *section,
			 uint8_t encoding)
{
	if (encoding == DW_EH_PE_omit)
		return;
	if (encoding == DW_EH_PE_aligned)
		(void)cfi_pointer(cursor, section, encoding);
	else
		(void)read_value(cursor, encoding & ENCODING_FORMAT);
}

/* False at a terminator, at the end and when the length runs past the section. The id is 4 bytes
 * wide in .eh_frame even when the length is 64-bit. */
static bool read_header(const struct cfi_section *section, size_t offset, struct entry_header *ret)
{
	struct cfi_cursor cursor = { .at = section->data + offset,
				     .end = section->data + section->len };
	uint64_t len, cie_id = 0;
	size_t id_size = 4;

	len = cursor_unsigned(&cursor, 4);
	if (len == LENGTH_64) {
		len = cursor_unsigned(&cursor, 8);
		id_size = section->debug_frame ? 8 : 4;
	}
	if (!len || !cursor_has(&cursor, len))
		return false;
	ret->end = cursor.at + len;
	ret->id_at = cursor.at;
	ret->id = cursor_unsigned(&cursor, id_size);
	ret->body = cursor.at;
	if (section->debug_frame)
		cie_id = id_size == 8 ? UINT64_MAX : UINT32_MAX;
	ret->is_cie = ret->id == cie_id;
	return !cursor.bad && cursor.at <= ret->end;
}

/* The letters after 'z'. An unknown letter makes the rest unreadable. */
static bool read_augmentation(const struct cfi_section *section, const char *letters,
			      struct cfi_cursor *data, struct cie *ret)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			(void)cursor_u8(data); /* encoding of the FDE's LSDA pointer */
			break;
		case 'P':
			skip_pointer(data, section, cursor_u8(data));
			break;
		case 'R':
			ret->pointer_encoding = cursor_u8(data);
			break;
		case 'S':
			ret->signal = true;
			break;
		case 'B': /* arm64: return addresses signed with key B; 'G': memory tagging */
		case 'G':
			break;
		default:
			return false;
		}
	}
	return !data->bad;
}

static bool read_cie(const struct cfi_section *section, size_t offset, struct cie *ret)
{
	struct entry_header header;
	struct cfi_cursor cursor, data;
	const char *letters;
	uint8_t version;
	uint64_t ra, len;

	*ret = (struct cie){ .address_size = 8 };
	if (offset >= section->len || !read_header(section, offset, &header) || !header.is_cie)
		return false;
	cursor = (struct cfi_cursor){ .at = header.body, .end = header.end };
	version = cursor_u8(&cursor);
	letters = (const char *)cursor.at;
	if (cursor.bad || !memchr(cursor.at, 0, cursor_left(&cursor)))
		return false;
	cursor_skip(&cursor, strlen(letters) + 1);
	if (!strcmp(letters, "eh"))
		cursor_skip(&cursor, 8); /* GCC 2's exception table pointer */
	if (version == 4) {
		ret->address_size = cursor_u8(&cursor);
		ret->segment_size = cursor_u8(&cursor);
	}
	ret->code_align = cursor_uleb(&cursor);
	ret->data_align = cursor_sleb(&cursor);
	ra = version == 1 ? cursor_u8(&cursor) : cursor_uleb(&cursor);
	ret->ra = (uint8_t)ra;
	ret->augmented = *letters == 'z';
	if (cursor.bad || (version != 1 && version != 3 && version != 4) || ra >= ARCH_DWARF_REGS ||
	    ret->address_size != 8)
		return false;
	if (ret->augmented) {
		len = cursor_uleb(&cursor);
		if (!cursor_has(&cursor, len))
			return false;
		data = (struct cfi_cursor){ .at = cursor.at, .end = cursor.at + len };
		if (!read_augmentation(section, letters + 1, &data, ret))
			return false;
		cursor_skip(&cursor, len);
	} else if (*letters && strcmp(letters, "eh")) {
		return false;
	}
	ret->code = cursor.at;
	ret->code_end = cursor.end;
	return !cursor.bad && cursor_left(&cursor) <= MAX_CIE_CODE;
}

static bool read_fde(const struct cfi_section *section, const struct entry_header *header,
		     struct cfi_fde *ret)
{
	struct cfi_cursor cursor = { .at = header->body, .end = header->end };
	uint64_t here = (uint64_t)(header->id_at - section->data);
	uint64_t start, len;
	struct cie cie;

	if (!section->debug_frame && header->id > here)
		return false;
	if (!read_cie(section, section->debug_frame ? header->id : here - header->id, &cie))
		return false;
	cursor_skip(&cursor, cie.segment_size);
	start = cfi_pointer(&cursor, section, cie.pointer_encoding);
	len = read_value(&cursor, cie.pointer_encoding & ENCODING_FORMAT);
	if ((cie.pointer_encoding & ENCODING_FORMAT) == DW_EH_PE_sdata4)
		len &= UINT32_MAX;
	if (cie.augmented)
		cursor_skip(&cursor, cursor_uleb(&cursor));
	if (cursor.bad || !len || start + len < start)
		return false;
	*ret = (struct cfi_fde){
		.start = start,
		.end = start + len,
		.code_align = cie.code_align,
		.data_align = cie.data_align,
		.cie_code = cie.code,
		.cie_code_end = cie.code_end,
		.code = cursor.at,
		.code_end = cursor.end,
		.pointer_encoding = cie.pointer_encoding,
		.ra = cie.ra,
		.signal = cie.signal,
	};
	return true;
}

enum cfi_entry cfi_next(const struct cfi_section *section, size_t *offset, struct cfi_fde *ret)
{
	struct entry_header header;

	if (*offset >= section->len || !read_header(section, *offset, &header))
		return CFI_ENTRY_END;
	*offset = (size_t)(header.end - section->data);
	if (header.is_cie || !read_fde(section, &header, ret))
		return CFI_ENTRY_OTHER;
	return CFI_ENTRY_FDE;
}
