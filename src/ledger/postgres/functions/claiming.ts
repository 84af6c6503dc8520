// docs/design/postgres.md
// Claiming: which work an instance does next, and the lease on it.
//
// A flow is what takes its turn as one: kind, server, hook and sender, in this order. The server is the channel of a
// delivery; of a turn it is the backend that it waits for, and else empty. A claim goes on behind the flow that was
// served last and takes the oldest piece of each flow that it meets, so a thousand pieces of one sender cost another
// sender one piece of waiting.
//
// 1. Paused: nothing is leased.
// 2. With `maxRunsTotal` the counting of everybody's runs is locked, before all other locks.
// 3. Where leases ran out that this instance may end, or work became due, nothing is leased: the caller sees to that first,
//    and claims anew.
// 4. What this instance has in hand is counted against its limits.
// 5. A suspect, work that was under way in two crashes in a row, is begun while no other one is.
// 6. Then flow by flow. Where a limit is reached or a backend rests, everything that begins like that is passed over in
//    one step: all runs, a channel or backend, a hook.
// 7. The leases are written, their runs and events marked as begun, and the jobs sent with the answer.
//
// A claim that found less than it asked for answers with when to look again: when something becomes due, or another
// instance's lease ends. Rows that somebody else has locked are skipped and never waited for. Two clocks are in play: `p_now` is the
// instance's, by which work becomes due; `p_clock` the database's, by which leases end.
import { FIRST } from '../../work/stages.ts';
import { LOCKS } from '../schema.ts';

/** Plans are made once, of index look-ups only: one made while the tables were small would go on reading all of them. */
const ENTRY = `SET search_path = @schema, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;

/** The next flow behind a place. It locks nothing: what is passed over here may be just what another instance wants. */
function next(place: string): string {
  return `SELECT id, kind, server, hook, sender INTO r FROM work WHERE lane = p_lane AND stage = 'ready' ${place}
        ORDER BY kind, server, hook, sender, due_at, id LIMIT 1;`;
}

/** What a claim writes into a row. A turn rests for its backend until it is claimed; a delivery stays with its channel. */
const LEASED = `stage = 'leased', attempt = attempt + 1, instance = p_instance, lease_ends = p_clock + p_lease_ms,
        server = CASE lane WHEN 'turn' THEN '' ELSE server END`;

/** Whatever is asked in an order has an index in that order: sorting would read all that waits to find the first. */
const NO_SORTS = 'SET enable_sort = off SET enable_incremental_sort = off';

/** Claims are fair as in claims.ts; each instance has its own place in the ring and limits, but for `maxRunsTotal`. */
export const CLAIMING = `
-- How much of a flow's name has to be passed over: 1 every run, 2 its channel or backend, 3 its hook; 0: nothing.
CREATE FUNCTION passed_over_@(p_kind text, p_server text, p_hook text, used jsonb, limits json, p_now bigint)
RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF p_kind = 'run' AND ((used->>'runs')::int >= (limits->>'maxRuns')::int
    OR (used->>'everybodys')::int >= (limits->>'maxRunsTotal')::int) THEN RETURN 1; END IF;
  IF (limits->'resting'->>p_server)::float > p_now THEN RETURN 2; END IF;
  IF coalesce((used->'servers'->>p_server)::int, 0) >= (limits->>'perChannel')::int THEN RETURN 2; END IF;
  IF p_kind = 'run' AND coalesce((used->'hooks'->>p_hook)::int, 0) >= (limits->'perHook'->>p_hook)::int THEN
    RETURN 3;
  END IF;
  RETURN 0;
END $$;

-- One more is in hand.
CREATE FUNCTION use_@(used jsonb, p_lane text, p_kind text, p_server text, p_hook text) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
  IF p_lane = 'delivery' THEN
    used := jsonb_set(used, ARRAY['servers', p_server],
      to_jsonb(coalesce((used->'servers'->>p_server)::int, 0) + 1));
  END IF;
  IF p_kind = 'run' THEN
    used := jsonb_set(jsonb_set(used, '{runs}', to_jsonb((used->>'runs')::int + 1)), ARRAY['hooks', p_hook],
      to_jsonb(coalesce((used->'hooks'->>p_hook)::int, 0) + 1));
    IF used ? 'everybodys' THEN
      used := jsonb_set(used, '{everybodys}', to_jsonb((used->>'everybodys')::int + 1));
    END IF;
  END IF;
  RETURN used;
END $$;

-- Whether somebody who has a place left himself may count everybody's runs: he is alone with that until his commit. Who has
-- none begins no run, and keeps nobody waiting. Taken before all other locks.
CREATE FUNCTION may_count_@(p_instance uuid, limits json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM work WHERE stage = 'leased' AND kind = 'run' AND instance = p_instance)
    >= (limits->>'maxRuns')::int THEN RETURN false; END IF;
  PERFORM pg_advisory_xact_lock(hashtext(current_schema()), ${LOCKS.counting});
  RETURN true;
END $$;

-- Leases up to p_max pieces of due work. @param held in hand here, whatever their leases say; @param p_place the flow
-- that was served last; @param p_clock the database's clock; @param limits those of
-- ClaimLimits.
CREATE FUNCTION claim_@(p_lane text, p_max int, p_instance uuid, held bigint[], p_now bigint, p_clock bigint,
  p_lease_ms bigint, looks_for_due boolean, may_end boolean, p_place text[], limits json) RETURNS json LANGUAGE plpgsql ${ENTRY}
  ${NO_SORTS} AS $$
DECLARE
  known record;
  r record;
  h record;
  used jsonb := '{"runs": 0, "servers": {}, "hooks": {}}';
  has_suspect boolean := false;
  place text[] := p_place;
  served text[] := p_place;
  flow text[];
  may_find_more boolean := p_place IS NOT NULL;
  is_from_beginning boolean;
  is_alone boolean;
  depth int;
  leased bigint;
  ids bigint[] := '{}';
  runs_begun uuid[];
  events_begun uuid[];
  changed uuid[];
  next_due bigint;
  has_total boolean;
  may_count boolean;
BEGIN
  -- What is seldom so is asked for at once.
  SELECT EXISTS (SELECT FROM meta WHERE key = 'paused') AS is_paused,
    EXISTS (SELECT FROM work WHERE stage = 'leased' AND lease_ends < p_clock AND id <> ALL(held)) AS has_expired,
    EXISTS (SELECT FROM work WHERE lane = p_lane AND stage IN ('deferred', 'retrying') AND due_at <= p_now) AS has_due
    INTO known;
  IF known.is_paused THEN
    RETURN json_build_object('leases', '[]'::json, 'place', p_place);
  END IF;
  IF looks_for_due AND (known.has_due OR (may_end AND known.has_expired)) THEN
    RETURN json_build_object('leases', '[]'::json, 'place', p_place, 'hasDue', true);
  END IF;
  has_total := p_lane = 'turn' AND limits->>'maxRunsTotal' IS NOT NULL;
  IF has_total THEN may_count := may_count_@(p_instance, limits); END IF;
  FOR h IN SELECT lane, kind, server, hook, crashes FROM work
    WHERE stage = 'leased' AND ${FIRST} AND instance = p_instance
  LOOP
    used := use_@(used, h.lane, h.kind, h.server, h.hook);
    has_suspect := has_suspect OR h.crashes >= 2;
  END LOOP;
  IF has_total THEN
    -- Whoever did not count takes it that no place is left; the end that gives him one of his own has him look again.
    used := jsonb_set(used, '{everybodys}', CASE WHEN may_count
      THEN (SELECT to_jsonb(count(*)) FROM work WHERE stage = 'leased' AND kind = 'run')
      ELSE to_jsonb((limits->>'maxRunsTotal')::int) END);
  END IF;
  -- Suspects are begun one at a time: the next crash then tells which of them it is.
  IF NOT has_suspect AND p_max > 0 THEN
    FOR r IN SELECT id, kind, server, hook FROM work WHERE lane = p_lane AND stage = 'suspect'
      ORDER BY crashes, due_at, id FOR UPDATE SKIP LOCKED
    LOOP
      CONTINUE WHEN passed_over_@(r.kind, r.server, r.hook, used, limits, p_now) > 0;
      UPDATE work SET ${LEASED} WHERE id = r.id;
      ids := ids || r.id;
      used := use_@(used, p_lane, r.kind, r.server, r.hook);
      EXIT;
    END LOOP;
  END IF;
  WHILE cardinality(ids) < p_max LOOP
    is_from_beginning := place IS NULL;
    CASE coalesce(cardinality(place), 0)
      WHEN 0 THEN ${next('')}
      WHEN 1 THEN ${next('AND kind > place[1]')}
      WHEN 2 THEN ${next('AND (kind, server) > (place[1], place[2])')}
      WHEN 3 THEN ${next('AND (kind, server, hook) > (place[1], place[2], place[3])')}
      ELSE ${next('AND (kind, server, hook, sender) > (place[1], place[2], place[3], place[4])')}
    END CASE;
    IF r.id IS NULL THEN
      EXIT WHEN NOT may_find_more;
      -- Once round from the beginning, whatever was found or passed over.
      place := NULL;
      may_find_more := false;
      CONTINUE;
    END IF;
    flow := ARRAY[r.kind, r.server, r.hook, r.sender];
    depth := passed_over_@(r.kind, r.server, r.hook, used, limits, p_now);
    IF depth > 0 THEN
      place := flow[1:depth];
      CONTINUE;
    END IF;
    place := flow;
    -- Once round, and it is the one before: nobody else waits.
    is_alone := is_from_beginning AND NOT may_find_more AND flow IS NOT DISTINCT FROM served;
    LOOP
      UPDATE work SET ${LEASED} WHERE id = (SELECT id FROM work WHERE lane = p_lane AND stage = 'ready'
          AND kind = flow[1] AND server = flow[2] AND hook = flow[3] AND sender = flow[4]
          ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id INTO leased;
      EXIT WHEN leased IS NULL;
      may_find_more := true;
      served := flow;
      ids := ids || leased;
      used := use_@(used, p_lane, r.kind, r.server, r.hook);
      EXIT WHEN NOT is_alone OR cardinality(ids) >= p_max
        OR passed_over_@(r.kind, r.server, r.hook, used, limits, p_now) > 0;
    END LOOP;
    EXIT WHEN is_alone;
  END LOOP;
  IF cardinality(ids) < p_max THEN
    next_due := least((SELECT due_at FROM work WHERE lane = p_lane AND stage IN ('deferred', 'retrying')
        ORDER BY due_at LIMIT 1),
      (SELECT min(lease_ends) - p_clock + p_now FROM work
        WHERE stage = 'leased' AND lease_ends >= p_clock AND instance <> p_instance));
  END IF;
  IF cardinality(ids) = 0 THEN
    RETURN json_build_object('leases', '[]'::json, 'place', served, 'nextDue', next_due);
  END IF;
  SELECT array_agg(ref) FILTER (WHERE kind = 'run'), array_agg(event_id) INTO runs_begun, events_begun
    FROM work WHERE id = ANY(ids);
  UPDATE runs SET status = 'running', attempts = attempts + 1, started_at = coalesce(started_at, p_now)
    WHERE id = ANY(runs_begun);
  -- Written so that no index of statuses is asked, whose entries are as many as events wait.
  PERFORM FROM events WHERE id = ANY(events_begun) AND (status IS NOT DISTINCT FROM 'accepted' OR status IS NOT DISTINCT FROM 'waiting') ORDER BY id FOR UPDATE;
  WITH begun AS (UPDATE events SET status = 'running'
    WHERE id = ANY(events_begun) AND (status IS NOT DISTINCT FROM 'accepted' OR status IS NOT DISTINCT FROM 'waiting') RETURNING id)
  SELECT array_agg(id) INTO changed FROM begun;
  RETURN (SELECT json_build_object('place', served, 'nextDue', next_due, 'changed', changed,
    'leases', json_agg(json_build_object('workId', w.id, 'key', w.key, 'kind', w.kind, 'ref', w.ref,
      'eventId', w.event_id, 'attempt', w.attempt, 'failures', w.failures, 'crashes', w.crashes,
      'mayHaveActed', w.acting, 'since', w.since, 'job', w.job, 'part', part.part)
      ORDER BY array_position(ids, w.id)))
    FROM work w LEFT JOIN LATERAL (SELECT json_build_object('text', text, 'place', p.place, 'count', p.count) AS part
      FROM parts p WHERE w.kind = 'delivery' AND p.work_id = w.id ORDER BY n LIMIT 1) AS part ON true
    WHERE w.id = ANY(ids));
END $$;
`;
