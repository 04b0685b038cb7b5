/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64: register numbering, and the few instruction sequences the unwinder recognises where code
 * comes without a table. Encodings: Intel SDM volume 2. */
#include <dwarf.h>
#include <string.h>

#include "unwind/arch/arch.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

/* Saved registers in the kernel's rt signal frame, from the stack pointer at the return stub:
 * struct ucontext of the kernel's uapi, uc_mcontext at 40. */
#define SIGNAL_BP 120
#define SIGNAL_SP 160
#define SIGNAL_PC 168

#define WORD 8

void arch_registers(uint64_t mask, const uint64_t *regs, struct unwind_registers *ret)
{
	/* enum perf_event_x86_regs → DWARF; -1 = flags and segments */
	static const int8_t dwarf[] = { 0,  3,	2,  1,	4, 5, 6,  7,  16, -1, -1, -1,
					-1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15 };

	*ret = (struct unwind_registers){ .known = 0 };
	for (; mask; mask &= mask - 1, regs++) {
		unsigned bit = (unsigned)__builtin_ctzll(mask);

		if (bit < sizeof(dwarf) && dwarf[bit] >= 0) {
			ret->value[dwarf[bit]] = *regs;
			ret->known |= 1u << dwarf[bit];
		}
	}
}

static size_t left(const struct arch_code *code)
{
	return (size_t)(code->end - code->at);
}

static bool has(const struct arch_code *code, const char *bytes, size_t len)
{
	return left(code) >= len && !memcmp(code->at, bytes, len);
}

/* Whether the bytes stand right before the pc. */
static bool follows(const struct arch_code *code, const char *bytes, size_t len)
{
	return (size_t)(code->at - code->start) >= len && !memcmp(code->at - len, bytes, len);
}

#define HAS(code, bytes)     has(code, bytes, sizeof(bytes) - 1)
#define FOLLOWS(code, bytes) follows(code, bytes, sizeof(bytes) - 1)

static struct unwind_rule from_sp(unsigned words)
{
	return (struct unwind_rule){ .cfa = UNWIND_SP,
				     .cfa_off = (int16_t)(words * WORD),
				     .ra_off = -WORD };
}

bool arch_signal_stub(const struct arch_code *code, struct unwind_rule *ret)
{
	bool wide = HAS(code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05"); /* mov $15,%rax; syscall */
	bool narrow = HAS(code, "\xb8\x0f\0\0\0\x0f\x05");	 /* mov $15,%eax; syscall */
	bool second = HAS(code, "\x0f\x05") &&
		      (FOLLOWS(code, "\x48\xc7\xc0\x0f\0\0\0") || FOLLOWS(code, "\xb8\x0f\0\0\0"));

	bool entered = FOLLOWS(code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05") || /* in the kernel */
		       FOLLOWS(code, "\xb8\x0f\0\0\0\x0f\x05");

	if (!wide && !narrow && !second && !entered)
		return false;
	*ret = (struct unwind_rule){ .cfa = UNWIND_SIGNAL,
				     .flags = UNWIND_EXACT,
				     .cfa_off = SIGNAL_SP,
				     .bp_off = SIGNAL_BP,
				     .ra_off = SIGNAL_PC };
	return true;
}

bool arch_after_syscall(const struct arch_code *code)
{
	return FOLLOWS(code, "\x0f\x05");
}

/* musl's clone: what the new thread's function returns to ends the thread by exit(2). */
bool arch_thread_start(const struct arch_code *code)
{
	struct arch_code at = *code;

	for (unsigned i = 0; i < 16 && at.at < at.end; i++, at.at++)
		if (HAS(&at, "\xb0\x3c\x0f\x05") || HAS(&at, "\xb8\x3c\0\0\0\x0f\x05"))
			return true;
	return false;
}

/* nop; call runtime.goexit1; nop — the return address is that of the call. */
bool arch_goroutine_exit(const struct arch_code *code)
{
	return FOLLOWS(code, "\x90") && HAS(code, "\xe8") && left(code) >= 6 && code->at[5] == 0x90;
}

/* call runtime.abort; ret, after a call: the target is int $3; jmp to itself. */
static bool morestack_goes_on(const struct arch_code *code)
{
	struct arch_code target = *code;
	int32_t distance;

	if (!HAS(code, "\xe8") || left(code) < 6 || code->at[5] != 0xc3)
		return false;
	memcpy(&distance, code->at + 1, sizeof(distance));
	if (distance < code->start - code->at || distance > code->end - code->at - 5)
		return false;
	target.at += 5 + distance;
	return HAS(&target, "\xcd\x03\xeb\xfe") || HAS(&target, "\xcc\xeb\xfe");
}

/* pop %rax; jmp runtime.badmcall2, after an indirect call; a nop may be first. */
static bool mcall_goes_on(const struct arch_code *code)
{
	return (HAS(code, "\x58\xe9") || HAS(code, "\x90\x58\xe9")) &&
	       code->at - code->start >= 2 && code->at[-2] == 0xff && (code->at[-1] & 0xf8) == 0xd0;
}

bool arch_go_switch(const struct arch_code *code)
{
	return morestack_goes_on(code) || mcall_goes_on(code);
}

/* syscall; test %rax,%rax; jl; je over the ret that follows */
bool arch_thread_begins(const struct arch_code *code)
{
	struct arch_code jump = { .start = code->start, .at = code->at + 5, .end = code->end };

	return arch_after_syscall(code) && HAS(code, "\x48\x85\xc0\x7c") && left(code) >= 8 &&
	       HAS(&jump, "\x74\x01\xc3");
}

/* push %rbp; jmp *%rbx, which enters the fiber's function; xor %rdi,%rdi; call _exit; hlt */
static bool fiber_exit(const struct arch_code *code)
{
	return FOLLOWS(code, "\x55\xff\xe3") && HAS(code, "\x48\x31\xff\xe8") && left(code) > 8 &&
	       code->at[8] == 0xf4;
}

/* glibc: mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi; je */
bool arch_context_exit(const struct arch_code *code)
{
	return fiber_exit(code) || HAS(code, "\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74");
}

bool arch_call_target(const struct arch_code *code, int64_t *relative)
{
	int32_t distance;

	if ((size_t)(code->at - code->start) < 5 || code->at[-5] != 0xe8)
		return false;
	memcpy(&distance, code->at - 4, sizeof(distance));
	*relative = distance;
	return true;
}

/* Length of FF /2 (call through register or memory) by its ModRM and SIB bytes; 0 = is not one. */
static size_t indirect_call_len(const uint8_t *at, size_t size)
{
	uint8_t mod, rm;
	size_t len = 2;

	if (size < 2 || at[0] != 0xff || (at[1] >> 3 & 7) != 2)
		return 0;
	mod = at[1] >> 6;
	rm = at[1] & 7;
	if (mod == 3)
		return len;
	if (rm == 4) {
		if (size < 3)
			return 0;
		rm = mod == 0 ? at[2] & 7 : rm;
		len++;
	}
	if (mod == 0)
		return rm == 5 ? len + 4 : len;
	return len + (mod == 1 ? 1 : 4);
}

bool arch_after_call(const struct arch_code *code)
{
	size_t before = (size_t)(code->at - code->start);

	if (before >= 5 && code->at[-5] == 0xe8)
		return true;
	for (size_t len = 2; len <= 7 && len <= before; len++)
		if (indirect_call_len(code->at - len, len) == len)
			return true;
	return false;
}

/* One of "pop register" and "add $n,%rsp"; 0 = something else. */
static size_t unwinding_len(const uint8_t *at, size_t size, int *reg, int32_t *add)
{
	*reg = -1;
	*add = WORD;
	if (size >= 1 && at[0] >= 0x58 && at[0] <= 0x5f) {
		*reg = at[0] - 0x58;
		return 1;
	}
	if (size >= 2 && at[0] == 0x41 && at[1] >= 0x58 && at[1] <= 0x5f) {
		*reg = at[1] - 0x58 + 8;
		return 2;
	}
	if (size >= 4 && at[0] == 0x48 && at[1] == 0x83 && at[2] == 0xc4) {
		*add = (int8_t)at[3];
		return 4;
	}
	if (size >= 7 && at[0] == 0x48 && at[1] == 0x81 && at[2] == 0xc4) {
		memcpy(add, at + 3, sizeof(*add));
		return 7;
	}
	return 0;
}

static bool is_return(const struct arch_code *code)
{
	return HAS(code, "\xc3") || HAS(code, "\xc2") || HAS(code, "\xf3\xc3") ||
	       HAS(code, "\xf2\xc3");
}

/* From here on only the stack is cleaned up before the return: pops and additions give the distance
 * to the return address. x86's push order and DWARF's agree on the frame pointer: 5 in
 * instructions. */
static bool sniff_epilogue(const struct arch_code *code, struct unwind_rule *ret)
{
	struct arch_code at = *code;
	int32_t depth = 0, add, bp = -1;
	int reg;

	if (HAS(&at, "\xc9\xc3")) { /* leave; ret */
		*ret = (struct unwind_rule){ .cfa = UNWIND_FP };
		return true;
	}
	for (unsigned i = 0; i < 10; i++) {
		size_t len = unwinding_len(at.at, left(&at), &reg, &add);

		if (!len)
			break;
		if (reg == 4 || add < 0)
			return false;
		if (reg == 5)
			bp = depth;
		depth += add;
		at.at += len;
		if (depth > INT16_MAX - WORD)
			return false;
	}
	if (!is_return(&at))
		return false;
	*ret = (struct unwind_rule){ .cfa = UNWIND_SP,
				     .cfa_off = (int16_t)(depth + WORD),
				     .ra_off = -WORD };
	if (bp >= 0) {
		ret->flags = UNWIND_BP_CFA;
		ret->bp_off = (int16_t)(bp - depth - WORD);
	}
	return true;
}

/* "mov n(%rsp),register": its length, or 0. */
static size_t reload_len(const struct arch_code *code)
{
	const uint8_t *at = code->at;

	if (left(code) < 5 || (at[0] != 0x48 && at[0] != 0x4c) || at[1] != 0x8b ||
	    (at[2] & 0x87) != 0x04 || at[3] != 0x24)
		return 0;
	return at[2] & 0x40 ? 5 : 4;
}

bool arch_go_entry(const struct arch_code *code, struct unwind_rule *ret)
{
	struct arch_code at = *code;
	size_t len;

	/* add $24,%rsp; mov (%rsp),%rbx */
	if (!arch_after_call(code) || !HAS(&at, "\x48\x83\xc4\x18\x48\x8b\x1c\x24"))
		return false;
	for (at.at += 4; (len = reload_len(&at)) != 0; at.at += len)
		;
	if (!sniff_epilogue(&at, ret) || ret->flags != UNWIND_BP_CFA)
		return false;
	ret->cfa_off += 24;
	return true;
}

/* "push register" or "sub $n,%rsp": its length, or 0. */
static size_t pushing_len(const uint8_t *at, size_t size, int *reg, int32_t *sub)
{
	*reg = -1;
	*sub = WORD;
	if (size >= 1 && at[0] >= 0x50 && at[0] <= 0x57) {
		*reg = at[0] - 0x50;
		return 1;
	}
	if (size >= 2 && at[0] == 0x41 && at[1] >= 0x50 && at[1] <= 0x57) {
		*reg = at[1] - 0x50 + 8;
		return 2;
	}
	if (size >= 4 && at[0] == 0x48 && at[1] == 0x83 && at[2] == 0xec) {
		*sub = (int8_t)at[3];
		return 4;
	}
	if (size >= 7 && at[0] == 0x48 && at[1] == 0x81 && at[2] == 0xec) {
		memcpy(sub, at + 3, sizeof(*sub));
		return 7;
	}
	return 0;
}

bool arch_prologue(const struct arch_code *code, bool returns, struct unwind_rule *ret)
{
	struct arch_code at = { .start = code->start, .at = code->start, .end = code->at };
	int32_t depth = 0, sub, bp = -1;
	size_t len;
	int reg;

	if (HAS(&at, "\xf3\x0f\x1e\xfa")) /* endbr64 */
		at.at += 4;
	for (; (len = pushing_len(at.at, left(&at), &reg, &sub)) && sub >= 0; at.at += len) {
		depth += sub;
		if (reg == 5)
			bp = depth;
		if (depth > INT16_MAX - WORD)
			return false;
	}
	if (!depth)
		return false;
	if (!returns && sniff_epilogue(code, ret))
		return true;
	*ret = (struct unwind_rule){ .cfa = UNWIND_SP,
				     .cfa_off = (int16_t)(depth + WORD),
				     .ra_off = -WORD };
	if (bp >= 0) {
		ret->flags = UNWIND_BP_CFA;
		ret->bp_off = (int16_t)(-WORD - bp);
	}
	return true;
}

/* Slots as ld and lld write them; all end in a jump through the GOT. */
static bool sniff_plt(const struct arch_code *code, struct unwind_rule *ret)
{
	bool pushed_index = (size_t)(code->at - code->start) >= 5 && code->at[-5] == 0x68;

	if (HAS(code, "\xff\x35")) /* slot 0: push the link map, then jump */
		*ret = from_sp(2);
	else if (HAS(code, "\xff\x25") && (size_t)(code->at - code->start) >= 6 &&
		 code->at[-6] == 0xff && code->at[-5] == 0x35)
		*ret = from_sp(3);
	else if (HAS(code, "\xff\x25") || HAS(code, "\xf2\xff\x25") || HAS(code, "\x68"))
		*ret = from_sp(1);
	else if ((HAS(code, "\xe9") || HAS(code, "\xf2\xe9")) && pushed_index)
		*ret = from_sp(2);
	else
		return false;
	return true;
}

static bool sets_bp(const struct arch_code *code)
{
	return HAS(code, "\x48\x89\xe5") || HAS(code, "\x48\x8b\xec"); /* mov %rsp,%rbp */
}

/* Whether mov %rsp,%rbp comes within an instruction after `skip` bytes: GCC's start files have a
 * comparison between the push and it. */
static bool sets_bp_soon(const struct arch_code *code, size_t skip)
{
	struct arch_code at = *code;

	for (unsigned i = 0; i < skip + 9 && at.at < at.end; i++, at.at++)
		if (i >= skip && sets_bp(&at))
			return true;
	return false;
}

/* At an instruction before push %rbp. The start files' destructor function first compares a byte
 * with 0 and jumps. */
static bool before_push_bp(const struct arch_code *code)
{
	bool compares = HAS(code, "\x80\x3d") && left(code) > 8 && code->at[6] == 0 &&
			code->at[7] == 0x75;
	bool jumps = HAS(code, "\x75") && left(code) > 2 && code->at[2] == 0x55 &&
		     sets_bp_soon(code, 3);

	return HAS(code, "\xf3\x0f\x1e\xfa") || /* endbr64 */
	       (HAS(code, "\x55") && sets_bp_soon(code, 1)) || compares || jumps;
}

static bool sniff_prologue(const struct arch_code *code, struct unwind_rule *ret)
{
	if (before_push_bp(code)) {
		*ret = from_sp(1);
		return true;
	}
	if (!sets_bp(code) && !(FOLLOWS(code, "\x55") && sets_bp_soon(code, 0)))
		return false;
	*ret = from_sp(2);
	ret->flags = UNWIND_BP_CFA;
	ret->bp_off = -2 * WORD;
	return true;
}

bool arch_sniff(const struct arch_code *code, struct unwind_rule *ret)
{
	return sniff_prologue(code, ret) || sniff_epilogue(code, ret) || sniff_plt(code, ret);
}

size_t arch_padding(const struct arch_code *code)
{
	const uint8_t *at = code->at;
	size_t len = 0, size = left(code);

	if (size && (*at == 0xcc || *at == 0x90 || *at == 0))
		return 1;
	while (len < size && (at[len] == 0x66 || at[len] == 0x2e)) /* prefixes without a meaning */
		len++;
	if (len && len < size && at[len] == 0x90)
		return len + 1;
	if (size - len < 8 || at[len] != 0x0f || at[len + 1] != 0x1f)
		return 0;
	switch (at[len + 2]) { /* nopw/nopl with the addresses that assemblers choose */
	case 0x00:
		return len + 3;
	case 0x40:
		return len + 4;
	case 0x44:
		return len + 5;
	case 0x80:
		return len + 7;
	case 0x84:
		return len + 8;
	default:
		return 0;
	}
}

/* The stub's syscall; rules hold from the byte before it (a return address less 1) to the
 * instruction after it. */
static bool stub_ends(const struct arch_code *code, const uint8_t *syscall, size_t *len)
{
	struct arch_code at = { .start = code->start, .at = syscall, .end = code->end };

	*len = FOLLOWS(&at, "\x48\xc7\xc0\x0f\0\0\0") ? 7 : 5;
	return HAS(&at, "\x0f\x05") && (*len == 7 || FOLLOWS(&at, "\xb8\x0f\0\0\0"));
}

/* Return addresses of runtime.goexit, morestack and mcall. */
static bool goroutine_ends(const struct arch_code *code)
{
	bool may = *code->at == 0xe8 || *code->at == 0x58 || *code->at == 0x90;

	return may && (arch_goroutine_exit(code) || arch_go_switch(code));
}

#define CALL_LEN 5

static bool go_is_entered(const struct arch_code *code, const uint8_t *call)
{
	struct arch_code at = { .start = code->start, .at = call + CALL_LEN, .end = code->end };
	struct unwind_rule ignored;

	return code->end - call > CALL_LEN && arch_go_entry(&at, &ignored);
}

bool arch_next_spot(struct arch_code *code, bool is_go, uint64_t *from, uint64_t *to)
{
	for (; code->at < code->end; code->at++) {
		uint64_t here = (uint64_t)(code->at - code->start);
		size_t len;

		if (*code->at == 0x0f && stub_ends(code, code->at, &len)) {
			*from = here > len ? here - len - 1 : 0;
			*to = here + 3;
		} else if (is_go && goroutine_ends(code)) {
			*from = here - 1; /* they look back at the call, so here > 0 */
			*to = here;
		} else if (is_go && *code->at == 0xe8 && go_is_entered(code, code->at)) {
			*from = here + CALL_LEN - 1;
			*to = here + CALL_LEN;
		} else {
			continue;
		}
		code->at += 2;
		return true;
	}
	return false;
}

/* rsp + 8 + ((rip & 15) >= n) * 8: a slot's second half has pushed its index. */
unsigned arch_plt_threshold(const uint8_t *expression, size_t len)
{
	static const uint8_t form[] = { DW_OP_breg0 + ARCH_DWARF_SP,
					8,
					DW_OP_breg0 + ARCH_DWARF_PC,
					0,
					DW_OP_lit0 + 15,
					DW_OP_and,
					DW_OP_lit0,
					DW_OP_ge,
					DW_OP_lit0 + 3,
					DW_OP_shl,
					DW_OP_plus };
	const size_t literal = 6; /* place of n */

	if (len != sizeof(form) || memcmp(expression, form, literal) ||
	    memcmp(expression + literal + 1, form + literal + 1, sizeof(form) - literal - 1) ||
	    expression[literal] < DW_OP_lit1 || expression[literal] > DW_OP_lit15)
		return 0;
	return expression[literal] - DW_OP_lit0;
}
