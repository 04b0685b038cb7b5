/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw stacks by id (see raw_waits.h). The kernel part may refer to a stack repeatedly, until
 * another replaces it, which it reports. Even after that the end of a wait may arrive from another
 * CPU's ring, or with a thread that waits for a CPU. */
#include "source/bpf/raw_waits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "bpf/off_cpu.h"
#include "source/thread_stack.h"

#define BYTES_KEPT  ((size_t)64 << 20)
#define SWEEP_BYTES ((size_t)4 << 20)
#define KEPT_NS	    1000000000u /* after the kernel part has forgotten it */

struct raw_wait {
	uint64_t name;
	struct cpu_sample *data;
	size_t len;
	bool once;	  /* referenced only once */
	bool gone;	  /* not referenced any more */
	uint64_t gone_ns; /* the first round with that */
};

struct raw_waits {
	VEC(struct raw_wait) wait;
	struct map by_name;	   /* → index */
	size_t bytes, sweep_bytes; /* when there are more, threads that ended are looked for */
};

struct raw_waits *raw_waits_new(void)
{
	return mem_zalloc(sizeof(struct raw_waits));
}

void raw_waits_free(struct raw_waits *waits)
{
	if (!waits)
		return;
	for (size_t i = 0; i < waits->wait.count; i++)
		free(waits->wait.item[i].data);
	vec_done(&waits->wait);
	map_done(&waits->by_name);
	free(waits);
}

static struct raw_wait *find(const struct raw_waits *waits, uint64_t name)
{
	uint64_t index;

	return map_get(&waits->by_name, name, &index) ? &waits->wait.item[index] : NULL;
}

struct cpu_sample *raw_waits_find(struct raw_waits *waits, uint64_t name, size_t *ret_len)
{
	struct raw_wait *wait = find(waits, name);

	if (!wait)
		return NULL;
	wait->gone |= wait->once;
	*ret_len = wait->len;
	return wait->data;
}

/* Threads that ended wait no more. */
static void sweep(struct raw_waits *waits)
{
	for (size_t i = 0; i < waits->wait.count; i++) {
		struct raw_wait *wait = &waits->wait.item[i];

		if (!wait->gone && syscall(SYS_tgkill, wait->data->pid, wait->data->tid, 0))
			wait->gone = errno == ESRCH;
	}
}

/* Takes over data. */
static void keep(struct raw_waits *waits, struct raw_wait wait)
{
	if (find(waits, wait.name) || waits->bytes + wait.len > BYTES_KEPT) {
		free(wait.data); /* its sample will be counted as lost */
		return;
	}
	map_set(&waits->by_name, wait.name, waits->wait.count);
	vec_push(&waits->wait, wait);
	waits->bytes += wait.len;
}

void raw_waits_keep(struct raw_waits *waits, const struct cpu_sample *head, size_t len)
{
	const struct cpu_raw *raw = (const void *)(head + 1);
	struct raw_wait *before = head->base ? find(waits, head->base) : NULL;
	struct cpu_sample *data;

	if (before)
		before->gone = true;
	if (len < sizeof(*head) + sizeof(*raw))
		return;
	data = mem_alloc(len);
	memcpy(data, head, len);
	keep(waits, (struct raw_wait){ .name = raw->period, .data = data, .len = len });
}

/* Only the kernel's frames: a record of CPU_WALKED. */
static void keep_kernel_frames(struct raw_waits *waits, const struct off_cpu_open *open)
{
	size_t len = sizeof(open->head) + open->head.frames * sizeof(uint64_t);
	struct cpu_sample *data = mem_alloc(len);

	*data = open->head;
	data->kind = CPU_WALKED;
	memcpy(data + 1, open->kernel, open->head.frames * sizeof(uint64_t));
	keep(waits, (struct raw_wait){ open->raw.period, data, len, .once = true });
}

void raw_waits_keep_open(struct raw_waits *waits, const struct off_cpu_open *open)
{
	size_t frames_len = open->head.frames * sizeof(uint64_t), got = 0;
	size_t head_len = sizeof(open->head) + sizeof(open->raw) + frames_len;
	struct cpu_sample *data;

	if (open->head.frames > CPU_KERNEL_FRAMES)
		return;
	if (open->head.kind != CPU_RAW) {
		keep_kernel_frames(waits, open);
		return;
	}
	data = mem_alloc(head_len + THREAD_STACK_MOST);
	*data = open->head;
	memcpy(data + 1, &open->raw, sizeof(open->raw));
	memcpy((uint8_t *)data + head_len - frames_len, open->kernel, frames_len);
	got = thread_stack_read(open->head.pid, open->head.tid, ARCH_SP(&open->regs),
				open->stack_top, (uint8_t *)data + head_len);
	if (!got) {
		free(data);
		keep_kernel_frames(waits, open);
		return;
	}
	data = mem_realloc(data, head_len + got);
	keep(waits, (struct raw_wait){ open->raw.period, data, head_len + got, .once = true });
}

void raw_waits_round(struct raw_waits *waits, uint64_t now_ns)
{
	bool crowded = waits->bytes > BYTES_KEPT / 2;
	size_t kept = 0;

	if (waits->bytes > waits->sweep_bytes) {
		sweep(waits);
		waits->sweep_bytes = waits->bytes + SWEEP_BYTES;
	}
	for (size_t i = 0; i < waits->wait.count; i++) {
		struct raw_wait wait = waits->wait.item[i];

		if (wait.gone && !wait.gone_ns)
			wait.gone_ns = now_ns;
		if (wait.gone && (crowded || now_ns > wait.gone_ns + KEPT_NS)) {
			waits->bytes -= wait.len;
			free(wait.data);
		} else {
			waits->wait.item[kept++] = wait;
		}
	}
	if (kept == waits->wait.count)
		return;
	if (waits->sweep_bytes > waits->bytes + SWEEP_BYTES)
		waits->sweep_bytes = waits->bytes + SWEEP_BYTES;
	waits->wait.count = kept;
	map_done(&waits->by_name);
	waits->by_name = (struct map){ 0 };
	for (size_t i = 0; i < kept; i++)
		map_set(&waits->by_name, waits->wait.item[i].name, i);
}
