/**
 * The tables of edition 1, that of commit bae2b81: `meta` (the operator's pause, the health check, marks, how channels fared, certificates), `events` (a row per request:
 * what came, its receipt, what became of it), `idempotency` (which events may have a key, by 48 bits of its name,
 * until edition 4), `work` (the queue, a row per run, heartbeat or delivery still to be done),
 * `parts` (what is left of a reply in parts), `runs` and `deliveries` (what became of them), `system_events` (waiting
 * for the next turn of a main session), `sessions`, `recipients` and `turns` (what sessions remember), `bad_ends` (what
 * ended badly and no notice has told yet), `refusals` (who was refused: a row per request of a verified sender, of the
 * others a sum per minute, code, client, hook and token), `console_sessions` (who is logged in to the console),
 * `changed_texts` (what the search index has to look at again; the last row stays, so that numbers go on), `activity`
 * (what was counted, a row per minute since the epoch in which anything was). Times are epoch milliseconds.
 *
 * `work.server` is the channel of a delivery, and of a turn what it rests for until it is claimed again; `work.hook` and
 * `work.sender` say whose it is. Of its indexes, each but for a few of the stages (queue.ts): `work_ready` is the ring
 * that claims go round, `work_first` holds the one of a key that is up and `work_blocked` those behind it, `work_later`
 * what is due some time, `work_suspect` the few that are, `work_once` finds a heartbeat or notice that can be shared,
 * and `work_dead` what an operator may retry.
 *
 * Events, runs and deliveries are keyed by the time-ordered part of their ids (id-keys.ts), whose `rest` stands in the row;
 * so they lie in the order of acceptance, and refer to each other by key. Each accepted event pays for every index: few
 * are left, and those small. `events.head` is JSON text: the request, the actions, what the sender is told (`StoredHead`
 * in stored-head.ts). `payload` stands last in its table, so that reading the rest of a row never touches a large body.
 *
 * A system event that says what its event says has no words of its own: `at`, `hook`, `trust` and `text` are null, and
 * `events.shown_as` is its `seq`. `look_again` marks an event that was not over when its bodies were to be forgotten.
 */
const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  key INTEGER PRIMARY KEY,
  rest TEXT NOT NULL,
  hook TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  mapping TEXT,
  beats_open INTEGER NOT NULL,
  beats_failed INTEGER NOT NULL DEFAULT 0,
  beats_done INTEGER NOT NULL DEFAULT 0,
  look_again INTEGER NOT NULL DEFAULT 0,
  kept_until INTEGER NOT NULL,
  shown_as INTEGER,
  error TEXT,
  keys TEXT,
  head TEXT NOT NULL,
  payload TEXT
) STRICT;
CREATE INDEX events_by_hook ON events (hook);
CREATE INDEX events_by_mapping ON events (mapping) WHERE mapping IS NOT NULL;
CREATE INDEX events_by_status ON events (status) WHERE status <> 'done';
CREATE INDEX events_to_look_at_again ON events (received_at) WHERE look_again = 1;

CREATE TABLE idempotency (
  name INTEGER NOT NULL,
  event INTEGER NOT NULL,
  keep_until INTEGER NOT NULL,
  PRIMARY KEY (name, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE work (
  id INTEGER PRIMARY KEY,
  lane TEXT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  stage TEXT NOT NULL CHECK
    (stage IN ('deferred', 'blocked', 'retrying', 'suspect', 'ready', 'leased', 'dead')),
  server TEXT NOT NULL,
  hook TEXT NOT NULL,
  sender TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  acting INTEGER NOT NULL DEFAULT 0,
  ref TEXT,
  event_id TEXT,
  job TEXT
) STRICT;
CREATE INDEX work_ready ON work (lane, kind, server, hook, sender, due_at) WHERE stage = 'ready';
CREATE UNIQUE INDEX work_first ON work (lane, key)
  WHERE stage IN ('retrying', 'suspect', 'ready', 'leased');
CREATE INDEX work_blocked ON work (lane, key) WHERE stage = 'blocked';
CREATE INDEX work_later ON work (lane, due_at) WHERE stage IN ('deferred', 'retrying');
CREATE INDEX work_suspect ON work (lane, crashes, due_at) WHERE stage = 'suspect';
CREATE INDEX work_once ON work (lane, key, kind) WHERE kind IN ('heartbeat', 'notice');
CREATE INDEX work_dead ON work (event_id) WHERE stage = 'dead';

CREATE TABLE parts (
  n INTEGER PRIMARY KEY,
  work_id INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  count INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX parts_by_work ON parts (work_id);

CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  rest TEXT NOT NULL,
  event INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued',
  model TEXT,
  thinking TEXT,
  error TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  notes TEXT NOT NULL DEFAULT '[]',
  started_at INTEGER,
  finished_at INTEGER,
  contract TEXT,
  usage TEXT,
  warnings TEXT,
  summary TEXT,
  tool_calls TEXT,
  prompt TEXT,
  reply TEXT
) STRICT;
CREATE INDEX runs_by_event ON runs (event);
CREATE INDEX runs_by_session ON runs (agent_id, session_key, event);

CREATE TABLE deliveries (
  key INTEGER PRIMARY KEY,
  rest TEXT NOT NULL,
  event INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  recipient TEXT,
  status TEXT NOT NULL,
  notes TEXT NOT NULL DEFAULT '[]',
  message_id TEXT,
  error TEXT
) STRICT;
CREATE INDEX deliveries_by_event ON deliveries (event);

CREATE TABLE system_events (
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event INTEGER,
  asks_heartbeat INTEGER NOT NULL,
  heartbeat_failed INTEGER NOT NULL DEFAULT 0,
  delivery INTEGER,
  at INTEGER,
  hook TEXT,
  trust TEXT,
  text TEXT,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  key TEXT PRIMARY KEY,
  channel TEXT,
  recipient TEXT,
  runner TEXT,
  runner_session TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE recipients (
  session TEXT NOT NULL,
  channel TEXT NOT NULL,
  recipient TEXT NOT NULL,
  PRIMARY KEY (session, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  n INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  at INTEGER NOT NULL,
  isolated INTEGER NOT NULL,
  untrusted INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  reply TEXT NOT NULL
) STRICT;
CREATE INDEX turns_by_session ON turns (session, isolated);
CREATE INDEX turns_by_age ON turns (isolated, at);

CREATE TABLE bad_ends (
  n INTEGER PRIMARY KEY,
  event_id TEXT,
  line TEXT NOT NULL,
  count INTEGER NOT NULL
) STRICT;

CREATE TABLE changed_texts (
  n INTEGER PRIMARY KEY,
  event INTEGER NOT NULL
) STRICT;
INSERT INTO changed_texts VALUES (0, 0);

CREATE TABLE refusals (
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  hook TEXT,
  name TEXT,
  client TEXT,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  verified_by TEXT,
  bytes INTEGER,
  count INTEGER NOT NULL
) STRICT;
CREATE INDEX refusals_by_kind ON refusals (kind);
CREATE UNIQUE INDEX refusals_sums ON refusals
  (at, code, ifnull(client, ''), ifnull(hook, ''), ifnull(verified_by, '')) WHERE kind = 'unverified';

CREATE TABLE console_sessions (
  digest TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE activity (
  minute INTEGER PRIMARY KEY,
  accepted INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  runs_succeeded INTEGER NOT NULL,
  runs_failed INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  deliveries_failed INTEGER NOT NULL,
  waiting INTEGER NOT NULL
) STRICT;
`;

/** Which build brought the file to each edition after the first. */
const EDITIONS = `
CREATE TABLE editions (
  number INTEGER PRIMARY KEY,
  taken_at INTEGER NOT NULL,
  build TEXT NOT NULL
) STRICT;
`;

/** The ids of the events that a turn was shown, a JSON list: what is erased with them. */
const EVENTS_OF_TURNS = 'ALTER TABLE turns ADD COLUMN events TEXT;';

/**
 * Rows as PostgreSQL has them, so that the same statements serve both: a key leads to its event by its whole name and
 * holds the digest of its content, which stood in the row of the event (`events.keys`, which is left as it is); a line says
 * whose it is, a session which number was taken away last, work who leases it (nobody: there is one process).
 */
const SHARED_ROWS = `
ALTER TABLE work ADD COLUMN instance TEXT;
ALTER TABLE work ADD COLUMN lease_ends INTEGER;
ALTER TABLE sessions ADD COLUMN last_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE system_events ADD COLUMN owner TEXT;
UPDATE system_events SET owner = (SELECT ifnull(mapping, hook) FROM events WHERE key = event);
DROP TABLE idempotency;
CREATE TABLE idempotency (
  name TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  keep_until INTEGER NOT NULL,
  event INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT OR REPLACE INTO idempotency (name, digest, keep_until, event)
  SELECT own.value ->> 0, own.value ->> 1, own.value ->> 2, events.key FROM events, json_each(events.keys) AS own
  WHERE keys IS NOT NULL ORDER BY 1, events.key;
DELETE FROM meta WHERE key = 'keys_filed_to';
`;

/** What operators did: with which token, to what, and what it was before and after (JSON). */
const AUDIT = `
CREATE TABLE audit (
  n INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  client TEXT,
  operation TEXT NOT NULL,
  subject TEXT,
  outcome TEXT NOT NULL,
  changed_from TEXT,
  changed_to TEXT
) STRICT;
`;

/** What runs wait for, or waited for, until their event is forgotten: a question to a person (JSON), and the decision (JSON). */
const WAITS = `
CREATE TABLE waits (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  work_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  question TEXT NOT NULL,
  decision TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX waits_by_event ON waits (event);
CREATE INDEX waits_open ON waits (id) WHERE decision IS NULL;
CREATE INDEX waits_open_by_owner ON waits (owner) WHERE decision IS NULL;
`;

/**
 * Questions about waits that people answer by buttons: a digest of what these carry, the message that shows them, and what
 * is queued when the wait ends (JSON), until then.
 */
const QUESTIONS = `
CREATE TABLE questions (
  wait TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  code TEXT NOT NULL,
  message_id TEXT,
  on_end TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_by_event ON questions (event);
CREATE INDEX questions_by_code ON questions (code);
CREATE INDEX questions_open ON questions (wait) WHERE on_end IS NOT NULL;
`;

/**
 * Rules: which run lists the event of another one (`joined`), and what is counted within a
 * time, a row for each, by when.
 */
const RULES = `
ALTER TABLE runs ADD COLUMN joined TEXT;
CREATE TABLE spending (
  meter TEXT NOT NULL,
  ref TEXT NOT NULL,
  at INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (meter, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_by_time ON spending (meter, at, amount);
`;

/** What turns used by day (days since 1970, in UTC), and what it cost, in millionths of a dollar. */
const USAGE = `
CREATE TABLE usage (
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  hook TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  sender TEXT NOT NULL,
  turns INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  uncounted INTEGER NOT NULL,
  PRIMARY KEY (day, kind, hook, agent, model, sender)
) STRICT, WITHOUT ROWID;
`;

/** What the build before knew loops by; nothing is written here, and what there is is forgotten. */
const REPLIES = `
CREATE TABLE replies (
  run_id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  at INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  marks INTEGER NOT NULL,
  rounds TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX replies_by_event ON replies (event);
CREATE INDEX replies_by_time ON replies (at);
CREATE TABLE reply_marks (
  mark TEXT NOT NULL,
  run_id TEXT NOT NULL,
  event INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (mark, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reply_marks_by_event ON reply_marks (event);
CREATE INDEX reply_marks_by_time ON reply_marks (at);
`;

/** Runs that wait for a person or an event beside their session (busy.ts). */
const ASIDE = `
CREATE INDEX work_aside ON work (lane, key) WHERE stage = 'deferred' AND kind = 'run';
`;

/**
 * Every step of the tables, oldest first. A file's edition is how many of them it has taken (`user_version`); a new file
 * takes all of them, so that it has the same tables as one that grew.
 *
 * Every change of the tables is a step of its own at the end of this list, also between two releases: whoever runs a
 * checkout has a ledger, too. A step that is on the main branch is never edited, and never removed. After adding one run
 * `node test/fixtures/ledgers/write.ts`, which keeps a ledger of the new edition for all later builds. Rows that a step
 * has to rewrite are rewritten by its SQL. Prefer columns with a default, and tables.
 * PostgreSQL's steps are in ledger/postgres/schema.ts, under numbers of their own.
 */
export const STEPS: readonly string[] = [
  TABLES,
  EDITIONS,
  EVENTS_OF_TURNS,
  SHARED_ROWS,
  AUDIT,
  WAITS,
  QUESTIONS,
  RULES,
  REPLIES + USAGE + ASIDE,
];
