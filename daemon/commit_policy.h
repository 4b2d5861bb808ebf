/* When to commit. Pure: it is told the time and what has happened, and reads nothing itself.
 *
 * - A loss of power costs at most the bound. From three quarters of it on a commit rides on the
 *   first I/O of others, as long as that is seldom: a disk that is always busy will be so at the
 *   bound as well, and riding would only make commits more frequent. At the bound it is forced.
 * - What is urgent is committed at once.
 * - After a critical event there is a commit each 5 s for ten minutes, since what follows may be
 *   the last that is seen; within an hour the same cause does that once.
 * - What was written in the last 24 hours counts against a budget. From three quarters of it on the
 *   bound is wider, up to COMMIT_WIDEST_MS where the budget is spent; then what is urgent waits for
 *   the bound as configured, and critical events have the one commit that is theirs.
 * - Who gives something and asks to have it committed, as a mark, gets that until the budget is
 *   spent; then it goes along with the next commit.
 * - Who wants a copy gets a commit for it once in a bound that is in force, so whoever asks again
 *   and again doubles what is written at most, and less where the budget is tight. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMIT_WIDEST_MS         INT64_C(3600000)
#define COMMIT_CRITICAL_EVERY_MS INT64_C(5000)
#define COMMIT_CRITICAL_FOR_MS   INT64_C(600000)
#define COMMIT_CAUSE_AGAIN_MS    INT64_C(3600000)
#define COMMIT_CAUSES_MAX        32
/* Of a shorter bound nothing rides. */
#define COMMIT_RIDE_LEAST_MS     INT64_C(10000)

struct commit_policy {
	int64_t bound_ms;     /* as configured */
	int64_t budget_bytes; /* for 24 hours; 0: none */
	int64_t last_ms;      /* of the last commit, or the last attempt */
	int64_t critical_until_ms;
	bool critical_now; /* one has come since the last commit */
	struct {
		uint64_t cause;
		int64_t t_ms;
	} causes[COMMIT_CAUSES_MAX]; /* of the last hour */
	size_t n_causes;
	bool was_asked;
	int64_t asked_ms; /* when somebody was last granted a commit */
	uint16_t looks;   /* whether the disk was active, the last look in bit 0 */
	bool is_widened;  /* it was said that the bound is wider */
};

/* The bound that is in force after spent_bytes within 24 hours; at least the configured one. */
int64_t commit_policy_bound_ms(const struct commit_policy *policy, int64_t spent_bytes);

/* A look at the disk: whether others have made I/O since the one before. To be taken each second or
 * so. */
void commit_policy_look(struct commit_policy *policy, bool active);

/* A critical event, told apart from others by its cause. Returns whether it has begun ten minutes
 * of frequent commits. */
bool commit_policy_critical(struct commit_policy *policy, int64_t now_ms, uint64_t cause,
			    int64_t spent_bytes);

enum commit_why {
	COMMIT_NOT,
	COMMIT_BOUND,
	COMMIT_RIDES,
	COMMIT_URGENT,
	COMMIT_CRITICAL,
	COMMIT_WHYS,
};

/* Whether to commit now; urgent: something waits that is worth it. */
enum commit_why commit_policy_due(const struct commit_policy *policy, int64_t now_ms,
				  int64_t spent_bytes, bool urgent);

/* Somebody wants what he has given to be committed now. Whether it is granted. */
bool commit_policy_may(const struct commit_policy *policy, int64_t spent_bytes);

/* Somebody wants a commit for a copy of the file. Whether it is granted. */
bool commit_policy_ask(struct commit_policy *policy, int64_t now_ms, int64_t spent_bytes);

/* When a commit is due at the latest if nothing happens. */
int64_t commit_policy_next_ms(const struct commit_policy *policy, int64_t now_ms,
			      int64_t spent_bytes);

/* A commit was made, or tried. */
void commit_policy_done(struct commit_policy *policy, int64_t now_ms);

enum commit_budget { BUDGET_SAME, BUDGET_BEGINS, BUDGET_ENDS };

/* Whether the budget has begun to widen the bound, or has ended to, since it was asked last. */
enum commit_budget commit_policy_budget(struct commit_policy *policy, int64_t spent_bytes);
