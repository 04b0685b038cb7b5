/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples carry besides a place: registers, memory accesses, branches, raw data; spelled as
 * perf script 6.1 does. Bits of data_src: union perf_mem_data_src in perf_event.h. */
#include <stdio.h>
#include <string.h>

#include "event/desc.h"
#include "session/script/script_private.h"

#define F(id)		SCRIPT_FIELD(id)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Page faults and memory events give data addresses that perf names. */
static bool address_has_symbol(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

void script_put_address(struct buf *out, uint64_t fields, const struct replay_sample *sample)
{
	const struct event *event = sample->event;
	struct replay_frame frame;

	(void)buf_printf(out, "%16llx", (unsigned long long)event->sample.addr);
	if (!address_has_symbol(&event->desc->attr) || !(fields & (F(SYM) | F(DSO))))
		return;
	replay_resolve(sample, event->sample.addr, &frame);
	if (fields & F(SYM)) {
		(void)buf_putc(out, ' ');
		script_put_symbol(out, fields, &frame);
	}
	if (fields & F(DSO))
		script_put_module(out, &frame);
}

/* A piece of text under construction. */
struct words {
	char text[256];
	size_t len;
	const char *separator;
};

static void add_word(struct words *words, const char *word)
{
	int n = snprintf(words->text + words->len, sizeof(words->text) - words->len, "%s%s",
			 words->len ? words->separator : "", word);

	if (n > 0 && words->len + (size_t)n < sizeof(words->text))
		words->len += (size_t)n;
}

/* The names of all set bits. */
static void add_bits(struct words *words, uint64_t bits, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bits >> i & 1)
			add_word(words, names[i]);
}

static const char *operation(uint64_t op)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (op >> i & 1)
			return names[i];
	return "No";
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

/* Which level answered, then whether it was a hit. */
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
	uint64_t bits = src->mem_lvl & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS);
	char number[8];

	add_bits(words, bits, names, COUNT_OF(names));
	if (src->mem_lvl_num) {
		const char *name = level_number(src->mem_lvl_num);

		(void)snprintf(number, sizeof(number), "L%u", (unsigned)src->mem_lvl_num);
		add_word(words, name ? name : number);
	}
	if (!words->len)
		add_word(words, "N/A");
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

void script_put_data_src(struct script *script, uint64_t data_src)
{
	const union perf_mem_data_src src = { .val = data_src };
	struct words lvl = { .separator = " or " }, snp = { .separator = " or " };
	struct words tlb = { .separator = " or " };
	const char *lock = src.mem_lock & PERF_MEM_LOCK_NA	 ? "N/A"
			   : src.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes"
								 : "No";
	const char *blocked = !src.mem_blk || (src.mem_blk & PERF_MEM_BLK_NA) ? " N/A" : "";
	char text[512];
	int len;

	level(&src, &lvl);
	snoop(&src, &snp);
	translation(&src, &tlb);
	len = snprintf(text, sizeof(text), "%16llx |OP %s|LVL %s|SNP %s|TLB %s|LCK %s|BLK %s%s%s",
		       (unsigned long long)data_src, operation(src.mem_op), lvl.text, snp.text,
		       tlb.text, lock, blocked,
		       src.mem_blk & PERF_MEM_BLK_DATA && !*blocked ? " Data" : "",
		       src.mem_blk & PERF_MEM_BLK_ADDR && !*blocked ? " Addr" : "");
	/* Columns keep the width of the widest so far. */
	if (len > script->data_src_width)
		script->data_src_width = len;
	(void)buf_printf(&script->out, "%-*s", script->data_src_width, text);
}

static const char *register_name(const char *arch, unsigned number, char *text, size_t size)
{
	static const char *const x86[] = {
		"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",	 "FLAGS", "CS",	 "SS",
		"DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",	  "R14", "R15"
	};

	static const char *const arm64_last[] = { "lr", "sp", "pc" };
	bool arm64 = arch && strcmp(arch, "aarch64") == 0;

	if (arm64 && number >= 30 && number < 33)
		return arm64_last[number - 30];
	if ((!arch || strncmp(arch, "x86", 3) == 0) && number < COUNT_OF(x86))
		return x86[number];
	(void)snprintf(text, size, "%c%u", arm64 ? 'x' : 'r', number);
	return text;
}

void script_put_registers(struct buf *out, const char *arch, uint64_t abi, uint64_t mask,
			  const uint64_t *value)
{
	char text[16];

	(void)buf_printf(out, " ABI:%llu ", (unsigned long long)abi);
	for (unsigned number = 0; value && number < 64; number++)
		if (mask >> number & 1)
			(void)buf_printf(out, "%5s:0x%llx ",
					 register_name(arch, number, text, sizeof(text)),
					 (unsigned long long)*value++);
}

static const char *branch_type(unsigned type)
{
	static const char *const names[] = { "-",	 "COND", "UNCOND",  "IND",    "CALL",
					     "IND_CALL", "RET",	 "SYSCALL", "SYSRET", "COND_CALL",
					     "COND_RET", "ERET", "IRQ",	    "SERROR", "NO_TX" };

	return type < COUNT_OF(names) ? names[type] : "-";
}

static void put_branch_end(struct buf *out, uint64_t fields, const struct replay_sample *sample,
			   uint64_t address)
{
	struct replay_frame frame;

	if (!(fields & (F(BRSTACKSYM) | F(BRSTACKOFF) | F(DSO)))) {
		(void)buf_printf(out, "0x%llx", (unsigned long long)address);
		return;
	}
	replay_resolve(sample, address, &frame);
	if (fields & F(BRSTACKSYM) && !(fields & F(BRSTACK)))
		script_put_symbol(out, fields | F(SYMOFF), &frame);
	else if (fields & F(BRSTACKOFF) && !(fields & F(BRSTACK)))
		(void)buf_printf(out, "0x%llx", (unsigned long long)frame.offset);
	else
		(void)buf_printf(out, "0x%llx", (unsigned long long)address);
	if (fields & F(DSO)) {
		struct buf name = { 0 };

		script_put_module(&name, &frame);
		(void)buf_puts(out, name.data + 1); /* no blank before it here */
		buf_done(&name);
	}
}

void script_put_branches(struct buf *out, uint64_t fields, const struct replay_sample *sample)
{
	const struct event_sample *s = &sample->event->sample;

	for (uint64_t i = 0; i < s->branch_len; i++) {
		const struct perf_branch_entry *entry = &s->branch[i];
		char predicted = entry->predicted ? 'P' : entry->mispred ? 'M' : '-';

		(void)buf_putc(out, ' ');
		put_branch_end(out, fields, sample, entry->from);
		(void)buf_putc(out, '/');
		put_branch_end(out, fields, sample, entry->to);
		(void)buf_printf(out, "/%c/%c/%c/%u/%s ", predicted, entry->in_tx ? 'X' : '-',
				 entry->abort ? 'A' : '-', (unsigned)entry->cycles,
				 branch_type(entry->type));
	}
}

/* A hex dump of 16 bytes per line, and the bytes as text when they are all printable. */
void script_put_bpf_output(struct buf *out, const struct event_sample *sample)
{
	const uint8_t *bytes = sample->raw;

	for (uint32_t at = 0; at < sample->raw_len; at += 16) {
		(void)buf_printf(out, "\n%17s %04x: ", at ? "" : "BPF output:", at);
		for (uint32_t i = at; i < at + 16; i++)
			if (i < sample->raw_len)
				(void)buf_printf(out, " %02x", bytes[i]);
			else
				(void)buf_puts(out, "   ");
		(void)buf_puts(out, "  ");
		for (uint32_t i = at; i < at + 16 && i < sample->raw_len; i++)
			(void)buf_putc(out,
				       bytes[i] >= ' ' && bytes[i] < 127 ? (char)bytes[i] : '.');
	}
	(void)buf_putc(out, '\n');
}

const char *script_page_size(uint64_t bytes, char *text, size_t size)
{
	static const char suffix[] = "BKMGTPE";
	size_t unit = 0;

	if (!bytes)
		return "N/A";
	while (bytes >= 1024 && bytes % 1024 == 0 && unit < 6) {
		bytes /= 1024;
		unit++;
	}
	(void)snprintf(text, size, "%llu%c", (unsigned long long)bytes, suffix[unit]);
	return text;
}
