// Ending a step: what became of its work, and everything that it has written, in one commit.
//
// `commit_step` takes the locks by name, then the row of the work if id, attempt and instance are still those of the
// lease. They are not once the lease ran out and somebody else took the work up: then nothing is written, and the
// answer is null. The outcome comes first (done, dead, to be tried again, cut into parts), for it may let the next of
// the key come up; then the changes, in the order in which the step gave them; then every event that they touch is
// settled, once.
//
// Changes arrive as JSON that change-text.ts has made, nested data as texts that are stored as they are: nothing is
// parsed here that nobody looks at. A new kind of effect is a case of `apply`, or of `apply_all` where it is about
// queues or the lines of a session, beside the case in the SQLite ledger's changes.ts.
import { CLAIMABLE } from '../../work/stages.ts';
import { ENTRY, appended } from './queue.ts';

/** Ending a step, and whatever it has written (steps.ts and changes.ts of the SQLite ledger). */
export const STEPS = `
-- Appends a line to a main session, whose lock is held.
CREATE FUNCTION add_line_@(c json, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  x record;
BEGIN
  SELECT * INTO x FROM json_to_record(c) AS x(session text, "eventId" uuid, "asksHeartbeat" boolean, "deliveryId" uuid,
    at bigint, hook text, trust text, text text);
  INSERT INTO sessions (key) VALUES (x.session) ON CONFLICT DO NOTHING;
  INSERT INTO system_events (session, seq, event, owner, asks_heartbeat, delivery, at, hook, trust, text)
    VALUES (x.session, next_seq_@(x.session, p_now), x."eventId",
      (SELECT coalesce(mapping, hook) FROM events WHERE id = x."eventId"), x."asksHeartbeat", x."deliveryId", x.at,
      x.hook, x.trust, x.text);
END $$;

-- The number of the next line: it goes on rising when all were taken away, and over a session that was forgotten.
CREATE FUNCTION next_seq_@(p_session text, p_now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN greatest(p_now, (SELECT seq + 1 FROM system_events WHERE session = p_session ORDER BY seq DESC LIMIT 1),
    (SELECT last_seq + 1 FROM sessions WHERE key = p_session));
END $$;

CREATE FUNCTION add_turn_@(c json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  x record;
BEGIN
  SELECT * INTO x FROM json_to_record(c) AS x(session text, at bigint, "isIsolated" boolean, "isUntrusted" boolean,
    prompt text, reply text, events text, "runnerSession" json);
  IF x."isIsolated" AND EXISTS (SELECT FROM turns WHERE session = x.session AND NOT isolated) THEN RETURN; END IF;
  DELETE FROM turns WHERE session = x.session AND isolated;
  INSERT INTO turns (session, at, isolated, untrusted, prompt, reply, events)
    VALUES (x.session, x.at, x."isIsolated", x."isUntrusted", x.prompt, x.reply, x.events);
  IF x."isIsolated" THEN
    x."runnerSession" := NULL;
  ELSE
    DELETE FROM turns WHERE session = x.session AND NOT isolated AND n <= (SELECT n FROM turns
      WHERE session = x.session AND NOT isolated ORDER BY n DESC LIMIT 1 OFFSET 100);
  END IF;
  INSERT INTO sessions AS s (key, runner, runner_session)
    VALUES (x.session, x."runnerSession"->>'runner', x."runnerSession"->>'id')
    ON CONFLICT (key) DO UPDATE SET runner = excluded.runner, runner_session = excluded.runner_session
    WHERE (s.runner, s.runner_session) IS DISTINCT FROM (excluded.runner, excluded.runner_session);
END $$;

CREATE FUNCTION note_route_@(p_session text, p_channel text, p_recipient text) RETURNS void LANGUAGE plpgsql
${ENTRY} AS $$
BEGIN
  INSERT INTO sessions (key, channel, recipient) VALUES (p_session, p_channel, p_recipient)
    ON CONFLICT (key) DO UPDATE SET channel = excluded.channel, recipient = excluded.recipient;
  INSERT INTO recipients VALUES (p_session, p_channel, p_recipient)
    ON CONFLICT (session, channel) DO UPDATE SET recipient = excluded.recipient;
END $$;

-- Every change but those of sessions' lines and of work. Returns the event to settle, if there is one.
CREATE FUNCTION apply_@(c json) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  x record;
  v_event uuid;
BEGIN
  CASE c->>'type'
  WHEN 'run' THEN
    SELECT * INTO x FROM json_to_record(c) AS x(id uuid, "eventId" uuid, "agentId" text, "sessionKey" text, model text,
      thinking text);
    INSERT INTO runs (id, event, agent_id, session_key, model, thinking)
      VALUES (x.id, x."eventId", x."agentId", x."sessionKey", x.model, x.thinking);
    RETURN x."eventId";
  WHEN 'run-update' THEN
    SELECT * INTO x FROM json_to_record(c) AS x(id uuid, status text, model text, prompt text, reply text, error text,
      summary text, contract text, usage text, warnings text, "toolCalls" text, "finishedAt" bigint, note text);
    UPDATE runs SET status = coalesce(x.status, status), model = coalesce(x.model, model),
      prompt = coalesce(x.prompt, prompt), reply = coalesce(x.reply, reply), summary = coalesce(x.summary, summary),
      contract = coalesce(x.contract, contract), usage = coalesce(x.usage, usage),
      warnings = coalesce(x.warnings, warnings), tool_calls = coalesce(x."toolCalls", tool_calls),
      finished_at = coalesce(x."finishedAt", finished_at),
      error = CASE WHEN c->'error' IS NULL THEN error ELSE x.error END,
      notes = CASE WHEN x.note IS NULL THEN notes ELSE ${appended('notes', 'x.note')} END
      WHERE id = x.id RETURNING event INTO v_event;
  WHEN 'delivery' THEN
    SELECT * INTO x FROM json_to_record(c) AS x(id uuid, "eventId" uuid, "runId" text, channel text, "to" text,
      status text, error text);
    INSERT INTO deliveries (id, event, run_id, channel, recipient, status, error)
      VALUES (x.id, x."eventId", x."runId", x.channel, x."to", x.status, x.error);
    RETURN x."eventId";
  WHEN 'delivery-update' THEN
    SELECT * INTO x FROM json_to_record(c) AS x(id uuid, status text, "messageId" text, error text, attempt text);
    UPDATE deliveries SET status = coalesce(x.status, status), message_id = coalesce(x."messageId", message_id),
      error = CASE WHEN c->'error' IS NULL THEN error ELSE x.error END,
      notes = CASE WHEN x.attempt IS NULL THEN notes ELSE ${appended('notes', 'x.attempt')} END
      WHERE id = x.id RETURNING event INTO v_event;
  WHEN 'turn' THEN
    PERFORM add_turn_@(c);
  WHEN 'route' THEN
    PERFORM note_route_@(c->>'session', c->>'channel', c->>'to');
  WHEN 'bad-end' THEN
    INSERT INTO bad_ends (event_id, line, count) VALUES (c->>'eventId', c->>'line', coalesce((c->>'count')::bigint, 1));
  WHEN 'told' THEN
    DELETE FROM bad_ends WHERE n <= (c->>'through')::bigint;
  END CASE;
  RETURN v_event;
END $$;

-- What the outcome means for the work in its queue; its row is locked. True: something may be claimable that was not, or
-- is from when on.
CREATE FUNCTION end_@(w work, how json, p_now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_at bigint;
  is_failure boolean;
BEGIN
  CASE how->>'type'
  WHEN 'done' THEN
    DELETE FROM work WHERE id = w.id;
    RETURN promote_@(w.lane, w.key);
  WHEN 'dead' THEN
    UPDATE work SET stage = 'dead', due_at = p_now, acting = false, instance = NULL, lease_ends = NULL WHERE id = w.id;
    RETURN promote_@(w.lane, w.key);
  WHEN 'retry' THEN
    v_at := (how->>'at')::float::bigint;
    is_failure := coalesce(how->>'interrupted', 'false') <> 'true';
    UPDATE work SET stage = CASE WHEN v_at > p_now THEN 'retrying' WHEN is_failure THEN 'ready' ELSE ${CLAIMABLE} END,
      due_at = v_at, failures = failures + is_failure::int, crashes = CASE WHEN is_failure THEN 0 ELSE crashes END,
      acting = false, instance = NULL, lease_ends = NULL WHERE id = w.id;
  WHEN 'release' THEN
    UPDATE work SET stage = ${CLAIMABLE}, due_at = p_now, acting = false, instance = NULL, lease_ends = NULL
      WHERE id = w.id;
  WHEN 'rest' THEN
    is_failure := (how->>'asked')::boolean;
    UPDATE work SET stage = CASE WHEN is_failure THEN 'ready' ELSE ${CLAIMABLE} END,
      -- Those that were not asked keep their place before those that were.
      due_at = CASE WHEN is_failure THEN p_now ELSE due_at END, failures = failures + is_failure::int,
      crashes = CASE WHEN is_failure THEN 0 ELSE crashes END, server = how->>'backend', acting = false, instance = NULL,
      lease_ends = NULL WHERE id = w.id;
    IF w.kind = 'run' AND NOT is_failure THEN UPDATE runs SET attempts = attempts - 1 WHERE id = w.ref; END IF;
  ELSE
    -- 'cut' and 'continue'
    IF how->>'type' = 'cut' THEN
      INSERT INTO parts (work_id, place, count, text)
        SELECT w.id, n, count(*) OVER (), value
        FROM json_array_elements_text(how->'parts') WITH ORDINALITY AS part(value, n) ORDER BY n;
    ELSE
      DELETE FROM parts WHERE n = (SELECT n FROM parts WHERE work_id = w.id ORDER BY n LIMIT 1);
    END IF;
    UPDATE work SET stage = 'ready', due_at = p_now, failures = 0, crashes = 0, job = coalesce(how->>'job', job),
      instance = NULL, lease_ends = NULL WHERE id = w.id;
  END CASE;
  RETURN true;
END $$;

-- Writes changes, whose locks are held, and settles the events that they touch, each once. Answers with the lanes in
-- which something may be claimable and with the events that have another status.
CREATE FUNCTION apply_all_@(changes json[], p_now bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  c json;
  r record;
  lanes text[] := '{}';
  touched uuid[] := '{}';
  asked uuid[] := '{}';
  done uuid[] := '{}';
  recovered uuid[] := '{}';
  failed uuid[] := '{}';
  excepted bigint[];
BEGIN
  FOREACH c IN ARRAY changes LOOP
    CASE c->>'type'
    WHEN 'work' THEN
      IF put_@(c, p_now) THEN lanes := lanes || (c->>'lane'); END IF;
    WHEN 'system-event' THEN
      PERFORM add_line_@(c, p_now);
      IF (c->>'asksHeartbeat')::boolean AND c->>'eventId' IS NOT NULL THEN asked := asked || (c->>'eventId')::uuid; END IF;
    WHEN 'consume' THEN
      excepted := ARRAY(SELECT value::bigint FROM json_array_elements_text(c->'except') AS value);
      FOR r IN DELETE FROM system_events WHERE session = c->>'session' AND seq <= (c->>'through')::bigint
        AND seq <> ALL(excepted) RETURNING event, asks_heartbeat, heartbeat_failed
      LOOP
        CONTINUE WHEN r.event IS NULL OR NOT r.asks_heartbeat;
        IF r.heartbeat_failed THEN recovered := recovered || r.event; ELSE done := done || r.event; END IF;
      END LOOP;
      UPDATE sessions SET last_seq = (c->>'through')::bigint
        WHERE key = c->>'session' AND last_seq < (c->>'through')::bigint;
    WHEN 'heartbeat-failed' THEN
      excepted := ARRAY(SELECT value::bigint FROM json_array_elements_text(c->'except') AS value);
      WITH marked AS (UPDATE system_events SET heartbeat_failed = true
        WHERE session = c->>'session' AND seq <= (c->>'through')::bigint AND seq <> ALL(excepted)
          AND asks_heartbeat AND NOT heartbeat_failed AND event IS NOT NULL RETURNING event)
      SELECT failed || coalesce(array_agg(event), '{}') INTO failed FROM marked;
    ELSE
      touched := array_remove(touched || apply_@(c), NULL);
    END CASE;
  END LOOP;
  RETURN json_build_object('lanes', lanes,
    'changed', ARRAY(SELECT settle_after_@(touched, asked, done, recovered, failed)));
END $$;

-- Changes that belong to no step. @param names of the locks, as below.
CREATE FUNCTION apply_changes_@(names text[], changes json[], p_now bigint) RETURNS json LANGUAGE plpgsql ${ENTRY} AS $$
BEGIN
  PERFORM lock_@(names);
  RETURN apply_all_@(changes, p_now);
END $$;

-- Ends a step: its outcome and all its changes. Null: the lease was lost, and nothing was written.
-- @param names of the locks: the key of the work and of what is added, and the sessions that are touched.
CREATE FUNCTION commit_step_@(p_id bigint, p_attempt bigint, p_instance uuid, names text[], how json, changes json[],
  p_now bigint) RETURNS json LANGUAGE plpgsql ${ENTRY} AS $$
DECLARE
  w work;
  has_opened boolean;
BEGIN
  PERFORM lock_@(names);
  SELECT * INTO w FROM work WHERE id = p_id AND attempt = p_attempt AND instance = p_instance AND stage = 'leased'
    FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  has_opened := end_@(w, how, p_now);
  -- Work of another key may have waited here for the place of this one; that of either lane for a suspect to end.
  RETURN json_build_object('ended', CASE WHEN w.crashes >= 2 THEN '{turn,delivery}' ELSE ARRAY[w.lane] END,
    'hasOpened', has_opened,
    'written', apply_all_@(changes, p_now));
END $$;
`;
