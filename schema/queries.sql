-- Eleven questions to the file of a unit that came back, for the stock sqlite3 shell from 3.34 on:
--   sqlite3 -box FILE < schema/queries.sql
-- Each stands for itself. Where a node or a time is named (sda, an hour before the end), put in yours:
-- a filter on node, boot and t0 is tested before anything is decoded, one on t or wall is not.
-- tests/system/queries.sh runs them.

-- 1. Which boots are in it, from when to when, how did each end, and why?
SELECT boot, first, last, ended, certainty, how, kernel FROM boots;

-- 2. What went wrong, the newest first?
SELECT wall, severity, kind, collector, node, text FROM events
  WHERE severity NOT IN ('info') ORDER BY wall DESC LIMIT 50;

-- 3. What happened in the last ten minutes that were recorded, marks included?
SELECT wall, kind, node, text FROM events
  WHERE wall > (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(last), '-10 minutes') FROM boots)
  UNION ALL SELECT wall, 'mark', '', label FROM marks
  WHERE wall > (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(last), '-10 minutes') FROM boots)
  ORDER BY 1;

-- 4. What did a disk do in the last minutes, tick by tick, and how full was its queue?
SELECT wall, reads, writes, write_sectors, in_flight, io_time FROM diskstats_last
  WHERE node = (SELECT min(node) FROM nodes WHERE collector = 'diskstats') ORDER BY t;

-- 5. How much was written in each hour, by each disk, in MB?
SELECT wall, node, sum * 512 / 1000000 AS written_mb FROM hours
  WHERE grp = 'diskstats' AND name = 'write_sectors' AND sum IS NOT NULL ORDER BY wall, node;

-- 6. When was the mean time of a write above 10 ms, by minutes?
SELECT wall, node, sum(iif(name = 'writes', sum, 0)) AS writes,
  sum(iif(name = 'write_time', sum, 0)) / sum(iif(name = 'writes', sum, 0)) AS ms_per_write
  FROM minutes WHERE grp = 'diskstats' AND name IN ('writes', 'write_time')
  GROUP BY boot, t, node HAVING ms_per_write > 10 ORDER BY wall;

-- 7. How hot did it get in each hour, and where?
SELECT wall, node, max / 1000 AS max_celsius, sum / count / 1000 AS mean_celsius FROM hours
  WHERE grp = 'thermal' AND name = 'temp' AND count > 0 ORDER BY wall, node;

-- 8. Which devices came, went, and what is known of them?
SELECT collector, node, run, gone, first, last, identity FROM nodes ORDER BY first;
SELECT wall, grp, node, field, value FROM infos ORDER BY wall;

-- 9. What could not be read, since when, and which values are not to be trusted?
SELECT wall, grp, node, field, error AS what FROM faults
  UNION ALL SELECT wall, grp, node, field, word FROM flags ORDER BY 1;
SELECT collector, node, outcome, reason FROM outcomes WHERE outcome NOT IN ('ok', 'no_hardware');

-- 10. The busiest minutes of all: where a device was at work for more than nine tenths of the time.
SELECT wall, node, sum AS busy_ms, span AS of_ms FROM minutes
  WHERE grp = 'diskstats' AND name = 'io_time' AND sum * 10 > span * 9 ORDER BY sum DESC LIMIT 20;

-- 11. Who has written most, and of whose account (process, cgroup or uid)? In MB, since when.
SELECT source, name, unit, sum(written) / 1000000 AS written_mb, min(wall) AS since FROM writers_top
  WHERE source <> 'device' GROUP BY source, name, unit ORDER BY source, sum(written) DESC LIMIT 20;
