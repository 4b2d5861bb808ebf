#include "cli/mark_monitor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "export/tree.h"

#define TRIES  50
#define TRY_US 100000

enum answer { NOT_YET, IS_ON, CANNOT };

static enum answer look_at(struct tree *status)
{
	const char *error = tree_text(status, "ufs_monitor.error");
	int64_t n_wanted = tree_i64(status, "ufs_monitor.n_wanted");

	if (!strcmp(tree_text(status, "ufs_monitor.policy"), "off")) {
		fputs("flashscope mark: the UFS monitor is switched off (monitor in [ufs])\n",
		      stderr);
		return CANNOT;
	}
	if (strcmp(tree_text(status, "helper.state"), "up") != 0) {
		fprintf(stderr, "flashscope mark: the UFS monitor needs flashscope-helper: %s\n",
			tree_text(status, "helper.reason"));
		return CANNOT;
	}
	/* ESRCH: who switches it has died, and is started again. */
	if (*error && strcmp(error, "ESRCH") != 0) {
		fprintf(stderr, "flashscope mark: the UFS monitor cannot be switched on: %s\n",
			error);
		return CANNOT;
	}
	return n_wanted && tree_i64(status, "ufs_monitor.n_on") >= n_wanted ? IS_ON : NOT_YET;
}

static enum answer ask(const struct client_target *target)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	CLEANUP(tree_freep) struct tree *status = NULL;

	if (client_get(target, "/api/v1/status", &reply) < 0 ||
	    tree_parse(reply.body, reply.len, &status) < 0)
		return NOT_YET;
	return look_at(status);
}

void mark_await_monitor(const struct client_target *target)
{
	for (int i = 0; i < TRIES; i++) {
		if (ask(target) != NOT_YET)
			return;
		usleep(TRY_US);
	}
	fputs("flashscope mark: no UFS host has a monitor that could be switched on\n", stderr);
}
