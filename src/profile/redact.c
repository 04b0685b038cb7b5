/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See redact.h. Strings are replaced by their role. A pseudonym is a word and the number of the
 * string among those of its kind, in the order in which they were met. */
#include "profile/redact.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

#define COMM_MAX   15 /* the kernel's names of threads */
#define SUFFIX_MAX 6
#define MOST_BLANK 1024
#define NAME_PARTS 6 /* of names of users and hosts: "web-1.example.org" */

enum kind { KIND_USER, KIND_HOST, KIND_FOLDER, KIND_FILE, KIND_ARGUMENT, KIND_COUNT };

enum role { ROLE_TEXT, ROLE_PATH, ROLE_COMM, ROLE_HOST, ROLE_ARGUMENT, ROLE_COUNT };

static const char *const kind_word[KIND_COUNT] = { "user", "host", "folder", "file", "arg" };

/* The maps are by the hash of a string. */
struct redaction {
	struct map number[KIND_COUNT];
	struct map name;   /* users and hosts: the kind */
	struct map system; /* names of files that are kept */
	struct map begin; /* of names of files and arguments, as threads have them: their strings */
	VEC(string_id) blank; /* paths with characters that else end one */
	struct strtab *strings;
};

struct redaction *redaction_new(void)
{
	struct redaction *redaction = mem_zalloc(sizeof(*redaction));

	redaction->strings = strtab_new();
	return redaction;
}

void redaction_free(struct redaction *redaction)
{
	if (!redaction)
		return;
	for (size_t i = 0; i < KIND_COUNT; i++)
		map_done(&redaction->number[i]);
	map_done(&redaction->name);
	map_done(&redaction->system);
	map_done(&redaction->begin);
	vec_done(&redaction->blank);
	strtab_free(redaction->strings);
	free(redaction);
}

static void put(struct buf *out, const char *s, size_t len)
{
	(void)buf_append(out, s, len); /* strings of a profile are far below the limit */
}

static void put_pseudonym(struct redaction *r, enum kind kind, const char *s, size_t len,
			  struct buf *out)
{
	bool added;
	uint64_t *number = map_add(&r->number[kind], hash_bytes(s, len), &added);

	if (added)
		*number = r->number[kind].count;
	(void)buf_printf(out, "%s-%llu", kind_word[kind], (unsigned long long)*number);
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Files of the distribution have public names. */
static bool is_system(const char *path, size_t len)
{
	static const char *const inside[] = { "/usr/", "/lib/",	 "/lib64/", "/lib32/",
					      "/bin/", "/sbin/", "/dev/" };

	if (len > 10 && strncmp(path, "/usr/local", 10) == 0)
		return false;
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		if (len > strlen(inside[i]) && strncmp(path, inside[i], strlen(inside[i])) == 0)
			return true;
	return false;
}

/* The longest name of up to NAME_PARTS words that starts here. */
static size_t find_name(const struct redaction *r, const char *s, size_t len, enum kind *ret)
{
	size_t end = 0, found = 0;
	uint64_t kind;

	for (unsigned parts = 0; parts < NAME_PARTS && end < len; parts++) {
		while (end < len && is_word(s[end]))
			end++;
		if (map_get(&r->name, hash_bytes(s, end), &kind)) {
			found = end;
			*ret = (enum kind)kind;
		}
		if (end < len && !isspace((unsigned char)s[end]))
			end++;
	}
	return found;
}

/* False: it has no pseudonym. */
static bool put_thread(const struct redaction *r, const char *name, size_t len, struct buf *out)
{
	uint64_t hash = hash_bytes(name, len), id;

	if (map_get(&r->system, hash, &id) || !map_get(&r->begin, hash, &id))
		return false;
	return !buf_puts(out, strtab_get(r->strings, (string_id){ (uint32_t)id }));
}

static void put_names(struct redaction *r, const char *s, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len;) {
		bool begins = is_word(s[i]) && (!i || !is_word(s[i - 1]));
		enum kind kind = KIND_USER;
		size_t found = begins && r->name.count ? find_name(r, s + i, len - i, &kind) : 0;

		if (found && kind == KIND_FILE && i && s[i - 1] == '=')
			put_thread(r, s + i, found, out);
		else if (found && kind != KIND_FILE)
			put_pseudonym(r, kind, s + i, found, out);
		else
			put(out, s + i, found = found ? found : 1);
		i += found;
	}
}

/* The start of a suffix such as ".so.6" or ".js", which shows the file's type. */
static size_t find_suffix(const char *name, size_t len)
{
	const char *shared = memmem(name, len, ".so", 3);
	size_t at = len;

	if (shared && shared > name && len - (size_t)(shared - name) <= 2 * SUFFIX_MAX)
		return (size_t)(shared - name);
	while (at && isalnum((unsigned char)name[at - 1]))
		at--;
	return at > 1 && name[at - 1] == '.' && len - at < SUFFIX_MAX ? at - 1 : len;
}

/* A thread of this name has the pseudonym of the file or the argument. */
static void keep_begin(struct redaction *r, const char *pseudonym, const char *name, size_t len)
{
	bool added;
	uint64_t hash = hash_bytes(name, len < COMM_MAX ? len : COMM_MAX);
	uint64_t *id = map_add(&r->begin, hash, &added);

	if (added)
		*id = strtab_puts(r->strings, pseudonym).v;
}

static void put_file(struct redaction *r, const char *name, size_t len, struct buf *out)
{
	size_t suffix = find_suffix(name, len);
	size_t at = out->len;

	put_pseudonym(r, KIND_FILE, name, len, out);
	keep_begin(r, out->data + at, name, len);
	put(out, name + suffix, len - suffix);
}

static void put_path(struct redaction *r, const char *path, size_t len, struct buf *out)
{
	static const char deleted[] = " (deleted)";
	size_t tail = sizeof(deleted) - 1, name = len;

	if (len > tail && memcmp(path + len - tail, deleted, tail) == 0)
		len -= tail;
	else
		tail = 0;
	name = len;
	while (name && !is_separator(path[name - 1]))
		name--;
	if (name && path[0] == '/')
		put(out, "/", 1);
	if (name > 1) {
		put_pseudonym(r, KIND_FOLDER, path, name - 1, out);
		put(out, "/", 1);
	}
	if (is_system(path, len)) {
		map_set(&r->system, hash_bytes(path + name, len - name), 1);
		put_names(r, path + name, len - name, out);
	} else if (name < len) {
		put_file(r, path + name, len - name, out);
	}
	put(out, deleted, tail);
}

static bool ends_path(char c)
{
	return isspace((unsigned char)c) || strchr("\"'`()<>[]{}|;,:", c);
}

/* The length of a path that begins here, 0 = none. Absolute ones, "~/", "./" and "C:\", and those
 * before the number of a line. */
static size_t find_path(const char *s, size_t at, size_t len)
{
	const char *p = s + at;
	size_t left = len - at, end, drive = 0;
	bool separated = false, rooted;

	if (at && (is_word(p[-1]) || strchr("_.)]>*&/\\", p[-1])) && !(p[-1] == '/' && *p == '/'))
		return 0;
	if (strncmp(p, "//", 2) == 0)
		return 0;
	if (left > 3 && isalpha((unsigned char)p[0]) && p[1] == ':' && p[2] == '\\')
		drive = 2;
	for (end = drive; end < left && !ends_path(p[end]); end++)
		separated |= is_separator(p[end]);
	rooted = drive || *p == '/' || strncmp(p, "~/", 2) == 0 || strncmp(p, "./", 2) == 0 ||
		 strncmp(p, "../", 3) == 0;
	if (!separated || end < 2 || !(is_word(p[end - 1]) || strchr("_+-~", p[end - 1])))
		return 0;
	if (rooted)
		return end;
	return end + 1 < left && p[end] == ':' && isdigit((unsigned char)p[end + 1]) ? end : 0;
}

/* The length of a known path with blanks that begins here, 0 = none. */
static size_t find_blank(const struct redaction *r, const char *s, size_t len)
{
	size_t longest = 0;

	for (size_t i = 0; *s == '/' && i < r->blank.count; i++) {
		const char *path = strtab_get(r->strings, r->blank.item[i]);
		size_t bytes = strlen(path);

		if (bytes > longest && bytes <= len && memcmp(s, path, bytes) == 0)
			longest = bytes;
	}
	return longest;
}

/* The length of a script's name without a folder, as in "function@script.py"; 0 = none. Those of
 * the system are not known to be that here. */
static size_t find_script(const struct redaction *r, const char *s, size_t at, size_t len)
{
	static const char *const suffixes[] = { ".py", ".rb", ".js", ".php", ".lua", ".pl" };
	size_t end = at, suffix;
	uint64_t value;

	if (!at || s[at - 1] != '@')
		return 0;
	while (end < len && !ends_path(s[end]) && !is_separator(s[end]) && s[end] != '+')
		end++;
	suffix = find_suffix(s + at, end - at);
	if (map_get(&r->system, hash_bytes(s + at, end - at), &value))
		return 0;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (end - at - suffix == strlen(suffixes[i]) &&
		    memcmp(s + at + suffix, suffixes[i], end - at - suffix) == 0)
			return end - at;
	return 0;
}

static void put_text(struct redaction *r, const char *s, size_t len, struct buf *out)
{
	size_t done = 0;

	for (size_t i = 0; i < len;) {
		bool begins = !i || !is_word(s[i - 1]);
		size_t path = begins ? find_blank(r, s + i, len - i) : 0;
		size_t script = find_script(r, s, i, len);

		if (script) {
			put_names(r, s + done, i - done, out);
			put_file(r, s + i, script, out);
			i += script;
			done = i;
			continue;
		}

		if (begins && !path)
			path = find_path(s, i, len);
		if (path) {
			put_names(r, s + done, i - done, out);
			put_path(r, s + i, path, out);
			done = i + path;
		}
		i += path ? path : 1;
	}
	put_names(r, s + done, len - done, out);
}

void redaction_put_path(struct redaction *redaction, const char *path, struct buf *ret)
{
	size_t len = strlen(path);

	/* "[vdso]", "[ext4]", "//anon" are not files */
	if (!len || path[0] == '[' || strncmp(path, "//anon", 6) == 0)
		put_names(redaction, path, len, ret);
	else
		put_path(redaction, path, len, ret);
}

void redaction_put_text(struct redaction *redaction, const char *text, struct buf *ret)
{
	put_text(redaction, text, strlen(text), ret);
}

static void add_name(struct redaction *r, enum kind kind, const char *name, size_t len)
{
	static const char *const nobody[] = { "root", "localhost" };
	bool added;
	uint64_t *value;

	for (size_t i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++)
		if (len == strlen(nobody[i]) && memcmp(name, nobody[i], len) == 0)
			return;
	if (!len)
		return;
	value = map_add(&r->name, hash_bytes(name, len), &added);
	if (added)
		*value = kind;
}

void redaction_add_user(struct redaction *redaction, const char *name)
{
	if (name)
		add_name(redaction, KIND_USER, name, strlen(name));
}

/* Folders of users contain their names. */
static void learn_users(struct redaction *r, const char *text)
{
	static const char *const homes[] = { "/home/", "/Users/", "\\Users\\" };

	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++)
		for (const char *p = text; (p = strstr(p, homes[i]));) {
			p += strlen(homes[i]);
			add_name(r, KIND_USER, p, strcspn(p, "/\\ \t:;,()\"'"));
		}
}

void redaction_add_host(struct redaction *redaction, const char *name)
{
	if (!name)
		return;
	add_name(redaction, KIND_HOST, name, strlen(name));
	add_name(redaction, KIND_HOST, name, strcspn(name, "."));
}

void redaction_add_path(struct redaction *redaction, const char *path)
{
	struct buf pseudonym = { 0 };
	const char *name = strrchr(path, '/');
	size_t len = strlen(path), end = 0;

	learn_users(redaction, path);
	redaction_put_path(redaction, path, &pseudonym);
	buf_done(&pseudonym);
	if (!name || path[0] != '/' || path[1] == '/')
		return;
	if (!is_system(path, len))
		add_name(redaction, KIND_FILE, name + 1, strnlen(name + 1, COMM_MAX));
	while (end < len && !ends_path(path[end]))
		end++;
	for (size_t i = 0; end < len && i < redaction->blank.count; i++)
		if (strcmp(path, strtab_get(redaction->strings, redaction->blank.item[i])) == 0)
			return;
	if (end < len && redaction->blank.count < MOST_BLANK)
		vec_push(&redaction->blank, strtab_puts(redaction->strings, path));
}

static void learn(struct redaction *r, const struct profile *profile)
{

	for (uint32_t i = 1; i < strtab_count(profile->strings); i++)
		learn_users(r, strtab_get(profile->strings, (string_id){ i }));
	redaction_add_host(r, profile_string(profile, profile->meta.hostname));
}

static void put_comm(struct redaction *r, const char *name, struct buf *out)
{
	if (!put_thread(r, name, strlen(name), out))
		put_text(r, name, strlen(name), out);
}

static void put_argument(struct redaction *r, const char *word, struct buf *out)
{
	const char *slash = strrchr(word, '/');

	put_pseudonym(r, KIND_ARGUMENT, word, strlen(word), out);
	slash = slash ? slash + 1 : word;
	keep_begin(r, out->data, slash, strlen(slash));
}

void redaction_put_command(struct redaction *redaction, const char *const *words, size_t count,
			   struct buf *ret)
{
	struct buf word = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_clear(&word);
		put_argument(redaction, words[i], &word);
		(void)buf_printf(ret, "%s%s", i ? " " : "", word.data);
	}
	buf_done(&word);
}

void redaction_put_comm(struct redaction *redaction, const char *name, struct buf *ret)
{
	put_comm(redaction, name, ret);
}

/* From the strings of a profile to those of the new one; each role has its own table, 0 = not yet.
 */
struct conversion {
	struct redaction *redaction;
	const struct strtab *from;
	struct strtab *to;
	uint32_t *done[ROLE_COUNT];
	struct buf text;
};

static void convert(struct conversion *c, enum role role, string_id *id)
{
	const char *s = strtab_get(c->from, *id);
	uint32_t *done = &c->done[role][id->v];

	if (id->v && !*done) {
		buf_clear(&c->text);
		switch (role) {
		case ROLE_PATH:
			redaction_put_path(c->redaction, s, &c->text);
			break;
		case ROLE_COMM:
			put_comm(c->redaction, s, &c->text);
			break;
		case ROLE_HOST:
			put_pseudonym(c->redaction, KIND_HOST, s, strlen(s), &c->text);
			break;
		case ROLE_ARGUMENT:
			put_argument(c->redaction, s, &c->text);
			break;
		default:
			put_text(c->redaction, s, strlen(s), &c->text);
			break;
		}
		*done = strtab_intern(c->to, c->text.data, c->text.len).v;
	}
	id->v = *done;
}

/* "PATH: cause": the path may have spaces. */
static void convert_problem(struct conversion *c, struct profile_module *module, string_id path)
{
	const char *problem = strtab_get(c->from, module->problem);
	const char *old = strtab_get(c->from, path);

	if (*old && strncmp(problem, old, strlen(old)) == 0) {
		buf_clear(&c->text);
		(void)buf_puts(&c->text, strtab_get(c->to, module->path));
		put_text(c->redaction, problem + strlen(old), strlen(problem) - strlen(old),
			 &c->text);
		module->problem = strtab_intern(c->to, c->text.data, c->text.len);
	} else {
		convert(c, ROLE_TEXT, &module->problem);
	}
}

static void convert_command(struct conversion *c, struct profile_meta *meta)
{
	struct buf line = { 0 };

	for (size_t i = 0; i < meta->words.count; i++) {
		convert(c, ROLE_ARGUMENT, &meta->words.item[i]);
		(void)buf_puts(&line, i ? " " : "");
		(void)buf_puts(&line, strtab_get(c->to, meta->words.item[i]));
	}
	if (line.len)
		meta->command = strtab_intern(c->to, line.data, line.len);
	else
		convert(c, ROLE_ARGUMENT, &meta->command);
	buf_done(&line);
}

/* Files first, because threads have their names. */
static void convert_all(struct conversion *c, struct profile *profile)
{
	struct profile_meta *meta = &profile->meta;

	for (size_t i = 0; i < profile->modules.count; i++) {
		struct profile_module *module = &profile->modules.item[i];
		string_id path = module->path;

		convert(c, ROLE_PATH, &module->path);
		convert_problem(c, module, path);
		convert(c, ROLE_TEXT, &module->remedy);
	}
	for (size_t i = 0; i < profile->frames.count; i++) {
		convert(c, ROLE_PATH, &profile->frames.item[i].file);
		convert(c, ROLE_TEXT, &profile->frames.item[i].function);
	}
	convert_command(c, meta);
	for (size_t i = 0; i < profile->threads.count; i++)
		convert(c, ROLE_COMM, &profile->threads.item[i].comm);
	for (size_t i = 0; i < profile->events.count; i++) {
		convert(c, ROLE_TEXT, &profile->events.item[i].name);
		convert(c, ROLE_TEXT, &profile->events.item[i].unit);
	}
	for (size_t i = 0; profile->keep & PROFILE_ADDR_IS_CGROUP && i < profile->samples.count;
	     i++) {
		string_id path = { (uint32_t)profile->samples.item[i].addr };

		convert(c, ROLE_PATH, &path);
		profile->samples.item[i].addr = path.v;
	}
	convert(c, ROLE_HOST, &meta->hostname);
	convert(c, ROLE_TEXT, &meta->os_release);
	convert(c, ROLE_TEXT, &meta->arch);
	convert(c, ROLE_TEXT, &meta->cpu_desc);
	convert(c, ROLE_TEXT, &meta->damage);
}

/* The fields that profile_merge() does not merge. */
static void take_rest(struct profile *profile, struct profile *from)
{
	struct profile_sample unfinished = profile->meta.unfinished;
	bool alike = profile->events.count == from->events.count;

	profile->meta = from->meta;
	profile->meta.unfinished = unfinished;
	memset(&from->meta.words, 0, sizeof(from->meta.words));
	for (size_t i = 0; alike && i < from->events.count; i++) {
		profile->events.item[i].measured = from->events.item[i].measured;
		profile->events.item[i].leader = from->events.item[i].leader;
	}
}

struct profile *profile_redact(struct redaction *redaction, struct profile *profile)
{
	struct profile *ret = profile_new(profile->keep);
	struct strtab *strings = profile->strings;
	struct conversion c = { .redaction = redaction, .from = strings, .to = ret->strings };

	learn(redaction, profile);
	for (size_t i = 0; i < ROLE_COUNT; i++)
		c.done[i] = mem_zalloc((strtab_count(strings) + 1) * sizeof(*c.done[i]));
	convert_all(&c, profile);
	/* all ids are of the new strings by now, and stay the same as both profiles have them */
	profile->strings = ret->strings;
	profile_merge(ret, profile);
	profile->strings = strings;
	take_rest(ret, profile);
	profile_free(profile);
	for (size_t i = 0; i < ROLE_COUNT; i++)
		free(c.done[i]);
	buf_done(&c.text);
	return ret;
}
