import { readFile } from 'node:fs/promises';
import { GATEWAY_NAMES, OperatorRequests, checkOptions } from '../../src/hooks/index.ts';
import type { EventDetails, PreviewRequest } from '../../src/hooks/index.ts';
import { EventStore } from '../../src/hooks/ports/index.ts';
import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks } from '../support/hooks.ts';
import { FastClock } from '../support/clocks.ts';
import { readExamples } from '../support/page-examples.ts';
import type { Example, ExampleRequest } from '../support/page-examples.ts';
import { TransformFiles } from '../support/transforms.ts';

const page = await readFile(new URL('../../docs/mappings.md', import.meta.url), 'utf8');
const EXAMPLES = readExamples(page);

let hooks: Hooks | undefined;
let files: TransformFiles;

beforeEach(() => (files = new TransformFiles()));
afterEach(async () => {
  await hooks?.close();
  hooks = undefined;
  files[Symbol.dispose]();
});

function serve(example: Example): Promise<Hooks> {
  for (const { name, text } of example.files) files.write(name, text);
  const clock = new FastClock();
  return Hooks.start({ clock, configDir: files.path, ...optionsOf(example) });
}

function optionsOf({ configuration: { hooks: own, ...sections } }: Example) {
  return { ...own, ...sections };
}

async function textsOf({ runs }: EventDetails): Promise<string[]> {
  if (runs.length > 0) return runs.map(({ prompt }) => readForeignContent(prompt));
  const session = await hooks?.app.get(EventStore).session('agent:main:main', { limit: 200 });
  return (session?.pendingSystemEvents ?? []).map(({ text }) => text);
}

/** What the operator is shown of a request; nothing may come of it. */
async function showsPreview({ body, texts, results }: ExampleRequest): Promise<void> {
  const before = await hooks!.stored();
  const preview = await hooks!.app.get(OperatorRequests).preview(body as PreviewRequest);
  expect(preview.actions.map(({ prompt }) => readForeignContent(prompt))).toEqual(texts);
  for (const result of results) expect(preview).toMatchObject(result);
  expect(await hooks!.stored()).toBe(before);
}

async function proves({ path, headers, body, texts, results }: ExampleRequest): Promise<void> {
  const answer = await hooks!.post(path, body, headers);
  const json: unknown = JSON.parse((await answer.text()) || '{}');
  const replayed = { 'idempotent-replayed': answer.headers.get('idempotent-replayed') };
  const got = { status: answer.status, ...replayed, ...(json as { eventId?: string }) };
  for (const result of results.filter((expected) => 'status' in expected)) {
    expect(got).toMatchObject(result);
  }
  const actions = results.filter((expected) => !('status' in expected));
  if (texts.length === 0 && actions.length === 0) return;
  // A wake for the next heartbeat has ended when it is stored; a run when it was summarized and delivered.
  const details = await hooks!.ended(got.eventId);
  expect(texts.length > 0 ? await textsOf(details) : []).toEqual(texts);
  for (const expected of actions) {
    expect('console' in expected ? details : details.actions[0]).toMatchObject(expected);
  }
}

describe('docs/mappings.md', () => {
  it('has an example in every section', () => {
    const sections = Array.from(page.matchAll(/^## (.+)$/gmu), (match) => match[1]!);
    const shown = new Set(EXAMPLES.map(({ heading }) => heading));
    expect(sections.filter((section) => !shown.has(section))).toEqual([]);
  });

  const served = EXAMPLES.filter(({ log }) => log.length === 0);

  it.each(served)('$heading: its requests do what the page says', async (example) => {
    expect(example.requests.length).toBeGreaterThan(0);
    hooks = await serve(example);
    for (const request of example.requests) {
      expect(request.texts.length + request.results.length).toBeGreaterThan(0);
      await (request.path === '/ops/api/preview' ? showsPreview(request) : proves(request));
    }
  });

  const withLog = EXAMPLES.filter(({ log }) => log.length > 0);

  it.each(withLog)('$heading: the start says what the page says', async (example) => {
    const { problems, warnings } = await checkOptions(
      { defaultSessionKey: 'x', ...optionsOf(example) },
      GATEWAY_NAMES,
    );
    const lines = [...problems, ...warnings].map(({ key, message }) => `${key} ${message}`);
    expect(lines).toEqual(example.log);
  });
});
