/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attr fields in words (see attr_text.h); the order of fields and names is perf's. */
#include "event/attr_text.h"

#include <linux/perf_event.h>

#include "base/buf.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct bit_name {
	uint64_t bit;
	const char *name;
};

#define SAMPLE_BIT(name)                  \
	{                                 \
		PERF_SAMPLE_##name, #name \
	}
#define BRANCH_BIT(name)                         \
	{                                        \
		PERF_SAMPLE_BRANCH_##name, #name \
	}
#define FORMAT_BIT(name)                  \
	{                                 \
		PERF_FORMAT_##name, #name \
	}

static const struct bit_name sample_bits[] = {
	SAMPLE_BIT(IP),
	SAMPLE_BIT(TID),
	SAMPLE_BIT(TIME),
	SAMPLE_BIT(ADDR),
	SAMPLE_BIT(READ),
	SAMPLE_BIT(CALLCHAIN),
	SAMPLE_BIT(ID),
	SAMPLE_BIT(CPU),
	SAMPLE_BIT(PERIOD),
	SAMPLE_BIT(STREAM_ID),
	SAMPLE_BIT(RAW),
	SAMPLE_BIT(BRANCH_STACK),
	SAMPLE_BIT(REGS_USER),
	SAMPLE_BIT(STACK_USER),
	SAMPLE_BIT(IDENTIFIER),
	SAMPLE_BIT(REGS_INTR),
	SAMPLE_BIT(DATA_SRC),
	SAMPLE_BIT(WEIGHT),
	SAMPLE_BIT(PHYS_ADDR),
	SAMPLE_BIT(AUX),
	SAMPLE_BIT(CGROUP),
	SAMPLE_BIT(DATA_PAGE_SIZE),
	SAMPLE_BIT(CODE_PAGE_SIZE),
	SAMPLE_BIT(WEIGHT_STRUCT),
	SAMPLE_BIT(TRANSACTION),
};

static const struct bit_name branch_bits[] = {
	BRANCH_BIT(USER),     BRANCH_BIT(KERNEL),     BRANCH_BIT(HV),	    BRANCH_BIT(ANY),
	BRANCH_BIT(ANY_CALL), BRANCH_BIT(ANY_RETURN), BRANCH_BIT(IND_CALL), BRANCH_BIT(ABORT_TX),
	BRANCH_BIT(IN_TX),    BRANCH_BIT(NO_TX),      BRANCH_BIT(COND),	    BRANCH_BIT(CALL_STACK),
	BRANCH_BIT(IND_JUMP), BRANCH_BIT(CALL),	      BRANCH_BIT(NO_FLAGS), BRANCH_BIT(NO_CYCLES),
	BRANCH_BIT(HW_INDEX), BRANCH_BIT(TYPE_SAVE),
};

static const struct bit_name format_bits[] = {
	FORMAT_BIT(TOTAL_TIME_ENABLED),
	FORMAT_BIT(TOTAL_TIME_RUNNING),
	FORMAT_BIT(ID),
	FORMAT_BIT(GROUP),
	FORMAT_BIT(LOST),
};

/* Where fields go, and whether all could be appended. */
struct writer {
	const char *before, *between;
	struct buf *buf;
	int failed;
};

static void put(struct writer *w, const char *name, const char *value)
{
	if (!w->failed)
		w->failed = buf_printf(w->buf, "%s%s%s%s", w->before, name, w->between, value);
}

static void put_number(struct writer *w, const char *name, uint64_t value)
{
	struct buf text = { 0 };

	if (!value)
		return;
	w->failed = buf_put_u64(&text, value);
	put(w, name, text.data);
	buf_done(&text);
}

static void put_hex(struct writer *w, const char *name, uint64_t value)
{
	struct buf text = { 0 };

	if (!value)
		return;
	w->failed = buf_printf(&text, "0x%llx", (unsigned long long)value);
	put(w, name, text.data);
	buf_done(&text);
}

static void put_bits(struct writer *w, const char *name, uint64_t value,
		     const struct bit_name *bits, size_t count)
{
	struct buf text = { 0 };

	if (!value)
		return;
	w->failed = buf_puts(&text, "");
	for (size_t i = 0; i < count; i++)
		if (value & bits[i].bit)
			w->failed |= buf_printf(&text, "%s%s", text.len ? "|" : "", bits[i].name);
	put(w, name, text.data);
	buf_done(&text);
}

static void put_flags(struct writer *w, const struct perf_event_attr *attr)
{
#define FLAG(name) put_number(w, #name, attr->name)
	FLAG(disabled);
	FLAG(inherit);
	FLAG(pinned);
	FLAG(exclusive);
	FLAG(exclude_user);
	FLAG(exclude_kernel);
	FLAG(exclude_hv);
	FLAG(exclude_idle);
	FLAG(mmap);
	FLAG(comm);
	FLAG(freq);
	FLAG(inherit_stat);
	FLAG(enable_on_exec);
	FLAG(task);
	FLAG(watermark);
	FLAG(precise_ip);
	FLAG(mmap_data);
	FLAG(sample_id_all);
	FLAG(exclude_host);
	FLAG(exclude_guest);
	FLAG(exclude_callchain_kernel);
	FLAG(exclude_callchain_user);
	FLAG(mmap2);
	FLAG(comm_exec);
	FLAG(use_clockid);
	FLAG(context_switch);
	FLAG(write_backward);
	FLAG(namespaces);
	FLAG(ksymbol);
	FLAG(bpf_event);
	FLAG(aux_output);
	FLAG(cgroup);
	FLAG(text_poke);
	FLAG(build_id);
	FLAG(inherit_thread);
	FLAG(remove_on_exec);
	FLAG(sigtrap);
#undef FLAG
}

int event_attr_text(const struct perf_event_attr *attr, const char *before, const char *between,
		    struct buf *ret)
{
	struct writer w = { before, between, ret, 0 };

	put_number(&w, "type", attr->type);
	put_number(&w, "size", attr->size);
	put_hex(&w, "config", attr->config);
	put_number(&w, "{ sample_period, sample_freq }", attr->sample_period);
	put_bits(&w, "sample_type", attr->sample_type, sample_bits, COUNT_OF(sample_bits));
	put_bits(&w, "read_format", attr->read_format, format_bits, COUNT_OF(format_bits));
	put_flags(&w, attr);
	put_number(&w, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	put_number(&w, "bp_type", attr->bp_type);
	put_hex(&w, "{ bp_addr, config1 }", attr->bp_addr);
	put_hex(&w, "{ bp_len, config2 }", attr->bp_len);
	put_bits(&w, "branch_sample_type", attr->branch_sample_type, branch_bits,
		 COUNT_OF(branch_bits));
	put_hex(&w, "sample_regs_user", attr->sample_regs_user);
	put_number(&w, "sample_stack_user", attr->sample_stack_user);
	put_number(&w, "clockid", (uint64_t)attr->clockid);
	put_hex(&w, "sample_regs_intr", attr->sample_regs_intr);
	put_number(&w, "aux_watermark", attr->aux_watermark);
	put_number(&w, "sample_max_stack", attr->sample_max_stack);
	put_number(&w, "aux_sample_size", attr->aux_sample_size);
	put_number(&w, "sig_data", attr->sig_data);
	return w.failed;
}
