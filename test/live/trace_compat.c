/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A 32-bit program: calls of the 32-bit kind with strings, structs and errors, between two of
 * getpgid(-7). It needs no library, so a compiler for 64-bit programs makes it with -m32. */
#include <stddef.h>

typedef unsigned int word;

/* Number and arguments: words one behind the other. */
int call(const word *words);
__asm__("call:\n"
	"	push %ebx\n	push %esi\n	push %edi\n	push %ebp\n"
	"	mov 20(%esp), %eax\n"
	"	mov 4(%eax), %ebx\n	mov 8(%eax), %ecx\n	mov 12(%eax), %edx\n"
	"	mov 16(%eax), %esi\n	mov 20(%eax), %edi\n	mov 24(%eax), %ebp\n"
	"	mov (%eax), %eax\n	int $0x80\n"
	"	pop %ebp\n	pop %edi\n	pop %esi\n	pop %ebx\n	ret\n");

#define CALL(...) call((const word[7]){ __VA_ARGS__ })
#define AT(x)	  ((word)(x))

enum {
	NR_EXIT = 1,
	NR_READ = 3,
	NR_WRITE = 4,
	NR_OPEN = 5,
	NR_CLOSE = 6,
	NR_UNLINK = 10,
	NR_ACCESS = 33,
	NR_PIPE = 42,
	NR_GETRLIMIT = 191,
	NR_GETTIMEOFDAY = 78,
	NR_SETITIMER = 104,
	NR_UNAME = 122,
	NR_GETPGID = 132,
	NR_SELECT = 142,
	NR_WRITEV = 146,
	NR_NANOSLEEP = 162,
	NR_POLL = 168,
	NR_SIGACTION = 174,
	NR_SIGPROCMASK = 175,
	NR_PREAD = 180,
	NR_SIGALTSTACK = 186,
	NR_MMAP2 = 192,
	NR_TRUNCATE64 = 193,
	NR_STAT64 = 195,
	NR_FSTAT64 = 197,
	NR_FCNTL64 = 221,
	NR_CLOCK_GETTIME = 265,
	NR_CLOCK_NANOSLEEP = 267,
	NR_OPENAT = 295,
	NR_UTIMENSAT = 320,
	NR_PRLIMIT64 = 340,
	NR_GETRANDOM = 355,
	NR_SOCKET = 359,
	NR_CONNECT = 362,
	NR_SENDMSG = 370,
	NR_CLOCK_NANOSLEEP64 = 407,
};

static void files(void)
{
	static char data[96];
	static word pair[2], parts[4] = { 0, 5, 0, 3 };
	int fd = CALL(NR_OPEN, AT("made"), 0102, 0640);

	CALL(NR_WRITE, (word)fd, AT("line\n\t\"quoted\"\\"), 15);
	CALL(NR_PREAD, (word)fd, AT(data), 5, 2, 0);
	parts[0] = AT("first");
	parts[2] = AT("and");
	CALL(NR_WRITEV, (word)fd, AT(parts), 2);
	CALL(NR_STAT64, AT("made"), AT(data));
	CALL(NR_FSTAT64, (word)fd, AT(data));
	CALL(NR_STAT64, AT("missing"), AT(data));
	CALL(NR_TRUNCATE64, AT("made"), 7, 0);
	CALL(NR_FCNTL64, (word)fd, 1);
	CALL(NR_UTIMENSAT, (word)-100, AT("made"), AT(((const word[4]){ 1, 2, 3, 4 })), 0);
	CALL(NR_CLOSE, (word)fd);
	CALL(NR_OPENAT, (word)-100, AT("missing"), 02000000);
	CALL(NR_OPENAT, (word)-100, 8, 0);
	CALL(NR_ACCESS, AT("made"), 4);
	CALL(NR_UNLINK, AT("made"));
	CALL(NR_PIPE, AT(pair));
	CALL(NR_READ, 9999, AT(data), 10);
}

static void times(void)
{
	static word time[4], limit[4];
	static const word none[2], little[4] = { 0, 1000000 }, wide[4] = { 0, 0, 1000 };

	CALL(NR_GETTIMEOFDAY, AT(time), 0);
	CALL(NR_NANOSLEEP, AT(little), 0);
	CALL(NR_CLOCK_GETTIME, 1, AT(time));
	CALL(NR_CLOCK_NANOSLEEP, 1, 0, AT(little), 0);
	CALL(NR_CLOCK_NANOSLEEP64, 1, 0, AT(wide), 0);
	CALL(NR_SELECT, 0, 0, 0, 0, AT(none));
	CALL(NR_POLL, 0, 0, 0);
	CALL(NR_SETITIMER, 0, AT(((const word[4]){ 0 })), AT(time));
	CALL(NR_GETRLIMIT, 3, AT(limit));
	CALL(NR_PRLIMIT64, 0, 3, 0, AT(limit));
}

static void others(void)
{
	static char data[400];
	static const struct {
		unsigned short family;
		char path[20];
	} local = { 1, "/nowhere/socket" };
	word part[2] = { 0, 2 }, message[7] = { 0, 0, 0, 1 };
	int fd = CALL(NR_SOCKET, 1, 02000001, 0);

	CALL(NR_CONNECT, (word)fd, AT(&local), 18);
	part[0] = AT("hi");
	message[2] = AT(part);
	CALL(NR_SENDMSG, (word)fd, AT(message), 0x4000);
	CALL(NR_UNAME, AT(data));
	CALL(NR_SIGACTION, 10, AT(((const word[5]){ 1, 0x10000000 })), AT(data), 8);
	CALL(NR_SIGPROCMASK, 0, AT(((const word[2]){ 1 << 9 })), AT(data), 8);
	CALL(NR_SIGALTSTACK, AT(((const word[3]){ AT(data), 0, 10 })), 0);
	CALL(NR_MMAP2, 0, 8192, 3, 042, (word)-1, 0);
	CALL(NR_GETRANDOM, 8, 16, 1);
}

void _start(void);
void _start(void)
{
	CALL(NR_GETPGID, (word)-7);
	files();
	times();
	others();
	CALL(NR_GETPGID, (word)-7);
	CALL(NR_EXIT, 3);
	__builtin_unreachable();
}
