-- The ledger of kogge, format version 2. Counts and multiplicities go up to 2^128: they are decimal text in SQLite, and numeric in
-- PostgreSQL. Times are seconds since 1970. A word after an at sign stands for what differs between the databases.

CREATE TABLE kogge_ledger (
    only_one @integer PRIMARY KEY CHECK (only_one = 1),
    format @integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('positions', 'ranges', 'reversed ranges')),
    counted text NOT NULL CHECK (counted IN ('leaves', 'categories')),
    fen text NOT NULL,
    root @bytes NOT NULL CHECK (length(root) = 32),
    castling text NOT NULL,
    depth @integer NOT NULL,
    ply @integer NOT NULL,
    plan text NOT NULL,
    entries @integer NOT NULL,
    paths @number NOT NULL,
    kogge text NOT NULL,
    created @integer NOT NULL,
    checksum @number NOT NULL
);

-- The sources of answers. The plan says how the plies above ranges were made.
CREATE TABLE kogge_source (
    id @key,
    backend text NOT NULL,
    device text NOT NULL,
    variant text NOT NULL,
    kogge text NOT NULL,
    plan text NOT NULL,
    UNIQUE (backend, device, variant, kogge, plan)
);

-- An entry is a position, or a range from its first to its last key; ranges have the order of their keys. It holds its accepted answer:
-- the leaves (count), of ranges the number of positions and the paths to them, and the leaves of each kind if they are counted.
CREATE TABLE kogge_entry (
    id @integer PRIMARY KEY CHECK (id >= 0),
    position @bytes CHECK (length(position) = 32),
    multiplicity @number,
    first @bytes CHECK (length(first) = 20),
    last @bytes CHECK (length(last) = 20),
    count @number,
    positions @number,
    paths @number,
    captures @number,
    en_passant @number,
    castles @number,
    promotions @number,
    checks @number,
    discovered @number,
    double @number,
    mates @number,
    checksum @number,
    source @integer REFERENCES kogge_source (id),
    at @integer,
    disputed boolean NOT NULL DEFAULT false,
    worker text,
    leased_until double precision,
    CHECK ((position IS NULL) = (multiplicity IS NULL) AND (position IS NULL) <> (first IS NULL)),
    CHECK ((first IS NULL) = (last IS NULL) AND first <= last),
    CHECK ((count IS NULL) = (source IS NULL) AND (count IS NULL) = (at IS NULL) AND (count IS NULL) = (checksum IS NULL))
) @end_of_entries;

CREATE INDEX kogge_entry_open ON kogge_entry (id) WHERE count IS NULL;
CREATE INDEX kogge_entry_disputed ON kogge_entry (id) WHERE disputed;

-- Further answers to entries; for disputed entries, all answers.
CREATE TABLE kogge_answer (
    number @key,
    entry @integer NOT NULL REFERENCES kogge_entry (id),
    count @number NOT NULL,
    positions @number,
    paths @number,
    captures @number,
    en_passant @number,
    castles @number,
    promotions @number,
    checks @number,
    discovered @number,
    double @number,
    mates @number,
    checksum @number NOT NULL,
    source @integer NOT NULL REFERENCES kogge_source (id),
    at @integer NOT NULL
);

CREATE INDEX kogge_answer_entry ON kogge_answer (entry);
