#include "config/option.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/macros.h"
#include "base/parse.h"
#include "base/paths.h"
#include "base/user.h"
#include "config/listen.h"

#define SECOND_MS 1000LL
#define HOUR_MS   (3600 * SECOND_MS)
#define DAY_MS    (24 * HOUR_MS)
#define KIB       1024LL
#define MIB       (1024 * KIB)
#define GIB       (1024 * MIB)

static const char *const helpers[] = {"auto", "start", "connect", "off", NULL};
static const char *const monitors[] = {"auto", "on", "marked", "off", NULL};
static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};

/* clang-format off */
const struct option_spec option_table[N_OPTIONS] = {
	[OPTION_ROOT] = {"daemon", "root", OPTION_PATH, "/", 0, 0, NULL,
		"The machine to sample: / or the folder of a recorded tree."},
	[OPTION_DATABASE] = {"daemon", "database", OPTION_PATH,
		DEFAULT_DATABASE, 0, 0, NULL,
		"The database file; its folder is made when it is missing."},
	[OPTION_RUNTIME_DIR] = {"daemon", "runtime_dir", OPTION_PATH, DEFAULT_RUNTIME_DIR, 0, 0, NULL,
		"Folder of the socket and the lock; made when it is missing."},
	[OPTION_LOG_LEVEL] = {"daemon", "log_level", OPTION_CHOICE, "info", 0, 0, log_levels,
		"The least important messages that are still written."},
	[OPTION_RUN_AS] = {"daemon", "user", OPTION_USER, "same", 0, 0, NULL,
		"User that flashscoped runs as once it is started by root; the database and the runtime folder become this user's."},
	[OPTION_LISTEN] = {"http", "listen", OPTION_LISTEN_LIST, "127.0.0.1:9750", 0, 0, NULL,
		"Where HTTP is served beside the socket of the runtime folder; port 0 takes a free one, systemd stands for the sockets that it passes."},
	[OPTION_TOKEN_FILE] = {"http", "token_file", OPTION_WHOLE_PATH, "none", 0, 0, NULL,
		"File of mode 0600, or 0640 and the daemon's group, whose first line is the bearer token that clients from elsewhere have to send; read again at SIGHUP."},
	[OPTION_UNAUTHENTICATED] = {"http", "allow_unauthenticated", OPTION_BOOL, "no", 0, 0, NULL,
		"Whether who comes from elsewhere may read everything without a token."},
	[OPTION_HELPER] = {"helper", "mode", OPTION_CHOICE, "auto", 0, 0, helpers,
		"Where flashscope-helper comes from, which asks devices by commands: auto starts it as root and connects to it else."},
	[OPTION_UFS_MONITOR] = {"ufs", "monitor", OPTION_CHOICE, "auto", 0, 0, monitors,
		"When flashscope-helper has the UFS driver time each request: marked while a mark asks for it; auto is on with one hardware queue, else marked."},
	[OPTION_UFS_MARK_MAX] = {"ufs", "mark_max", OPTION_DURATION, "6h", SECOND_MS, 30 * DAY_MS, NULL,
		"For how long a mark that is not ended asks for the UFS monitor."},
	[OPTION_COMMIT_INTERVAL] = {"store", "commit_interval", OPTION_DURATION, "60s",
		SECOND_MS, HOUR_MS, NULL,
		"What a loss of power costs at most; commits come at this distance, or somewhat earlier along with I/O of others."},
	[OPTION_FLASH_BUDGET] = {"store", "flash_budget", OPTION_SIZE, "64MiB", 0, GIB * 1024, NULL,
		"What commits may write in 24 hours; as it is used up they become rarer, up to an hour apart. 0: no budget."},
	[OPTION_SIZE_MAX] = {"store", "size_max", OPTION_SIZE, "128MiB", 4 * MIB, 64 * GIB, NULL,
		"Size of the database with its companions; the oldest samples go first."},
	[OPTION_MINUTE_SHARE] = {"store", "minute_share", OPTION_PERCENT, "25%", 5, 45, NULL,
		"Share of the size for what was in each minute, once the file is full; samples have what is left."},
	[OPTION_HOUR_SHARE] = {"store", "hour_share", OPTION_PERCENT, "10%", 1, 40, NULL,
		"The same for what was in each hour; 5% are for events and for what is seldom read."},
	[OPTION_TAIL_MAX] = {"store", "tail_max", OPTION_SIZE, "8MiB", 256 * KIB, GIB, NULL,
		"Memory for samples that cannot be written yet."},
	[OPTION_MIRROR] = {"store", "mirror", OPTION_BOOL, "yes", 0, 0, NULL,
		"Whether what is not committed yet is kept in the runtime folder as well, if that is in memory: a daemon that is killed then loses nothing."},
	[OPTION_PMSG] = {"store", "pmsg", OPTION_PATH, "none", 0, 0, NULL,
		"/dev/pmsg0 of pstore: what comes is written there as well, and after a warm restart the file gets what was not committed of the boot before."},
	[OPTION_RESCAN_INTERVAL] = {"sampling", "rescan_interval", OPTION_DURATION, "1h",
		10 * SECOND_MS, 30 * DAY_MS, NULL,
		"Looks for new and vanished nodes after this time, beside what the kernel tells by uevents."},
	[OPTION_LANE_DEADLINE] = {"sampling", "lane_deadline", OPTION_DURATION, "5s",
		100, HOUR_MS, NULL,
		"After this time without an answer the slow nodes count as hung."},
	[OPTION_PARTITIONS] = {"sampling", "partitions", OPTION_BOOL, "no", 0, 0, NULL,
		"Also samples what is left out by default, such as partitions that nothing mounts."},
};
/* clang-format on */

static void text_ms(struct text *text, int64_t ms)
{
	static const struct {
		int64_t ms;
		const char *unit;
	} units[] = {{DAY_MS, "d"}, {HOUR_MS, "h"}, {60 * SECOND_MS, "min"}, {SECOND_MS, "s"}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ms < units[i].ms || ms % units[i].ms)
			continue;
		text_i64(text, ms / units[i].ms);
		text_str(text, units[i].unit);
		return;
	}
	text_i64(text, ms);
	text_str(text, "ms");
}

static void text_bytes(struct text *text, int64_t bytes)
{
	static const struct {
		int64_t bytes;
		const char *unit;
	} units[] = {{GIB, "GiB"}, {MIB, "MiB"}, {KIB, "KiB"}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (bytes < units[i].bytes || bytes % units[i].bytes)
			continue;
		text_i64(text, bytes / units[i].bytes);
		text_str(text, units[i].unit);
		return;
	}
	text_i64(text, bytes);
}

static void text_words(struct text *text, const char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		if (i)
			text_str(text, words[i + 1] ? ", " : " or ");
		text_str(text, words[i]);
	}
}

void option_range(const struct option_spec *spec, struct text *text)
{
	switch (spec->type) {
	case OPTION_DURATION:
		text_ms(text, spec->min);
		text_str(text, " to ");
		text_ms(text, spec->max);
		break;
	case OPTION_SIZE:
		text_bytes(text, spec->min);
		text_str(text, " to ");
		text_bytes(text, spec->max);
		break;
	case OPTION_PERCENT:
		text_printf(text, "%jd%% to %jd%%", (intmax_t)spec->min, (intmax_t)spec->max);
		break;
	case OPTION_BOOL:
		text_str(text, "yes or no");
		break;
	case OPTION_CHOICE:
		text_words(text, spec->words);
		break;
	case OPTION_LISTEN_LIST:
		text_str(text, "ADDR:PORT, unix:/PATH and systemd, with blanks between, or none");
		break;
	case OPTION_PATH:
		text_str(text, "a path");
		break;
	case OPTION_WHOLE_PATH:
		text_str(text, "a path that begins with /, or none");
		break;
	case OPTION_USER:
		text_str(text, "name or number of a user, or same");
		break;
	}
}

static int find_word(const char *const *words, const char *value)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], value))
			return i;
	return -EINVAL;
}

static int parse_bool(const char *value, int64_t *ret)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", NULL};
	int i = find_word(words, value);

	if (i < 0)
		return i;
	*ret = i % 2;
	return 0;
}

static int parse_number(const struct option_spec *spec, const char *value, int64_t *ret)
{
	int64_t number = 0;
	int r = spec->type == OPTION_SIZE ? parse_size_bytes(value, &number)
					  : parse_duration_ms(value, &number);

	if (r < 0)
		return r;
	if (number < spec->min || number > spec->max)
		return -ERANGE;
	*ret = number;
	return 0;
}

static int parse_percent(const struct option_spec *spec, const char *value, int64_t *ret)
{
	struct slice digits = slice_of(value);
	int64_t number;
	int r;

	if (!digits.len || digits.p[digits.len - 1] != '%')
		return -EINVAL;
	digits.len--;
	r = parse_i64_slice(digits, &number);
	if (!r && (number < spec->min || number > spec->max))
		return -ERANGE;
	if (!r)
		*ret = number;
	return r;
}

static int parse_user(const char *value, struct text *why)
{
	uid_t uid;
	gid_t gid;

	if (!strcmp(value, "same") || user_find(value, &uid, &gid) != -ENOENT)
		return 0;
	text_str(why, "is no user of this machine");
	return -EINVAL;
}

static int parse_whole_path(const char *value, struct text *why)
{
	if (value[0] == '/' || !strcmp(value, "none"))
		return 0;
	text_str(why, "does not begin with /");
	return -EINVAL;
}

static int parse_typed(const struct option_spec *spec, const char *value, int64_t *ret,
		       struct text *why)
{
	struct listen_list list;
	int r;

	switch (spec->type) {
	case OPTION_DURATION:
	case OPTION_SIZE:
		return parse_number(spec, value, ret);
	case OPTION_PERCENT:
		return parse_percent(spec, value, ret);
	case OPTION_BOOL:
		return parse_bool(value, ret);
	case OPTION_CHOICE:
		r = find_word(spec->words, value);
		if (r >= 0)
			*ret = r;
		return MIN(r, 0);
	case OPTION_LISTEN_LIST:
		return listen_parse(value, &list, why);
	case OPTION_USER:
		return parse_user(value, why);
	case OPTION_PATH:
		return 0;
	case OPTION_WHOLE_PATH:
		return parse_whole_path(value, why);
	}
	return -EINVAL;
}

/* Whether the value could stand in a file and be read back as it is. */
static bool can_be_written(const char *value)
{
	size_t len = strlen(value);

	if (!len || len > OPTION_TEXT_MAX)
		return false;
	if (isspace((unsigned char)value[0]) || isspace((unsigned char)value[len - 1]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)value[i]) ||
		    (value[i] == ';' && (!i || isspace((unsigned char)value[i - 1]))))
			return false;
	return true;
}

int option_parse(const struct option_spec *spec, const char *value, int64_t *ret_number,
		 struct text *why)
{
	int64_t number = 0;
	size_t before = why->len;

	if (!can_be_written(value)) {
		text_printf(why,
			    "is empty, longer than %d bytes, or has control characters, blanks at "
			    "its ends or ' ;' in it",
			    OPTION_TEXT_MAX);
		return -EINVAL;
	}

	int r = parse_typed(spec, value, &number, why);

	if (r < 0) {
		if (why->len == before)
			text_str(why, r == -ERANGE ? "is out of range" : "cannot be read");
		text_str(why, "; allowed: ");
		option_range(spec, why);
		return r;
	}
	*ret_number = number;
	return 0;
}
