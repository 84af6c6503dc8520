// The queue of work, as queue.ts of the SQLite ledger describes it: of each key exactly one is first, and only that one is
// ever `ready`. Who adds to a key, or lets the next of it come up, holds the lock of the key until the commit.
//
// The order in which anything waits, everywhere: locks by name, sorted (`lock`); rows of work; rows of runs and deliveries;
// rows of events, sorted by their ids, last of all. Claims skip rows that are locked. So no two wait for each other.

import { CLAIMABLE, FIRST } from '../../work/stages.ts';

/** Locks of the ledger as a whole, beside 0, which is the migration's, and the buckets of names, which are greater. */
export const LOCKS = { refusals: -1, forgetting: -2, counting: -3 } as const;

/** Adds a text to a column that is a JSON array. */
export function appended(column: string, note: string): string {
  return `CASE ${column} WHEN '[]' THEN '[' ELSE left(${column}, -1) || ',' END || ${note} || ']'`;
}

/**
 * How entry functions are run: names are found in the ledger's schema, and plans are made once, of index lookups only. A plan
 * that was made while the tables were small would read all of them otherwise, and go on so when they have grown (known
 * keys: 20 ms of CPU a group at 20,000 keys instead of 0.2).
 */
export const ENTRY = `SET search_path = @schema, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;

export const QUEUE = `
-- Holds these names until the end of the transaction. A name is one of 4096 locks.
CREATE FUNCTION lock_@(names text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext(current_schema()), place) FROM (SELECT DISTINCT (hashtext(name) & 4095) + 1
    FROM unnest(names) AS name ORDER BY 1) AS sorted(place);
END $$;

CREATE FUNCTION stage_in_queue_@(p_lane text, p_key text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM work WHERE lane = p_lane AND key = p_key AND ${FIRST}) THEN RETURN 'blocked'; END IF;
  RETURN 'ready';
END $$;

-- Puts work into the queue of its key, whose lock is held. True: something may be claimable that was not.
CREATE FUNCTION put_@(w json, p_now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  n record;
  found_one record;
  v_stage text;
BEGIN
  SELECT * INTO n FROM json_to_record(w) AS x(lane text, key text, kind text, server text, hook text, sender text,
    ref uuid, "eventId" uuid, "dueAt" bigint, once boolean, job text);
  IF n.once THEN
    -- Waits for a claim that takes it just now: then it does not wait any more, and this one is another. Whoever
    -- claims meanwhile passes it over, so he has to look again.
    SELECT id, stage, due_at, attempt INTO found_one FROM work
      WHERE lane = n.lane AND key = n.key AND kind = n.kind AND kind IN ('heartbeat', 'notice')
        AND stage NOT IN ('leased', 'dead') LIMIT 1 FOR UPDATE;
    IF FOUND THEN
      IF found_one.attempt = 0 AND found_one.due_at > n."dueAt" THEN
        v_stage := found_one.stage;
        IF v_stage = 'deferred' AND n."dueAt" <= p_now THEN v_stage := stage_in_queue_@(n.lane, n.key); END IF;
        UPDATE work SET stage = v_stage, due_at = n."dueAt", job = n.job WHERE id = found_one.id;
      END IF;
      RETURN true;
    END IF;
  END IF;
  IF n.kind IN ('heartbeat', 'notice') AND n."dueAt" > p_now THEN v_stage := 'deferred';
  ELSE v_stage := stage_in_queue_@(n.lane, n.key);
  END IF;
  INSERT INTO work (lane, key, kind, stage, server, hook, sender, due_at, since, ref, event_id, job)
    VALUES (n.lane, n.key, n.kind, v_stage, n.server, coalesce(n.hook, ''), coalesce(n.sender, ''), n."dueAt", p_now,
      n.ref, n."eventId", n.job);
  RETURN v_stage <> 'blocked';
END $$;

-- Work that no event asked for. True as above.
CREATE FUNCTION add_@(w json, p_now bigint) RETURNS boolean LANGUAGE plpgsql ${ENTRY} AS $$
BEGIN
  PERFORM lock_@(ARRAY['key ' || (w->>'lane') || ' ' || (w->>'key')]);
  RETURN put_@(w, p_now);
END $$;

-- Lets the oldest of those that wait behind be claimed. True: there was one.
CREATE FUNCTION promote_@(p_lane text, p_key text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE work SET stage = 'ready' WHERE id = (SELECT id FROM work
    WHERE lane = p_lane AND key = p_key AND stage = 'blocked' ORDER BY id LIMIT 1);
  RETURN FOUND;
END $$;

-- Lets work that became due be claimed, behind the others of its key if it was not first.
CREATE FUNCTION enqueue_due_@(p_lane text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  names text[];
  due record;
BEGIN
  SELECT array_agg('key ' || lane || ' ' || key) INTO names FROM (SELECT lane, key FROM work
    WHERE lane = p_lane AND stage IN ('deferred', 'retrying') AND stage = 'deferred' AND due_at <= p_now
    ORDER BY due_at, id LIMIT 500) AS due_keys;
  IF names IS NOT NULL THEN
    PERFORM lock_@(names);
    -- As they are now that nobody else moves them.
    FOR due IN SELECT id, key FROM work
      WHERE lane = p_lane AND stage IN ('deferred', 'retrying') AND stage = 'deferred' AND due_at <= p_now
        AND 'key ' || lane || ' ' || key = ANY(names) ORDER BY due_at, id
    LOOP
      UPDATE work SET stage = stage_in_queue_@(p_lane, due.key), acting = false WHERE id = due.id;
    END LOOP;
  END IF;
  UPDATE work SET stage = ${CLAIMABLE} WHERE id IN (SELECT id FROM work
    WHERE lane = p_lane AND stage IN ('deferred', 'retrying') AND stage = 'retrying' AND due_at <= p_now
    ORDER BY due_at, id LIMIT 500 FOR UPDATE SKIP LOCKED);
END $$;

-- Ends leases whose attempts did not end by themselves. Their rows are locked. A crash is counted, and the history of
-- the run or the delivery says so; otherwise nobody heard of the lease, and nothing was begun.
CREATE FUNCTION interrupt_@(ids bigint[], p_due bigint, p_now bigint, is_crash boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ended record;
  note text;
BEGIN
  FOR ended IN UPDATE work SET stage = 'retrying', due_at = p_due, crashes = crashes + is_crash::int,
      instance = NULL, lease_ends = NULL WHERE id = ANY(ids) RETURNING kind, ref, attempt
  LOOP
    note := json_build_object('at', p_now, 'attempt', ended.attempt, 'outcome',
      CASE ended.kind WHEN 'delivery' THEN 'unknown' ELSE 'interrupted' END)::text;
    IF ended.kind = 'run' AND is_crash THEN
      UPDATE runs SET status = 'queued', notes = ${appended('notes', 'note')} WHERE id = ended.ref;
    ELSIF ended.kind = 'run' THEN
      UPDATE runs SET status = 'queued', attempts = attempts - 1 WHERE id = ended.ref;
    ELSIF ended.kind = 'delivery' AND is_crash THEN
      UPDATE deliveries SET notes = ${appended('notes', 'note')} WHERE id = ended.ref;
    END IF;
  END LOOP;
END $$;

-- Ends leases that ran out, but none of those that are in hand here. @param p_clock by the clock of the database.
CREATE FUNCTION end_expired_@(held bigint[], p_clock bigint, p_now bigint) RETURNS boolean LANGUAGE plpgsql ${ENTRY} AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(id) INTO ids FROM (SELECT id FROM work
    WHERE stage = 'leased' AND lease_ends < p_clock AND id <> ALL(held) FOR UPDATE SKIP LOCKED) AS expired;
  IF ids IS NULL THEN RETURN false; END IF;
  PERFORM interrupt_@(ids, p_now, p_now, true);
  RETURN true;
END $$;

-- Ends the leases of an instance, but for those in hand.
CREATE FUNCTION end_leases_@(p_instance uuid, held bigint[], is_crash boolean, p_now bigint) RETURNS boolean
LANGUAGE plpgsql ${ENTRY} AS $$
DECLARE
  ids bigint[];
BEGIN
  SELECT array_agg(id) INTO ids FROM (SELECT id FROM work
    WHERE stage = 'leased' AND instance = p_instance AND id <> ALL(held) FOR UPDATE) AS mine;
  IF ids IS NULL THEN RETURN false; END IF;
  PERFORM interrupt_@(ids, p_now, p_now, is_crash);
  RETURN true;
END $$;

-- Notes of a lease that whoever is asked now may act. False: it was lost.
CREATE FUNCTION note_acting_@(p_id bigint, p_attempt bigint, p_instance uuid) RETURNS boolean
LANGUAGE plpgsql ${ENTRY} AS $$
BEGIN
  UPDATE work SET acting = true WHERE id = p_id AND attempt = p_attempt AND instance = p_instance AND stage = 'leased';
  RETURN FOUND;
END $$;

-- Ends one lease whose end can never be written. False: it was lost.
CREATE FUNCTION abandon_@(p_id bigint, p_attempt bigint, p_instance uuid, p_due bigint, p_now bigint) RETURNS boolean
LANGUAGE plpgsql ${ENTRY} AS $$
BEGIN
  PERFORM FROM work WHERE id = p_id AND attempt = p_attempt AND instance = p_instance AND stage = 'leased' FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM interrupt_@(ARRAY[p_id], p_due, p_now, true);
  RETURN true;
END $$;

-- Puts dead work into its queue as if it had just been accepted, unless its job was forgotten. Returns what it put.
CREATE FUNCTION requeue_@(ids bigint[], p_now bigint) RETURNS SETOF bigint LANGUAGE plpgsql ${ENTRY} AS $$
DECLARE
  given_up record;
BEGIN
  PERFORM lock_@(array_agg('key ' || lane || ' ' || key)) FROM work WHERE id = ANY(ids) AND stage = 'dead';
  FOR given_up IN SELECT id, lane, key, kind, ref FROM work
    WHERE id = ANY(ids) AND stage = 'dead' AND job IS NOT NULL ORDER BY id FOR UPDATE
  LOOP
    UPDATE work SET stage = stage_in_queue_@(given_up.lane, given_up.key), due_at = p_now, since = p_now, failures = 0,
      crashes = 0, acting = false WHERE id = given_up.id;
    IF given_up.kind = 'run' THEN
      UPDATE runs SET status = 'queued', finished_at = NULL WHERE id = given_up.ref;
    ELSE
      UPDATE deliveries SET status = 'pending' WHERE id = given_up.ref;
    END IF;
    RETURN NEXT given_up.id;
  END LOOP;
  PERFORM settle_@(array_agg(event_id)) FROM work WHERE id = ANY(ids) AND event_id IS NOT NULL;
END $$;
`;
