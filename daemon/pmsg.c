#include "daemon/pmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/macros.h"
#include "daemon/events.h"
#include "store/reader.h"

#define LEFT_MAX_BYTES (2 * 1024 * 1024)
#define FILES_MAX      8
#define BOOTS_MAX      1024

/* A file would grow without an end. */
static int open_ring(const char *path)
{
	CLEANUP(closep) int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISCHR(st.st_mode) && !S_ISFIFO(st.st_mode))
		return -EMEDIUMTYPE;
	r = fd;
	fd = -1;
	return r;
}

static void read_file(struct hw *hw, struct pmsg *pmsg, const char *dir, const char *name)
{
	char path[HW_PATH_MAX];
	CLEANUP(closep) int fd = -1;
	struct stat st;
	ssize_t n;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	fd = hw_open_record(hw, path);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	while (pmsg->len < LEFT_MAX_BYTES &&
	       (n = read(fd, pmsg->left + pmsg->len, LEFT_MAX_BYTES - pmsg->len)) > 0)
		pmsg->len += (size_t)n;
}

/* One behind the other: what is no record is passed over. */
static void read_left(struct hw *hw, struct pmsg *pmsg)
{
	static const char *const dirs[] = {"var/lib/systemd/pstore", "sys/fs/pstore"};

	pmsg->left = malloc(LEFT_MAX_BYTES);
	for (size_t d = 0; pmsg->left && d < ARRAY_SIZE(dirs); d++) {
		CLEANUP(hw_names_done) struct hw_names names = {0};

		if (hw_list(hw, &names, "pmsg-", "%s", dirs[d]) < 0)
			continue;
		for (size_t i = 0; i < MIN(names.n, (size_t)FILES_MAX); i++)
			read_file(hw, pmsg, dirs[d], names.v[i]);
	}
}

void pmsg_open(const struct config *config, struct pmsg *ret)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	const char *path = config_text(config, OPTION_PMSG);
	int fd;

	*ret = (struct pmsg){0};
	if (!strcmp(path, "none"))
		return;
	fd = open_ring(path);
	if (fd < 0) {
		ret->error = fd == -EMEDIUMTYPE ? "it is no device" : strerror(-fd);
		log_warning("what is not committed yet is not written to %s: %s", path, ret->error);
	} else {
		ret->fd = fd;
	}
	if (hw_open(config_text(config, OPTION_ROOT), &hw) == 0)
		read_left(hw, ret);
}

/* The newest that is not this one, and whether this one is known. */
static int find_boot(struct reader *reader, const char *boot_id, struct boot *ret)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	if (n <= 0)
		return n < 0 ? n : -ENOENT;
	if (!strcmp(boots[n - 1].boot_id, boot_id))
		return -EEXIST;
	*ret = boots[n - 1];
	return 0;
}

static int read_boot(const struct store_options *options, const struct catalog *catalog,
		     struct boot *ret)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	int r = reader_open(options->path, NULL, catalog, &reader);

	return r < 0 ? r : find_boot(reader, options->boot_id, ret);
}

static void take(struct pmsg *pmsg, const struct store_options *options,
		 const struct catalog *catalog, const struct boot *boot)
{
	struct store_options of_boot = *options;
	struct store_past past = {
		.bytes = pmsg->left, .len = pmsg->len, .last_ms = MAX(boot->last_ms, 0)};
	int r;

	of_boot.boot_id = boot->boot_id;
	of_boot.kernel = boot->kernel;
	of_boot.wall_offset_ms = boot->wall_offset_ms;
	r = store_take_past(&of_boot, catalog, &past);
	if (r < 0) {
		log_warning("what pmsg has kept of the boot before cannot be written: %s",
			    strerror(-r));
		return;
	}
	pmsg->boot = boot->id;
	pmsg->n_ticks = past.n_ticks;
	pmsg->n_events = past.n_events;
}

void pmsg_take(struct pmsg *pmsg, const struct store_options *options,
	       const struct catalog *catalog)
{
	struct boot boot;

	if (pmsg->len && read_boot(options, catalog, &boot) == 0)
		take(pmsg, options, catalog, &boot);
	free(pmsg->left);
	pmsg->left = NULL;
	pmsg->len = 0;
}

void pmsg_tell(const struct pmsg *pmsg, struct store *store)
{
	char evidence[128];

	if (!pmsg->n_ticks && !pmsg->n_events)
		return;
	log_info("boot %lld: pmsg has kept %llu ticks of groups and %llu events that were not "
		 "committed",
		 (long long)pmsg->boot, (unsigned long long)pmsg->n_ticks,
		 (unsigned long long)pmsg->n_events);
	snprintf(evidence, sizeof(evidence), "{\"boot\":%lld,\"ticks\":%llu,\"events\":%llu}",
		 (long long)pmsg->boot, (unsigned long long)pmsg->n_ticks,
		 (unsigned long long)pmsg->n_events);
	event_add(store, clock_boot_ms(), SEVERITY_INFO, "pmsg_recovered", evidence,
		  "boot %lld: pmsg has kept %llu ticks that were not committed",
		  (long long)pmsg->boot, (unsigned long long)pmsg->n_ticks);
}

void pmsg_close(struct pmsg *pmsg)
{
	free(pmsg->left);
	if (pmsg->fd > 0)
		close(pmsg->fd);
	*pmsg = (struct pmsg){0};
}
