/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which fields `cupel script` prints for which kind of event: perf script's -F. */
#ifndef SESSION_SCRIPT_FIELDS_H
#define SESSION_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct event_desc;
struct event_set;

/* Names as -F takes them. */
#define SCRIPT_FIELDS(X)                    \
	X(COMM, "comm")                     \
	X(TID, "tid")                       \
	X(PID, "pid")                       \
	X(TIME, "time")                     \
	X(CPU, "cpu")                       \
	X(EVENT, "event")                   \
	X(TRACE, "trace")                   \
	X(IP, "ip")                         \
	X(SYM, "sym")                       \
	X(DSO, "dso")                       \
	X(ADDR, "addr")                     \
	X(SYMOFF, "symoff")                 \
	X(SRCLINE, "srcline")               \
	X(PERIOD, "period")                 \
	X(IREGS, "iregs")                   \
	X(UREGS, "uregs")                   \
	X(BRSTACK, "brstack")               \
	X(BRSTACKSYM, "brstacksym")         \
	X(BRSTACKOFF, "brstackoff")         \
	X(DATA_SRC, "data_src")             \
	X(WEIGHT, "weight")                 \
	X(BPF_OUTPUT, "bpf-output")         \
	X(CALLINDENT, "callindent")         \
	X(SYNTH, "synth")                   \
	X(PHYS_ADDR, "phys_addr")           \
	X(MISC, "misc")                     \
	X(TOD, "tod")                       \
	X(DATA_PAGE_SIZE, "data_page_size") \
	X(CODE_PAGE_SIZE, "code_page_size") \
	X(INS_LAT, "ins_lat")               \
	X(RETIRE_LAT, "retire_lat")         \
	X(CGROUP, "cgroup")                 \
	X(FLAGS, "flags")                   \
	X(INSN, "insn")                     \
	X(INSNLEN, "insnlen")

enum script_field_bit {
#define SCRIPT_FIELD_BIT(id, name) SCRIPT_BIT_##id,
	SCRIPT_FIELDS(SCRIPT_FIELD_BIT)
#undef SCRIPT_FIELD_BIT
		SCRIPT_FIELD_COUNT
};

/* No field: paths are printed whole, so that they can get pseudonyms. */
#define SCRIPT_WHOLE_PATHS ((uint64_t)1 << 63)
#define SCRIPT_FIELD(id)   (1ull << SCRIPT_BIT_##id)

/* Kinds of events, PERF_TYPE_* and one for all others. */
enum { SCRIPT_KIND_OTHER = 6, SCRIPT_KINDS };

struct script_fields {
	struct {
		uint64_t fields; /* SCRIPT_FIELD() bits */
		uint64_t asked;	 /* those of them the user named */
		bool given;	 /* the user named all of them */
		bool given_kind; /* for this kind in particular */
	} kind[SCRIPT_KINDS];
};

void script_fields_init(struct script_fields *fields);
/* One -F value: "comm,ip", "+addr,-period", "trace:comm,trace". */
int script_fields_parse(struct script_fields *fields, const char *text, struct err *err);
/* Drops default fields that the events do not have; fields requested by the user must exist. The
 * first event of a kind decides. chains: call chains are printed. */
int script_fields_check(struct script_fields *fields, const struct event_set *events, bool chains,
			struct err *err);
/* What to print for this event. */
uint64_t script_fields_of(const struct script_fields *fields, const struct event_desc *desc);

#endif
