-- Format 6. One store holds all views (worktrees, commits, live directories) of one repository.

CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE path (path_id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);

-- A file version is one content at one path. Its facts are derived from nothing else.
CREATE TABLE file_version (
    version_id   INTEGER PRIMARY KEY,
    path_id      INTEGER NOT NULL,
    content_id   BLOB    NOT NULL,
    size         INTEGER NOT NULL,
    language     TEXT,                  -- NULL: plain text
    role         INTEGER NOT NULL,
    skip         TEXT,                  -- why it has no facts; NULL: it has
    line_count   INTEGER NOT NULL,
    chunk_count  INTEGER NOT NULL,
    symbol_count INTEGER NOT NULL,
    released_at  INTEGER,               -- when gc first found no view that holds it, unix seconds
    UNIQUE (content_id, path_id)
);
CREATE INDEX file_version_by_path ON file_version (path_id);
CREATE INDEX file_version_skipped ON file_version (skip) WHERE skip IS NOT NULL;

-- Compressed facts: `outline` has definitions, imports, chunks and problems, `uses` has references. Those of a version
-- with a base can only be read together with the base's; a base may outlive its file version.
CREATE TABLE facts (
    version_id INTEGER PRIMARY KEY,
    base_id    INTEGER,
    outline    BLOB NOT NULL,
    uses       BLOB NOT NULL
);

-- What a version has in common with earlier ones of its path; no row: nothing. See `items.rs`.
CREATE TABLE shared (version_id INTEGER PRIMARY KEY, items BLOB NOT NULL);

-- Hashes of the search documents that a version brought, 8 bytes each; 0 for one that is gone.
CREATE TABLE document (
    path_id    INTEGER NOT NULL,
    version_id INTEGER NOT NULL,
    hashes     BLOB    NOT NULL,
    PRIMARY KEY (path_id, version_id)
) WITHOUT ROWID;

-- Versions that brought search documents without vectors of the model in use; see `vectors/`.
CREATE TABLE unembedded (version_id INTEGER PRIMARY KEY);

-- Definitions by lower-case name; `name` is set only where it differs from the key. The version is the one that brought
-- the definition, the ordinal its number there.
CREATE TABLE symbol (
    key        TEXT    NOT NULL,
    version_id INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    name       TEXT,
    PRIMARY KEY (key, version_id, ordinal)
) WITHOUT ROWID;

-- Filters that tell what texts cannot match; versions of small trees have none. See `trigrams/`.
CREATE TABLE trigrams (version_id INTEGER PRIMARY KEY, filter BLOB NOT NULL);

-- A layer is an immutable manifest that views build on; a view is a layer plus its own delta.
CREATE TABLE layer (layer_id INTEGER PRIMARY KEY, entry_count INTEGER NOT NULL);
CREATE TABLE layer_entry (
    layer_id   INTEGER NOT NULL,
    path_id    INTEGER NOT NULL,
    version_id INTEGER NOT NULL,
    PRIMARY KEY (layer_id, path_id)
) WITHOUT ROWID;

CREATE TABLE view (
    view_id      INTEGER PRIMARY KEY,
    kind         TEXT    NOT NULL,      -- worktree | commit | live
    name         TEXT    NOT NULL,      -- root directory, or commit id
    layer_id     INTEGER,
    generation   INTEGER NOT NULL,
    head_ref     TEXT,
    head_commit  TEXT,
    file_count   INTEGER NOT NULL DEFAULT 0,
    symbol_count INTEGER NOT NULL DEFAULT 0,
    chunk_count  INTEGER NOT NULL DEFAULT 0,
    source_bytes INTEGER NOT NULL DEFAULT 0,
    published_at INTEGER,
    used_at      INTEGER,
    oversized    BLOB,                  -- files that are too large to be indexed; NULL: none
    UNIQUE (kind, name)
);

-- What a view holds other than its layer; a NULL version is a tombstone.
CREATE TABLE delta_entry (
    view_id    INTEGER NOT NULL,
    path_id    INTEGER NOT NULL,
    version_id INTEGER,
    PRIMARY KEY (view_id, path_id)
) WITHOUT ROWID;

-- What the operating system said about a file when its content was last known; only a cache.
CREATE TABLE file_stat (
    view_id    INTEGER NOT NULL,
    path_id    INTEGER NOT NULL,
    version_id INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    ctime_ns   INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    PRIMARY KEY (view_id, path_id)
) WITHOUT ROWID;
