#include "helper/ufs_switch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hw_switch.h"
#include "base/log.h"
#include "model/ufs_host.h"

/* How long one that is about to end may take to put all back. */
#define LOCK_TRIES  20
#define LOCK_TRY_US 50000

/* What was switched on here, by the directory of its host. */
struct switched {
	char dir[HW_PATH_MAX];
	int64_t at_ms;
	bool seen;  /* in the last look */
	bool stays; /* it could not be put back, which was said */
	int error;  /* for which it could not be switched on, 0 or -errno */
};

struct ufs_switch {
	struct hw *hw;
	const char *memory_path; /* NULL: none, or it is another's */
	int lock_fd;
	struct switched ours[UFS_HOSTS_MAX];
	size_t n_ours;
	int64_t n_again;
};

bool ufs_monitor_is_wanted(const struct wire_monitor *wish, int64_t n_queues, int64_t now_ms)
{
	if (!wish)
		return false;
	switch (wish->policy) {
	case UFS_MONITOR_ON:
		return true;
	case UFS_MONITOR_AUTO:
		/* The monitor's lock makes one queue of several, which a test has to accept. */
		return n_queues == 1 || wish->asked_until_ms > now_ms;
	case UFS_MONITOR_MARKED:
		return wish->asked_until_ms > now_ms;
	case UFS_MONITOR_OFF:
	case N_UFS_MONITORS:
		break;
	}
	return false;
}

static struct switched *find_ours(struct ufs_switch *s, const char *dir)
{
	for (size_t i = 0; i < s->n_ours; i++)
		if (!strcmp(s->ours[i].dir, dir))
			return &s->ours[i];
	return NULL;
}

static struct switched *add_ours(struct ufs_switch *s, const char *dir)
{
	struct switched *ours = find_ours(s, dir);

	if (ours || s->n_ours == UFS_HOSTS_MAX)
		return ours;
	ours = &s->ours[s->n_ours++];
	*ours = (struct switched){0};
	snprintf(ours->dir, sizeof(ours->dir), "%s", dir);
	return ours;
}

static void filep(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* The boot, and a line for each host. */
static int write_memory(struct ufs_switch *s, const char *path)
{
	CLEANUP(filep) FILE *file = fopen(path, "we");
	char boot_id[HW_BOOT_ID_MAX] = "";

	if (!file)
		return -errno;
	hw_boot_id(s->hw, boot_id);
	fprintf(file, "%s\n", boot_id);
	for (size_t i = 0; i < s->n_ours; i++)
		fprintf(file, "%s\n", s->ours[i].dir);
	errno = EIO;
	return fflush(file) < 0 || ferror(file) ? -errno : 0;
}

/* The file lies where root alone writes. A kill at any moment leaves the old or the new one.
 * Failure costs that a monitor stays on when this process is killed. */
static void remember(struct ufs_switch *s)
{
	char next[PATH_MAX];
	int r;

	if (!s->memory_path)
		return;
	if (!s->n_ours) {
		unlink(s->memory_path);
		return;
	}
	if (snprintf(next, sizeof(next), "%s.next", s->memory_path) >= (int)sizeof(next))
		return;
	r = write_memory(s, next);
	if (r == 0 && rename(next, s->memory_path) < 0)
		r = -errno;
	if (r < 0)
		log_warning("%s: %s; after a kill the UFS monitor would stay on", s->memory_path,
			    strerror(-r));
}

/* On a file beside the memory, which comes and goes. 0 or -errno. */
static int lock_memory(struct ufs_switch *s)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s.lock", s->memory_path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (s->lock_fd < 0)
		return -errno;
	for (int i = 0; flock(s->lock_fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || i == LOCK_TRIES)
			return -errno;
		usleep(LOCK_TRY_US);
	}
	return 0;
}

/* Two that share a memory would put back each other's monitors, or forget them. */
static void take_memory(struct ufs_switch *s)
{
	int r = s->memory_path ? lock_memory(s) : 0;

	if (r == 0)
		return;
	log_warning("%s: %s; after a kill the UFS monitor would stay on", s->memory_path,
		    r == -EWOULDBLOCK ? "another flashscope-helper uses it" : strerror(-r));
	s->memory_path = NULL;
}

/* What one before this, that was killed, has left on. Of another boot it says nothing. */
static void recall(struct ufs_switch *s)
{
	CLEANUP(filep) FILE *file = s->memory_path ? fopen(s->memory_path, "re") : NULL;
	char line[HW_PATH_MAX + 1] = "", boot_id[HW_BOOT_ID_MAX] = "";

	if (!file || hw_boot_id(s->hw, boot_id) < 0)
		return;
	if (fgets(line, sizeof(line), file))
		line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, boot_id) != 0) {
		unlink(s->memory_path);
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		add_ours(s, line);
	}
}

int ufs_switch_open(struct hw *hw, const char *memory_path, struct ufs_switch **ret)
{
	struct ufs_switch *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->hw = hw;
	s->memory_path = memory_path;
	s->lock_fd = -1;
	take_memory(s);
	recall(s);
	*ret = s;
	return 0;
}

void ufs_switch_close(struct ufs_switch *s)
{
	closep(&s->lock_fd);
	free(s);
}

static int64_t n_queues_of(struct ufs_switch *s, const struct ufs_host *host)
{
	int64_t n = -1;

	if (host->number < 0 || hw_read_i64(s->hw, &n, "%s/host%d/scsi_host/host%d/nr_hw_queues",
					    host->dir, host->number, host->number) < 0)
		return -1;
	return n;
}

/* Known before it is done: a kill in between costs a needless write, not a monitor that stays on.
 */
static int switch_on(struct ufs_switch *s, const struct ufs_host *host, int64_t now_ms)
{
	struct switched *ours = find_ours(s, host->dir);

	if (ours && ours->at_ms && now_ms - ours->at_ms < UFS_SWITCH_AGAIN_MS)
		return ours->error;
	if (ours && ours->at_ms && !ours->error) {
		s->n_again++;
		log_info("%s: the monitor was switched off by somebody else; it is switched on "
			 "again",
			 host->name);
	}
	ours = add_ours(s, host->dir);
	if (!ours)
		return -ENOSPC;
	remember(s);

	int r = hw_switch(s->hw, "1", "%s/monitor/monitor_enable", host->dir);

	if (r < 0 && r != ours->error)
		log_warning("%s: the monitor cannot be switched on: %s", host->name, strerror(-r));
	ours->at_ms = now_ms;
	ours->seen = true;
	ours->error = r;
	ours->stays = false;
	return r;
}

static void forget(struct ufs_switch *s, struct switched *ours)
{
	*ours = s->ours[--s->n_ours];
	remember(s);
}

static void put_back(struct ufs_switch *s, const struct ufs_host *host, bool on)
{
	struct switched *ours = find_ours(s, host->dir);
	int r;

	if (!ours)
		return;
	r = on ? hw_switch(s->hw, "0", "%s/monitor/monitor_enable", host->dir) : 0;
	if (r == 0) {
		forget(s, ours);
		return;
	}
	if (!ours->stays)
		log_warning("%s: the monitor cannot be switched off: %s", host->name, strerror(-r));
	ours->stays = true;
}

static void apply_one(struct ufs_switch *s, const struct ufs_host *host,
		      const struct wire_monitor *wish, int64_t now_ms, struct wire_monitored *ret)
{
	bool wanted = ufs_monitor_is_wanted(wish, n_queues_of(s, host), now_ms);
	struct switched *ours = find_ours(s, host->dir);
	int64_t on = 0;
	int r = hw_read_i64(s->hw, &on, "%s/monitor/monitor_enable", host->dir);

	if (ours)
		ours->seen = true;
	if (r < 0)
		return;
	ret->n_hosts++;
	ret->n_wanted += wanted;
	if (wanted && on != 1) {
		r = switch_on(s, host, now_ms);
		if (r < 0)
			ret->error = r;
		on = r == 0 && hw_read_i64(s->hw, &on, "%s/monitor/monitor_enable", host->dir) == 0
			     ? on
			     : 0;
	} else if (!wanted) {
		put_back(s, host, on == 1);
		on = find_ours(s, host->dir) ? on : on && !ours;
	}
	ret->n_on += on == 1;
}

/* A host that went took its monitor along: when it comes back, it is off. */
static void forget_gone(struct ufs_switch *s)
{
	for (size_t i = s->n_ours; i-- > 0;)
		if (!s->ours[i].seen)
			forget(s, &s->ours[i]);
}

void ufs_switch_apply(struct ufs_switch *s, const struct wire_monitor *wish, int64_t now_ms,
		      struct wire_monitored *ret)
{
	CLEANUP(freep) struct ufs_hosts *hosts = NULL;
	int r = ufs_hosts_find(s->hw, &hosts);

	*ret = (struct wire_monitored){0};
	for (size_t i = 0; i < s->n_ours; i++)
		s->ours[i].seen = false;
	for (size_t i = 0; r == 0 && i < hosts->n; i++)
		apply_one(s, &hosts->v[i], wish, now_ms, ret);
	if (r == 0 || r == -ENOENT)
		forget_gone(s);
	for (size_t i = 0; i < s->n_ours; i++)
		ret->n_ours += !s->ours[i].error;
	ret->n_again = s->n_again;
}
