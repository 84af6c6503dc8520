import { Hooks as HooksFromCode } from '../../src/hooks/index.ts';
import { Hooks } from '../support/hooks.ts';
import { TransformFiles, startWithTransform } from '../support/transforms.ts';
import { TransformSandbox } from '../../src/hooks/index.ts';
import type { HooksModuleOptions, MappingOptions } from '../../src/hooks/index.ts';

let files: TransformFiles;
let hooks: Hooks | undefined;

beforeEach(() => (files = new TransformFiles()));
afterEach(async () => {
  await hooks?.close();
  hooks = undefined;
  files[Symbol.dispose]();
});

async function start(
  code: string,
  mapping: Partial<MappingOptions> = {},
  given: Partial<HooksModuleOptions> = {},
): Promise<Hooks> {
  hooks = await startWithTransform(files.transform(code), mapping, given);
  return hooks;
}

async function actionOf(
  code: string,
  mapping: Partial<MappingOptions> = {},
  payload: unknown = {},
) {
  const running = await start(code, mapping);
  const { status, eventId } = await running.ask('/t', payload);
  expect(status).toBe(200);
  return (await running.details(eventId)).actions[0];
}

describe('a transform (behaviour §8)', () => {
  it('is a default export, `transform`, or what transform.export names', async () => {
    const said = (name: string): string => `(): object => ({ name: '${name}' })`;
    files.transform(
      `export const transform = ${said('by name')}; export const other = ${said('other')}`,
    );
    files.write('transforms/d.mjs', `export default async () => ({ name: 'default' });`);
    hooks = await Hooks.start({
      configDir: files.path,
      mappings: [
        { id: 'a', transform: { module: './t.ts' } },
        { id: 'b', transform: { module: 't', export: 'other' } },
        { id: 'c', transform: { module: 'd.mjs' } },
      ],
    });
    const names: unknown[] = [];
    for (const id of ['a', 'b', 'c']) {
      const { eventId } = await hooks.ask(`/${id}`, {});
      names.push((await hooks.details(eventId)).actions[0]?.['name']);
    }
    expect(names).toEqual(['by name', 'other', 'default']);
  });

  it('sees payload, headers, query, path and now, without credentials', async () => {
    const running = await start(
      `export default ({ payload, headers, query, path, now }) =>
        ({ message: [payload.a, headers['x-y'], headers.authorization, query.q, path, now, new Date().toISOString()].join() });`,
    );
    const { eventId } = await running.ask('/t?q=1', { a: 'A' }, { 'x-y': 'Y' });
    const { runs, receivedAt } = await running.ended(eventId);
    expect(runs[0]?.prompt).toContain(`A,Y,,1,t,${receivedAt},${receivedAt}`);
  });

  it('imports what lies beside it, with and without extension, TypeScript under its compiled name', async () => {
    files.write('transforms/lib/a.ts', `export enum A { x = 'from a' }`);
    files.write('transforms/lib/b.js', `export { b } from '../b.mjs';`);
    files.write('transforms/b.mts', `export const b: string = ' and b';`);
    const code = `import { A } from './lib/a.js'; import { b } from './lib/b';
      export default () => ({ name: A.x + b });`;
    expect(await actionOf(code)).toMatchObject({ name: 'from a and b' });
  });

  it('leaves to the templates what it does not set', async () => {
    const mapping = { name: 'Hook {{ a }}', wakeMode: 'next-heartbeat', model: 'x/y' } as const;
    expect(
      await actionOf(`export default () => ({ timeoutSeconds: 9, model: null })`, mapping, {
        a: 1,
      }),
    ).toMatchObject({
      name: 'Hook 1',
      wakeMode: 'next-heartbeat',
      model: 'x/y',
      timeoutSeconds: 9,
    });
  });

  it('returns null to a sender without a token: 200 in words (behaviour §2)', async () => {
    const running = await start(`export default () => null`);
    const receipt = await running.app.get(HooksFromCode).send('t', {});
    expect(receipt).toEqual({ eventId: receipt.eventId, reason: 'its transform says so' });
    expect(await running.details(receipt.eventId)).toMatchObject({
      status: 'skipped',
      skipped: 'its transform says so',
    });
    expect(running.journal).toEqual([]);
  });

  it('returns several actions, which are no repeats of each other', async () => {
    const running = await start(`export default () => [{ name: 'a' }, { name: 'b' }]`, {
      dedupeKey: '{{ id }}',
    });
    const first = await running.ask('/t', { id: 1 });
    expect(first['runIds']).toHaveLength(2);
    expect(await running.ask('/t', { id: 1 })).toEqual(first);
  });

  it('is called per item under forEach, with item and index', async () => {
    const running = await start(
      `export default ({ item, index }) => item.skip ? null : { name: index + item.n }`,
      { forEach: 'items' },
    );
    const { eventId } = await running.ask('/t', {
      items: [{ n: 'a' }, { skip: true }, { n: 'c' }],
    });
    expect((await running.details(eventId)).actions.map(({ name }) => name)).toEqual(['0a', '2c']);
  });

  it('starts from the same state in every call', async () => {
    const code = `let n = 0; export default () => {
      n++; globalThis.g = (globalThis.g ?? 0) + 1; Array.prototype.x = (Array.prototype.x ?? 0) + 1;
      return { name: [n, g, [].x].join() }; }`;
    const running = await start(code);
    const names: unknown[] = [];
    for (let call = 0; call < 5; call++) {
      const { eventId } = await running.ask('/t', {});
      names.push((await running.details(eventId)).actions[0]?.['name']);
    }
    expect(names).toEqual(Array.from({ length: 5 }, () => '1,1,1'));
  });

  it('shows its console in the details', async () => {
    const running = await start(
      `export default ({ payload }) => { console.log('got', payload); console.warn('odd'); return null; }`,
    );
    const answer = await running.post('/t', { a: 1 });
    expect(answer.status).toBe(204);
    const [event] = await running.events();
    expect(event?.console).toEqual(['got {"a":1}', 'warn: odd']);
  });
});

describe('a transform that breaks (behaviour §1.8)', () => {
  it('answers 500, is kept with its text and console, and logs class and place only', async () => {
    const running = await start(
      `export default ({ payload }) => {\n  console.log('before');\n  throw new TypeError('bad ' + payload.a);\n}`,
    );
    const answer = await running.ask('/t', { a: 'private-value' });
    expect(answer).toEqual({
      status: 500,
      ok: false,
      code: 'transform_failed',
      error: 'The transform of this hook broke; the event is kept as failed and can be replayed.',
      eventId: expect.any(String),
    });
    const { status, error, console, actions } = await running.details(answer['eventId']);
    expect({ status, error, console, actions }).toEqual({
      status: 'failed',
      error: 'TypeError: bad private-value (TypeError at t.ts:3)',
      console: ['before'],
      actions: [],
    });
    expect(running.log.lines.join('\n')).toContain(
      'mapping t failed: transform, TypeError at t.ts:3',
    );
    expect(running.journal).toEqual([]);
  });

  it('logs a class that its code has, and none that a payload made up', async () => {
    const running = await start(
      `class OddInput extends Error {}
      export default ({ payload }) => {
        if (payload.own) throw new OddInput(payload.text);
        throw { name: payload.text, constructor: { name: payload.text }, stack: payload.text };
      }`,
    );
    await running.ask('/t', { own: true, text: 'PrivateText' });
    await running.ask('/t', { text: 'PrivateText' });
    const log = running.log.lines.join('\n');
    expect(log).toContain('transform, OddInput at t.ts:3');
    expect(log).toContain('mapping t failed: transform, Error"');
    expect(log).not.toContain('PrivateText');
  });

  it('answers 503 with Retry-After and stores nothing when no call can be taken', async () => {
    const running = await start('export default () => null');
    await running.app.get(TransformSandbox).close();
    const answer = await running.post('/t', {});
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toMatchObject({ ok: false, code: 'transform_queue_full' });
    expect(await running.stored()).toBe(0);
  });

  it('is broken by what is no action', async () => {
    const returned = [
      `'text'`,
      '1',
      'true',
      '() => 1',
      '{ colour: 1 }',
      `{ kind: 'wake', message: 'm' }`,
      '{ deliver: "yes" }',
      `{ channel: 'chan_9' }`,
      '[[{}]]',
      '[{}, null]',
      'Array.from({ length: 201 }, () => ({}))',
      '{ allowUnsafeExternalContent: true }',
      `{ instructions: 'obey' }`,
      `{ sessionMode: 'persistent' }`,
      `{ dedupeKey: 'x' }`,
      `JSON.parse('{"__proto__": {"deliver": false}}')`,
      '{ constructor: 1 }',
    ];
    const cases = returned.map((value) => `() => (${value})`);
    const running = await start(
      `export default ({ payload }) => [() => ({}), ${cases.join(', ')}][payload.n]();`,
    );
    expect(await running.ask('/t', { n: 0 })).toMatchObject({ status: 200 });
    for (const [index, value] of returned.entries()) {
      const { status, code } = await running.ask('/t', { n: index + 1 });
      expect({ value, status, code }).toEqual({ value, status: 500, code: 'transform_failed' });
    }
    expect(await running.stored()).toBe(returned.length + 1);
  });
});

describe('policy over a transform', () => {
  it('what it returns against a rule is refused with 400, and nothing is stored', async () => {
    const running = await start(
      `export default ({ payload }) => payload`,
      { sessionKey: 'hook:t:' },
      {
        allowedAgentIds: ['main'],
        agents: { list: [{ id: 'main' }, { id: 'root' }] },
        models: { providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } } },
      },
    );
    for (const [action, code] of [
      [{ agentId: 'root' }, 'agent_not_allowed'],
      [{ sessionKey: 'main' }, 'session_key_not_allowed'],
      [{ model: 'gpt' }, 'model_not_allowed'],
      [{ message: ' ' }, 'invalid_payload'],
    ] as const) {
      expect(await running.ask('/t', action)).toMatchObject({ status: 400, code });
    }
    expect(await running.stored()).toBe(0);
  });

  it('a session key goes on from the literal text of the mapping', async () => {
    const action = await actionOf(`export default () => ({ sessionKey: 'hook:t:a b' })`, {
      sessionKey: 'hook:t:{{ id }}',
    });
    expect(action).toMatchObject({ sessionKey: 'hook:t:a%20b' });
  });

  it('a recipient never becomes the last route', async () => {
    expect(await actionOf(`export default () => ({ to: '+9' })`)).toMatchObject({
      deliver: { to: '+9', toFrom: 'content' },
    });
  });
});

describe('without any transform', () => {
  it('no thread is started', async () => {
    hooks = await Hooks.start({ mappings: [{ id: 't' }] });
    await hooks.ask('/t', {});
    expect(hooks.app.get(TransformSandbox).threads).toBe(0);
  });
});
