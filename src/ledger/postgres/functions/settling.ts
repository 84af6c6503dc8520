// The status of an event is derived and never set, so that no order of endings can leave it wrong: `failed` or `done`
// once nothing of it is open, by whether any run, delivery or heartbeat ended badly; `delivering` while its runs have
// ended and a delivery has not; otherwise `running` once anything has begun, before, `accepted`. What was skipped, or
// failed when it was accepted, stays so.
//
// Heartbeats have no rows: the event counts those that it asked for (`beats_open`), that failed and that were done. One
// that had failed and is shown later moves from failed to done.
import { ENTRY } from './queue.ts';

/** The status of events, by the rule that event-status.ts of the SQLite ledger tells. */
export const SETTLING = `
-- Derives the status of events anew, and names those that have another one now. Their rows are locked first: two steps
-- of one event see what the other has written.
CREATE FUNCTION settle_@(ids uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql ${ENTRY} AS $$
BEGIN
  PERFORM FROM events WHERE id = ANY(ids) ORDER BY id FOR UPDATE;
  RETURN QUERY
    UPDATE events SET status = derived.status
    FROM (
      SELECT e.id, CASE
        WHEN r.open + d.open + e.beats_open = 0
          THEN CASE WHEN r.bad + d.bad + e.beats_failed > 0 THEN 'failed' ELSE 'done' END
        WHEN r.open = 0 AND d.open > 0 THEN 'delivering'
        WHEN r.begun + e.beats_open + e.beats_failed + e.beats_done > 0 OR e.status = 'running' THEN 'running'
        ELSE 'accepted' END AS status
      FROM events e
        CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE runs.status IN ('queued', 'running')) AS open,
          count(*) FILTER (WHERE runs.status IN ('failed', 'timed-out', 'interrupted')) AS bad,
          count(*) FILTER (WHERE attempts > 0 OR runs.status <> 'queued') AS begun
          FROM runs WHERE event = e.id) AS r
        CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE deliveries.status = 'pending') AS open,
          count(*) FILTER (WHERE deliveries.status IN ('dead', 'unknown')) AS bad
          FROM deliveries WHERE event = e.id) AS d
      WHERE e.id = ANY(ids) AND e.error IS NULL AND e.status <> 'skipped'
    ) AS derived
    WHERE events.id = derived.id AND events.status <> derived.status RETURNING events.id;
END $$;

-- Counts heartbeats on their events: asked for, done (some of them after they had failed), failed. Then settles.
CREATE FUNCTION settle_after_@(touched uuid[], asked uuid[], done uuid[], recovered uuid[], failed uuid[])
RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
  everything uuid[] := touched || asked || done || recovered || failed;
BEGIN
  IF cardinality(everything) = 0 THEN RETURN; END IF;
  IF cardinality(everything) > cardinality(touched) THEN
    PERFORM FROM events WHERE id = ANY(everything) ORDER BY id FOR UPDATE;
    UPDATE events e SET beats_open = beats_open + d.opened, beats_failed = beats_failed + d.worse,
      beats_done = beats_done + d.shown
    FROM (
      SELECT id, sum(opened) AS opened, sum(worse) AS worse, sum(shown) AS shown FROM (
        SELECT id, 1 AS opened, 0 AS worse, 0 AS shown FROM unnest(asked) AS id
        UNION ALL SELECT id, -1, 0, 1 FROM unnest(done) AS id
        UNION ALL SELECT id, 0, -1, 1 FROM unnest(recovered) AS id
        UNION ALL SELECT id, -1, 1, 0 FROM unnest(failed) AS id
      ) AS each GROUP BY id
    ) AS d WHERE e.id = d.id;
  END IF;
  RETURN QUERY SELECT settle_@(everything);
END $$;
`;
