/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints of interrupts, disks, networks and system calls (see sched_step_form.h).
 * Source of the names: events/SYSTEM/NAME/format in tracefs. */
#include "session/sched/sched_step_form.h"

#include <string.h>

#include "profile/sched/sched_spans.h"
#include "session/sched/sched_plan.h"

#define BEGINS	   .begins = true
#define ENDS	   .ends = true
#define NO_BYTES   .counts_no_bytes = true
#define NUMBER(is) .field[STEP_NUMBER] = (is)
#define PLACE(is)  .field[STEP_PLACE] = (is)
#define BYTES(is)  .field[STEP_VALUE] = (is)
#define NAME(is)   .field[STEP_NAME] = (is)

#define STEP(is, of_lane, does, ...)                                                      \
	{                                                                                 \
		.event = (is), .lane = SCHED_LANE_##of_lane, .doing = SCHED_DOING_##does, \
		__VA_ARGS__                                                               \
	}

/* An entry and an exit. */
#define CALL(of, call, does, fd, no_bytes)                                                        \
	STEP("syscalls:sys_enter_" call, CALLS, does, BEGINS, .counts_no_bytes = (no_bytes),      \
	     .name = (call), PLACE(fd), .number = (of)),                                          \
		STEP("syscalls:sys_exit_" call, CALLS, does, ENDS, .counts_no_bytes = (no_bytes), \
		     .name = (call), BYTES("ret"), .number = (of))

static const struct sched_step_form forms[] = {
	STEP("irq:irq_handler_entry", INTERRUPTS, INTERRUPT, BEGINS, NO_BYTES, NUMBER("irq"),
	     NAME("name")),
	STEP("irq:irq_handler_exit", INTERRUPTS, INTERRUPT, ENDS, NO_BYTES, NUMBER("irq")),
	STEP("irq:softirq_entry", INTERRUPTS, SOFT_INTERRUPT, BEGINS, NO_BYTES, NUMBER("vec")),
	STEP("irq:softirq_exit", INTERRUPTS, SOFT_INTERRUPT, ENDS, NO_BYTES, NUMBER("vec")),
	STEP("block:block_rq_issue", DISK, READ, BEGINS, NUMBER("dev"), PLACE("sector"),
	     BYTES("bytes"), NAME("rwbs")),
	STEP("block:block_rq_complete", DISK, READ, ENDS, NUMBER("dev"), PLACE("sector"),
	     NAME("rwbs")),
	STEP("net:net_dev_xmit", SENT, SEND, BEGINS, ENDS, BYTES("len"), NAME("name")),
	STEP("net:netif_receive_skb", RECEIVED, RECEIVE, BEGINS, ENDS, BYTES("len"), NAME("name")),
	CALL(0, "read", READ, "fd", false),
	CALL(1, "pread64", READ, "fd", false),
	CALL(2, "readv", READ, "fd", false),
	CALL(3, "preadv", READ, "fd", false),
	CALL(4, "preadv2", READ, "fd", false),
	CALL(5, "write", WRITE, "fd", false),
	CALL(6, "pwrite64", WRITE, "fd", false),
	CALL(7, "writev", WRITE, "fd", false),
	CALL(8, "pwritev", WRITE, "fd", false),
	CALL(9, "pwritev2", WRITE, "fd", false),
	CALL(10, "sync", SYNC, NULL, true),
	CALL(11, "syncfs", SYNC, "fd", true),
	CALL(12, "sync_file_range", SYNC, "fd", true),
	CALL(13, "fsync", SYNC, "fd", true),
	CALL(14, "fdatasync", SYNC, "fd", true),
	CALL(15, "msync", SYNC, NULL, true),
	CALL(16, "recvfrom", RECEIVE, "fd", false),
	CALL(17, "recvmsg", RECEIVE, "fd", false),
	CALL(18, "recvmmsg", RECEIVE, "fd", true), /* gives messages */
	CALL(19, "sendto", SEND, "fd", false),
	CALL(20, "sendmsg", SEND, "fd", false),
	CALL(21, "sendmmsg", SEND, "fd", true),
	CALL(22, "epoll_wait", WAIT, "epfd", true),
	CALL(23, "epoll_pwait", WAIT, "epfd", true),
	CALL(24, "epoll_pwait2", WAIT, "epfd", true),
	CALL(25, "poll", WAIT, NULL, true),
	CALL(26, "ppoll", WAIT, NULL, true),
	CALL(27, "select", WAIT, NULL, true),
	CALL(28, "pselect6", WAIT, NULL, true),
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
