/* flashscope kernel-log: what its files share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/incidents.h"
#include "analysis/log_clock.h"
#include "analysis/log_links.h"
#include "base/macros.h"

/* Past it the oldest are dropped, and that is said. */
#define KERNEL_LOG_INCIDENTS_MAX 4096

struct kernel_log_incident {
	struct incident incident;
	int boot;
	bool is_by_wall; /* its first_us and last_us are since 1970 */
};

/* The incidents of a log, in the order in which they began once it is read. */
struct kernel_log {
	struct incidents *table;
	struct log_links links; /* what it tells of its devices, for a log without a tree */
	struct log_clock clock;
	struct kernel_message last;         /* see kernel_message_follow() */
	int n_boots;                        /* 1 at first */
	struct kernel_log_incident *closed; /* as they came, once there are too many in a ring */
	size_t n, alloc;
	long long dropped;
	long long n_bare;             /* lines that nothing but the reader takes for the kernel's */
	long long n_broken;           /* lines that are no JSON where the first one is */
	long long n_bytes, n_control; /* of the first piece; those that no text has */
	const char *problem;          /* of a log that cannot be read, in place of an errno; NULL */
	long long cut_at;   /* of a compressed log that is damaged: bytes of text before; 0 */
	bool shows_lines;   /* each line is printed as it is read */
	bool knows_devices; /* by a tree of the machine that the log is of */
	/* Of entries of the journal. */
	char boot_id[40];
	bool is_other_boot; /* the entry that is taken next has another one */
};

/* Takes a whole log. -ENOMEM, -EBADMSG with a problem, or the errno of reading. */
MUST_CHECK int kernel_log_read(struct kernel_log *log, int fd);
/* What that is made of: one message, and the end of the log. */
MUST_CHECK int kernel_log_take(struct kernel_log *log, struct kernel_message *message);
MUST_CHECK int kernel_log_end(struct kernel_log *log);
void kernel_log_done(struct kernel_log *log);

/* Lines of the log, those that something shows to be the kernel's, and those that nothing shows to
 * be anybody's. */
struct kernel_log_lines {
	long long all, kernel, unmarked;
};
struct kernel_log_lines kernel_log_lines(const struct kernel_log *log);

/* One line of journalctl -o json as a message. false: there is none in it. */
bool kernel_log_json(struct kernel_log *log, struct slice line, struct kernel_message *ret);

MUST_CHECK int kernel_log_print_table(const struct kernel_log *log);
MUST_CHECK int kernel_log_print_json(const struct kernel_log *log);
/* One line of the log with what it was taken for. */
void kernel_log_print_line(const struct kernel_log *log, const struct kernel_message *message,
			   const struct incidents_taken *taken);
/* The device as people know it: as a tree knows it; without one the disk, where it was named. */
const char *kernel_log_device(const struct kernel_log *log, const struct incident *incident);
