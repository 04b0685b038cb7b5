/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The note of a static probe (USDT) at a function, for other tools. Arguments are where this CPU
 * passes them. Format: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation */
#ifndef HEAP_PROBE_NOTE_H
#define HEAP_PROBE_NOTE_H

#include "heap/arch/heap_arch.h"

/* clang-format off */
#define PROBE_NOTE(provider, name, place, arguments)                              \
	__asm__(".pushsection .note.stapsdt, \"\", %note\n\t.balign 4\n\t"        \
		".4byte 992f - 991f, 994f - 993f, 3\n"                            \
		"991:\t.asciz \"stapsdt\"\n992:\t.balign 4\n"                     \
		"993:\t.8byte " place ", 0, 0\n\t"                                \
		".asciz \"" provider "\"\n\t.asciz \"" name "\"\n\t"              \
		".asciz \"" arguments "\"\n994:\t.balign 4\n\t.popsection\n")
/* clang-format on */

#endif
