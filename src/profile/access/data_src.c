/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words for sources of data, as perf 6.1 spells them (see data_src.h). */
#include "profile/access/data_src.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A piece of text under construction. */
struct words {
	char *text;
	size_t size, len;
	const char *separator;
};

static void add_word(struct words *words, const char *word)
{
	int n = snprintf(words->text + words->len, words->size - words->len, "%s%s",
			 words->len ? words->separator : "", word);

	if (n > 0 && words->len + (size_t)n < words->size)
		words->len += (size_t)n;
}

/* The names of all set bits. */
static void add_bits(struct words *words, uint64_t bits, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bits >> i & 1)
			add_word(words, names[i]);
}

static void operation(const union perf_mem_data_src *src, struct words *words)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (src->mem_op >> i & 1) {
			add_word(words, names[i]);
			return;
		}
	add_word(words, "No");
}

static const char *level_number(unsigned number)
{
	switch (number) {
	case 0x8:
		return "Uncached";
	case 0x9:
		return "CXL";
	case 0xa:
		return "I/O";
	case 0xb:
		return "Any cache";
	case 0xc:
		return "LFB/MAB";
	case 0xd:
		return "RAM";
	case 0xe:
		return "PMEM";
	case 0xf:
		return "N/A";
	default:
		return NULL;
	}
}

/* What no "or" follows. */
static void put_before(struct words *words, const char *text)
{
	add_word(words, text);
	words->text += words->len;
	words->size -= words->len;
	words->len = 0;
}

/* Which level answered, how far away, then whether it was a hit. */
static void level(const union perf_mem_data_src *src, struct words *words)
{
	static const char *const names[] = {
		"N/A",
		"HIT",
		"MISS",
		"L1",
		"LFB/MAB",
		"L2",
		"L3",
		"Local RAM",
		"Remote RAM (1 hop)",
		"Remote RAM (2 hops)",
		"Remote Cache (1 hop)",
		"Remote Cache (2 hops)",
		"I/O",
		"Uncached",
	};
	static const char *const hops[] = { "", "core, same node", "node, same socket",
					    "socket, same board", "board" };
	uint64_t bits = src->mem_lvl & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS);
	struct words level = { .text = words->text, .size = words->size, .separator = " or " };
	char number[8];

	put_before(&level, src->mem_remote ? "Remote " : "");
	if (src->mem_hops && src->mem_hops < COUNT_OF(hops)) {
		put_before(&level, hops[src->mem_hops]);
		put_before(&level, " ");
	} else {
		add_bits(&level, bits, names, COUNT_OF(names));
	}
	if (src->mem_lvl_num) {
		const char *name = level_number(src->mem_lvl_num);

		(void)snprintf(number, sizeof(number), "L%u", (unsigned)src->mem_lvl_num);
		add_word(&level, name ? name : number);
	}
	if (!level.len)
		add_word(&level, "N/A");
	words->len = strlen(words->text);
	words->separator = " ";
	if (src->mem_lvl & PERF_MEM_LVL_HIT)
		add_word(words, "hit");
	if (src->mem_lvl & PERF_MEM_LVL_MISS)
		add_word(words, "miss");
}

static void snoop(const union perf_mem_data_src *src, struct words *words)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };

	add_bits(words, src->mem_snoop, names, COUNT_OF(names));
	add_bits(words, src->mem_snoopx, more, COUNT_OF(more));
	if (!words->len)
		add_word(words, "N/A");
}

static void translation(const union perf_mem_data_src *src, struct words *words)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	uint64_t bits = src->mem_dtlb & ~(uint64_t)(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS);

	add_bits(words, bits, names, COUNT_OF(names));
	if (!words->len)
		add_word(words, "N/A");
	words->separator = " ";
	if (src->mem_dtlb & PERF_MEM_TLB_HIT)
		add_word(words, "hit");
	if (src->mem_dtlb & PERF_MEM_TLB_MISS)
		add_word(words, "miss");
}

static void locked(const union perf_mem_data_src *src, struct words *words)
{
	add_word(words, src->mem_lock & PERF_MEM_LOCK_NA       ? "N/A"
			: src->mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes"
							       : "No");
}

/* Each word has a blank before it, as perf prints them. */
static void blocked(const union perf_mem_data_src *src, struct words *words)
{
	bool known = src->mem_blk && !(src->mem_blk & PERF_MEM_BLK_NA);

	words->separator = "";
	if (!known)
		add_word(words, " N/A");
	if (known && src->mem_blk & PERF_MEM_BLK_DATA)
		add_word(words, " Data");
	if (known && src->mem_blk & PERF_MEM_BLK_ADDR)
		add_word(words, " Addr");
}

uint64_t data_src_bits(uint64_t data_src, enum data_src_part part)
{
	const union perf_mem_data_src all = { .val = data_src };
	union perf_mem_data_src of = { .val = 0 };

	switch (part) {
	case DATA_SRC_OPERATION:
		of.mem_op = all.mem_op;
		break;
	case DATA_SRC_LEVEL:
		of.mem_lvl = all.mem_lvl;
		of.mem_lvl_num = all.mem_lvl_num;
		of.mem_remote = all.mem_remote;
		of.mem_hops = all.mem_hops;
		break;
	case DATA_SRC_SNOOP:
		of.mem_snoop = all.mem_snoop;
		of.mem_snoopx = all.mem_snoopx;
		break;
	case DATA_SRC_TLB:
		of.mem_dtlb = all.mem_dtlb;
		break;
	case DATA_SRC_LOCKED:
		of.mem_lock = all.mem_lock;
		break;
	case DATA_SRC_BLOCKED:
		of.mem_blk = all.mem_blk;
		break;
	default:
		break;
	}
	return of.val;
}

const char *data_src_text(uint64_t data_src, enum data_src_part part, char *text, size_t size)
{
	static void (*const put[DATA_SRC_PARTS])(const union perf_mem_data_src *src,
						 struct words *words) = {
		[DATA_SRC_OPERATION] = operation, [DATA_SRC_LEVEL] = level,
		[DATA_SRC_SNOOP] = snoop,	  [DATA_SRC_TLB] = translation,
		[DATA_SRC_LOCKED] = locked,	  [DATA_SRC_BLOCKED] = blocked,
	};
	const union perf_mem_data_src src = { .val = data_src };
	struct words words = { .text = text, .size = size, .separator = " or " };

	text[0] = '\0';
	put[part](&src, &words);
	return text;
}
