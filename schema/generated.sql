-- All tables and views of a file whose only group is `load`; made by
-- tests/unit/test_store_schema.c, which also holds it against the program.

CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id=1), folded INTEGER NOT NULL, program TEXT,
 mark INTEGER NOT NULL);

CREATE TABLE boot(id INTEGER PRIMARY KEY, boot_id TEXT, kernel TEXT, first_ms INTEGER,
 last_ms INTEGER, wall_offset_ms INTEGER NOT NULL);

CREATE TABLE node(id INTEGER PRIMARY KEY, collector TEXT NOT NULL, name TEXT NOT NULL,
 identity TEXT NOT NULL, run INTEGER NOT NULL, boot INTEGER NOT NULL, first_ms INTEGER,
 last_ms INTEGER, gone INTEGER NOT NULL);

CREATE TABLE field(grp TEXT NOT NULL, name TEXT NOT NULL, col INTEGER, kind TEXT, unit TEXT,
 symbol TEXT, bits INTEGER, states TEXT, help TEXT, PRIMARY KEY(grp,name));

CREATE TABLE tail(slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, boot INTEGER NOT NULL,
 dir TEXT NOT NULL, data BLOB NOT NULL);

CREATE TABLE event(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,
 t_end INTEGER, severity TEXT, kind TEXT, collector TEXT, node TEXT, text TEXT, evidence TEXT);

CREATE TABLE mark(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,
 t_end INTEGER, label TEXT, ufs_until INTEGER);

CREATE TABLE info(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,
 node INTEGER NOT NULL, grp TEXT NOT NULL, field TEXT NOT NULL, value TEXT);

CREATE INDEX info_of ON info(node,grp,field);

CREATE TABLE flag(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,
 node INTEGER NOT NULL, grp TEXT NOT NULL, field TEXT NOT NULL, word TEXT);

CREATE INDEX flag_of ON flag(node,grp,field);

CREATE TABLE fault(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,
 node INTEGER NOT NULL, grp TEXT NOT NULL, field TEXT NOT NULL, error TEXT);

CREATE INDEX fault_of ON fault(node,grp,field);

CREATE TABLE outcome(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,
 collector TEXT NOT NULL, node TEXT NOT NULL, outcome TEXT, reason TEXT);

CREATE TABLE writer(boot INTEGER NOT NULL, t INTEGER NOT NULL,
 since INTEGER NOT NULL, n INTEGER NOT NULL, until INTEGER NOT NULL,
 source TEXT NOT NULL, name TEXT, unit TEXT, device TEXT, id INTEGER,
 processes INTEGER, written INTEGER NOT NULL, read INTEGER NOT NULL,
 cancelled INTEGER, syncs INTEGER, PRIMARY KEY(boot,t,since,n)) WITHOUT ROWID;

CREATE TABLE log_position(boot INTEGER PRIMARY KEY, next INTEGER NOT NULL);

CREATE TABLE boot_end(boot INTEGER PRIMARY KEY, cause TEXT NOT NULL,
 certainty TEXT NOT NULL, text TEXT NOT NULL, evidence TEXT NOT NULL);

CREATE TABLE clock_step(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL,
 t INTEGER NOT NULL, before_ms INTEGER NOT NULL, after_ms INTEGER NOT NULL);

CREATE TABLE spent(boot INTEGER NOT NULL, hour INTEGER NOT NULL,
 bytes INTEGER NOT NULL, PRIMARY KEY(boot,hour)) WITHOUT ROWID;

CREATE TABLE measure(num INTEGER PRIMARY KEY, grp TEXT NOT NULL,
 name TEXT NOT NULL, state INTEGER);

CREATE TABLE minute(id INTEGER PRIMARY KEY, count, sum, sum2, span, min, min2,
 max, max2, first, last, last2, flag);

CREATE TABLE hour(id INTEGER PRIMARY KEY, count, sum, sum2, span, min, min2,
 max, max2, first, last, last2, flag);

CREATE TABLE baseline(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL,
 t INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER NOT NULL);

CREATE TABLE kept(what TEXT PRIMARY KEY, pages INTEGER NOT NULL,
 made_bytes INTEGER NOT NULL, made_ms INTEGER NOT NULL, since INTEGER, done INTEGER);

CREATE TABLE cap(what TEXT PRIMARY KEY, bytes INTEGER NOT NULL);

CREATE VIEW tail_rows AS SELECT g.key AS grp, l.boot*10000000000000
 +json_extract(g.value,'$.t0')/1000*10000+json_extract(k.value,'$[0]') AS id, l.boot,
 json_extract(k.value,'$[0]') AS node, json_extract(g.value,'$.t0') AS t0,
 json_extract(g.value,'$.step') AS step, json_extract(g.value,'$.n') AS n,
 (SELECT json_group_array(iif(x.type='array',hex(substr(l.data,
   json_extract(x.value,'$[0]'),json_extract(x.value,'$[1]'))),x.value))
  FROM json_each(k.value) x WHERE x.key>0) AS cells
 FROM tail l, json_each(l.dir) g, json_each(g.value,'$.nodes') k
 WHERE l.seq>(SELECT folded FROM meta);

CREATE VIEW boots AS SELECT b.id AS boot, strftime('%Y-%m-%dT%H:%M:%fZ',(s.first_ms+wall_offset_ms)/1000.0,'unixepoch') AS first,
 strftime('%Y-%m-%dT%H:%M:%fZ',(s.last_ms+wall_offset_ms)/1000.0,'unixepoch') AS last, kernel, boot_id, s.first_ms, s.last_ms,
 wall_offset_ms, e.cause AS ended, e.certainty, e.text AS how, e.evidence
 FROM boot b LEFT JOIN boot_end e ON e.boot=b.id JOIN (SELECT boot, min(first_ms) AS first_ms,
 max(last_ms) AS last_ms FROM (SELECT id AS boot, first_ms, last_ms FROM boot
 UNION ALL SELECT l.boot, json_extract(g.value,'$.t0'), json_extract(g.value,'$.t0')+(json_extract(g.value,'$.n')-1)*json_extract(g.value,'$.step')
 FROM tail l, json_each(l.dir) g WHERE l.seq>(SELECT folded FROM meta))
 GROUP BY boot) s ON s.boot=b.id ORDER BY b.id;

CREATE VIEW nodes AS SELECT d.collector, d.name AS node, d.identity, d.run, d.gone,
 strftime('%Y-%m-%dT%H:%M:%fZ',(d.first_ms+b.wall_offset_ms)/1000.0,'unixepoch') AS first,
 strftime('%Y-%m-%dT%H:%M:%fZ',(max(d.last_ms,coalesce(s.last_ms,d.last_ms))+b.wall_offset_ms)/1000.0,'unixepoch') AS last,
 d.boot, d.id, d.first_ms, max(d.last_ms,coalesce(s.last_ms,d.last_ms)) AS last_ms
 FROM node d JOIN boot b ON b.id=d.boot LEFT JOIN (SELECT l.boot,
 json_extract(k.value,'$[0]') AS node, max(json_extract(g.value,'$.t0')+(json_extract(g.value,'$.n')-1)*json_extract(g.value,'$.step')) AS last_ms
 FROM tail l, json_each(l.dir) g, json_each(g.value,'$.nodes') k
 WHERE l.seq>(SELECT folded FROM meta) GROUP BY 1,2) s ON s.node=d.id AND s.boot=d.boot
 ORDER BY d.collector, d.name, d.run;

CREATE VIEW events AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(e.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall,
 e.severity, e.kind, e.collector, e.node, e.text, e.evidence, e.boot, e.t,
 strftime('%Y-%m-%dT%H:%M:%fZ',(e.t_end+b.wall_offset_ms)/1000.0,'unixepoch') AS wall_end
 FROM event e JOIN boot b ON b.id=e.boot ORDER BY e.t+b.wall_offset_ms;

CREATE VIEW marks AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(m.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall,
 strftime('%Y-%m-%dT%H:%M:%fZ',(m.t_end+b.wall_offset_ms)/1000.0,'unixepoch') AS wall_end, m.label, m.id, m.boot, m.t, m.t_end
 FROM mark m JOIN boot b ON b.id=m.boot ORDER BY m.t+b.wall_offset_ms;

CREATE VIEW infos AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(i.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall, i.grp,
 d.name AS node, i.field, i.value, d.identity, i.boot, i.t
 FROM info i JOIN node d ON d.id=i.node JOIN boot b ON b.id=i.boot ORDER BY i.id;

CREATE VIEW flags AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(f.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall, f.grp,
 d.name AS node, f.field, f.word, f.boot, f.t
 FROM flag f JOIN node d ON d.id=f.node JOIN boot b ON b.id=f.boot ORDER BY f.id;

CREATE VIEW faults AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(f.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall, f.grp,
 d.name AS node, f.field, f.error, f.boot, f.t
 FROM fault f JOIN node d ON d.id=f.node JOIN boot b ON b.id=f.boot ORDER BY f.id;

CREATE VIEW writers_top AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(w.since+b.wall_offset_ms)/1000.0,'unixepoch') AS wall,
 strftime('%Y-%m-%dT%H:%M:%fZ',(w.until+b.wall_offset_ms)/1000.0,'unixepoch') AS wall_until, w.source, w.name, w.unit, w.device, w.id,
 w.processes, w.written, w.read, w.cancelled, w.syncs, w.boot, w.t, w.since, w.until
 FROM writer w JOIN boot b ON b.id=w.boot ORDER BY w.boot, w.t, w.since, w.n;

CREATE VIEW outcomes AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(o.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall, o.collector,
 o.node, o.outcome, o.reason, o.boot, o.t
 FROM outcome o JOIN boot b ON b.id=o.boot ORDER BY o.id;

CREATE VIEW minute_rows AS SELECT id, id/10000000000000 AS boot,
 id/10000%10000 AS node, id%10000 AS num, id/100000000%100000*3600000 AS t0,
 60 AS n, json_array(iif(typeof(last2)='blob',hex(last2),last2),
  iif(typeof(count)='blob',hex(count),count),
  iif(typeof(sum)='blob',hex(sum),sum),
  iif(typeof(sum2)='blob',hex(sum2),sum2),
  iif(typeof(span)='blob',hex(span),span),
  iif(typeof(min)='blob',hex(min),min),
  iif(typeof(min2)='blob',hex(min2),min2),
  iif(typeof(max)='blob',hex(max),max),
  iif(typeof(max2)='blob',hex(max2),max2),
  iif(typeof(first)='blob',hex(first),first),
  iif(typeof(last)='blob',hex(last),last),
  iif(typeof(flag)='blob',hex(flag),flag)) AS cells FROM minute;

CREATE VIEW minutes AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(b.wall_offset_ms+c.t0+(json_extract(j.value,'$[0]')+1)*60000)/1000.0,'unixepoch') AS wall,
 c.boot AS boot, c.t0+(json_extract(j.value,'$[0]')+1)*60000 AS t, d.name AS node, q.grp AS grp, q.name AS name, q.state AS state,
 json_extract(j.value,'$[2]') AS count,
 json_extract(j.value,'$[3]') AS sum,
 json_extract(j.value,'$[4]') AS sum2,
 json_extract(j.value,'$[5]') AS span,
 json_extract(j.value,'$[6]') AS min,
 json_extract(j.value,'$[7]') AS min2,
 json_extract(j.value,'$[8]') AS max,
 json_extract(j.value,'$[9]') AS max2,
 json_extract(j.value,'$[10]') AS first,
 json_extract(j.value,'$[11]') AS last,
 json_extract(j.value,'$[1]') AS last2,
 json_extract(j.value,'$[12]') AS flag,
 d.identity AS identity, c.t0 AS t0, c.id AS id FROM minute_rows c CROSS JOIN measure q ON q.num=c.num CROSS JOIN node d ON d.id=c.node CROSS JOIN boot b ON b.id=c.boot CROSS JOIN json_each((WITH RECURSIVE
 cell(f,g,code) AS (SELECT key, iif(value<'A',CAST('-'||value AS INTEGER),-1),
   '["'||replace(replace(replace(replace(replace(replace(
   value,'A','A","'),'B','B","'),'C','C","'),'D','D","'),'E','E","'),'F','F","')
   ||'D","'||c.n||'D"]' FROM json_each(c.cells) WHERE type='text' LIMIT -1),
 num(f,i,l,k,g) AS (SELECT f, key, substr(value,-1),
   iif(length(value)=1,-1,CAST('-'||value AS INTEGER)), g
  FROM cell CROSS JOIN json_each(code) WHERE key>0),
 span(f,i,n,l,a,e) AS (SELECT f, sum(iif(l<'C' OR l>'D',1,min(-k,c.n))) OVER w-iif(l<'C' OR l>'D',1,min(-k,c.n)),
   iif(l<'C' OR l>'D',1,min(-k,c.n)), l,
   CASE l WHEN 'A' THEN g*k WHEN 'B' THEN -g*k WHEN 'E' THEN -k WHEN 'F' THEN k END,
   sum(l>'D') OVER w
  FROM num WINDOW w AS (PARTITION BY f ORDER BY i ROWS UNBOUNDED PRECEDING)),
 run(f,i,n,v) AS (SELECT f, i, n, iif(l='D',NULL,
   sum(a) OVER (PARTITION BY f,e ORDER BY i ROWS UNBOUNDED PRECEDING)) FROM span
  UNION ALL SELECT key, 0, c.n, value FROM json_each(c.cells) WHERE type<>'text'),
 tick(f,i,n,v) AS (SELECT f, i, n, v FROM run WHERE n>0 AND i<c.n
  UNION ALL SELECT f, i+1, n-1, v FROM tick WHERE n>1 AND i+1<c.n)
 SELECT json_group_array('['||i||','||x||']') FROM
  (SELECT f, i, group_concat(ifnull(v,'null')) OVER (PARTITION BY i ORDER BY f
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM tick)
  WHERE f=0 AND instr(rtrim(x,',nul'),','))) j;

CREATE VIEW hour_rows AS SELECT id, id/10000000000000 AS boot,
 id/10000%10000 AS node, id%10000 AS num, id/100000000%100000*86400000 AS t0,
 24 AS n, json_array(iif(typeof(last2)='blob',hex(last2),last2),
  iif(typeof(count)='blob',hex(count),count),
  iif(typeof(sum)='blob',hex(sum),sum),
  iif(typeof(sum2)='blob',hex(sum2),sum2),
  iif(typeof(span)='blob',hex(span),span),
  iif(typeof(min)='blob',hex(min),min),
  iif(typeof(min2)='blob',hex(min2),min2),
  iif(typeof(max)='blob',hex(max),max),
  iif(typeof(max2)='blob',hex(max2),max2),
  iif(typeof(first)='blob',hex(first),first),
  iif(typeof(last)='blob',hex(last),last),
  iif(typeof(flag)='blob',hex(flag),flag)) AS cells FROM hour;

CREATE VIEW hours AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(b.wall_offset_ms+c.t0+(json_extract(j.value,'$[0]')+1)*3600000)/1000.0,'unixepoch') AS wall,
 c.boot AS boot, c.t0+(json_extract(j.value,'$[0]')+1)*3600000 AS t, d.name AS node, q.grp AS grp, q.name AS name, q.state AS state,
 json_extract(j.value,'$[2]') AS count,
 json_extract(j.value,'$[3]') AS sum,
 json_extract(j.value,'$[4]') AS sum2,
 json_extract(j.value,'$[5]') AS span,
 json_extract(j.value,'$[6]') AS min,
 json_extract(j.value,'$[7]') AS min2,
 json_extract(j.value,'$[8]') AS max,
 json_extract(j.value,'$[9]') AS max2,
 json_extract(j.value,'$[10]') AS first,
 json_extract(j.value,'$[11]') AS last,
 json_extract(j.value,'$[1]') AS last2,
 json_extract(j.value,'$[12]') AS flag,
 d.identity AS identity, c.t0 AS t0, c.id AS id FROM hour_rows c CROSS JOIN measure q ON q.num=c.num CROSS JOIN node d ON d.id=c.node CROSS JOIN boot b ON b.id=c.boot CROSS JOIN json_each((WITH RECURSIVE
 cell(f,g,code) AS (SELECT key, iif(value<'A',CAST('-'||value AS INTEGER),-1),
   '["'||replace(replace(replace(replace(replace(replace(
   value,'A','A","'),'B','B","'),'C','C","'),'D','D","'),'E','E","'),'F','F","')
   ||'D","'||c.n||'D"]' FROM json_each(c.cells) WHERE type='text' LIMIT -1),
 num(f,i,l,k,g) AS (SELECT f, key, substr(value,-1),
   iif(length(value)=1,-1,CAST('-'||value AS INTEGER)), g
  FROM cell CROSS JOIN json_each(code) WHERE key>0),
 span(f,i,n,l,a,e) AS (SELECT f, sum(iif(l<'C' OR l>'D',1,min(-k,c.n))) OVER w-iif(l<'C' OR l>'D',1,min(-k,c.n)),
   iif(l<'C' OR l>'D',1,min(-k,c.n)), l,
   CASE l WHEN 'A' THEN g*k WHEN 'B' THEN -g*k WHEN 'E' THEN -k WHEN 'F' THEN k END,
   sum(l>'D') OVER w
  FROM num WINDOW w AS (PARTITION BY f ORDER BY i ROWS UNBOUNDED PRECEDING)),
 run(f,i,n,v) AS (SELECT f, i, n, iif(l='D',NULL,
   sum(a) OVER (PARTITION BY f,e ORDER BY i ROWS UNBOUNDED PRECEDING)) FROM span
  UNION ALL SELECT key, 0, c.n, value FROM json_each(c.cells) WHERE type<>'text'),
 tick(f,i,n,v) AS (SELECT f, i, n, v FROM run WHERE n>0 AND i<c.n
  UNION ALL SELECT f, i+1, n-1, v FROM tick WHERE n>1 AND i+1<c.n)
 SELECT json_group_array('['||i||','||x||']') FROM
  (SELECT f, i, group_concat(ifnull(v,'null')) OVER (PARTITION BY i ORDER BY f
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM tick)
  WHERE f=0 AND instr(rtrim(x,',nul'),','))) j;

CREATE TABLE "load_chunk"(id INTEGER PRIMARY KEY, boot INTEGER, node INTEGER,
 t0 INTEGER, step INTEGER, n INTEGER, late, "load1", "load5", "load15", "runnable", "threads");

CREATE VIEW load_rows AS SELECT 'chunk' AS part, id, boot, node, t0, step, n,
 json_array(iif(typeof(late)='blob',hex(late),late),
  iif(typeof(load1)='blob',hex(load1),load1),
  iif(typeof(load5)='blob',hex(load5),load5),
  iif(typeof(load15)='blob',hex(load15),load15),
  iif(typeof(runnable)='blob',hex(runnable),runnable),
  iif(typeof(threads)='blob',hex(threads),threads)) AS cells FROM load_chunk
 UNION ALL SELECT 'tail', id, boot, node, t0, step, n, cells FROM tail_rows WHERE grp='load';

CREATE VIEW load AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(b.wall_offset_ms+c.t0+json_extract(j.value,'$[0]')*c.step+ifnull(json_extract(j.value,'$[1]'),0))/1000.0,'unixepoch') AS wall,
 c.boot AS boot, c.t0+json_extract(j.value,'$[0]')*c.step+ifnull(json_extract(j.value,'$[1]'),0) AS t, d.name AS node,
 json_extract(j.value,'$[2]') AS load1,
 json_extract(j.value,'$[3]') AS load5,
 json_extract(j.value,'$[4]') AS load15,
 json_extract(j.value,'$[5]') AS runnable,
 json_extract(j.value,'$[6]') AS threads,
 c.t0 AS t0, c.step AS step, c.n AS n, c.part AS part, c.id AS id
 FROM load_rows c CROSS JOIN node d ON d.id=c.node CROSS JOIN boot b ON b.id=c.boot CROSS JOIN json_each((WITH RECURSIVE
 cell(f,g,code) AS (SELECT key, iif(value<'A',CAST('-'||value AS INTEGER),-1),
   '["'||replace(replace(replace(replace(replace(replace(
   value,'A','A","'),'B','B","'),'C','C","'),'D','D","'),'E','E","'),'F','F","')
   ||'D","'||c.n||'D"]' FROM json_each(c.cells) WHERE type='text' LIMIT -1),
 num(f,i,l,k,g) AS (SELECT f, key, substr(value,-1),
   iif(length(value)=1,-1,CAST('-'||value AS INTEGER)), g
  FROM cell CROSS JOIN json_each(code) WHERE key>0),
 span(f,i,n,l,a,e) AS (SELECT f, sum(iif(l<'C' OR l>'D',1,min(-k,c.n))) OVER w-iif(l<'C' OR l>'D',1,min(-k,c.n)),
   iif(l<'C' OR l>'D',1,min(-k,c.n)), l,
   CASE l WHEN 'A' THEN g*k WHEN 'B' THEN -g*k WHEN 'E' THEN -k WHEN 'F' THEN k END,
   sum(l>'D') OVER w
  FROM num WINDOW w AS (PARTITION BY f ORDER BY i ROWS UNBOUNDED PRECEDING)),
 run(f,i,n,v) AS (SELECT f, i, n, iif(l='D',NULL,
   sum(a) OVER (PARTITION BY f,e ORDER BY i ROWS UNBOUNDED PRECEDING)) FROM span
  UNION ALL SELECT key, 0, c.n, value FROM json_each(c.cells) WHERE type<>'text'),
 tick(f,i,n,v) AS (SELECT f, i, n, v FROM run WHERE n>0 AND i<c.n
  UNION ALL SELECT f, i+1, n-1, v FROM tick WHERE n>1 AND i+1<c.n)
 SELECT json_group_array('['||i||','||x||']') FROM
  (SELECT f, i, group_concat(ifnull(v,'null')) OVER (PARTITION BY i ORDER BY f
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM tick)
  WHERE f=0 AND instr(rtrim(x,',nul'),','))) j;

CREATE VIEW load_last AS SELECT * FROM load WHERE id>(SELECT coalesce(max(id),0) FROM load_chunk)-72000000
 AND (part='tail' AND boot=(SELECT max(boot) FROM tail) AND t0>(SELECT max(json_extract(dir,'$.load.t0')) FROM tail WHERE boot=(SELECT max(boot) FROM tail))-150000
 OR part='chunk' AND step>=60000);
