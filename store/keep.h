/* What is kept, by resolution: how much of the file each takes, and what follows from that. Private
 * to store/. */
#pragma once

#include "store/db.h"

enum keep_what { KEEP_RAW, KEEP_MINUTE, KEEP_HOUR, KEEP_SLOW, KEEP_N };

/* Chunks of groups whose period is a minute or more: health and wear. Few, and wanted longest. */
bool keep_is_slow(const struct file_group *group);

/* Pages that the file has in use. */
MUST_CHECK int keep_used_pages(struct db *db, int64_t *ret);
MUST_CHECK int keep_pages(struct db *db, int64_t ret[KEEP_N]);
/* Pages of one kind came or went: as many as the file has in use now and had not before. made_ms:
 * the time that the samples span which were written, 0 when pages went. */
MUST_CHECK int keep_note(struct db *db, enum keep_what what, int64_t before_pages, int64_t made_ms);
/* The share of a kind, in pages. */
int64_t keep_share_pages(const struct db *db, enum keep_what what);

/* Writes down what the file may take, where it is not known there yet. */
MUST_CHECK int keep_note_cap(struct db *db);

/* When the oldest of a kind began: boot and boot clock. -ENOENT when there is none. */
MUST_CHECK int keep_oldest(struct db *db, enum keep_what what, int64_t *ret_boot, int64_t *ret_ms);
/* Deletes the oldest of a kind, in steps of an hour, of a day for hours and slow ones. ret: whether
 * there was some. Minutes that are in no hour yet stay, unless all. */
MUST_CHECK int keep_delete_oldest(struct db *db, enum keep_what what, bool all, bool *ret);

/* Fills in what the status shows. keep_look(): without the shares, so that it needs of db no more
 * than connection and groups; the file may be anybody's. */
MUST_CHECK int keep_look(struct db *db, struct store_kept ret[KEEP_N]);
MUST_CHECK int keep_status(struct db *db, struct store_kept ret[KEEP_N]);
