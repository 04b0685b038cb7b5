/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pseudonyms for what a profile says about people and machines, so that it can be shown to others:
 * names of users and of the host, folders and files, arguments of the command. Functions keep their
 * names, and so do the files of the system (libc.so.6), without their folders. One string has one
 * pseudonym in all profiles that share a redaction; which one is only known in memory. */
#ifndef PROFILE_REDACT_H
#define PROFILE_REDACT_H

#include <stddef.h>

struct buf;
struct profile;
struct redaction;

struct redaction *redaction_new(void);
void redaction_free(struct redaction *redaction); /* NULL is fine */
/* A user's name that is not in any path; NULL, "" and "root" are ignored. */
void redaction_add_user(struct redaction *redaction, const char *name);
void redaction_add_host(struct redaction *redaction, const char *name);
/* A path that a text may have: one with blanks is known there then, and a thread with the file's
 * name. Folders of users name them. */
void redaction_add_path(struct redaction *redaction, const char *path);
/* Appends the pseudonyms of a command's words. */
void redaction_put_command(struct redaction *redaction, const char *const *words, size_t count,
			   struct buf *ret);
/* Appends the name of a thread: a pseudonym if it is that of a file or word that has one. */
void redaction_put_comm(struct redaction *redaction, const char *name, struct buf *ret);
/* Appends a path, or a text with paths and names of users and hosts that are known by now, and
 * names of threads behind "=", as tracepoints have them. */
void redaction_put_path(struct redaction *redaction, const char *path, struct buf *ret);
void redaction_put_text(struct redaction *redaction, const char *text, struct buf *ret);
/* A profile with pseudonyms only; frees the other. The text of source lines is left out. */
struct profile *profile_redact(struct redaction *redaction, struct profile *profile);

#endif
