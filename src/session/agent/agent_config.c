/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels by rule (see agent_config.h). */
#include "session/agent/agent_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "store/selector.h"

#define MOST_RULES 1000
#define MOST_BYTES ((size_t)1 << 20)

static int parse_rule(char *text, bool deny, struct agent_config *config, struct err *err)
{
	struct label_set check = { 0 };
	struct agent_rule rule = { 0 };
	size_t len = *text == '{' ? selector_len(text) : 0;
	char *end = text + len, kept;
	int code;

	if (!len)
		return err_usage(err, "expected a selector in braces");
	if (config->rules.count == MOST_RULES)
		return err_usage(err, "more than %d rules", MOST_RULES);
	kept = *end;
	*end = '\0';
	code = selector_parse(text, &rule.selector, err);
	*end = kept;
	end += strspn(end, " \t");
	if (!code && deny && *end)
		code = err_usage(err, "unexpected '%s'", end);
	if (!code && !deny)
		code = label_set_put_text(&check, end, err);
	label_set_done(&check);
	if (code) {
		selector_free(rule.selector);
		return code;
	}
	rule.label = deny ? NULL : mem_strdup(end);
	vec_push(&config->rules, rule);
	return 0;
}

static int parse_line(char *line, struct agent_config *config, struct err *err)
{
	size_t len;
	char *rest;

	line += strspn(line, " \t\r");
	len = strlen(line);
	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	if (!*line || *line == '#')
		return 0;
	rest = line + strcspn(line, " \t");
	len = (size_t)(rest - line);
	rest += strspn(rest, " \t");
	if (len == 5 && strncmp(line, "label", len) == 0)
		return label_set_put_text(&config->labels, rest, err);
	if (len == 4 && (strncmp(line, "rule", len) == 0 || strncmp(line, "deny", len) == 0))
		return parse_rule(rest, line[0] == 'd', config, err);
	return err_usage(err, "expected label, rule or deny");
}

int agent_config_parse(const char *name, const char *text, struct agent_config *ret,
		       struct err *err)
{
	AUTO_FREE char *copy = mem_strdup(text);
	struct agent_config config = { 0 };
	unsigned number = 1;

	for (char *line = copy, *end; line; line = end, number++) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (parse_line(line, &config, err)) {
			agent_config_done(&config);
			return err_wrap(err, "%s:%u", name, number);
		}
	}
	*ret = config;
	return 0;
}

int agent_config_read(const char *path, struct agent_config *ret, struct err *err)
{
	struct buf text = { .limit = MOST_BYTES };
	int code = fd_read_file(path, &text, err);

	if (!code)
		code = agent_config_parse(path, text.data ? text.data : "", ret, err);
	buf_done(&text);
	return code;
}

bool agent_config_apply(const struct agent_config *config, struct label_set *labels)
{
	struct err ignored = { 0 }; /* it was parsed before */

	label_set_put_all(labels, &config->labels);
	for (size_t i = 0; i < config->rules.count; i++) {
		const struct agent_rule *rule = &config->rules.item[i];

		if (!selector_match(rule->selector, labels))
			continue;
		if (!rule->label)
			return false;
		(void)label_set_put_text(labels, rule->label, &ignored);
	}
	return true;
}

void agent_config_done(struct agent_config *config)
{
	for (size_t i = 0; i < config->rules.count; i++) {
		selector_free(config->rules.item[i].selector);
		free(config->rules.item[i].label);
	}
	vec_done(&config->rules);
	label_set_done(&config->labels);
}
