-- The ledger of kogge in an SQLite file, format version 3. Counts and multiplicities go up to 2^128, too large for
-- SQLite's integers, so they are decimal text.

CREATE TABLE ledger (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    format INTEGER NOT NULL,
    fen TEXT NOT NULL,
    root BLOB NOT NULL CHECK (length(root) = 32),
    castling TEXT NOT NULL,
    depth INTEGER NOT NULL,
    ply INTEGER NOT NULL,
    plan TEXT NOT NULL,
    entries INTEGER NOT NULL,
    paths TEXT NOT NULL,
    kogge TEXT NOT NULL,
    created INTEGER NOT NULL,
    checksum TEXT NOT NULL
);

-- The sources of answers.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    backend TEXT NOT NULL,
    device TEXT NOT NULL,
    variant TEXT NOT NULL,
    kogge TEXT NOT NULL,
    UNIQUE (backend, device, variant, kogge)
);

-- The frontier. An entry holds its accepted answer.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    position BLOB NOT NULL CHECK (length(position) = 32),
    multiplicity TEXT NOT NULL,
    count TEXT,
    checksum TEXT,
    source INTEGER REFERENCES source (id),
    at INTEGER,
    disputed INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    leased_until REAL,
    CHECK ((count IS NULL) = (source IS NULL) AND (count IS NULL) = (at IS NULL) AND (count IS NULL) = (checksum IS NULL))
);

CREATE INDEX entry_open ON entry (id) WHERE count IS NULL;
CREATE INDEX entry_disputed ON entry (id) WHERE disputed;

-- Further answers to entries; for disputed entries, all answers.
CREATE TABLE answer (
    number INTEGER PRIMARY KEY,
    entry INTEGER NOT NULL REFERENCES entry (id),
    count TEXT NOT NULL,
    checksum TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES source (id),
    at INTEGER NOT NULL,
    UNIQUE (entry, count, source)
);
