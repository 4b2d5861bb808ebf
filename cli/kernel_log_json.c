/* Entries of the journal: systemd.journal-fields(7), and JSON FORMAT of the Journal Export Formats.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/kernel_log.h"
#include "export/tree.h"

static int64_t number(struct tree *entry, const char *key, int64_t none)
{
	int64_t value;

	return parse_i64(tree_text(entry, key), &value) == 0 && value >= 0 ? value : none;
}

/* What is no UTF-8 comes as an array of bytes. */
static void get_message(struct tree *entry, char *buf, size_t size)
{
	struct tree *message = tree_get(entry, "MESSAGE");
	struct text text = text_in(buf, size);

	text_str(&text, tree_text(entry, "MESSAGE"));
	for (size_t i = 0; i < tree_n(message) && !text.truncated; i++)
		text_char(&text, (char)tree_i64(tree_at(message, i), ""));
}

static void note_boot(struct kernel_log *log, const char *boot_id)
{
	if (!*boot_id || !strcmp(log->boot_id, boot_id))
		return;
	if (*log->boot_id)
		log->is_other_boot = true;
	snprintf(log->boot_id, sizeof(log->boot_id), "%s", boot_id);
}

bool kernel_log_json(struct kernel_log *log, struct slice line, struct kernel_message *ret)
{
	CLEANUP(tree_freep) struct tree *entry = NULL;
	char text[KERNEL_TEXT_MAX] = "";
	int64_t level;
	bool is_kernel;

	if (tree_parse(line.p, line.len, &entry) == 0)
		get_message(entry, text, sizeof(text));
	else if (line.len)
		log->n_broken++;
	if (kernel_message_line(slice_of(text), ret) < 0)
		return false;
	is_kernel = !strcmp(tree_text(entry, "_TRANSPORT"), "kernel");
	ret->facility = is_kernel ? 0 : 1;
	ret->is_bare = false;
	level = number(entry, "PRIORITY", KERNEL_LEVEL_NONE);
	ret->level = level <= 7 ? (int)level : KERNEL_LEVEL_NONE;
	/* The kernel's own stamp; where there is none, when the journal took the line. */
	ret->t_us = number(entry, "_SOURCE_MONOTONIC_TIMESTAMP",
			   number(entry, "__MONOTONIC_TIMESTAMP", KERNEL_TIME_NONE));
	ret->wall_us = number(entry, "__REALTIME_TIMESTAMP", KERNEL_TIME_NONE);
	ret->wall_is_utc = ret->wall_has_year = true;
	snprintf(ret->subsystem, sizeof(ret->subsystem), "%s",
		 tree_text(entry, "_KERNEL_SUBSYSTEM"));
	snprintf(ret->device, sizeof(ret->device), "%s", tree_text(entry, "_KERNEL_DEVICE"));
	note_boot(log, tree_text(entry, "_BOOT_ID"));
	return true;
}
