import { readFile } from 'node:fs/promises';
import { presets } from '../../src/hooks/senders/index.ts';
import { listSamples } from '../../src/hooks/senders/index.ts';
import type { EventDetails } from '../../src/hooks/index.ts';
import { FastClock } from '../support/clocks.ts';
import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks } from '../support/hooks.ts';
import { presetFixture, presetFixtureNames } from '../support/preset-fixtures.ts';
import type { SentRequest } from '../support/preset-fixtures.ts';

/** Those whose shapes are fixtures; the samples of the others are tested in preset-samples.spec.ts. */
const NAMES = [...presets.keys()].filter((name) => presetFixtureNames().includes(name));
const page = await readFile(new URL('../../docs/presets.md', import.meta.url), 'utf8');

let hooks: Hooks;

async function start(): Promise<void> {
  hooks = await Hooks.start({ presets: NAMES, clock: new FastClock() });
}

function sectionOf(name: string): string {
  const [, section = ''] = page.split(`\n## ${name}\n`);
  return section.split('\n## ')[0] ?? '';
}

function samplesOf(name: string): string[] {
  return Array.from(sectionOf(name).matchAll(/```text\n([\s\S]*?)\n```/gu), (match) => match[1]!);
}

function send(name: string, { body, headers }: SentRequest) {
  return hooks.post(`/${name}`, body, headers);
}

async function getDetails(name: string, request: SentRequest): Promise<EventDetails> {
  const answer = await send(name, request);
  expect(answer.status).toBe(200);
  const { eventId } = (await answer.json()) as { eventId: string };
  const details = await hooks.ended(eventId);
  expect(details).toMatchObject({ status: 'done', warnings: [] });
  expect(idsOf(name)).toContain(details.mapping);
  return details;
}

function idsOf(name: string): string[] {
  return [name, ...(presets.get(name)?.cases ?? []).map(({ id }) => id)];
}

async function messagesOf(name: string, request: SentRequest): Promise<string[]> {
  return messagesIn(await getDetails(name, request));
}

function messagesIn(details: EventDetails): string[] {
  return details.runs.map(({ prompt }) => readForeignContent(prompt));
}

function runs(): number {
  return hooks.runner.turns.filter(({ kind }) => kind === 'run').length;
}

describe('docs/presets.md', () => {
  it('has a section for every preset, and no other', () => {
    const sections = Array.from(page.matchAll(/^## (.+)$/gmu), (match) => match[1]);
    expect(new Set(sections)).toEqual(new Set(presets.keys()));
  });

  it('is tested by a fixture or a sample of every preset', () => {
    const sampled = [...presets.keys()].filter((name) => listSamples(name).length > 0);
    expect(new Set([...sampled, ...presetFixtureNames()])).toEqual(new Set(presets.keys()));
  });

  it('names the source of every shape', async () => {
    const table = await readFile(new URL('../fixtures/presets/README.md', import.meta.url), 'utf8');
    const rows = Array.from(table.matchAll(/^\| ([a-z][a-z-]*) +\|/gmu), (match) => match[1]);
    expect(rows).toEqual(NAMES);
  });

  it.each([...presets])('says for %s what the agent is to do', (name, { task }) => {
    const quoted = Array.from(sectionOf(name).matchAll(/^> (.*)$/gmu), ([, line]) => line);
    expect(quoted.join(' ')).toBe(task);
  });

  it.each([...presets.keys()])('says for %s which URL the sender posts to', (name) => {
    expect(sectionOf(name)).toMatch(new RegExp(`gateway\\.example\\.org/hooks/${name}\\b`, 'u'));
  });

  it.each(NAMES)('says for %s where the token goes', (name) => {
    expect(sectionOf(name)).toMatch(/Authorization|x-gateway-token/iu);
  });
});

interface Outcome {
  readonly first: EventDetails;
  readonly retry: { readonly status: number; readonly replayed: string | null };
  readonly changed: EventDetails;
}

async function outcomeOf(name: string): Promise<Outcome> {
  const { request, changed } = presetFixture(name);
  const first = await getDetails(name, request);
  const { status, headers } = await send(name, request);
  const retry = { status, replayed: headers.get('idempotent-replayed') };
  return { first, retry, changed: await getDetails(name, changed) };
}

describe('every preset', () => {
  const outcomes = new Map<string, Outcome>();
  const outcome = (name: string): Outcome => outcomes.get(name)!;
  const others = NAMES.flatMap((name) =>
    presetFixture(name).others.map((other) => ({ preset: name, ...other })),
  );

  let turns: Hooks['runner']['turns'];

  // One ingress takes the fixtures of all senders at once, as it would at work.
  beforeAll(async () => {
    await start();
    const all = NAMES.map(async (name) => outcomes.set(name, await outcomeOf(name)));
    await Promise.all(all);
    turns = [...hooks.runner.turns];
  });
  afterAll(() => hooks.close());

  it.each(NAMES)('%s makes the message that docs/presets.md shows', (name) => {
    expect(messagesIn(outcome(name).first)).toEqual(samplesOf(name));
  });

  it.each(NAMES)('%s tells the agent what to do, above and outside of what came', (name) => {
    const { first, changed } = outcome(name);
    for (const { prompt } of [...first.runs, ...changed.runs]) {
      expect(prompt?.startsWith(`${presets.get(name)?.task}\n\nSECURITY NOTICE`)).toBe(true);
    }
  });

  it.each(NAMES)('%s asks for no heartbeat of its own', (name) => {
    const { first, changed } = outcome(name);
    expect([first.heartbeat, changed.heartbeat]).toEqual(['none', 'none']);
  });

  it.each(NAMES)('%s leaves no gaps and no traces of missing fields', (name) => {
    const { first, changed } = outcome(name);
    const hasOwnGaps = JSON.stringify(first.request.payload).includes(String.raw`\n\n`);
    for (const message of [first, changed].flatMap((details) => messagesIn(details))) {
      expect(message).not.toMatch(/undefined|null|\[object|\{\{|[ \t]$/mu);
      expect(hasOwnGaps || !/\n\s*\n/u.test(message)).toBe(true);
    }
  });

  it.each(NAMES)('%s runs once for a retry, and again for another state', async (name) => {
    const { first, retry, changed } = outcome(name);
    expect(retry).toEqual({ status: 200, replayed: 'true' });
    expect(changed.runs).toHaveLength(first.runs.length);
    const asked = turns.filter(({ contract }) => idsOf(name).includes(contract.mapping ?? ''));
    const ids = [...first.runs, ...changed.runs].map(({ id }) => id);
    expect(asked).toHaveLength(ids.length);
    expect(new Set(asked.map(({ id }) => id))).toEqual(new Set(ids));
  });

  it.each(others)('$preset reads well for $name', async ({ preset, message, ...request }) => {
    expect(await messagesOf(preset, request)).toEqual([message]);
  });
});

describe('the preset mail (issue 3.5)', () => {
  beforeEach(start);
  afterEach(() => hooks.close());

  it('makes one run of every message of a batch, none lost, each in its session', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const messages = ids.map((id) => ({ id, from: 'Ann', subject: id, snippet: 'x' }));
    const answer = await hooks.ask('/mail', { source: 'mail', messages });
    expect(answer['runIds']).toHaveLength(50);
    const { runs: made } = await hooks.ended(answer['eventId']);
    expect(made.map(({ sessionKey }) => sessionKey)).toEqual(ids.map((id) => `hook:mail:${id}`));
    expect(runs()).toBe(50);
  });

  it('says so when a payload has none of the fields', async () => {
    const sent = { messages: [{ id: 'a', from_address: 'ann@example.com' }] };
    const warning =
      'mapping "mail": the payload has none of the fields that its template names; the agent is shown all of the payload';
    const answer = await hooks.ask('/mail', sent);
    expect(answer['warnings']).toEqual([warning]);
    expect((await hooks.ended(answer['eventId'])).warnings).toEqual([warning]);
  });

  it('skips an empty batch', async () => {
    const answer = await hooks.ask('/mail', { source: 'mail', messages: [] });
    expect(answer).toMatchObject({ status: 200, skipped: true, reason: 'messages is empty' });
    expect(hooks.journal).toEqual([]);
  });

  const letter = (id: string) => ({ id, subject: `Letter ${id}` });
  it('runs only what is new in a batch that overlaps an earlier one', async () => {
    await messagesOf('mail', { headers: {}, body: { messages: ['a', 'b'].map(letter) } });
    await messagesOf('mail', { headers: {}, body: { messages: ['b', 'c'].map(letter) } });
    expect(runs()).toBe(3);
  });

  it('takes every message without an id for a new one, in the default session', async () => {
    const batch = { headers: {}, body: { messages: [{ from: 'Ann' }, { from: 'Ann' }] } };
    await messagesOf('mail', batch);
    await messagesOf('mail', batch);
    expect(runs()).toBe(4);
    expect(hooks.runner.turns[0]?.sessionKey).toBe('agent:main:hook:e2e');
  });
});

describe('what could be taken for a repeat and is none', () => {
  beforeEach(start);
  afterEach(() => hooks.close());

  it('an alert that fires again after it was resolved', async () => {
    const { request, changed } = presetFixture('alertmanager');
    const text = JSON.stringify(request.body).replaceAll('2026-03-01T08', '2026-03-01T19');
    for (const sent of [request, changed, { headers: {}, body: JSON.parse(text) as unknown }]) {
      await messagesOf('alertmanager', sent);
    }
    expect(runs()).toBe(3);
  });

  it('a second alert that joins a group', async () => {
    const { request } = presetFixture('alertmanager');
    const body = structuredClone(request.body) as { alerts: { fingerprint: string }[] };
    body.alerts.push({ ...body.alerts[0]!, fingerprint: 'another' });
    await messagesOf('alertmanager', request);
    await messagesOf('alertmanager', { headers: {}, body });
    expect(runs()).toBe(2);
  });

  it.each(['apprise', 'home-assistant', 'generic', 'uptime-kuma', 'healthchecks', 'gitlab'])(
    'two equal notifications of %s that bring no id',
    async (name) => {
      const body = {
        title: 'Backup',
        message: 'done',
        msg: 'Test',
        name: 'Backup',
        object_kind: 'push',
        ref: 'refs/heads/main',
      };
      for (const _ of [1, 2]) await messagesOf(name, { headers: {}, body });
      expect(runs()).toBe(2);
    },
  );
});
