/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing trees (see flame_pack.h, which describes the format). */
#include "view/flame/flame_pack.h"

#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "view/flame/flame_parts.h"
#include "view/flame/flame_tree.h"

struct packer {
	const struct flame_pack *pack;
	const struct flame_tree *tree;
	uint32_t *string_rank; /* string id → index in the sorted list */
	uint32_t *strings;     /* the used ones, sorted */
	size_t string_count;
	uint32_t *label_rank; /* label → index among the sorted labels */
	uint32_t *labels;     /* sorted */
	struct map edges;     /* parent rank << 32 | child rank → index below the parent */
	size_t edge_count;
	struct buf out, section;
};

static void end_section(struct packer *p)
{
	(void)buf_put_varint(&p->out, p->section.len);
	(void)buf_append(&p->out, p->section.data, p->section.len);
	buf_clear(&p->section);
}

static int compare_strings(const void *a, const void *b, void *names)
{
	return strcmp(strtab_get(names, (string_id){ *(const uint32_t *)a }),
		      strtab_get(names, (string_id){ *(const uint32_t *)b }));
}

static int compare_labels(const void *a, const void *b, void *context)
{
	const struct packer *p = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t x_name = p->string_rank[p->tree->labels.item[x].name.v];
	uint32_t y_name = p->string_rank[p->tree->labels.item[y].name.v];

	return x_name != y_name ? (x_name > y_name) - (x_name < y_name) : (x > y) - (x < y);
}

/* Only strings of labels: the table may hold others. */
static void sort_strings(struct packer *p)
{
	size_t count = strtab_count(p->tree->names);
	bool *used = mem_zalloc(count);

	for (size_t i = 0; i < p->tree->labels.count; i++) {
		const struct flame_label *label = &p->tree->labels.item[i];

		used[label->name.v] = used[label->module.v] = used[label->file.v] = true;
	}
	for (size_t i = 0; i < p->tree->lines.count; i++)
		used[p->tree->lines.item[i].file.v] = true;
	p->strings = mem_alloc((count + 1) * sizeof(*p->strings));
	p->string_rank = mem_zalloc(count * sizeof(*p->string_rank));
	for (size_t i = 0; i < count; i++)
		if (used[i])
			p->strings[p->string_count++] = (uint32_t)i;
	qsort_r(p->strings, p->string_count, sizeof(*p->strings), compare_strings, p->tree->names);
	for (size_t i = 0; i < p->string_count; i++)
		p->string_rank[p->strings[i]] = (uint32_t)i;
	free(used);
}

static void sort_labels(struct packer *p)
{
	size_t count = p->tree->labels.count;

	p->labels = mem_alloc(count * sizeof(*p->labels));
	p->label_rank = mem_alloc(count * sizeof(*p->label_rank));
	for (size_t i = 0; i < count; i++)
		p->labels[i] = (uint32_t)i;
	qsort_r(p->labels, count, sizeof(*p->labels), compare_labels, p);
	for (size_t i = 0; i < count; i++)
		p->label_rank[p->labels[i]] = (uint32_t)i;
}

static void put_strings(struct packer *p)
{
	const char *before = "";

	for (size_t i = 0; i < p->string_count; i++) {
		const char *s = strtab_get(p->tree->names, (string_id){ p->strings[i] });
		size_t len = strlen(s), common = 0;

		while (common < len && s[common] == before[common])
			common++;
		(void)buf_put_varint(&p->section, common);
		(void)buf_put_varint(&p->section, len - common);
		(void)buf_append(&p->section, s + common, len - common);
		before = s;
	}
	end_section(p);
}

static uint64_t label_field(const struct packer *p, const struct flame_label *label, unsigned field)
{
	switch (field) {
	case 0:
		return p->string_rank[label->name.v];
	case 1:
		return p->string_rank[label->module.v];
	case 2:
		return p->string_rank[label->file.v];
	case 3:
		return label->line_from;
	case 4:
		return label->line_to > label->line_from ? label->line_to - label->line_from : 0;
	default:
		return (uint64_t)label->kind | (uint64_t)label->inlined << 4;
	}
}

static void put_labels(struct packer *p)
{
	size_t count = p->tree->labels.count;

	for (unsigned field = 0; field < 6; field++)
		for (size_t i = 0; i < count; i++)
			(void)buf_put_varint(
				&p->section,
				label_field(p, &p->tree->labels.item[p->labels[i]], field));
	for (size_t i = 0; i < count; i++) {
		rgb color = p->pack->colors[p->labels[i]];
		char bytes[3] = { (char)(color >> 16), (char)(color >> 8), (char)color };

		(void)buf_append(&p->section, bytes, sizeof(bytes));
	}
	end_section(p);
}

static uint64_t edge_of(const struct packer *p, size_t node)
{
	const struct flame_node *nodes = p->tree->nodes.item;
	uint32_t above = p->label_rank[nodes[nodes[node].parent].label];

	return (uint64_t)above << 32 | p->label_rank[nodes[node].label];
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void put_edges(struct packer *p)
{
	VEC(uint64_t) list = { 0 };
	size_t at = 0;
	bool added;

	for (size_t i = 1; i < p->tree->nodes.count; i++) {
		uint64_t edge = edge_of(p, i);

		(void)map_add(&p->edges, edge, &added);
		if (added)
			vec_push(&list, edge);
	}
	if (list.count)
		qsort(list.item, list.count, sizeof(*list.item), compare_u64);
	for (uint64_t above = 0; above < p->tree->labels.count; above++) {
		size_t first = at;

		while (at < list.count && list.item[at] >> 32 == above)
			at++;
		(void)buf_put_varint(&p->section, at - first);
		for (size_t i = first; i < at; i++) {
			uint64_t last = i == first ? 0 : list.item[i - 1] & UINT32_MAX;

			(void)buf_put_varint(&p->section, (list.item[i] & UINT32_MAX) - last);
			map_set(&p->edges, list.item[i], i - first);
		}
	}
	p->edge_count = list.count;
	vec_done(&list);
	end_section(p);
}

static bool is_leaf(const struct packer *p, size_t i)
{
	return p->tree->nodes.item[i].end == i + 1;
}

static void put_shape(struct packer *p)
{
	const struct flame_node *nodes = p->tree->nodes.item;
	size_t count = p->tree->nodes.count;
	uint32_t *kids = mem_zalloc(count * sizeof(*kids));
	uint32_t *next = mem_zalloc(count * sizeof(*next)); /* index after the last child's edge */

	for (size_t i = 1; i < count; i++)
		kids[nodes[i].parent]++;
	for (size_t i = 0; i < count; i++)
		(void)buf_put_varint(&p->section, kids[i]);
	end_section(p);
	for (size_t i = 1; i < count; i++) {
		uint32_t parent = nodes[i].parent;
		uint64_t index = 0;
		int64_t step;

		(void)map_get(&p->edges, edge_of(p, i), &index);
		step = (int64_t)index - next[parent];
		next[parent] = (uint32_t)index + 1;
		(void)buf_put_varint(&p->section, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
	}
	end_section(p);
	free(kids);
	free(next);
}

static void put_weights(struct packer *p, const uint64_t *other)
{
	const struct flame_node *nodes = p->tree->nodes.item;

	for (int inner = 0; inner < 2; inner++) {
		for (size_t i = 0; i < p->tree->nodes.count; i++)
			if (is_leaf(p, i) != inner)
				(void)buf_put_varint(&p->section, other ? other[i] : nodes[i].self);
		end_section(p);
	}
}

static void put_columns(struct packer *p)
{
	const struct flame_pack *pack = p->pack;

	for (size_t i = 0; i < p->tree->nodes.count; i++)
		if (p->tree->nodes.item[i].label == FLAME_LABEL_SMALLER)
			(void)buf_put_varint(&p->section,
					     p->tree->smaller ? p->tree->smaller[i] : 0);
	end_section(p);
	for (size_t i = 0; i < pack->column_count; i++) {
		for (size_t j = 0; j < p->tree->nodes.count; j++) {
			uint32_t bits;
			char bytes[4];

			memcpy(&bits, &pack->columns[i].values[j], sizeof(bits));
			for (unsigned k = 0; k < 4; k++)
				bytes[k] = (char)(bits >> 8 * k);
			(void)buf_append(&p->section, bytes, sizeof(bytes));
		}
		end_section(p);
	}
}

/* Lines are by label, and so is each list. */
static void put_lines(struct packer *p)
{
	const struct flame_line *lines = p->tree->lines.item;
	size_t count = p->tree->lines.count;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && lines[end].label == lines[i].label;)
			end++;
		(void)buf_put_varint(&p->section, p->label_rank[lines[i].label]);
		(void)buf_put_varint(&p->section, end - i);
		for (size_t k = i; k < end; k++) {
			(void)buf_put_varint(&p->section, p->string_rank[lines[k].file.v]);
			(void)buf_put_varint(&p->section, lines[k].line);
			(void)buf_put_varint(&p->section, lines[k].self);
			(void)buf_put_varint(&p->section, lines[k].total);
		}
	}
	if (count)
		end_section(p);
}

static void put_source(struct packer *p)
{
	const struct flame_source *source = p->tree->source.item;
	size_t count = p->tree->source.count;

	for (size_t i = 0, end; i < count; i = end) {
		uint32_t before = 0;

		for (end = i; end < count && source[end].file.v == source[i].file.v;)
			end++;
		(void)buf_put_varint(&p->section, p->string_rank[source[i].file.v]);
		(void)buf_put_varint(&p->section, end - i);
		for (size_t k = i; k < end; before = source[k++].line) {
			size_t len = strlen(source[k].text);

			(void)buf_put_varint(&p->section, source[k].line - before);
			(void)buf_put_varint(&p->section, len);
			(void)buf_append(&p->section, source[k].text, len);
		}
	}
	if (count)
		end_section(p);
}

static void put_info(struct packer *p, struct buf *ret)
{
	const struct flame_tree *tree = p->tree;
	struct buf json = { 0 };

	(void)buf_printf(&json,
			 "{\"cupel\":1,\"strings\":%zu,\"labels\":%zu,\"edges\":%zu,\"nodes\":%zu,"
			 "\"scale\":%u,\"other\":%s,\"inOrder\":%s,\"columns\":[",
			 p->string_count, tree->labels.count, p->edge_count, tree->nodes.count,
			 tree->scale, tree->other ? "true" : "false",
			 tree->in_order ? "true" : "false");
	for (size_t i = 0; i < p->pack->column_count; i++) {
		(void)buf_puts(&json, i ? "," : "");
		(void)buf_put_json(&json, p->pack->columns[i].name);
	}
	(void)buf_puts(&json, "]");
	if (tree->lines.count)
		(void)buf_printf(&json, ",\"lines\":%llu",
				 (unsigned long long)tree->nodes.item[0].total);
	if (tree->source.count)
		(void)buf_puts(&json, ",\"source\":true");
	(void)buf_puts(&json, p->pack->info ? p->pack->info : "");
	(void)buf_puts(&json, "}");
	(void)buf_put_varint(ret, json.len);
	(void)buf_append(ret, json.data, json.len);
	buf_done(&json);
}

static void put_base64(struct buf *out, const unsigned char *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t word = (uint32_t)data[i] << 16;
		char text[4];

		word |= i + 1 < len ? (uint32_t)data[i + 1] << 8 : 0;
		word |= i + 2 < len ? data[i + 2] : 0;
		for (unsigned k = 0; k < 4; k++)
			text[k] = digits[word >> (18 - 6 * k) & 63];
		if (i + 1 >= len)
			text[2] = '=';
		if (i + 2 >= len)
			text[3] = '=';
		(void)buf_append(out, text, sizeof(text));
	}
}

/* Level 9 takes twenty times as long as 6 for another tenth. */
static int deflate_into(int level, const struct buf *parts, struct buf *ret, struct err *err)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
	size_t len = parts[0].len + parts[1].len, room, packed;
	struct buf whole = { 0 };
	unsigned char *data;

	if (!compressor)
		return err_set(err, -ENOMEM, "compressing the frames: out of memory");
	(void)buf_append(&whole, parts[0].data, parts[0].len);
	(void)buf_append(&whole, parts[1].data, parts[1].len);
	room = libdeflate_zlib_compress_bound(compressor, len);
	data = mem_alloc(room);
	packed = libdeflate_zlib_compress(compressor, whole.data, len, data, room);
	if (packed)
		put_base64(ret, data, packed);
	free(data);
	buf_done(&whole);
	libdeflate_free_compressor(compressor);
	return packed ? 0 : err_set(err, -EIO, "compressing the frames failed");
}

int flame_pack_bytes(const struct buf *head, const struct buf *body, struct buf *ret,
		     struct err *err)
{
	return deflate_into(6, (struct buf[]){ *head, *body }, ret, err);
}

int flame_pack_write(const struct flame_pack *pack, struct buf *ret, struct err *err)
{
	struct packer p = { .pack = pack, .tree = pack->tree };
	struct buf head = { 0 };
	int r;

	sort_strings(&p);
	sort_labels(&p);
	put_strings(&p);
	put_labels(&p);
	put_edges(&p);
	put_shape(&p);
	put_weights(&p, NULL);
	if (pack->tree->other)
		put_weights(&p, pack->tree->other);
	put_columns(&p);
	if (pack->tree->parts) {
		flame_parts_put(pack->tree->parts, &p.section);
		end_section(&p);
	}
	put_lines(&p);
	put_source(&p);
	put_info(&p, &head);
	r = deflate_into(pack->quick ? 1 : 6, (struct buf[]){ head, p.out }, ret, err);
	free(p.strings);
	free(p.string_rank);
	free(p.labels);
	free(p.label_rank);
	map_done(&p.edges);
	buf_done(&p.section);
	buf_done(&p.out);
	buf_done(&head);
	return r;
}
