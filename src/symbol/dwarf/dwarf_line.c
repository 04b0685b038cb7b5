// SPDX-License-Identifier: GPL-2.0-or-later
/* The line number program (see dwarf_line.h). A sequence is one run of code with ascending rows;
 * its last row is only its end. Rows are not stored, because they would take many times the size of
 * the program: marks at intervals hold the state of the machine, and a lookup runs the program from
 * the mark before the address. */
#include "symbol/dwarf/dwarf_line.h"

#include <dwarf.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/vec.h"
#include "symbol/dwarf/dwarf_unit.h"

/* Rows from one mark to the next. */
#define MARK_ROWS 32
/* Bytes of the program that a search may run over; honest ones need less than ten for a row. */
#define MAX_SEARCH 65536

/* A row, and the state to continue after it. */
struct line_mark {
	uint64_t address;
	uint32_t file, line;
	uint64_t op_index;
	uint64_t at; /* in the program */
};

struct line_sequence {
	uint64_t start, end;
	size_t first, count; /* marks */
};

struct line_file {
	const char *name;
	uint64_t dir;
	_Atomic(char *) path;
};

struct line_header {
	struct dwarf_encoding encoding;
	uint64_t dropped; /* addresses from here on belong to code that the linker dropped */
	uint8_t min_instruction, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool default_is_stmt;
	const uint8_t *opcode_lengths;
	struct bytes program;
};

struct dwarf_lines {
	struct line_header header;
	VEC(const char *) dirs;
	VEC(struct line_file) files;
	VEC(struct line_mark) marks;
	VEC(struct line_sequence) sequences;
	const char *comp_dir;
	bool v5; /* file and directory numbers start at 0, directory 0 is comp_dir */
};

/* State of the program's machine. */
struct line_machine {
	uint64_t address;
	uint64_t op_index;
	uint64_t file;
	uint64_t line;
	bool negated; /* is_stmt is not the header's default */
};

/* What an opcode did. */
enum line_step { LINE_STATE, LINE_ROW, LINE_END };

/* The sequence being built. */
struct line_build {
	size_t first;	     /* mark */
	uint64_t start, end; /* addresses of its first and last row */
	size_t rows;
};

/* DWARF 5: the list describes the format of its entries. */
static void read_entries_v5(struct reader *r, const struct dwarf_unit *unit,
			    struct dwarf_encoding encoding, struct dwarf_lines *lines, bool is_dirs)
{
	struct dwarf_attr format[256];
	size_t formats = read_u8(r);
	uint64_t count;

	for (size_t i = 0; i < formats; i++) {
		format[i].name = (uint16_t)read_uleb(r);
		format[i].form = (uint16_t)read_uleb(r);
		format[i].implicit_const = 0;
	}
	count = read_uleb(r);
	if (!formats || count > reader_left(r))
		return count ? reader_fail(r) : (void)0;
	for (uint64_t i = 0; i < count && !r->failed; i++) {
		struct line_file file = { 0 };

		for (size_t j = 0; j < formats; j++) {
			struct dwarf_value value = { 0 };

			dwarf_read_form(r, encoding, &format[j], &value);
			if (format[j].name == DW_LNCT_path)
				file.name = dwarf_value_string(unit, &value);
			else if (format[j].name == DW_LNCT_directory_index)
				file.dir = value.number;
		}
		if (is_dirs)
			vec_push(&lines->dirs, file.name);
		else
			vec_push(&lines->files, file);
	}
}

static void read_file_v4(struct reader *r, const char *name, struct dwarf_lines *lines)
{
	struct line_file file = { .name = name, .dir = read_uleb(r) };

	(void)read_uleb(r); /* time of modification */
	(void)read_uleb(r); /* size */
	vec_push(&lines->files, file);
}

/* DWARF 2 to 4: numbers start at 1, so a place is kept for number 0. */
static void read_entries_v4(struct reader *r, const struct dwarf_unit *unit,
			    struct dwarf_lines *lines)
{
	struct line_file none = { .name = unit->name };
	const char *name;

	vec_push(&lines->dirs, unit->comp_dir);
	vec_push(&lines->files, none);
	while ((name = read_string(r)) && *name)
		vec_push(&lines->dirs, name);
	while ((name = read_string(r)) && *name)
		read_file_v4(r, name, lines);
}

/* Leaves *r at the first opcode and cut to the program; false when the header is damaged. */
static bool read_header(struct reader *r, const struct dwarf_unit *unit, struct line_header *ret,
			struct dwarf_lines *lines)
{
	const uint8_t *program;
	uint64_t header_len;

	if (!read_unit_length(r, &ret->encoding.offset_size))
		return false;
	ret->encoding.version = read_u16(r);
	ret->encoding.address_size = unit->encoding.address_size;
	if (ret->encoding.version < 2 || ret->encoding.version > 5)
		return false;
	if (ret->encoding.version >= 5) {
		ret->encoding.address_size = read_u8(r);
		(void)read_u8(r); /* segment selector size */
	}
	header_len = read_uint(r, ret->encoding.offset_size);
	if (r->failed || header_len > reader_left(r))
		return false;
	program = r->pos + header_len;
	ret->min_instruction = read_u8(r);
	ret->max_ops = ret->encoding.version >= 4 ? read_u8(r) : 1;
	ret->default_is_stmt = read_u8(r) != 0; /* a lookup counts all rows */
	ret->line_base = (int8_t)read_u8(r);
	ret->line_range = read_u8(r);
	ret->opcode_base = read_u8(r);
	ret->opcode_lengths = r->pos;
	read_skip(r, ret->opcode_base ? ret->opcode_base - 1 : 0);
	lines->v5 = ret->encoding.version >= 5;
	if (lines->v5) {
		read_entries_v5(r, unit, ret->encoding, lines, true);
		read_entries_v5(r, unit, ret->encoding, lines, false);
	} else {
		read_entries_v4(r, unit, lines);
	}
	if (r->failed || !ret->line_range || !ret->max_ops)
		return false;
	r->pos = program;
	ret->program = (struct bytes){ r->pos, reader_left(r) };
	return true;
}

static void advance(const struct line_header *header, struct line_machine *m, uint64_t operations)
{
	if (header->max_ops == 1) {
		m->address += operations * header->min_instruction;
		return;
	}
	m->address += header->min_instruction * ((m->op_index + operations) / header->max_ops);
	m->op_index = (m->op_index + operations) % header->max_ops;
}

static void reset(struct line_machine *m)
{
	*m = (struct line_machine){ .file = 1, .line = 1 };
}

/* `files` gets the file that an opcode defines; NULL when it is known already. */
static enum line_step run_extended(struct reader *r, const struct line_header *header,
				   struct dwarf_lines *files, struct line_machine *m)
{
	uint64_t len = read_uleb(r);
	struct reader op = *r;
	const char *name;

	read_skip(r, len);
	if (r->failed || !len)
		return LINE_STATE;
	op.end = r->pos;
	switch (read_u8(&op)) {
	case DW_LNE_end_sequence:
		return LINE_END;
	case DW_LNE_set_address:
		m->address = read_uint(&op, reader_left(&op) < 8 ? reader_left(&op) : 8);
		m->op_index = 0;
		if (m->address >= header->dropped)
			m->address = 0;
		return LINE_STATE;
	case DW_LNE_define_file:
		name = read_string(&op);
		if (name && files)
			read_file_v4(&op, name, files);
		return LINE_STATE;
	default: /* discriminators and extensions */
		return LINE_STATE;
	}
}

static enum line_step run_standard(struct reader *r, const struct line_header *header,
				   uint8_t opcode, struct line_machine *m)
{
	switch (opcode) {
	case DW_LNS_copy:
		return LINE_ROW;
	case DW_LNS_advance_pc:
		advance(header, m, read_uleb(r));
		return LINE_STATE;
	case DW_LNS_advance_line:
		m->line += (uint64_t)read_sleb(r);
		return LINE_STATE;
	case DW_LNS_set_file:
		m->file = read_uleb(r);
		return LINE_STATE;
	case DW_LNS_negate_stmt:
		m->negated = !m->negated;
		return LINE_STATE;
	case DW_LNS_const_add_pc:
		advance(header, m, (255u - header->opcode_base) / header->line_range);
		return LINE_STATE;
	case DW_LNS_fixed_advance_pc:
		m->address += read_u16(r);
		m->op_index = 0;
		return LINE_STATE;
	default: /* irrelevant here, or unknown: the header has the number of operands */
		for (int i = 0; i < header->opcode_lengths[opcode - 1]; i++)
			(void)read_uleb(r);
		return LINE_STATE;
	}
}

static enum line_step run_opcode(struct reader *r, const struct line_header *header,
				 struct dwarf_lines *files, struct line_machine *m)
{
	uint8_t opcode = read_u8(r), adjusted;

	if (!opcode)
		return run_extended(r, header, files, m);
	if (opcode < header->opcode_base)
		return run_standard(r, header, opcode, m);
	adjusted = (uint8_t)(opcode - header->opcode_base);
	advance(header, m, adjusted / header->line_range);
	m->line += (uint64_t)(header->line_base + adjusted % header->line_range);
	return LINE_ROW;
}

/* Ends the sequence being built at an address. One that starts at 0 belongs to a function that the
 * linker dropped. */
static void end_sequence(struct dwarf_lines *lines, struct line_build *build, uint64_t end)
{
	size_t count = lines->marks.count - build->first;

	if (count && build->start && end > build->start)
		vec_push(&lines->sequences,
			 ((struct line_sequence){ build->start, end, build->first, count }));
	else
		lines->marks.count = build->first;
	*build = (struct line_build){ .first = lines->marks.count };
}

static void add_row(struct dwarf_lines *lines, struct line_build *build,
		    const struct line_machine *m, uint64_t at)
{
	/* a row that goes backwards starts a new sequence */
	if (build->rows && build->end > m->address)
		end_sequence(lines, build, build->end + 1);
	if (!build->rows)
		build->start = m->address;
	if (build->rows % MARK_ROWS == 0)
		vec_push(&lines->marks, ((struct line_mark){ m->address, (uint32_t)m->file,
							     (uint32_t)m->line, m->op_index, at }));
	build->end = m->address;
	build->rows++;
}

static void run_program(struct dwarf_lines *lines)
{
	struct reader r = reader_at(lines->header.program, 0);
	struct line_build build = { 0 };
	struct line_machine m;

	reset(&m);
	while (reader_left(&r)) {
		switch (run_opcode(&r, &lines->header, lines, &m)) {
		case LINE_ROW:
			add_row(lines, &build, &m, (uint64_t)(r.pos - lines->header.program.data));
			break;
		case LINE_END:
			end_sequence(lines, &build, m.address);
			reset(&m);
			break;
		default:
			break;
		}
	}
	end_sequence(lines, &build, m.address); /* cut short */
}

static int compare_sequence(const void *a, const void *b)
{
	const struct line_sequence *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Takes the table's bytes from the budget, so that many units cannot share one long program, and
 * sees that there is room for the sequences: each takes at least two bytes of the program. */
#define LEAST_SEQUENCE ((int64_t)(sizeof(struct line_sequence) + sizeof(struct line_mark)) / 2)

static bool charge(_Atomic int64_t *budget, const struct reader *r)
{
	struct reader table = *r;
	uint8_t offset_size;
	int64_t len;

	if (!read_unit_length(&table, &offset_size))
		return false;
	len = (int64_t)reader_left(&table);
	return atomic_fetch_sub(budget, len) > len * (1 + LEAST_SEQUENCE);
}

struct dwarf_lines *dwarf_lines_read(const struct dwarf_unit *unit, _Atomic int64_t *budget)
{
	struct dwarf_lines *lines = mem_zalloc(sizeof(*lines));
	struct reader r;

	lines->comp_dir = unit->comp_dir;
	if (!unit->has_lines)
		return lines;
	r = reader_at(unit->file->sections.section[DWARF_LINE], unit->line_offset);
	/* what the linker writes for dropped functions: -1 or -2 */
	lines->header.dropped = (unit->encoding.address_size == 4 ? UINT32_MAX : UINT64_MAX) - 1;
	if (charge(budget, &r) && read_header(&r, unit, &lines->header, lines))
		run_program(lines);
	vec_trim(&lines->dirs);
	vec_trim(&lines->files);
	vec_trim(&lines->marks);
	vec_trim(&lines->sequences);
	atomic_fetch_sub(budget,
			 (int64_t)(lines->marks.capacity * sizeof(struct line_mark) +
				   lines->sequences.capacity * sizeof(struct line_sequence) +
				   lines->files.capacity * sizeof(struct line_file)));
	if (lines->sequences.count)
		qsort(lines->sequences.item, lines->sequences.count, sizeof(struct line_sequence),
		      compare_sequence);
	return lines;
}

void dwarf_lines_free(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->files.count; i++)
		free(atomic_load(&lines->files.item[i].path));
	vec_done(&lines->dirs);
	vec_done(&lines->files);
	vec_done(&lines->marks);
	vec_done(&lines->sequences);
	free(lines);
}

/* The sequence around an address, or NULL. */
static const struct line_sequence *find_sequence(const struct dwarf_lines *lines, uint64_t address)
{
	const struct line_sequence *sequence = lines->sequences.item;
	size_t low = 0, high = lines->sequences.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (sequence[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && sequence[low - 1].end > address ? &sequence[low - 1] : NULL;
}

/* The last mark at or before an address of the sequence. */
static const struct line_mark *find_mark(const struct dwarf_lines *lines,
					 const struct line_sequence *sequence, uint64_t address)
{
	const struct line_mark *mark = lines->marks.item + sequence->first;
	size_t low = 0, high = sequence->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (mark[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return &mark[low - 1];
}

bool dwarf_lines_find(const struct dwarf_lines *lines, uint64_t address, uint32_t *ret_file,
		      uint32_t *ret_line)
{
	const struct line_sequence *sequence = find_sequence(lines, address);
	const struct line_mark *mark;
	struct line_machine m;
	uint64_t last, file, line;
	struct reader r;

	if (!sequence)
		return false;
	mark = find_mark(lines, sequence, address);
	m = (struct line_machine){ mark->address, mark->op_index, mark->file, mark->line, false };
	file = m.file;
	line = m.line;
	last = m.address;
	r = reader_at(lines->header.program, mark->at);
	if (reader_left(&r) > MAX_SEARCH)
		r.end = r.pos + MAX_SEARCH;
	while (reader_left(&r)) {
		enum line_step step = run_opcode(&r, &lines->header, NULL, &m);

		if (step == LINE_STATE)
			continue;
		/* the sequence's end, or a row behind the address or of another sequence */
		if (step == LINE_END || m.address > address || m.address < last)
			break;
		last = m.address; /* of several rows with this address, the last one counts */
		file = m.file;
		line = m.line;
	}
	*ret_file = (uint32_t)file;
	*ret_line = (uint32_t)line;
	return true;
}

void dwarf_lines_each(const struct dwarf_lines *lines,
		      bool (*visit)(void *context, const struct dwarf_row *row), void *context)
{
	struct reader r = reader_at(lines->header.program, 0);
	struct line_machine m;

	reset(&m);
	while (reader_left(&r)) {
		enum line_step step = run_opcode(&r, &lines->header, NULL, &m);
		struct dwarf_row row = { m.address, (uint32_t)m.file, (uint32_t)m.line,
					 m.negated != lines->header.default_is_stmt,
					 step == LINE_END };

		if (step == LINE_STATE)
			continue;
		if (!visit(context, &row))
			return;
		if (step == LINE_END)
			reset(&m);
	}
}

size_t dwarf_lines_files(const struct dwarf_lines *lines)
{
	return lines->files.count;
}

/* dir and name with a slash between, in front of them comp_dir when dir is relative. */
static char *join_path(const char *comp_dir, const char *dir, const char *name)
{
	const char *part[3] = { comp_dir, dir, name };
	size_t len[3], total = 0;
	char *path, *end;

	if (!dir || *dir == '/')
		part[0] = dir ? NULL : comp_dir;
	if (*name == '/')
		part[0] = part[1] = NULL;
	if (part[0] && part[1] && !strcmp(part[0], part[1]))
		part[0] = NULL;
	for (int i = 0; i < 2; i++) /* Go's "." says nothing */
		if (part[i] && !strcmp(part[i], "."))
			part[i] = NULL;
	for (int i = 0; i < 3; i++)
		total += len[i] = part[i] ? strlen(part[i]) : 0;
	if (total >= PATH_MAX)
		return mem_strdup("(path too long)");
	end = path = mem_alloc(total + 3);
	for (int i = 0; i < 3; i++) {
		if (!len[i])
			continue;
		memcpy(end, part[i], len[i]);
		end += len[i];
		if (i < 2 && end[-1] != '/')
			*end++ = '/';
	}
	*end = '\0';
	return path;
}

const char *dwarf_lines_path(struct dwarf_lines *lines, uint64_t number)
{
	struct line_file *file;
	char *path, *mine;

	if (number >= lines->files.count)
		return NULL;
	file = &lines->files.item[number];
	if (!file->name)
		return NULL;
	path = atomic_load_explicit(&file->path, memory_order_acquire);
	if (path)
		return path;
	mine = join_path(lines->comp_dir,
			 file->dir < lines->dirs.count ? lines->dirs.item[file->dir] : NULL,
			 file->name);
	if (atomic_compare_exchange_strong(&file->path, &path, mine))
		return mine;
	free(mine); /* another thread was faster */
	return path;
}
