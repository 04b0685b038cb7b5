/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints of interrupts, disks, networks and system calls (see sched_step_form.h).
 * Source of the names: events/SYSTEM/NAME/format in tracefs. */
#include "session/sched/sched_step_form.h"

#include <string.h>

#include "profile/sched/sched_spans.h"
#include "session/sched/sched_plan.h"

/* An entry and an exit. */
#define CALL(number, call, does, fd, no_bytes)                                                  \
	{ "syscalls:sys_enter_" call,                                                           \
	  SCHED_LANE_CALLS,                                                                     \
	  does,                                                                                 \
	  true,                                                                                 \
	  false,                                                                                \
	  no_bytes,                                                                             \
	  call,                                                                                 \
	  { NULL, fd, NULL, NULL },                                                             \
	  number },                                                                             \
	{                                                                                       \
		"syscalls:sys_exit_" call, SCHED_LANE_CALLS, does, false, true, no_bytes, call, \
			{ NULL, NULL, "ret", NULL }, number                                     \
	}

static const struct sched_step_form forms[] = {
	{ "irq:irq_handler_entry",
	  SCHED_LANE_INTERRUPTS,
	  SCHED_DOING_INTERRUPT,
	  true,
	  false,
	  true,
	  NULL,
	  { "irq", NULL, NULL, "name" },
	  0 },
	{ "irq:irq_handler_exit",
	  SCHED_LANE_INTERRUPTS,
	  SCHED_DOING_INTERRUPT,
	  false,
	  true,
	  true,
	  NULL,
	  { "irq", NULL, NULL, NULL },
	  0 },
	{ "irq:softirq_entry",
	  SCHED_LANE_INTERRUPTS,
	  SCHED_DOING_SOFT_INTERRUPT,
	  true,
	  false,
	  true,
	  NULL,
	  { "vec", NULL, NULL, NULL },
	  0 },
	{ "irq:softirq_exit",
	  SCHED_LANE_INTERRUPTS,
	  SCHED_DOING_SOFT_INTERRUPT,
	  false,
	  true,
	  true,
	  NULL,
	  { "vec", NULL, NULL, NULL },
	  0 },
	{ "block:block_rq_issue",
	  SCHED_LANE_DISK,
	  SCHED_DOING_READ,
	  true,
	  false,
	  false,
	  NULL,
	  { "dev", "sector", "bytes", "rwbs" },
	  0 },
	{ "block:block_rq_complete",
	  SCHED_LANE_DISK,
	  SCHED_DOING_READ,
	  false,
	  true,
	  false,
	  NULL,
	  { "dev", "sector", NULL, "rwbs" },
	  0 },
	{ "net:net_dev_xmit",
	  SCHED_LANE_SENT,
	  SCHED_DOING_SEND,
	  true,
	  true,
	  false,
	  NULL,
	  { NULL, NULL, "len", "name" },
	  0 },
	{ "net:netif_receive_skb",
	  SCHED_LANE_RECEIVED,
	  SCHED_DOING_RECEIVE,
	  true,
	  true,
	  false,
	  NULL,
	  { NULL, NULL, "len", "name" },
	  0 },
	CALL(0, "read", SCHED_DOING_READ, "fd", false),
	CALL(1, "pread64", SCHED_DOING_READ, "fd", false),
	CALL(2, "readv", SCHED_DOING_READ, "fd", false),
	CALL(3, "preadv", SCHED_DOING_READ, "fd", false),
	CALL(4, "preadv2", SCHED_DOING_READ, "fd", false),
	CALL(5, "write", SCHED_DOING_WRITE, "fd", false),
	CALL(6, "pwrite64", SCHED_DOING_WRITE, "fd", false),
	CALL(7, "writev", SCHED_DOING_WRITE, "fd", false),
	CALL(8, "pwritev", SCHED_DOING_WRITE, "fd", false),
	CALL(9, "pwritev2", SCHED_DOING_WRITE, "fd", false),
	CALL(10, "sync", SCHED_DOING_SYNC, NULL, true),
	CALL(11, "syncfs", SCHED_DOING_SYNC, "fd", true),
	CALL(12, "sync_file_range", SCHED_DOING_SYNC, "fd", true),
	CALL(13, "fsync", SCHED_DOING_SYNC, "fd", true),
	CALL(14, "fdatasync", SCHED_DOING_SYNC, "fd", true),
	CALL(15, "msync", SCHED_DOING_SYNC, NULL, true),
	CALL(16, "recvfrom", SCHED_DOING_RECEIVE, "fd", false),
	CALL(17, "recvmsg", SCHED_DOING_RECEIVE, "fd", false),
	CALL(18, "recvmmsg", SCHED_DOING_RECEIVE, "fd", true), /* gives messages */
	CALL(19, "sendto", SCHED_DOING_SEND, "fd", false),
	CALL(20, "sendmsg", SCHED_DOING_SEND, "fd", false),
	CALL(21, "sendmmsg", SCHED_DOING_SEND, "fd", true),
	CALL(22, "epoll_wait", SCHED_DOING_WAIT, "epfd", true),
	CALL(23, "epoll_pwait", SCHED_DOING_WAIT, "epfd", true),
	CALL(24, "epoll_pwait2", SCHED_DOING_WAIT, "epfd", true),
	CALL(25, "poll", SCHED_DOING_WAIT, NULL, true),
	CALL(26, "ppoll", SCHED_DOING_WAIT, NULL, true),
	CALL(27, "select", SCHED_DOING_WAIT, NULL, true),
	CALL(28, "pselect6", SCHED_DOING_WAIT, NULL, true),
};

/* As the kernel prints them. */
static const char *const vectors[] = {
	"HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU",
};

const struct sched_step_form *sched_step_form_find(const char *event)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(forms[i].event, event) == 0)
			return &forms[i];
	return NULL;
}

const struct sched_step_form *sched_step_form_at(size_t index)
{
	return index < sizeof(forms) / sizeof(*forms) ? &forms[index] : NULL;
}

void sched_step_make(const struct sched_step_form *form, const int64_t *number, const char *name,
		     size_t name_len, struct sched_step *ret)
{
	uint32_t vector = (uint32_t)number[STEP_NUMBER];

	*ret = (struct sched_step){ .lane = form->lane,
				    .begins = form->begins,
				    .ends = form->ends,
				    .doing = form->doing,
				    .number = form->field[STEP_NUMBER] ? vector : form->number,
				    .place = (uint64_t)number[STEP_PLACE],
				    .value = number[STEP_VALUE],
				    .name = form->name ? form->name : name,
				    .name_len = name_len };
	if (form->lane == SCHED_LANE_CALLS && form->begins && !form->field[STEP_PLACE])
		ret->place = UINT64_MAX; /* no file */
	if (form->counts_no_bytes && ret->value > 0)
		ret->value = 0;
	if (form->doing == SCHED_DOING_SOFT_INTERRUPT &&
	    vector < sizeof(vectors) / sizeof(*vectors))
		ret->name = vectors[vector];
	if (ret->name && ret->name != name)
		ret->name_len = strlen(ret->name);
}
