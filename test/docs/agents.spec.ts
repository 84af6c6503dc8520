import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import JSON5 from 'json5';
import { commandRunner } from '../../src/adapters/agents/command.ts';
import { ConfiguredAgents } from '../../src/hooks/options/configured-agents.ts';
import { HooksSettings } from '../../src/hooks/options/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL_REPLY, startOpenAiServer } from '../support/openai-server.ts';
import { ServedGateway } from '../support/served-gateway.ts';

const TEXT = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
const STUBS = fileURLToPath(new URL('../support/cli/bin', import.meta.url));
const TOKEN = 'the-hook-token-of-the-tests';

interface Stub extends AsyncDisposable {
  /** The configuration as the test can start it: other addresses, nothing else. */
  readonly configuration: string;
  readonly env: Readonly<Record<string, string>>;
  readonly reply: RegExp;
}

type StubFactory = (section: Section, dir: ConfigDirectory) => Promise<Stub>;

/** Of `agents-models.spec.ts` and `callback-agents.e2e-spec.ts`. */
const ELSEWHERE = ['Model runner', 'Tools', 'Agents that run elsewhere', 'Claude routines'];

const SECTIONS: Readonly<Record<string, StubFactory>> = {
  'Claude Code': program,
  Codex: program,
  'Gemini CLI': program,
  opencode: program,
  'Copilot CLI': program,
  'Any script': script,
  'HTTP runner': otherGateway,
};

interface Section {
  readonly configuration: string;
  readonly script: string | undefined;
}

const DOCUMENTED = new Map(
  TEXT.split(/^#{2,3} /m).flatMap((part): [string, Section][] => {
    const configuration = block(part, 'json5');
    if (configuration === undefined) return [];
    return [[part.slice(0, part.indexOf('\n')), { configuration, script: block(part, 'sh') }]];
  }),
);

function block(text: string, language: string): string | undefined {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
}

function documented(heading: string): Section {
  const section = DOCUMENTED.get(heading);
  if (section === undefined) throw new Error(`docs/agents.md has no section ${heading}`);
  return section;
}

function path(...dirs: readonly string[]): { PATH: string } {
  return { PATH: [...dirs, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };
}

async function program({ configuration }: Section): Promise<Stub> {
  const reply = /^new: \d+ characters$/;
  return { configuration, env: path(STUBS), reply, [Symbol.asyncDispose]: async () => {} };
}

async function script(section: Section, dir: ConfigDirectory): Promise<Stub> {
  mkdirSync(join(dir.path, 'bin'));
  dir.write('bin/answer', section.script ?? '');
  chmodSync(join(dir.path, 'bin/answer'), 0o755);
  const reply = /^main was asked in agent:main:hook:docs:\n/;
  return { ...(await program(section)), env: path(join(dir.path, 'bin')), reply };
}

async function otherGateway({ configuration }: Section): Promise<Stub> {
  const server = await startOpenAiServer();
  const there = configuration.replace('http://127.0.0.1:18789', server.origin);
  expect(there).not.toBe(configuration);
  return {
    configuration: there,
    env: { OTHER_GATEWAY_TOKEN: 'a-token-of-the-other-gateway' },
    reply: new RegExp(`^${MODEL_REPLY}$`),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function runWith({ configuration, env }: Stub, dir: ConfigDirectory) {
  dir.write('gateway.json5', {
    hooks: { enabled: true, token: TOKEN, defaultSessionKey: 'hook:docs' },
    ...JSON5.parse<object>(configuration),
  });
  await using service = await ServedGateway.start(dir.path, env);
  const message = { message: 'Where is the station?', deliver: false, wakeMode: 'next-heartbeat' };
  const { body } = await service.post('/hooks/agent', message);
  const ended = await eventually('the run ends', async () => {
    const found = await service.get(`/ops/api/events/${String(body['eventId'])}`);
    const [run] = found.body['runs'] as { status: string; reply: string; error: string }[];
    return run !== undefined && !['queued', 'running'].includes(run.status) && run;
  });
  return { status: ended.status, reply: ended.reply, error: ended.error };
}

describe('docs/agents.md', () => {
  let dir: ConfigDirectory;
  beforeEach(() => (dir = new ConfigDirectory()));
  afterEach(() => dir[Symbol.dispose]());

  it('has no configuration that is not started here', () => {
    const started = [...ELSEWHERE, ...Object.keys(SECTIONS)];
    expect([...DOCUMENTED.keys()].toSorted()).toEqual(started.toSorted());
  });

  it.each(Object.entries(SECTIONS))('%s: the configuration runs', async (heading, start) => {
    await using stub = await start(documented(heading), dir);
    const run = await runWith(stub, dir);
    expect(run).toMatchObject({ status: 'succeeded', reply: expect.stringMatching(stub.reply) });
  });

  it.each(['Claude Code', 'Codex', 'Gemini CLI', 'opencode', 'Copilot CLI'])(
    '%s: the conversation continues with its own session id',
    async (heading) => {
      const input = JSON5.parse<HooksSettingsInput>(documented(heading).configuration);
      const agent = {
        ...new ConfiguredAgents(new HooksSettings(input)).resolve('main'),
        workspace: dir.path,
      };
      const runner = commandRunner({ env: () => path(STUBS), workspaces: dir.path });
      const { signal } = new AbortController();
      const first = await runner.run(agentTurn({ agent, prompt: 'x' }), signal);
      expect(first).toMatchObject({ text: 'new: 1 characters', runnerSession: 'session-1' });
      const { runnerSession } = first;
      const next = await runner.run(agentTurn({ agent, prompt: 'xy', runnerSession }), signal);
      expect(next.text).toBe('resumed session-1: 2 characters');
    },
  );
});
