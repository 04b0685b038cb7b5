/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of system calls (see syscall_choice.h). */
#include "source/syscall/syscall_choice.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "source/id_list.h"
#include "source/syscall/syscall_table.h"

#define WORD_SIZE 64

void syscall_choice_all(struct syscall_choice *choice)
{
	memset(choice->wanted, 1, sizeof(choice->wanted));
	choice->unknown = true;
}

bool syscall_choice_any(const struct syscall_choice *choice)
{
	return choice->unknown || memchr(choice->wanted, 1, sizeof(choice->wanted));
}

bool syscall_choice_accepts(const struct syscall_choice *choice, const struct syscall_line *line)
{
	uint32_t number = line->call & ~(SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);
	enum syscall_abi abi = line->call & SYSCALL_COMPAT_BIT ? SYSCALL_COMPAT : SYSCALL_NATIVE;
	bool failed = line->result < 0 && line->result >= -4095;

	if (choice->only_errors && !failed)
		return false;
	if (line->ns < choice->min_ns || (choice->min_ns && line->returns_never))
		return false;
	return number < SYSCALL_NUMBERS ? choice->wanted[abi][number] : choice->unknown;
}

static bool is_meant(const char *name, const char *word)
{
	enum syscall_class class;

	/* No call has the name of a class, so perf and strace take it without the sign, too. */
	if (word[0] == '%' || syscall_class_find(word, &class))
		return syscall_class_find(word + (word[0] == '%'), &class) &&
		       syscall_classes(name) & 1u << class;
	return strcmp(word, "all") == 0 || fnmatch(word, name, 0) == 0;
}

/* Sets or clears all that are meant. False: none are. */
static bool mark(struct syscall_choice *choice, const char *word, bool on)
{
	const char *text = word;
	bool found = false;
	int number;

	if (id_take(&text, SYSCALL_NUMBERS, &number) && !*text) {
		choice->wanted[SYSCALL_NATIVE][number] = on;
		return true;
	}
	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < syscall_numbers[abi].count; i++) {
			const char *name = syscall_numbers[abi].name[i];

			if (!name || !is_meant(name, word))
				continue;
			choice->wanted[abi][i] = on;
			found = true;
		}
	return found;
}

static int refuse(const char *word, struct err *err)
{
	const struct syscall_numbers *native = &syscall_numbers[SYSCALL_NATIVE];
	struct suggest suggest = { .word = word + (word[0] == '%') };
	char text[SUGGEST_MAX * WORD_SIZE];

	if (word[0] == '%')
		for (size_t i = 0; i < SYSCALL_CLASS_COUNT; i++)
			suggest_offer(&suggest, syscall_class_name((enum syscall_class)i));
	for (size_t i = 0; word[0] != '%' && i < native->count; i++)
		if (native->name[i])
			suggest_offer(&suggest, native->name[i]);
	(void)err_set(err, -EINVAL, "'%s': no such system call", word);
	if (*suggest_text(&suggest, text, sizeof(text)))
		(void)err_hint(err, "did you mean %s?", text);
	else
		(void)err_hint(err, "see the list: man cupel-trace");
	return err->code;
}

static int add_word(struct syscall_choice *choice, const char *word, size_t len, bool on,
		    struct err *err)
{
	char copy[WORD_SIZE];

	if (!len || len >= sizeof(copy))
		return err_set(err, -EINVAL, "'%.*s': no such system call", (int)len, word);
	memcpy(copy, word, len);
	copy[len] = '\0';
	return mark(choice, copy, on) ? 0 : refuse(copy, err);
}

int syscall_choice_add(struct syscall_choice *choice, const char *list, struct err *err)
{
	static const char prefix[] = "trace=";
	bool on = true;
	int code = 0;

	if (strncmp(list, prefix, strlen(prefix)) == 0)
		list += strlen(prefix);
	if (*list == '!') {
		on = false;
		list++;
	}
	if (!choice->given && on)
		memset(choice->wanted, 0, sizeof(choice->wanted));
	if (!choice->given)
		choice->unknown = !on;
	if (!choice->given && !on)
		syscall_choice_all(choice);
	choice->given = true;
	for (const char *at = list; !code; at++) {
		size_t len = strcspn(at, ",");

		code = add_word(choice, at, len, on, err);
		at += len;
		if (!*at)
			break;
	}
	return code;
}
