/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a user stack, read a window at a time, because a kilobyte costs hardly more than a
 * word. The includer defines UNWIND_CONTEXT first. */
#ifndef BPF_USER_WINDOW_BPF_H
#define BPF_USER_WINDOW_BPF_H

#include "bpf/cpu_state.bpf.h"
#include "bpf/subprogram.bpf.h"

#include "bpf/walk/unwind_lookup.h"

#include <bpf/bpf_helpers.h>

/* Below the requested address, because registers are saved below the return address. */
#define WINDOW_BELOW 128

/* Reads a window that begins a little below addr, or up to the end of its page when the next one is
 * not there. */
SUBPROGRAM int fill_window(struct walk *walk, uint64_t addr)
{
	uint64_t start = (addr - WINDOW_BELOW) & ~7ull;
	uint32_t len = WINDOW_BYTES;

	if (!walk)
		return -1;
	walk->window_start = start;
	walk->window_len = WINDOW_BYTES;
	if (!bpf_probe_read_user(walk->window, WINDOW_BYTES, (void *)start))
		return 0;
	len = 4096 - (uint32_t)(start & 4095);
	if (len > WINDOW_BYTES)
		len = WINDOW_BYTES; /* the window's own page is what is missing */
	walk->window_len = len;
	if (!bpf_probe_read_user(walk->window, len, (void *)start))
		return 0;
	walk->window_len = 0;
	return -1;
}

static __always_inline bool in_window(const struct walk *walk, uint64_t addr)
{
	uint64_t at = addr - walk->window_start;

	return at + 8 <= walk->window_len && !(at & 7) && at < WINDOW_BYTES;
}

static __always_inline uint64_t word_in_window(const struct walk *walk, uint64_t addr)
{
	uint64_t at = addr - walk->window_start;

	UNWIND_OPAQUE(at);
	at = at / 8 & (WINDOW_BYTES / 8 - 1);
	return walk->window[at];
}

/* Moves the window, or reads that word alone where the window cannot be. `ret` is written on
 * success. Reads are in many places: what is not in the window is read out of line. */
SUBPROGRAM int read_outside(struct walk *walk, uint64_t addr, uint64_t *ret)
{
	uint64_t word;

	if (!walk || !ret)
		return -1;
	if (!(addr & 7) && !fill_window(walk, addr) && in_window(walk, addr))
		word = word_in_window(walk, addr);
	else if (bpf_probe_read_user(&word, sizeof(word), (void *)addr))
		return -1;
	*ret = word;
	return 0;
}

static __always_inline int read_word(struct walk *walk, uint64_t addr, uint64_t *ret)
{
	uint64_t word = 0;

	if (in_window(walk, addr))
		word = word_in_window(walk, addr);
	else if (read_outside(walk, addr, &word))
		return -1;
	*ret = word;
	return 0;
}

#endif
