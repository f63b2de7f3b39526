-- The ledger of kogge in a PostgreSQL database, format version 4 or 5: its entries are ranges of the last merged ply. Counts
-- go up to 2^128, too large for 64 bits, so they are numeric.

CREATE TABLE kogge_ledger (
    only_one integer PRIMARY KEY CHECK (only_one = 1),
    format bigint NOT NULL,
    fen text NOT NULL,
    root bytea NOT NULL CHECK (length(root) = 32),
    castling text NOT NULL,
    depth bigint NOT NULL,
    ply bigint NOT NULL,
    plan text NOT NULL,
    entries bigint NOT NULL,
    paths numeric(39) NOT NULL,
    kogge text NOT NULL,
    created bigint NOT NULL,
    checksum numeric(39) NOT NULL
);

-- The sources of answers. The plan says how the plies above the ranges were made.
CREATE TABLE kogge_source (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    backend text NOT NULL,
    device text NOT NULL,
    variant text NOT NULL,
    kogge text NOT NULL,
    plan text NOT NULL,
    UNIQUE (backend, device, variant, kogge, plan)
);

-- The ranges, in the order of their keys, from the first to the last key. An entry holds its accepted answer: the leaves below
-- its positions (count), the number of positions, the paths to them, and in version 5 the leaves by kind.
CREATE TABLE kogge_entry (
    id bigint PRIMARY KEY CHECK (id >= 0),
    first bytea NOT NULL CHECK (length(first) = 20),
    last bytea NOT NULL CHECK (length(last) = 20 AND first <= last),
    count numeric(39) CHECK (count >= 0),
    positions numeric(39) CHECK (positions >= 0),
    paths numeric(39) CHECK (paths >= 0),
    /* kinds of an entry */
    checksum numeric(39),
    source bigint REFERENCES kogge_source (id),
    at timestamptz,
    disputed boolean NOT NULL DEFAULT false,
    worker text,
    leased_until timestamptz,
    CHECK ((count IS NULL) = (source IS NULL) AND (count IS NULL) = (at IS NULL) AND (count IS NULL) = (checksum IS NULL)),
    CHECK ((count IS NULL) = (positions IS NULL) AND (count IS NULL) = (paths IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX kogge_entry_open ON kogge_entry (id) WHERE count IS NULL;
CREATE INDEX kogge_entry_disputed ON kogge_entry (id) WHERE disputed;

-- Further answers to entries; for disputed entries, all answers.
CREATE TABLE kogge_answer (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry bigint NOT NULL REFERENCES kogge_entry (id),
    count numeric(39) NOT NULL,
    positions numeric(39) NOT NULL,
    paths numeric(39) NOT NULL,
    /* kinds of an answer */
    checksum numeric(39) NOT NULL,
    source bigint NOT NULL REFERENCES kogge_source (id),
    at timestamptz NOT NULL,
    UNIQUE (entry, count, positions, paths, /* kinds */ source)
);
