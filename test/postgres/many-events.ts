import { ask } from './ask.ts';

/** The newest event of {@link addManyEvents}, epoch milliseconds. */
export const NEWEST = Date.UTC(2025, 10, 24);
export const BETWEEN_MS = 8000;

/** Every third event has a run and work, every sixth a delivery, every five hundredth has failed for good. */
const MANY = `
SET search_path = hooks;
CREATE FUNCTION pg_temp.id(ms bigint, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT
  (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || left(md5(n::text), 15))::uuid $$;
CREATE TEMP TABLE given AS
  SELECT n, (${NEWEST} - ($1 - n) * ${BETWEEN_MS})::bigint AS ms FROM generate_series(1::bigint, $1) n;
INSERT INTO events (id, hook, received_at, status, mapping, beats_open, kept_until, head, payload)
  SELECT pg_temp.id(ms, n), CASE WHEN n % 1000 = 0 THEN 'rare' WHEN n % 3 = 0 THEN 'agent' ELSE 'wake' END, ms,
    CASE WHEN n % 500 = 0 THEN 'failed' WHEN n > $1 - 2000 AND n % 4 = 0 THEN 'accepted' ELSE 'done' END,
    CASE WHEN n % 10 = 0 THEN 'mapping ' || n % 70 END, 0, ms + 86400000,
    '{"request":{"path":"/hooks/wake","query":{},"headers":{"x-request-id":"' || md5(n::text) || '"},"client":"127.0.0.1",'
      || '"verifiedBy":"token"},"actions":[{"kind":"wake","text":null,"agentId":"main","mode":"now"}]}',
    '{"text":"disk full on host ' || n % 977 || ', ' || md5((n * 7)::text) || repeat(' lorem ipsum dolor', 10) || '"}'
  FROM given;
INSERT INTO runs (id, event, agent_id, session_key, status, attempts, prompt, reply, error)
  SELECT pg_temp.id(ms + 1, n), pg_temp.id(ms, n), 'main', CASE WHEN n % 5 = 0 THEN 'hook:x' ELSE 'hook:' || n % 1000 END,
    CASE WHEN n % 500 = 0 THEN 'failed' ELSE 'succeeded' END, 1, 'Look at ' || n, 'The answer is ' || md5(n::text),
    CASE WHEN n % 500 = 0 THEN 'the model is away' END FROM given WHERE n % 3 = 0;
INSERT INTO deliveries (id, event, run_id, channel, recipient, status)
  SELECT pg_temp.id(ms + 2, n), pg_temp.id(ms, n), pg_temp.id(ms + 1, n)::text, 'chan_1', '42', 'delivered'
  FROM given WHERE n % 6 = 0;
INSERT INTO work (lane, key, kind, stage, server, hook, sender, due_at, since, ref, event_id, job)
  SELECT 'turn', 'agent:main:hook:' || n % 5000, 'run', CASE WHEN n % 500 = 0 THEN 'dead' ELSE 'blocked' END, '',
    'agent', '', ms, ms, pg_temp.id(ms + 1, n), pg_temp.id(ms, n), '["' || repeat('{v:1}', 50) || '"]' FROM given WHERE n % 3 = 0;
INSERT INTO idempotency SELECT md5(n::text), 'd', ms + 86400000, pg_temp.id(ms, n) FROM given;
INSERT INTO sessions (key) SELECT 'agent:main:hook:' || n FROM given WHERE n <= 20000;
INSERT INTO turns (session, at, isolated, untrusted, prompt, reply)
  SELECT 'agent:main:hook:' || n, ms, n % 2 = 0, true, 'q', 'a' FROM given WHERE n <= 20000;
INSERT INTO system_events (session, seq, asks_heartbeat, at, hook, trust, text)
  SELECT 'agent:main:hook:' || n % 100, n, false, ms, 'wake', '{}', 'text' FROM given WHERE n <= 20000;
`;

/** Fills the tables of a ledger as if so many events had come; no statement of ours is used for it. */
export function addManyEvents(url: string, count: number): Promise<void> {
  return write(url, MANY.replaceAll('$1', String(count)));
}

export function addTexts(url: string, count: number): Promise<void> {
  return write(
    url,
    `INSERT INTO hooks.search_texts SELECT id, payload FROM hooks.events ORDER BY id LIMIT ${count}`,
  );
}

async function write(url: string, sql: string): Promise<void> {
  await ask(url, sql);
  await ask(url, 'VACUUM ANALYZE');
}
