/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other tools, of what a program did with memory. Pure functions of a profile that
 * heap_sum_up() has made, and of its summary. A sampled block is one block there, of the bytes that
 * it stands for: bytes are right on average, numbers of blocks are those of samples. */
#ifndef VIEW_HEAP_HEAP_EXPORT_H
#define VIEW_HEAP_HEAP_EXPORT_H

struct buf;
struct heap_view;

/* What heaptrack_print and heaptrack_gui read (format 3, not packed). */
void heap_heaptrack(const struct heap_view *view, struct buf *out);
/* What ms_print and massif-visualizer read. The tree is that of the peak. */
void heap_massif(const struct heap_view *view, struct buf *out);

#endif
