import { modelRunner } from '../../src/adapters/agents/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { at, listAt } from '../support/protocols/protocol.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { parsePrompt } from '../support/parsed-prompt.ts';
import { type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';

const WINDOW = 32_000;
/** Some 3,000 tokens of a payload. */
const LOG = 'Job 4711 failed on runner 3: exit code 1\n'.repeat(300);

const MAPPINGS: NonNullable<HooksModuleOptions['mappings']> = [
  {
    id: 'talk',
    sessionKey: 'hook:talk',
    sessionMode: 'persistent',
    messageTemplate: '{{ text }}',
    wakeMode: 'next-heartbeat',
    deliver: false,
  },
];

let server: OpenAiServer;
let runner: ReturnType<typeof modelRunner>;
let hooks: Hooks;

beforeEach(async () => {
  server = await startOpenAiServer();
  server.window = WINDOW;
  const provider = { type: 'openai-compatible' as const, baseUrl: server.baseUrl };
  runner = modelRunner({ models: () => ({ providers: { local: provider } }) });
  const defaults = { model: 'local/test-model', heartbeat: { every: '0m' } };
  hooks = await Hooks.start({ runner, agents: { defaults }, mappings: MAPPINGS });
});
afterEach(async () => {
  await hooks.close();
  await runner[Symbol.asyncDispose]();
  await server.close();
});

async function run(text: string): Promise<EventDetails> {
  const { eventId } = await hooks.ask('/talk', { text });
  return hooks.ended(eventId);
}

function refused(): number {
  const asked = server.requests.filter(({ path }) => path === '/v1/chat/completions');
  const sizes = asked.map(({ body }) => JSON.stringify(at(body, 'messages')).length);
  return sizes.filter((characters) => Math.ceil(characters / 4) > WINDOW).length;
}

describe("a conversation that outgrows its model's window (behaviour §6)", () => {
  it('goes on for 30 turns of a model that refuses what is too long, and says what was left out', async () => {
    const ends: string[] = [];
    let last: EventDetails | undefined;
    for (let turn = 1; turn <= 30; turn += 1) {
      last = await run(`Turn ${turn}\n${LOG}`);
      ends.push(last.status);
    }
    expect(new Set(ends)).toEqual(new Set(['done']));
    expect(last?.runs[0]?.warnings).toEqual([
      expect.stringMatching(/^\d+ earlier turns were left out: the model's window is full\.$/),
    ]);
    const asked = listAt(server.requests.at(-1)?.body, 'messages');
    expect(JSON.stringify(asked.at(-1))).toContain('Turn 30');
    expect(JSON.stringify(asked.at(-3))).toContain('Turn 29');
  });

  it('is shortened before the model refuses, where its list says how long its window is', async () => {
    server.listed = { max_model_len: WINDOW };
    for (let turn = 1; turn <= 20; turn += 1) {
      expect((await run(`Turn ${turn}\n${LOG}`)).status).toBe('done');
    }
    expect(refused()).toBe(0);
  });
});

describe("an event that is longer than its model's window by itself", () => {
  const HUGE = LOG.repeat(50);

  it.each([
    ['refuses', {}],
    ['has a known window', { max_model_len: WINDOW }],
  ])('is shown by its beginning where the model %s', async (_, listed) => {
    server.listed = listed;
    await run('Turn 1');
    const { status, runs } = await run(HUGE);
    expect(status).toBe('done');
    const [shown] = runs;
    const prompt = shown?.prompt ?? '';
    expect(shown?.notes).toEqual([]);
    expect(shown?.warnings).toContainEqual(
      expect.stringMatching(
        /^The prompt was shortened from \d+ to \d+ characters: the model's window/,
      ),
    );
    const [line = '', left, all] =
      /\nThe model's window is full: the last (\d+) of (\d+) characters are left out\./.exec(
        prompt ?? '',
      ) ?? [];
    const { content } = parsePrompt(prompt.replace(line, ''));
    expect(content.length + Number(left)).toBe(Number(all));
    expect(Number(all)).toBeGreaterThan(600_000);
    expect(HUGE.startsWith(content)).toBe(true);
    expect((await run('Turn 3')).status).toBe('done');
  });
});

describe("lines that are more than a heartbeat's model has room for", () => {
  it('are shown one after the other until none waits', async () => {
    server.window = 4000;
    server.reply = 'HEARTBEAT_OK';
    const eventIds: unknown[] = [];
    for (let line = 1; line <= 10; line += 1) {
      const text = `Line ${line}\n${LOG.slice(0, 3000)}`;
      eventIds.push((await hooks.ask('/wake', { text })).eventId);
    }
    for (const eventId of eventIds) expect((await hooks.ended(eventId)).status).toBe('done');
    await eventually('all lines were shown', () => {
      const answered = server.requests.filter(({ body }) => at(body, 'messages') !== undefined);
      const text = JSON.stringify(answered.map(({ body }) => body));
      return Array.from({ length: 10 }, (_, line) => text.includes(`Line ${line + 1}\\n`)).every(
        Boolean,
      );
    });
  });
});
