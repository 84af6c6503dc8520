import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUNDS } from '../support/rounds.ts';
import { anthropic } from '../support/protocols/anthropic.ts';
import { ModelServer } from './model-server.ts';
import { documented, DocumentedService } from './programs.ts';

interface Pointed {
  readonly home?: readonly [string, (url: string) => unknown][];
  readonly env?: (url: string) => Readonly<Record<string, string>>;
}

const KEY = 'k-of-the-real-programs';

const POINTED: Readonly<Record<string, Pointed>> = {
  'Claude Code': {
    home: [
      [
        '.claude/settings.json',
        (url) => {
          const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
          return { env: { ANTHROPIC_BASE_URL: url, ...quiet } };
        },
      ],
    ],
    env: () => ({ ANTHROPIC_API_KEY: KEY }),
  },
  Codex: {
    home: [
      [
        '.codex/config.toml',
        (url) =>
          [
            'model = "test-model"',
            'model_provider = "local"',
            '[model_providers.local]',
            'name = "local"',
            `base_url = "${url}/v1"`,
            'env_key = "CODEX_API_KEY"',
            'wire_api = "responses"',
          ].join('\n'),
      ],
    ],
    env: () => ({ CODEX_API_KEY: KEY }),
  },
  'Gemini CLI': {
    home: [
      ['.gemini/.env', (url) => `GOOGLE_GEMINI_BASE_URL=${url}\n`],
      [
        '.gemini/settings.json',
        () => ({
          model: { name: 'gemini-2.5-flash' },
          security: { auth: { selectedType: 'gemini-api-key' } },
          privacy: { usageStatisticsEnabled: false },
        }),
      ],
    ],
    env: () => ({ GEMINI_API_KEY: KEY }),
  },
  opencode: {
    home: [
      // The models of the world, which it would fetch.
      ['.cache/opencode/models.json', () => ({})],
      [
        '.config/opencode/opencode.json',
        (url) => {
          const options = { baseURL: `${url}/v1`, apiKey: KEY };
          const models = { 'test-model': {} };
          const local = { npm: '@ai-sdk/openai-compatible', name: 'local', options, models };
          return { model: 'local/test-model', autoupdate: false, provider: { local } };
        },
      ],
    ],
  },
  'Copilot CLI': {
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'test-model',
      COPILOT_AUTO_UPDATE: 'false',
    }),
  },
};

/** In CI the first one stands for all of them. */
const MOST = ROUNDS > 1 ? undefined : 1;

describe('docs/agents.md: programs from npm', () => {
  let service: DocumentedService;
  let model: ModelServer;
  beforeEach(async () => {
    service = new DocumentedService();
    model = await ModelServer.start();
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  /** Starts the section's configuration, in which only names of variables are added where it takes them. */
  async function start(heading: string, { home = [], env }: Pointed = {}): Promise<void> {
    for (const [file, content] of home) service.writeHome(file, content(model.origin));
    const variables = env?.(model.origin) ?? {};
    const names = Object.keys(variables).map((name) => `'${name}'`);
    const [configuration = ''] = documented(heading);
    await service.start(configuration.replace(/env: \[.*\]/, `env: [${names.join(', ')}]`), {
      env: variables,
    });
  }

  const LOGGED_OUT = [
    ['Claude Code', 'exit code 1: Not logged in · Please run /login'],
    ['Gemini CLI', 'exit code 41: Please set an Auth method in your '],
    ['Copilot CLI', 'Error: No authentication information found. / '],
  ] as const;
  it.each(LOGGED_OUT.slice(0, MOST))('%s, not logged in, says so itself', async (heading, why) => {
    await service.start(documented(heading)[0] ?? '');
    const run = await service.ask('Question 1');
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining(why) });
  });

  it.each(Object.entries(POINTED).slice(0, MOST))(
    '%s answers and continues',
    async (heading, pointed) => {
      await start(heading, pointed);
      expect(await service.ask('Question 1')).toMatchObject({ reply: 'I heard 1.', error: null });
      expect(await service.ask('Question 2')).toMatchObject({
        reply: 'I heard 1, 2.',
        error: null,
      });
    },
  );

  // The first one goes on asking for minutes.
  if (MOST === undefined) {
    it.each([
      ['Codex', 'exit code 1: unexpected status 401 Unauthorized: no such key [CODEX_API_KEY]'],
      ['opencode', 'exit code 1: no such key '],
      ['Gemini CLI', 'no such key [GEMINI_API_KEY]'],
    ])('%s, refused by its provider, says so itself', async (heading, why) => {
      model.refusal = { status: 401, message: `no such key ${KEY}` };
      await start(heading, POINTED[heading]);
      const run = await service.ask('Question 1');
      expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining(why) });
      expect(run.error).not.toContain('Question 1');
    });
  }

  describe('Claude Code, whose tools a person decides about', () => {
    const CALL = {
      tool: 'Bash',
      input: { command: 'echo deployed >> made', description: 'Deploy' },
    };
    const made = () => readdirSync(service.workspace).filter((name) => name === 'made');

    /** A run that waits with that call, of which nothing was done. */
    async function waiting() {
      const [configuration = ''] = documented('Claude Code');
      const { home = [], env } = POINTED['Claude Code'] ?? {};
      for (const [file, content] of home) service.writeHome(file, content(model.origin));
      await service.start(configuration.replace('runner: {', "approve: 'tools', runner: {"), {
        env: env?.(model.origin),
        sessionMode: 'isolated',
      });
      model.calls.push(CALL);
      const event = await service.send('Question 1');
      const run = await service.waits(event);
      expect(run.waits).toMatchObject([
        { kind: 'tools', calls: [{ tool: 'Bash', input: JSON.stringify(CALL.input) }] },
      ]);
      expect(made()).toEqual([]);
      return { event, run };
    }
    const lastAsked = () => JSON.stringify(model.requests.at(-1)?.body);

    it('calls what was approved, once', async () => {
      const { event, run } = await waiting();
      model.calls.push(CALL);
      await service.decide(run, { verdict: 'approved' });
      expect(await service.ended(event)).toMatchObject({
        status: 'succeeded',
        reply: expect.stringContaining('I heard'),
      });
      expect(readFileSync(join(service.workspace, 'made'), 'utf8')).toBe('deployed\n');
      expect(lastAsked()).toContain('A person has approved what you were interrupted for: Bash.');
      const offered = anthropic.toolsOf(model.requests.at(-1)?.body);
      expect(offered).toContain('Bash');
      expect(offered.filter((name) => /hooks|AskUser|PlanMode/.test(String(name)))).toEqual([]);
    });

    it('asks anew about anything else, a second time included', async () => {
      const { event, run } = await waiting();
      model.calls.push(CALL, CALL);
      await service.decide(run, { verdict: 'approved' });
      const again = await service.waits(event, 2);
      expect(readFileSync(join(service.workspace, 'made'), 'utf8')).toBe('deployed\n');
      const other = { ...CALL, input: { ...CALL.input, command: 'echo more >> made' } };
      model.calls.push(other);
      await service.decide(again, { verdict: 'approved' });
      const third = await service.waits(event, 3);
      expect(third.waits.at(-1)?.calls).toEqual([
        { tool: 'Bash', input: JSON.stringify(other.input) },
      ]);
      expect(readFileSync(join(service.workspace, 'made'), 'utf8')).toBe('deployed\n');
    });

    it('does nothing that was denied, and is told why', async () => {
      const { event, run } = await waiting();
      await service.decide(run, { verdict: 'denied', reason: 'too early' });
      expect(await service.ended(event)).toMatchObject({
        status: 'succeeded',
        reply: expect.stringContaining('I heard'),
      });
      expect(lastAsked()).toMatch(/is not done \(Bash\): denied by .{1,40}: too early\./);
      expect(made()).toEqual([]);
    });
  });
});
