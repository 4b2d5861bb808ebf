#include "model/writer_users.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"

#define FILE_BYTES        (256 * 1024)
#define PACKAGES_BYTES    (512 * 1024)
#define USERS_OF_A_PERSON 100000 /* the numbers of the second person on the phone begin there */

struct writer_users {
	struct {
		int64_t uid;
		struct writer_io last;
	} v[WRITER_USERS_MAX];
	size_t n;
	bool is_first_done;
	struct writer_users_stats stats;
	char text[FILE_BYTES];
};

struct writer_packages {
	size_t n;
	struct {
		int64_t uid;
		unsigned n_more; /* that share the user */
		char name[WRITER_NAME_MAX];
	} v[WRITER_PACKAGES_MAX];
};

struct writer_users *writer_users_of(struct hw *hw)
{
	return hw_memory(hw, "writer_users", sizeof(struct writer_users));
}

void writer_users_get(const struct writer_users *users, struct writer_users_stats *ret)
{
	*ret = users->stats;
}

static void put_name(const struct writer_packages *packages, int64_t uid, struct writer *writer)
{
	struct text name = text_in(writer->name, sizeof(writer->name));
	int64_t app = uid % USERS_OF_A_PERSON, person = uid / USERS_OF_A_PERSON;
	size_t i = 0;

	while (packages && i < packages->n && packages->v[i].uid != app)
		i++;
	if (!packages || i == packages->n)
		return;
	text_str(&name, packages->v[i].name);
	if (packages->v[i].n_more)
		text_printf(&name, " +%u", packages->v[i].n_more);
	if (person)
		text_printf(&name, " (user %lld)", (long long)person);
}

static void take_line(struct writer_users *users, const struct writer_packages *packages,
		      struct slice line, struct writer_top *top)
{
	struct writer writer = {.source = WRITER_UID};
	struct writer_io io;
	size_t i = 0;

	if (writer_parse_uid(line, &writer.id, &io) < 0)
		return;
	while (i < users->n && users->v[i].uid != writer.id)
		i++;
	if (i == WRITER_USERS_MAX) {
		users->stats.n_left_out++;
		return;
	}
	if (i == users->n) {
		users->v[users->n++].uid = writer.id;
		users->v[i].last = users->is_first_done ? (struct writer_io){0} : io;
	}
	/* A user who was removed and made anew begins at 0. */
	if (io.written < users->v[i].last.written || io.read < users->v[i].last.read)
		users->v[i].last = (struct writer_io){0};
	writer.io = writer_io_minus(&io, &users->v[i].last);
	users->v[i].last = io;
	if (writer_io_is_zero(&writer.io))
		return;
	put_name(packages, writer.id, &writer);
	writer_io_add(&users->stats.io, &writer.io);
	writer_top_add(top, &writer);
}

int writer_users_look(struct writer_users *users, struct hw *hw,
		      const struct writer_packages *packages, struct writer_top *top)
{
	int r = hw_read(hw, users->text, sizeof(users->text), "proc/uid_io/stats");
	struct slice rest = {users->text, (size_t)MAX(r, 0)}, line;

	writer_top_begin(top, WRITER_UID, users->is_first_done && users->n);
	if (r < 0)
		return r;
	users->stats.n_left_out = 0;
	while (slice_line(&rest, &line))
		take_line(users, packages, line, top);
	users->is_first_done = true;
	users->stats.n_known = users->n;
	return 0;
}

static void take_package(struct writer_packages *packages, struct slice line)
{
	struct slice name;
	int64_t uid;

	if (writer_parse_package(line, &name, &uid) < 0)
		return;
	for (size_t i = 0; i < packages->n; i++)
		if (packages->v[i].uid == uid) {
			packages->v[i].n_more++;
			return;
		}
	if (packages->n == WRITER_PACKAGES_MAX)
		return;
	packages->v[packages->n].uid = uid;

	struct text text = text_in(packages->v[packages->n++].name, WRITER_NAME_MAX);

	text_mem(&text, name.p, name.len);
}

int writer_packages_read(struct hw *hw, struct writer_packages **ret)
{
	CLEANUP(freep) char *text = malloc(PACKAGES_BYTES);
	struct writer_packages *packages;
	struct slice rest, line;
	int r = text ? hw_read(hw, text, PACKAGES_BYTES, "data/system/packages.list") : -ENOMEM;

	if (r < 0)
		return r;
	packages = calloc(1, sizeof(*packages));
	if (!packages)
		return -ENOMEM;
	rest = (struct slice){text, (size_t)r};
	while (slice_line(&rest, &line))
		take_package(packages, line);
	*ret = packages;
	return 0;
}
