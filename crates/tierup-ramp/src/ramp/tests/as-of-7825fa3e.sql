-- What the judge of commit 7825fa3e had written of a ramp that was paused at 10%, while a proxy complained.
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE cost (
        ramp TEXT NOT NULL,
        hour INTEGER NOT NULL,
        side TEXT NOT NULL,
        answered INTEGER NOT NULL,
        processor REAL NOT NULL,
        PRIMARY KEY (ramp, hour, side)
    ) STRICT;
INSERT INTO "cost" VALUES('e810d8b9',498724,'control',5800,6.0);
INSERT INTO "cost" VALUES('e810d8b9',498724,'candidate',2800,0.6);
CREATE TABLE decision (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
INSERT INTO "decision" VALUES(1,'{"number":1,"ramp":"e810d8b9","at":1795406400,"generation":1,"decision":"begin","weight":0,"reasons":[]}');
INSERT INTO "decision" VALUES(2,'{"number":2,"ramp":"e810d8b9","at":1795406410,"generation":2,"decision":"advance","weight":1000,"reasons":["5xx: no bad answers (evidence 1 : 1, of 600 : 1)","no answer: no bad answers (evidence 1 : 1, of 600 : 1)","clients that leave: no clients that left without an answer (evidence 1 : 1, of 600 : 1)","mismatches: in 0 of 0 periods of two minutes, more of the candidate''s answers differed from control''s than of its twin''s (evidence 1 : 1, of 600 : 1)","slowness: in 0 of 0 blocks of time, more of the candidate''s answers exceeded the p99 of its twin (evidence 1 : 1, of 600 : 1)"]}');
INSERT INTO "decision" VALUES(3,'{"number":3,"ramp":"e810d8b9","at":1795406425,"generation":3,"decision":"pause","weight":1000,"reasons":["ordered by the operator"]}');
CREATE TABLE ramp (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        began INTEGER NOT NULL,
        elapsed INTEGER NOT NULL,
        phase TEXT NOT NULL,
        candidate INTEGER NOT NULL CHECK (candidate BETWEEN 0 AND 10000),
        twin INTEGER NOT NULL CHECK (twin BETWEEN 0 AND 10000 - candidate),
        generation INTEGER NOT NULL,
        judge TEXT NOT NULL
    ) STRICT;
INSERT INTO "ramp" VALUES(1,'e810d8b9','3f47565de1987bbc9167647ec0f82c9b',1795406400,1030000,'paused',1000,1000,3,'{"judge":{"ramp":"e810d8b9","plan":{"steps":[1000,5000,9900],"hold":10,"warm_up":10,"least":30,"alpha":0.01,"margin":1.25,"slower":1.05,"mismatches":0.0,"has_twin":true,"has_second":true,"verifies":true,"has_golden":false,"routes":{},"denied":[]},"at":1000,"generation":2,"since":1010,"is_paused":true,"ended":null,"errors":{"suspicion":{"all":{"worth":[0,0,0,0,0,0],"found":{}},"routes":{}},"clients":{"seen":{},"bits":0},"networks":{}},"unanswered":{"suspicion":{"all":{"worth":[0,0,0,0,0,0],"found":{}},"routes":{}},"clients":{"seen":{},"bits":0},"networks":{}},"departures":{"suspicion":{"all":{"worth":[0,0,0,0,0,0],"found":{}},"routes":{}},"clients":{"seen":{},"bits":0},"networks":{}},"mismatches":{"margin":1.25,"budget":0.0,"has_second":true,"origin":{"all":{"worth":[0,0,0,0,0,0],"found":{}},"routes":{}},"steady":{"all":{"worth":[0,0,0,0,0],"worse":0,"better":0,"candidate":[{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0}],"twin":[{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0}]},"routes":{"GET /":[1,{"worth":[0,0,0,0,0],"worse":0,"better":0,"candidate":[{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0},{"all":400,"different":0}],"twin":[{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0},{"all":100,"different":0}]}]},"each":{"all":{"worth":[0,0,0,0,0,0],"found":{}},"routes":{}}},"differing":{"worth":[0,0,0,0,0,0],"of":0,"compared":0},"confirmed":{"worth":[0,0,0,0,0,0],"of":0,"compared":0},"noise":{"GET /":{"compared":600,"mismatched":0}},"confirmations":{},"wholly":{"all":{"milliseconds":0,"different":0},"routes":{}},"second":1000,"uncounted":{}},"speed":{"copies":{"since":[[{"worth":[0,0,0,0,0],"worse":0,"better":0},{"worth":[0,0,0,0,0],"worse":0,"better":0}],[{"worth":[0,0,0,0,0],"worse":0,"better":0},{"worth":[0,0,0,0,0],"worse":0,"better":0}]],"latest":[],"blocks":6,"before":[],"both":0,"counted":0},"clients":{"since":[[{"worth":[13822737675721355532,13830869819461267324,13835236941730917235,13838687772864182960,13842835496307261342],"worse":0,"better":3},{"worth":[0,0,0,0,0],"worse":0,"better":0}]],"latest":[[141,84],[142,204],[143,112]],"blocks":4,"before":[],"both":4,"counted":4},"load":{"control":{"GET /":{"answers":3000,"micros":0}},"all":{"answers":3000,"micros":0},"before":{"candidate":100000,"twin":100000,"copies":100000}},"before":[0,0]},"step":{"lasted":20000,"routes":{"GET /":{"answered":400,"bad":0,"sampled":2000,"compared":2000,"mismatched":0,"left_out":{}}}},"breakdown":{"earlier":{"all":6000,"bad":0},"took":[[141,294],[142,714],[143,548],[144,336],[145,354],[146,372],[147,390],[148,414],[149,426],[150,456],[151,474],[152,498],[153,390],[154,184],[155,150]],"run":null,"runs":0},"traffic":{"GET /":6000},"proxies":{"proxy":{"unreachable":[],"control_file":"it is stale"}},"golden":{"right":null,"wrong_at_control":{}}},"waiting":{"periods":{},"told":{"proxy":359081286}},"is_ready":false}');
CREATE TABLE source (
        name TEXT PRIMARY KEY,
        offset INTEGER NOT NULL,
        line INTEGER NOT NULL,
        broken INTEGER NOT NULL,
        lost INTEGER NOT NULL,
        skipping INTEGER NOT NULL,
        proxy TEXT NOT NULL
    ) STRICT;
INSERT INTO "source" VALUES('proxy.jsonl',7216,8,0,0,0,'{"sides":{"control":"http://127.0.0.1:1","candidate":"http://127.0.0.1:1","twin":"http://127.0.0.1:1"},"unreachable":[],"ended":false}');
COMMIT;
