import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { McpHttpServer } from '../support/mcp/http-server.ts';
import { anthropic, openaiCompatible } from '../support/protocols/index.ts';
import { ProtocolServer, REPLY } from '../support/protocol-server.ts';
import { ServedGateway } from '../support/served-gateway.ts';
import { isRunning } from '../support/tool-turn.ts';

const HOOK_TOKEN = 'the-hook-token-of-the-docs';
const PAGE = new URL('../../docs/agents.md', import.meta.url);

const SECTIONS: readonly [string, (configuration: string) => Promise<void>][] = [
  ['Model runner', modelRunner],
  ['Tools', tools],
];

let dir: ConfigDirectory;
let local: ProtocolServer;

beforeEach(async () => {
  dir = new ConfigDirectory();
  local = await ProtocolServer.start(openaiCompatible);
});

afterEach(async () => {
  await local.close();
  dir[Symbol.dispose]();
});

async function sections(): Promise<Map<string, string>> {
  const [, ...parts] = (await readFile(PAGE, 'utf8')).split(/^## /m);
  return new Map(
    parts.map((part): [string, string] => {
      const [heading = ''] = part.split('\n');
      return [heading, /```json5\n([\s\S]*?)```/.exec(part)?.[1] ?? ''];
    }),
  );
}

/** What an operator changes in a configuration of the page: addresses and paths that only exist elsewhere. */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replaceAll(from, to);
  }, text);
}

async function start(text: string, env: Record<string, string> = {}): Promise<ServedGateway> {
  dir.write('gateway.json5', text);
  return ServedGateway.start(dir.path, { HOOK_TOKEN, ...env });
}

async function replyTo(service: ServedGateway, body: object): Promise<unknown> {
  const { body: answer } = await service.post('/hooks/agent', body);
  return eventually('the run replies', async () => {
    const { body: details } = await service.get(`/ops/api/events/${String(answer['eventId'])}`);
    const runs: { reply: string | null }[] = JSON.parse(JSON.stringify(details['runs'] ?? []));
    return runs[0]?.reply ?? undefined;
  });
}

async function modelRunner(configuration: string): Promise<void> {
  const claude = await ProtocolServer.start(anthropic);
  const workspace = join(dir.path, 'main');
  mkdirSync(workspace);
  dir.write('main/AGENTS.md', 'You are the night watch.');
  await using service = await start(
    replaced(configuration, {
      'http://127.0.0.1:11434/v1': `${local.origin}/v1`,
      "type: 'anthropic'": `type: 'anthropic', baseUrl: '${claude.origin}/v1'`,
      '/srv/agents/main': workspace,
    }),
    { ANTHROPIC_API_KEY: 'sk-of-the-docs' },
  );
  expect(await replyTo(service, { message: 'Who is there?' })).toBe(REPLY);
  expect(await replyTo(service, { message: 'Why?', agentId: 'analyst' })).toBe(REPLY);
  expect(openaiCompatible.systemOf((await local.request(1)).body)).toBe(
    'You are the night watch.\n\nAnswer in one sentence.',
  );
  const { headers, body } = await claude.request(1);
  expect(anthropic.keyOf(headers)).toBe('sk-of-the-docs');
  expect(anthropic.thinkingOf(body)).toBe('high');
  const counted = 'hooks_tokens_total{agent="analyst",kind="output"} 7';
  await eventually(counted, async () => (await service.get('/ops/metrics')).text.includes(counted));
  await service.stop();
  await claude.close();
}

async function tools(configuration: string): Promise<void> {
  await using tickets = await McpHttpServer.start();
  const script = join(import.meta.dirname, '../support/mcp/program.ts');
  const diary = join(dir.path, 'starts');
  await using service = await start(
    replaced(configuration, {
      'http://127.0.0.1:11434/v1': `${local.origin}/v1`,
      'http://127.0.0.1:8080/mcp': tickets.url,
      "'notes-mcp'": JSON.stringify(process.execPath),
      "'--read-only'": `${JSON.stringify(script)}, ${JSON.stringify(diary)}`,
    }),
    { TICKETS_TOKEN: 't' },
  );
  local.answer(openaiCompatible.toolCall('notes_search', { text: 'parking' }));
  expect(await replyTo(service, { message: 'Where may I park?', wakeMode: 'next-heartbeat' })).toBe(
    REPLY,
  );
  expect(openaiCompatible.toolsOf((await local.request(1)).body)).toEqual(['notes_search']);
  expect(JSON.stringify((await local.request(2)).body)).toContain('no note about parking');
  expect(tickets.requests).toEqual([]);
  const pid = Number(await readFile(diary, 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await service.stop();
  expect(isRunning(pid)).toBe(false);
}

describe('docs/agents.md, models and tools', () => {
  it.each(SECTIONS)('%s: its configuration works', async (heading, works) => {
    const configuration = (await sections()).get(heading) ?? '';
    await expect(works(configuration)).resolves.toBeUndefined();
  });
});
