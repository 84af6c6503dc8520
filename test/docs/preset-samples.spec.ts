import { readFile } from 'node:fs/promises';
import { presets } from '../../src/hooks/senders/index.ts';
import { bodyOf, listSamples, readSample } from '../../src/hooks/senders/index.ts';
import type { EventDetails } from '../../src/hooks/index.ts';
import { FastClock } from '../support/clocks.ts';
import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks } from '../support/hooks.ts';

const page = await readFile(new URL('../../docs/presets.md', import.meta.url), 'utf8');

const SAMPLED = [...presets.values()].filter(({ id }) => listSamples(id).length > 0);
const ALL = SAMPLED.flatMap(({ id }) => listSamples(id).map((event) => [id, event] as const));

function sectionOf(name: string): string {
  const [, section = ''] = page.split(`\n## ${name}\n`);
  return section.split('\n## ')[0] ?? '';
}

function blocksOf(name: string): string[] {
  return Array.from(sectionOf(name).matchAll(/```text\n([\s\S]*?)\n```/gu), (match) => match[1]!);
}

function stepsOf(name: string): string[] {
  const items = sectionOf(name).matchAll(/^\d+\. (.*(?:\n {3}\S.*)*)$/gmu);
  return Array.from(items, ([, item = '']) =>
    item.replaceAll(/\n */gu, ' ').replaceAll(/`([^`]*)`|(?<!\w)_([^_]+)_(?!\w)/gu, '$1$2'),
  );
}

function onPage(step: string, name: string): string {
  return step
    .replaceAll('{url}', `https://gateway.example.org/hooks/${name}`)
    .replaceAll('{secretUrl}', `https://<the secret>@gateway.example.org/hooks/${name}`)
    .replaceAll('{secret}', '<the secret>')
    .replaceAll('{token}', '<the hook token>');
}

/** Senders without ids or retries: what comes again is another event, alike as it is. */
const ALWAYS_NEW = new Set([
  'apprise failure',
  'apprise failure.attachment',
  'radarr health',
  'uptime-kuma certificate',
]);

describe('the samples of presets (issue 12.5)', () => {
  const outcomes = new Map<string, { details: EventDetails; replayed: string | null }>();
  const outcome = (preset: string, event: string) => outcomes.get(`${preset} ${event}`)!;
  let hooks: Hooks;

  beforeAll(async () => {
    hooks = await Hooks.start({ presets: [...presets.keys()], clock: new FastClock() });
    for (const [preset, event] of ALL) {
      const sample = readSample(preset, event)!;
      const send = () => hooks.post(`/${preset}`, bodyOf(sample), sample.headers);
      const answer = await send();
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${preset} ${event}: ${answer.status} ${text}`);
      const details = await hooks.ended((JSON.parse(text) as { eventId: string }).eventId);
      const again = await send();
      await again.text();
      const replayed = again.headers.get('idempotent-replayed');
      outcomes.set(`${preset} ${event}`, { details, replayed });
    }
  });
  afterAll(() => hooks.close());

  it.each(ALL)('%s %s becomes a run with the task of the preset', (preset, event) => {
    const { mapping, status, warnings, runs, heartbeat } = outcome(preset, event).details;
    expect([status, warnings, heartbeat]).toEqual(['done', [], 'none']);
    const { task, cases = [] } = presets.get(preset)!;
    expect([preset, ...cases.map(({ id }) => id)]).toContain(mapping);
    const own = cases.find(({ id }) => id === mapping)?.task ?? task;
    expect(runs).not.toEqual([]);
    for (const { prompt } of runs) expect(prompt?.startsWith(`${own}\n\n`)).toBe(true);
  });

  it.each(ALL)('%s %s leaves no gaps and no traces of missing fields', (preset, event) => {
    const { runs } = outcome(preset, event).details;
    const hasOwnGaps = /\\n\\r?\\?n|\\n\\r\\n|%0A%0A|%0D%0A%0D%0A/iu.test(
      bodyOf(readSample(preset, event)!),
    );
    for (const { prompt } of runs) {
      const message = readForeignContent(prompt);
      expect(message).not.toMatch(/undefined|null|\[object|\{\{|[ \t]$/mu);
      expect(message).not.toMatch(/^\W*$/u);
      expect(hasOwnGaps || !/\n\s*\n/u.test(message)).toBe(true);
    }
  });

  it.each(ALL)('%s %s runs once when it is sent again, if it can be known', (preset, event) => {
    const expected = ALWAYS_NEW.has(`${preset} ${event}`) ? null : 'true';
    expect(outcome(preset, event).replayed).toBe(expected);
  });

  it.each(SAMPLED)('docs/presets.md shows messages of $id', ({ id }) => {
    const messages = listSamples(id).flatMap((event) =>
      outcome(id, event).details.runs.map(({ prompt }) => readForeignContent(prompt)),
    );
    expect(blocksOf(id)).not.toEqual([]);
    expect(messages).toEqual(expect.arrayContaining(blocksOf(id)));
  });
});

describe('the steps at the sender', () => {
  it('stand in docs/presets.md as they are, for every preset whose sender signs', () => {
    const listed = [...presets.values()].filter(
      ({ id, verify }) => verify !== undefined || stepsOf(id).length > 0,
    );
    expect(listed.map(({ id }) => [id, stepsOf(id)])).toEqual(
      listed.map(({ id, setup }) => [id, setup.map((step) => onPage(step, id))]),
    );
  });

  it.each([...presets.values()])('$id says where to, and how the sender is known', ({ setup }) => {
    expect(setup.length).toBeLessThanOrEqual(8);
    expect(setup.join(' ')).toContain('{url}');
    expect(setup.join(' ')).toMatch(/\{secret\}|\{token\}|secret|key/iu);
  });
});
