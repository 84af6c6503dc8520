// Accepting a group of events: one call and one commit, which is what each 200 of the group stands for.
//
// 1. Paused: the whole group is told so, and nothing is locked.
// 2. The locks of all idempotency keys, sessions and keys of work are taken, in their one order (queue.ts). Whatever is
//    read below stays true until the commit.
//    A group that arrives after its senders were told that it is not stored (intake.ts) goes no further.
// 3. Set apart are events with a key that is known, or that two of the group share, and those for which a session or a
//    hook has no room if all of them are counted together.
// 4. All others are plain, which nearly all are: written together, a statement for each table.
// 5. Those that were set apart are decided one after the other, in the order in which they came: stored after all, or
//    answered with what they are instead. Whoever comes later sees what an earlier one has written.
//
// The texts of events (`heads`, `payloads`) stand beside the group and not in it, because a composite value is copied
// for every function that takes it. The answer names only events that were not simply accepted, by their places from 0;
// all times are epoch milliseconds of the instance that accepts.
import { ENTRY } from './queue.ts';

/** Begins the key in `meta` of a group that was given up; the id of its first event follows. */
export const GIVEN_UP = 'given up ';

/** What comes with the events of a group, e.g. as `FROM ${KEYS}`: `e` is the place of the event among them, from 1. */
const KEYS = `ROWS FROM (json_to_recordset(p.keys) AS (e int, action int, name text, digest text, keep bigint, other text,
    former text, by text)) WITH ORDINALITY AS k(e, action, name, digest, keep, other, former, by, n)`;
const LINES = `ROWS FROM (json_to_recordset(p.lines) AS (e int, session text, event uuid, asks boolean, delivery uuid,
    at bigint, hook text, trust text, text text))
    WITH ORDINALITY AS l(e, session, event, asks, delivery, at, hook, trust, text, n)`;
const WORKS = `ROWS FROM (json_to_recordset(p.works) AS (e int, lane text, key text, kind text, server text, hook text,
    sender text, ref uuid, "eventId" uuid, "dueAt" bigint, once boolean, job text))
    WITH ORDINALITY AS w(e, lane, key, kind, server, hook, sender, ref, "eventId", "dueAt", once, job, n)`;

/**
 * Accepting a group of events (accepting.ts of the SQLite ledger): one call, one commit. Nearly all events are new in
 * every respect and are written together, a statement for each table. Whatever may be something else (a key that is
 * known or that two of the group share, a session or a hook that is nearly full) is looked at one after the other.
 */
export const ACCEPTING = `
-- A group, but for the texts of events, which are not copied with it.
CREATE TYPE group_@ AS (
  now bigint,
  -- An event each.
  ids uuid[], hooks text[], mappings text[], owners text[], received bigint[], statuses text[], beats int[],
  kept_until bigint[], errors text[],
  -- How many actions it has, whether its warnings say that a key was used again, and what may wait.
  actions int[], reused boolean[], runs int[], max_lines int[], max_lines_of_hook int[], max_queued int[],
  keys json, lines json, works json, others json,
  -- For each main session the heartbeat that it asks for when it is half full.
  heartbeats json);

-- How the event of a head was verified, as JSON text. Read as text, for what a sender wrote may be no JSON that PostgreSQL
-- reads. Its quotes are escaped, and all values of its query and headers are texts: no more than once does an object end
-- before a "client".
CREATE FUNCTION verifier_@(head text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(head from '[}],"client":"(?:[^"\\\\]|\\\\.)*","verifiedBy":("(?:[^"\\\\]|\\\\.)*")');
$$;

-- What is known of the keys of events, in their order.
CREATE FUNCTION known_keys_@(p group_@) RETURNS TABLE (e int, action int, other text, has_other boolean, known uuid)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT k.e, k.action, k.other, coalesce(i.digest <> k.digest, false),
    CASE WHEN i.name IS NULL OR (i.digest <> k.digest AND k.other IN ('new', 'latest')) THEN same.event
      ELSE i.event END
  FROM ${KEYS}
    -- As it was remembered before edition 2 it counts where the event was verified alike.
    LEFT JOIN LATERAL (SELECT found.name, found.digest, found.event FROM idempotency found
      WHERE found.name IN (k.name, k.former) AND found.keep_until > p.now
        AND (found.name = k.name OR (SELECT verifier_@(head) = to_json(k.by)::text FROM events WHERE id = found.event))
      ORDER BY found.name = k.name DESC LIMIT 1) AS i ON true
    LEFT JOIN idempotency same
      ON k.other = 'new' AND same.name = k.name || ' ' || k.digest AND same.keep_until > p.now
  ORDER BY k.n;
END $$;

-- Those of these events for which there is no room, if all of them are stored; and why.
CREATE FUNCTION without_room_@(p group_@, chosen int[]) RETURNS TABLE (e int, why text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    WITH line AS (SELECT l.e, l.session, p.owners[l.e] AS owner, p.max_lines[l.e] AS most,
        coalesce(p.max_lines_of_hook[l.e], p.max_lines[l.e]) AS most_of_hook
      FROM ${LINES} WHERE l.e = ANY(chosen)),
    added AS (SELECT session, owner, count(*) AS own,
        (sum(count(*)) OVER (PARTITION BY session))::bigint AS everybodys, min(most) AS most, min(most_of_hook) AS most_of_hook
      FROM line GROUP BY session, owner),
    -- Each session is counted once.
    crowded AS MATERIALIZED (SELECT added.session, added.owner FROM added CROSS JOIN LATERAL (
        SELECT count(*) AS everybodys, count(*) FILTER (WHERE s.owner = added.owner) AS own
        FROM system_events s WHERE s.session = added.session) AS waiting
      WHERE waiting.everybodys + added.everybodys > most OR waiting.own + added.own > most_of_hook)
    SELECT DISTINCT line.e, 'full' FROM line JOIN crowded USING (session, owner);
  IF EXISTS (SELECT FROM unnest(p.max_queued) AS most WHERE most IS NOT NULL) THEN
    RETURN QUERY
      WITH own AS (SELECT place, p.owners[place] AS hook, p.runs[place] AS runs, p.max_queued[place] AS most
        FROM unnest(chosen) AS place WHERE p.runs[place] > 0 AND p.max_queued[place] IS NOT NULL),
      asked AS (SELECT hook, min(most) AS most, sum(runs) AS runs FROM own GROUP BY hook),
      -- However many wait, no more are counted than there are places.
      crowded AS MATERIALIZED (SELECT asked.hook FROM asked CROSS JOIN LATERAL (SELECT count(*) AS runs FROM (
          SELECT FROM work WHERE work.hook = asked.hook AND kind = 'run'
            AND stage IN ('blocked', 'retrying', 'suspect', 'ready') LIMIT asked.most) AS found) AS waiting
        WHERE waiting.runs + asked.runs > most)
      SELECT place, 'hook-full' FROM own JOIN crowded USING (hook);
  END IF;
END $$;

-- Writes these events with all that they bring. Names the lanes in which something may be claimable.
CREATE FUNCTION store_@(p group_@, heads text[], payloads text[], chosen int[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  lanes text[] := '{}';
  c json;
  asked record;
BEGIN
  INSERT INTO sessions (key) SELECT DISTINCT session FROM ${LINES} WHERE l.e = ANY(chosen)
    ON CONFLICT DO NOTHING;
  WITH line AS (SELECT l.*, p.owners[l.e] AS owner,
      row_number() OVER (PARTITION BY session ORDER BY n) AS nth FROM ${LINES} WHERE l.e = ANY(chosen)),
  start AS (SELECT session, next_seq_@(session, p.now) AS seq FROM line GROUP BY session),
  numbered AS (SELECT line.*, start.seq + nth - 1 AS seq FROM line JOIN start USING (session)),
  added AS (
    INSERT INTO system_events (session, seq, event, owner, asks_heartbeat, delivery, at, hook, trust, text)
    SELECT session, seq, event, CASE WHEN event IS NOT NULL THEN owner END, asks, delivery, at, hook, trust, text
    FROM numbered)
  INSERT INTO events (id, hook, received_at, status, mapping, beats_open, kept_until, shown_as, error, head, payload)
    SELECT p.ids[e], p.hooks[e], p.received[e], p.statuses[e], p.mappings[e], p.beats[e], p.kept_until[e],
      (SELECT min(seq) FROM numbered WHERE numbered.e = place.e AND numbered.text IS NULL), p.errors[e], heads[e],
      payloads[e]
    FROM unnest(chosen) AS place(e);
  -- A key that ran out is taken over; another content of a key that counts each by itself gets a name of its own.
  INSERT INTO idempotency AS i (name, digest, keep_until, event)
    SELECT DISTINCT ON (1) CASE WHEN k.other = 'new' AND EXISTS (SELECT FROM idempotency taken
        WHERE taken.name = k.name AND taken.keep_until > p.now) THEN k.name || ' ' || k.digest ELSE k.name END,
      k.digest, k.keep, p.ids[k.e]
    FROM ${KEYS} WHERE k.e = ANY(chosen) ORDER BY 1, k.n DESC
    ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, keep_until = excluded.keep_until, event = excluded.event;
  FOR c IN SELECT value FROM json_array_elements(p.others) WHERE (value->>'e')::int = ANY(chosen) LOOP
    PERFORM apply_@(c);
  END LOOP;
  WITH queued AS (
    INSERT INTO work (lane, key, kind, stage, server, hook, sender, due_at, since, ref, event_id, job)
    SELECT lane, key, kind, CASE WHEN is_later THEN 'deferred' WHEN nth > 1 THEN 'blocked'
        ELSE stage_in_queue_@(lane, key) END,
      server, coalesce(hook, ''), coalesce(sender, ''), "dueAt", p.now, ref, "eventId", job
    FROM (SELECT w.*, is_later, row_number() OVER (PARTITION BY lane, key, is_later ORDER BY n) AS nth
      FROM ${WORKS} CROSS JOIN LATERAL (SELECT kind IN ('heartbeat', 'notice') AND "dueAt" > p.now AS is_later) AS due
      WHERE w.e = ANY(chosen) AND w.once IS NOT TRUE) AS plain
    ORDER BY n RETURNING lane, stage)
  SELECT coalesce(array_agg(DISTINCT lane), '{}') INTO lanes FROM queued WHERE stage <> 'blocked';
  -- Of many that ask for the same heartbeat, the earliest asks for all.
  FOR asked IN SELECT DISTINCT ON (lane, key, kind) lane, row_to_json(w) AS work FROM ${WORKS}
    WHERE w.e = ANY(chosen) AND w.once ORDER BY lane, key, kind, "dueAt", n
  LOOP
    IF put_@(asked.work, p.now) THEN lanes := lanes || asked.lane; END IF;
  END LOOP;
  -- A main session that is half full drains before it is full.
  FOR asked IN SELECT h.lane, row_to_json(h) AS work
    FROM json_to_recordset(p.heartbeats) AS h(session text, half float, lane text, key text, kind text, server text,
      hook text, sender text, ref uuid, "eventId" uuid, "dueAt" bigint, once boolean, job text)
    WHERE session IN (SELECT session FROM ${LINES} WHERE l.e = ANY(chosen))
      AND (SELECT count(*) FROM system_events s WHERE s.session = h.session) >= half
  LOOP
    IF put_@(asked.work, p.now) THEN lanes := lanes || asked.lane; END IF;
  END LOOP;
  RETURN lanes;
END $$;

-- Decides what becomes of one event, as Accepting.accept does; null: it may be stored.
CREATE FUNCTION decide_@(p group_@, place int) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  k record;
  at int := -1;
  repeats uuid;
  first uuid;
  is_reused boolean := false;
  dropped int[] := '{}';
  why text;
BEGIN
  FOR k IN SELECT * FROM known_keys_@(p) AS known WHERE known.e = place LOOP
    IF k.action > 0 THEN
      IF k.known IS NOT NULL THEN
        first := coalesce(first, k.known);
        dropped := dropped || k.action;
      END IF;
      is_reused := is_reused OR (k.has_other AND k.known IS NULL);
      CONTINUE;
    END IF;
    at := at + 1;
    IF k.has_other AND k.other = 'conflict' THEN
      RETURN json_build_object('outcome', 'conflict', 'key', at);
    END IF;
    repeats := coalesce(repeats, k.known);
    is_reused := is_reused OR (k.has_other AND k.known IS NULL);
  END LOOP;
  IF repeats IS NULL AND first IS NOT NULL AND cardinality(dropped) = p.actions[place] THEN repeats := first; END IF;
  IF repeats IS NOT NULL THEN
    RETURN (SELECT json_build_object('outcome', 'replayed', 'eventId', id, 'head', head) FROM events WHERE id = repeats);
  END IF;
  SELECT w.why INTO why FROM without_room_@(p, ARRAY[place]) AS w LIMIT 1;
  IF why IS NOT NULL THEN RETURN json_build_object('outcome', why); END IF;
  -- It is written otherwise than it was sent: its head is made anew.
  IF cardinality(dropped) > 0 OR is_reused <> p.reused[place] THEN
    RETURN json_build_object('outcome', 'changed', 'dropped', dropped, 'isReused', is_reused);
  END IF;
  RETURN NULL;
END $$;

-- The parts of these events: whatever is looked at alone is not looked for among all.
CREATE FUNCTION parts_of_@(p group_@, chosen int[]) RETURNS TABLE (e int, keys json, lines json, works json, others json)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT c.e, coalesce(own_keys.parts, '[]'), coalesce(own_lines.parts, '[]'),
    coalesce(own_works.parts, '[]'), coalesce(own_others.parts, '[]')
  FROM (SELECT DISTINCT place AS e FROM unnest(chosen) AS place) AS c
    LEFT JOIN (SELECT k.e, json_agg(k ORDER BY n) AS parts FROM ${KEYS} GROUP BY k.e) AS own_keys USING (e)
    LEFT JOIN (SELECT l.e, json_agg(l ORDER BY n) AS parts FROM ${LINES} GROUP BY l.e) AS own_lines USING (e)
    LEFT JOIN (SELECT w.e, json_agg(w ORDER BY n) AS parts FROM ${WORKS} GROUP BY w.e) AS own_works USING (e)
    LEFT JOIN (SELECT (value->>'e')::int AS e, json_agg(value) AS parts FROM json_array_elements(p.others)
      GROUP BY 1) AS own_others USING (e)
  ORDER BY c.e;
END $$;

-- Accepts a group. @param names of the locks: keys, sessions and keys of work; @param is_delicate: two events of the
-- group share a key, or one was sent again because it is written otherwise. Answers with the lanes that changed, and
-- with what became of events that were not simply accepted.
CREATE FUNCTION accept_@(p group_@, heads text[], payloads text[], names text[], is_delicate boolean) RETURNS json
LANGUAGE plpgsql ${ENTRY} AS $$
DECLARE
  everybody int[] := ARRAY(SELECT generate_series(1, cardinality(p.ids)));
  special int[] := '{}';
  plain int[];
  single group_@;
  own record;
  verdict json;
  lanes text[] := '{}';
  answers json[] := '{}';
BEGIN
  IF EXISTS (SELECT FROM meta WHERE key = 'paused') THEN RETURN json_build_object('isPaused', true); END IF;
  PERFORM lock_@(names);
  IF EXISTS (SELECT FROM meta WHERE key = '${GIVEN_UP}' || p.ids[1]) THEN
    RAISE EXCEPTION 'the senders of this group were told that it is not stored';
  END IF;
  IF json_array_length(p.keys) > 0 THEN
    special := ARRAY(SELECT DISTINCT k.e FROM known_keys_@(p) AS k WHERE is_delicate OR known IS NOT NULL OR has_other);
  END IF;
  plain := ARRAY(SELECT e FROM unnest(everybody) AS e WHERE e <> ALL(special));
  special := special || ARRAY(SELECT e FROM without_room_@(p, plain));
  IF cardinality(special) > 0 THEN
    plain := ARRAY(SELECT e FROM unnest(everybody) AS e WHERE e <> ALL(special));
  END IF;
  IF cardinality(plain) > 0 THEN lanes := store_@(p, heads, payloads, plain); END IF;
  IF cardinality(special) > 0 THEN
    single := p;
    FOR own IN SELECT * FROM parts_of_@(p, special) LOOP
      single.keys := own.keys;
      single.lines := own.lines;
      single.works := own.works;
      single.others := own.others;
      verdict := decide_@(single, own.e);
      IF verdict IS NULL THEN lanes := lanes || store_@(single, heads, payloads, ARRAY[own.e]);
      ELSE answers := answers || json_build_object('at', own.e - 1, 'answer', verdict);
      END IF;
    END LOOP;
  END IF;
  RETURN json_build_object('lanes', ARRAY(SELECT DISTINCT unnest(lanes)), 'answers', array_to_json(answers));
END $$;
`;
