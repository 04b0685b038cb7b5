/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples carry besides a place: registers, memory accesses, branches, raw data; spelled as
 * perf script 6.1 does. */
#include <stdio.h>
#include <string.h>

#include "event/desc.h"
#include "profile/access/data_src.h"
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

void script_put_data_src(struct script *script, uint64_t data_src)
{
	char part[DATA_SRC_PARTS][DATA_SRC_TEXT], text[DATA_SRC_PARTS * DATA_SRC_TEXT];
	int len;

	for (unsigned i = 0; i < DATA_SRC_PARTS; i++)
		(void)data_src_text(data_src, (enum data_src_part)i, part[i], sizeof(part[i]));
	len = snprintf(text, sizeof(text), "%16llx |OP %s|LVL %s|SNP %s|TLB %s|LCK %s|BLK %s",
		       (unsigned long long)data_src, part[DATA_SRC_OPERATION], part[DATA_SRC_LEVEL],
		       part[DATA_SRC_SNOOP], part[DATA_SRC_TLB], part[DATA_SRC_LOCKED],
		       part[DATA_SRC_BLOCKED]);
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
