import { readFileSync } from 'node:fs';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import { presets } from './index.ts';
import { TASK_ENDS } from './preset.ts';
import { bodyOf, listSamples, readSample } from './samples.ts';
import type { Sample } from './samples.ts';

// Clauses of each task are in test/fixtures/preset-facts.json, with a sample and what answers them in a line of it.

/** By preset and by words of its task: the name of a sample, and a piece of a line of it, any number of times. */
type Facts = Readonly<Record<string, Readonly<Record<string, readonly (readonly string[])[]>>>>;

const FILE = new URL('../../../test/fixtures/preset-facts.json', import.meta.url);
const facts = JSON.parse(readFileSync(FILE, 'utf8')) as Facts;

/** What tasks leave to the agent to judge, or say of what they are about; no text could hold it. */
const JUDGED = [
  'reports what happened in',
  'what a visitor entered into a form there',
  'they say whom Datadog tells',
  'say so first and why',
  'what they should do now, if anything',
  'what they should do, if anything',
  'what to do about the address',
  'what endangers data',
  'Where no deadline is given',
  'where there is one',
  'how they called you',
  'If you cannot tell what it is about',
  'of which nothing more is known',
];
const ASKS = /\b(?:who|whom|whose|what|which|where|why|how|whether|since when|until when)\b/iu;

const hooks = ingest({ presets: [...presets.keys()] });

function payloadOf(sample: Sample): unknown {
  return sample.text === undefined
    ? sample.body
    : Object.fromEntries(new URLSearchParams(bodyOf(sample)));
}

async function linesOf(preset: string, name: string): Promise<string[]> {
  const sample = readSample(preset, name);
  if (sample === undefined) throw new Error(`there is no sample ${preset} ${name}`);
  const request = hookRequest(preset, payloadOf(sample), { headers: sample.headers });
  const { actions } = await hooks.apply(request);
  return actions.flatMap((action) => (action.kind === 'agent' ? action.message.split('\n') : []));
}

function ownWords(task: string): string {
  const [common = ''] = Object.values(TASK_ENDS).filter((words) => task.endsWith(words));
  return task.slice(0, task.length - common.length);
}

describe('what tasks ask for', () => {
  const all = Object.entries(facts).flatMap(([preset, clauses]) =>
    Object.entries(clauses).map(([clause, answers]) => ({ preset, clause, answers })),
  );

  it.each(all)('$preset: $clause: the samples answer it', async ({ preset, clause, answers }) => {
    expect(presets.get(preset)?.task).toContain(clause);
    expect(answers).not.toEqual([]);
    for (const [sample = '', piece = ''] of answers) {
      expect(piece).not.toBe('');
      expect(await linesOf(preset, sample)).toContainEqual(expect.stringContaining(piece));
    }
  });

  it.each([...presets])('%s asks for nothing else', (id, { task }) => {
    const asked = [...Object.keys(facts[id] ?? {}), ...JUDGED].toSorted(
      (one, other) => other.length - one.length,
    );
    const left = asked.reduce((words, clause) => words.replaceAll(clause, '…'), ownWords(task));
    expect(ASKS.exec(left) && left).toBeNull();
  });

  it('judges nothing that no task says', () => {
    const tasks = [...presets.values()].map(({ task }) => task).join('\n');
    expect(JUDGED.filter((words) => !tasks.includes(words))).toEqual([]);
  });

  it('is known of every preset with samples, but for chats, of which the words are all', () => {
    const without = [...presets.keys()].filter((id) => !(id in facts));
    expect(without).toEqual(['slack', 'telegram']);
    expect(Object.keys(facts).filter((id) => listSamples(id).length === 0)).toEqual([]);
  });
});
