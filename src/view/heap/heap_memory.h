/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to view/heap/: memory besides the blocks. */
#ifndef VIEW_HEAP_HEAP_MEMORY_H
#define VIEW_HEAP_HEAP_MEMORY_H

struct buf;
struct heap_view;

/* Below the peak: resident memory then, and what it is made of. Nothing if it is not known. */
void heap_memory_text(const struct heap_view *view, struct buf *out);
void heap_memory_json(const struct heap_view *view, struct buf *out); /* ", name: {…}" */
/* A line for each runtime in the profile that keeps its objects elsewhere. */
void heap_runtimes_text(const struct heap_view *view, struct buf *out);

#endif
