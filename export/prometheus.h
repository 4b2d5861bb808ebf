/* The newest values as Prometheus text (exposition format 0.0.4).
 *
 *   # HELP flashscope_diskstats_read_bytes_total Sectors of 512 bytes read.
 *   # TYPE flashscope_diskstats_read_bytes_total counter
 *   flashscope_diskstats_read_bytes_total{node="vda"} 1126400
 *
 * Names are flashscope_GROUP_FIELD, then the base unit, then _total for a counter. A field named
 * after its kernel unit changes it for the base unit (read_sectors: read_bytes), and so most names
 * of diskstats are those of node_exporter with another prefix: reads_merged_total,
 * read_bytes_total, read_time_seconds_total, io_time_seconds_total, write_bytes_total; others
 * differ: reads_total is its reads_completed_total, in_flight its io_now, weighted_io_time its
 * io_time_weighted.
 *
 * - Values are in base units and exact. A state is its number, the help names them. A text is
 *   flashscope_GROUP_FIELD_info{node="vda",FIELD="text"} 1.
 * - What is absent has no line. What failed has none either, but a fault:
 *   flashscope_field_fault{group="thermal",node="thermal_zone3",field="temp",error="EIO"} 1
 * - A node that does not answer has no lines either, but
 *   flashscope_node_stale{group="thermal",node="thermal_zone3"} 1
 * - A node that is read seldom, or whose sample is older than it should be, has the age of its
 * newest sample; there are no timestamps, since Prometheus would drop what is older than an hour:
 *   flashscope_sample_age_seconds{group="ufs_health",node="1d84000.ufs"} 1805.2
 * - A flagged value has flashscope_field_flag{group,node,field,flag} 1 beside it; an implausible
 * one has only that, since alarms look at the value alone. */
#pragma once

#include "export/stream.h"
#include "model/catalog.h"

struct prometheus;

/* Takes the values first, then becomes a stream. -ENOMEM. */
MUST_CHECK int prometheus_new(const struct catalog *catalog, struct prometheus **ret);
void prometheus_free(struct prometheus *prometheus);

/* Begins a row. Rows of a group come together, groups in the order of the catalog (-EINVAL
 * otherwise). Strings are copied. Nodes that are gone are not given. -ENOMEM, -ENOSPC. */
int prometheus_row(struct prometheus *prometheus, size_t group_index, const char *node,
		   const char *identity);

/* A field of that row as its newest sample has it: not called for one that is absent there. fault
 * is the errno of a failure, and then value does not count; text belongs to VALUE_TEXT. -ENOMEM. */
int prometheus_value(struct prometheus *prometheus, size_t field, const struct value *value,
		     const char *text, int fault);

/* How old the sample of that row is, to be told beside its values. */
void prometheus_age(struct prometheus *prometheus, int64_t age_ms);

/* That row is older than it should be: its values are not shown. */
void prometheus_stale(struct prometheus *prometheus);

/* The stream owns prometheus from here on, also when this fails. */
MUST_CHECK int prometheus_stream(struct prometheus *prometheus, struct stream **ret);

/* The name of a field's family. */
void prometheus_name(struct text *out, const struct group *group, const struct field *field);
