-- The tables of `store = "postgres://..."` in [rollout]. An owner of the database runs this once; docs/postgres.md has
-- the grants for the users of judges and proxies.
CREATE SCHEMA tierup;

-- One row for each rollout: which judge holds the lease, what it tells the proxies, and what it knows.
CREATE TABLE tierup.rollout (
    name text PRIMARY KEY,
    form integer NOT NULL DEFAULT 1,        -- the version of these tables
    holder text,                            -- the judge
    term bigint NOT NULL DEFAULT 0,         -- rises when another judge takes over, or a write is lost; writes of older ones change nothing
    until timestamptz NOT NULL DEFAULT '-infinity', -- from then on another judge may take over
    abort boolean NOT NULL DEFAULT false,   -- an order for a judge that does not answer
    control text,                           -- the control file
    beat timestamptz,                       -- when the judge last wrote `control`
    ramp text,
    judge text,
    costs text
) WITH (fillfactor = 50);

-- One row for each evidence file of a proxy.
CREATE TABLE tierup.stream (
    rollout text NOT NULL,
    file text NOT NULL,
    sent bigint NOT NULL,                   -- the last line that the proxy sent
    at timestamptz NOT NULL DEFAULT now(),  -- when it did
    taken bigint NOT NULL DEFAULT 0,        -- the last line that the judge took in
    state text,
    PRIMARY KEY (rollout, file)
) WITH (fillfactor = 50);

-- Lines that the judge has not taken in, or took in some minutes ago.
CREATE TABLE tierup.evidence (
    rollout text NOT NULL,
    file text NOT NULL,
    number bigint NOT NULL,
    line text NOT NULL CHECK (octet_length(line) <= 1048576),
    PRIMARY KEY (rollout, file, number),
    FOREIGN KEY (rollout, file) REFERENCES tierup.stream ON DELETE CASCADE
);

CREATE TABLE tierup.decision (
    rollout text NOT NULL,
    number bigint NOT NULL,
    decision text NOT NULL,
    PRIMARY KEY (rollout, number)
);
