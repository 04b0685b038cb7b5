/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames grouped to symbols (see report_symbol.h). */
#include "view/report/report_symbol.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"

static bool same_symbol(const struct report_symbol *a, const struct report_symbol *b)
{
	return a->module == b->module && a->function.v == b->function.v && a->start == b->start &&
	       a->inlined == b->inlined && a->kind == b->kind;
}

static uint64_t symbol_hash(const struct report_symbol *s)
{
	return hash_u64(hash_u64((uint64_t)s->module << 32 | s->function.v) ^ s->start) ^
	       hash_u64((uint64_t)s->kind << 1 | s->inlined);
}

static struct report_symbol symbol_of(const struct frame *frame)
{
	struct report_symbol symbol = { .module = frame->module,
					.kind = frame->kind,
					.function = frame->function,
					.inlined = frame->inlined,
					.pc = frame->pc };

	if (frame->function.v == STRING_EMPTY.v)
		symbol.start = frame->offset;
	else if (!frame->inlined) {
		symbol.start = frame->symbol_start;
		symbol.size = frame->symbol_end > frame->symbol_start
				      ? frame->symbol_end - frame->symbol_start
				      : 0;
	}
	return symbol;
}

void report_symbols_init(struct report_symbols *symbols, const struct profile *profile)
{
	struct map by_hash = { 0 };

	*symbols = (struct report_symbols){ .profile = profile };
	symbols->of_frame = mem_alloc(profile->frames.count * sizeof(*symbols->of_frame));
	for (size_t i = 0; i < profile->frames.count; i++) {
		struct report_symbol symbol = symbol_of(&profile->frames.item[i]);
		uint64_t key = symbol_hash(&symbol), *index;
		bool added;

		for (;; key++) { /* unequal symbols of one hash take the next keys */
			index = map_add(&by_hash, key, &added);
			if (added || same_symbol(&symbols->symbols.item[*index], &symbol))
				break;
		}
		if (added) {
			*index = symbols->symbols.count;
			vec_push(&symbols->symbols, symbol);
		}
		symbols->of_frame[i] = (uint32_t)*index;
	}
	map_done(&by_hash);
}

void report_symbols_done(struct report_symbols *symbols)
{
	vec_done(&symbols->symbols);
	free(symbols->of_frame);
}

void report_symbol_name(const struct report_symbols *symbols, uint32_t symbol, struct buf *ret)
{
	const struct report_symbol *s = &symbols->symbols.item[symbol];

	if (s->function.v == STRING_EMPTY.v) { /* "%#.16llx": 0 has no prefix */
		(void)buf_puts(ret, s->start ? "0x" : "");
		(void)buf_put_hex64(ret, s->start);
	} else {
		(void)buf_puts(ret, profile_string(symbols->profile, s->function));
	}
	if (s->inlined)
		(void)buf_puts(ret, " (inlined)");
}

const char *report_symbol_level(const struct report_symbol *symbol)
{
	switch (symbol->kind) {
	case FRAME_KERNEL:
		return "[k]";
	case FRAME_GUEST:
		return "[g]";
	case FRAME_HYPERVISOR:
		return "[H]";
	default:
		return "[.]";
	}
}

stack_id report_self_node(const struct profile *profile, stack_id leaf)
{
	while (leaf.v != STACK_EMPTY.v) {
		const struct stack_node *node = &profile->nodes.item[leaf.v];

		if (!profile->frames.item[node->frame.v].inlined)
			break;
		leaf = node->parent;
	}
	return leaf;
}
