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
 t_end INTEGER, label TEXT);

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

CREATE VIEW boots AS SELECT b.id AS boot, strftime('%Y-%m-%dT%H:%M:%fZ',(s.first_ms+wall_offset_ms)/1000.0,'unixepoch') AS first,
 strftime('%Y-%m-%dT%H:%M:%fZ',(s.last_ms+wall_offset_ms)/1000.0,'unixepoch') AS last, kernel, boot_id, s.first_ms, s.last_ms,
 wall_offset_ms FROM boot b JOIN (SELECT boot, min(first_ms) AS first_ms,
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

CREATE VIEW outcomes AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(o.t+b.wall_offset_ms)/1000.0,'unixepoch') AS wall, o.collector,
 o.node, o.outcome, o.reason, o.boot, o.t
 FROM outcome o JOIN boot b ON b.id=o.boot ORDER BY o.id;

CREATE TABLE "load_chunk"(id INTEGER PRIMARY KEY, boot INTEGER, node INTEGER,
 t0 INTEGER, step INTEGER, n INTEGER, late, "load1", "load5", "load15", "runnable", "threads");

CREATE VIEW load_rows AS SELECT 'chunk' AS part, id, boot, node, t0, step, n,
  CAST(CASE typeof(late) WHEN 'blob' THEN hex(late) WHEN 'null' THEN 'A9999D' ELSE 'A'||ltrim(late,'-')||CASE WHEN late<0 THEN 'F9999C' ELSE 'E9999C' END END AS BLOB) AS late,
  CAST(CASE typeof(load1) WHEN 'blob' THEN hex(load1) WHEN 'null' THEN 'A9999D' ELSE 'A'||ltrim(load1,'-')||CASE WHEN load1<0 THEN 'F9999C' ELSE 'E9999C' END END AS BLOB) AS load1,
  CAST(CASE typeof(load5) WHEN 'blob' THEN hex(load5) WHEN 'null' THEN 'A9999D' ELSE 'A'||ltrim(load5,'-')||CASE WHEN load5<0 THEN 'F9999C' ELSE 'E9999C' END END AS BLOB) AS load5,
  CAST(CASE typeof(load15) WHEN 'blob' THEN hex(load15) WHEN 'null' THEN 'A9999D' ELSE 'A'||ltrim(load15,'-')||CASE WHEN load15<0 THEN 'F9999C' ELSE 'E9999C' END END AS BLOB) AS load15,
  CAST(CASE typeof(runnable) WHEN 'blob' THEN hex(runnable) WHEN 'null' THEN 'A9999D' ELSE 'A'||ltrim(runnable,'-')||CASE WHEN runnable<0 THEN 'F9999C' ELSE 'E9999C' END END AS BLOB) AS runnable,
  CAST(CASE typeof(threads) WHEN 'blob' THEN hex(threads) WHEN 'null' THEN 'A9999D' ELSE 'A'||ltrim(threads,'-')||CASE WHEN threads<0 THEN 'F9999C' ELSE 'E9999C' END END AS BLOB) AS threads
 FROM load_chunk
 UNION ALL SELECT 'tail', l.boot*10000000000000+json_extract(l.dir,'$.load.t0')/1000*10000+json_extract(k.value,'$[0]'),
  l.boot, json_extract(k.value,'$[0]'), json_extract(l.dir,'$.load.t0'),
  json_extract(l.dir,'$.load.step'), json_extract(l.dir,'$.load.n'),
  CAST(CASE json_type(k.value,'$[1]') WHEN 'array' THEN hex(substr(l.data,json_extract(k.value,'$[1][0]'),json_extract(k.value,'$[1][1]'))) WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[1]'),'-')||CASE WHEN json_extract(k.value,'$[1]')<0 THEN 'F9999C' ELSE 'E9999C' END ELSE 'A9999D' END AS BLOB),
  CAST(CASE json_type(k.value,'$[2]') WHEN 'array' THEN hex(substr(l.data,json_extract(k.value,'$[2][0]'),json_extract(k.value,'$[2][1]'))) WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[2]'),'-')||CASE WHEN json_extract(k.value,'$[2]')<0 THEN 'F9999C' ELSE 'E9999C' END ELSE 'A9999D' END AS BLOB),
  CAST(CASE json_type(k.value,'$[3]') WHEN 'array' THEN hex(substr(l.data,json_extract(k.value,'$[3][0]'),json_extract(k.value,'$[3][1]'))) WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[3]'),'-')||CASE WHEN json_extract(k.value,'$[3]')<0 THEN 'F9999C' ELSE 'E9999C' END ELSE 'A9999D' END AS BLOB),
  CAST(CASE json_type(k.value,'$[4]') WHEN 'array' THEN hex(substr(l.data,json_extract(k.value,'$[4][0]'),json_extract(k.value,'$[4][1]'))) WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[4]'),'-')||CASE WHEN json_extract(k.value,'$[4]')<0 THEN 'F9999C' ELSE 'E9999C' END ELSE 'A9999D' END AS BLOB),
  CAST(CASE json_type(k.value,'$[5]') WHEN 'array' THEN hex(substr(l.data,json_extract(k.value,'$[5][0]'),json_extract(k.value,'$[5][1]'))) WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[5]'),'-')||CASE WHEN json_extract(k.value,'$[5]')<0 THEN 'F9999C' ELSE 'E9999C' END ELSE 'A9999D' END AS BLOB),
  CAST(CASE json_type(k.value,'$[6]') WHEN 'array' THEN hex(substr(l.data,json_extract(k.value,'$[6][0]'),json_extract(k.value,'$[6][1]'))) WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[6]'),'-')||CASE WHEN json_extract(k.value,'$[6]')<0 THEN 'F9999C' ELSE 'E9999C' END ELSE 'A9999D' END AS BLOB)
 FROM tail l, json_each(l.dir,'$.load.nodes') k WHERE l.seq>(SELECT folded FROM meta);

CREATE VIEW load AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(b.wall_offset_ms+c.t0+j.key*c.step+CAST(substr(j.value,1,20) AS INTEGER))/1000.0,'unixepoch') AS wall,
 c.boot AS boot, c.t0+j.key*c.step+CAST(substr(j.value,1,20) AS INTEGER) AS t, d.name AS node,
 CAST(nullif(substr(j.value,21,20),'                    ') AS INTEGER) AS load1,
 CAST(nullif(substr(j.value,41,20),'                    ') AS INTEGER) AS load5,
 CAST(nullif(substr(j.value,61,20),'                    ') AS INTEGER) AS load15,
 CAST(nullif(substr(j.value,81,20),'                    ') AS INTEGER) AS runnable,
 CAST(nullif(substr(j.value,101,20),'                    ') AS INTEGER) AS threads,
 c.t0 AS t0, c.step AS step, c.n AS n, c.part AS part, c.id AS id
 FROM load_rows c
 CROSS JOIN node d ON d.id=c.node CROSS JOIN boot b ON b.id=c.boot
 CROSS JOIN json_each((WITH RECURSIVE s(i,p0,k0,l0,v0,g0,p1,k1,l1,v1,g1,p2,k2,l2,v2,g2,p3,k3,l3,v3,g3,p4,k4,l4,v4,g4,p5,k5,l5,v5,g5) AS (SELECT -1,1,0,'',NULL,NULL,1,0,'',NULL,NULL,1,0,'',NULL,NULL,1,0,'',NULL,NULL,1,0,'',NULL,NULL,1,0,'',NULL,NULL
 UNION ALL SELECT i+1,
  CASE WHEN l0 IN('C','D') AND k0<-1 THEN p0 ELSE p0+1+length(substr(c.late,p0,20))-length(ltrim(substr(c.late,p0,20),'0123456789')) END, CASE WHEN l0 IN('C','D') AND k0<-1 THEN k0+1 WHEN substr(c.late,p0,1)<x'41' THEN CAST('-'||substr(c.late,p0,20) AS INTEGER) ELSE -1 END,
   CASE WHEN l0 IN('C','D') AND k0<-1 THEN l0 ELSE substr(ltrim(substr(c.late,p0,20),'0123456789'),1,1) END, CASE l0 WHEN 'A' THEN v0+g0*k0 WHEN 'B' THEN v0-g0*k0 WHEN 'E' THEN -k0 WHEN 'F' THEN k0 ELSE v0 END, CASE i WHEN 0 THEN k0 ELSE g0 END,
  CASE WHEN l1 IN('C','D') AND k1<-1 THEN p1 ELSE p1+1+length(substr(c.load1,p1,20))-length(ltrim(substr(c.load1,p1,20),'0123456789')) END, CASE WHEN l1 IN('C','D') AND k1<-1 THEN k1+1 WHEN substr(c.load1,p1,1)<x'41' THEN CAST('-'||substr(c.load1,p1,20) AS INTEGER) ELSE -1 END,
   CASE WHEN l1 IN('C','D') AND k1<-1 THEN l1 ELSE substr(ltrim(substr(c.load1,p1,20),'0123456789'),1,1) END, CASE l1 WHEN 'A' THEN v1+g1*k1 WHEN 'B' THEN v1-g1*k1 WHEN 'E' THEN -k1 WHEN 'F' THEN k1 ELSE v1 END, CASE i WHEN 0 THEN k1 ELSE g1 END,
  CASE WHEN l2 IN('C','D') AND k2<-1 THEN p2 ELSE p2+1+length(substr(c.load5,p2,20))-length(ltrim(substr(c.load5,p2,20),'0123456789')) END, CASE WHEN l2 IN('C','D') AND k2<-1 THEN k2+1 WHEN substr(c.load5,p2,1)<x'41' THEN CAST('-'||substr(c.load5,p2,20) AS INTEGER) ELSE -1 END,
   CASE WHEN l2 IN('C','D') AND k2<-1 THEN l2 ELSE substr(ltrim(substr(c.load5,p2,20),'0123456789'),1,1) END, CASE l2 WHEN 'A' THEN v2+g2*k2 WHEN 'B' THEN v2-g2*k2 WHEN 'E' THEN -k2 WHEN 'F' THEN k2 ELSE v2 END, CASE i WHEN 0 THEN k2 ELSE g2 END,
  CASE WHEN l3 IN('C','D') AND k3<-1 THEN p3 ELSE p3+1+length(substr(c.load15,p3,20))-length(ltrim(substr(c.load15,p3,20),'0123456789')) END, CASE WHEN l3 IN('C','D') AND k3<-1 THEN k3+1 WHEN substr(c.load15,p3,1)<x'41' THEN CAST('-'||substr(c.load15,p3,20) AS INTEGER) ELSE -1 END,
   CASE WHEN l3 IN('C','D') AND k3<-1 THEN l3 ELSE substr(ltrim(substr(c.load15,p3,20),'0123456789'),1,1) END, CASE l3 WHEN 'A' THEN v3+g3*k3 WHEN 'B' THEN v3-g3*k3 WHEN 'E' THEN -k3 WHEN 'F' THEN k3 ELSE v3 END, CASE i WHEN 0 THEN k3 ELSE g3 END,
  CASE WHEN l4 IN('C','D') AND k4<-1 THEN p4 ELSE p4+1+length(substr(c.runnable,p4,20))-length(ltrim(substr(c.runnable,p4,20),'0123456789')) END, CASE WHEN l4 IN('C','D') AND k4<-1 THEN k4+1 WHEN substr(c.runnable,p4,1)<x'41' THEN CAST('-'||substr(c.runnable,p4,20) AS INTEGER) ELSE -1 END,
   CASE WHEN l4 IN('C','D') AND k4<-1 THEN l4 ELSE substr(ltrim(substr(c.runnable,p4,20),'0123456789'),1,1) END, CASE l4 WHEN 'A' THEN v4+g4*k4 WHEN 'B' THEN v4-g4*k4 WHEN 'E' THEN -k4 WHEN 'F' THEN k4 ELSE v4 END, CASE i WHEN 0 THEN k4 ELSE g4 END,
  CASE WHEN l5 IN('C','D') AND k5<-1 THEN p5 ELSE p5+1+length(substr(c.threads,p5,20))-length(ltrim(substr(c.threads,p5,20),'0123456789')) END, CASE WHEN l5 IN('C','D') AND k5<-1 THEN k5+1 WHEN substr(c.threads,p5,1)<x'41' THEN CAST('-'||substr(c.threads,p5,20) AS INTEGER) ELSE -1 END,
   CASE WHEN l5 IN('C','D') AND k5<-1 THEN l5 ELSE substr(ltrim(substr(c.threads,p5,20),'0123456789'),1,1) END, CASE l5 WHEN 'A' THEN v5+g5*k5 WHEN 'B' THEN v5-g5*k5 WHEN 'E' THEN -k5 WHEN 'F' THEN k5 ELSE v5 END, CASE i WHEN 0 THEN k5 ELSE g5 END
 FROM s WHERE i<c.n)
 SELECT json_group_array(printf('%20s%20s%20s%20s%20s%20s',
  CASE l0 WHEN 'A' THEN v0+g0*k0 WHEN 'B' THEN v0-g0*k0 WHEN 'C' THEN v0 WHEN 'E' THEN -k0 WHEN 'F' THEN k0 END,
  CASE l1 WHEN 'A' THEN v1+g1*k1 WHEN 'B' THEN v1-g1*k1 WHEN 'C' THEN v1 WHEN 'E' THEN -k1 WHEN 'F' THEN k1 END,
  CASE l2 WHEN 'A' THEN v2+g2*k2 WHEN 'B' THEN v2-g2*k2 WHEN 'C' THEN v2 WHEN 'E' THEN -k2 WHEN 'F' THEN k2 END,
  CASE l3 WHEN 'A' THEN v3+g3*k3 WHEN 'B' THEN v3-g3*k3 WHEN 'C' THEN v3 WHEN 'E' THEN -k3 WHEN 'F' THEN k3 END,
  CASE l4 WHEN 'A' THEN v4+g4*k4 WHEN 'B' THEN v4-g4*k4 WHEN 'C' THEN v4 WHEN 'E' THEN -k4 WHEN 'F' THEN k4 END,
  CASE l5 WHEN 'A' THEN v5+g5*k5 WHEN 'B' THEN v5-g5*k5 WHEN 'C' THEN v5 WHEN 'E' THEN -k5 WHEN 'F' THEN k5 END)) FROM s WHERE i>0)) j
 WHERE trim(substr(j.value,21))<>'';

CREATE VIEW load_last AS SELECT * FROM load WHERE id>(SELECT coalesce(max(id),0) FROM load_chunk)-72000000
 AND (part='tail' AND boot=(SELECT max(boot) FROM tail) AND t0>(SELECT max(json_extract(dir,'$.load.t0')) FROM tail WHERE boot=(SELECT max(boot) FROM tail))-150000
 OR part='chunk' AND step>=60000);
