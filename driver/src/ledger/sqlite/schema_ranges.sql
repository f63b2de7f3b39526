-- The ledger of kogge in an SQLite file, format version 4 or 5: its entries are ranges of the last merged ply. Counts go
-- up to 2^128, too large for SQLite's integers, so they are decimal text.

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

-- The sources of answers. The plan says how the plies above the ranges were made.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    backend TEXT NOT NULL,
    device TEXT NOT NULL,
    variant TEXT NOT NULL,
    kogge TEXT NOT NULL,
    plan TEXT NOT NULL,
    UNIQUE (backend, device, variant, kogge, plan)
);

-- The ranges, in the order of their keys, from the first to the last key. An entry holds its accepted answer: the leaves below
-- its positions (count), the number of positions, the paths to them, and in version 5 the leaves by kind.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    first BLOB NOT NULL CHECK (length(first) = 20),
    last BLOB NOT NULL CHECK (length(last) = 20),
    count TEXT,
    positions TEXT,
    paths TEXT,
    /* kinds of an entry */
    checksum TEXT,
    source INTEGER REFERENCES source (id),
    at INTEGER,
    disputed INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    leased_until REAL,
    CHECK (first <= last),
    CHECK ((count IS NULL) = (source IS NULL) AND (count IS NULL) = (at IS NULL) AND (count IS NULL) = (checksum IS NULL)),
    CHECK ((count IS NULL) = (positions IS NULL) AND (count IS NULL) = (paths IS NULL))
);

CREATE INDEX entry_open ON entry (id) WHERE count IS NULL;
CREATE INDEX entry_disputed ON entry (id) WHERE disputed;

-- Further answers to entries; for disputed entries, all answers.
CREATE TABLE answer (
    number INTEGER PRIMARY KEY,
    entry INTEGER NOT NULL REFERENCES entry (id),
    count TEXT NOT NULL,
    positions TEXT NOT NULL,
    paths TEXT NOT NULL,
    /* kinds of an answer */
    checksum TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES source (id),
    at INTEGER NOT NULL,
    UNIQUE (entry, count, positions, paths, /* kinds */ source)
);
