/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes among the events of -e: where one begins and ends. What they mean is the matter
 * of source/probe/probe_spec.h. */
#ifndef SOURCE_EVENT_SPEC_PROBE_TEXT_H
#define SOURCE_EVENT_SPEC_PROBE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* "probe:c:malloc", "uprobe:…", "uretprobe:…", "usdt:…". "probe:NAME", with or without modifiers
 * behind a colon, is a tracepoint that perf probe has made of a function of the kernel. Each may
 * have a name in front: "probe_libc:malloc=probe:c:malloc". */
bool probe_text_begins(const char *text);
/* Ends the text behind its name, if it has one, and returns the rest: the probe. */
const char *probe_text_split(char *text);
/* Up to a ',' or '}' that is not inside the brackets of a name such as map<int, char>::find(int).
 */
size_t probe_text_extent(const char *text);
/* Of a whole event, the place: up to the blank before what is to be read there. */
size_t probe_text_place(const char *text);

#endif
