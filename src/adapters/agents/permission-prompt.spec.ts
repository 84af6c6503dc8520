import { statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

import { getText } from '../../platform/objects.ts';
import { PermissionPrompt } from './permission-prompt.ts';
import { Permissions } from './permissions.ts';

describe('PermissionPrompt', () => {
  let permissions: Permissions;
  let prompt: PermissionPrompt;
  beforeEach(async () => {
    const approved = [{ tool: 'Bash', input: '{"command":"ls"}' }];
    permissions = new Permissions({ tools: ['*'], canWait: true }, approved);
    prompt = await PermissionPrompt.open(permissions);
  });
  afterEach(() => prompt[Symbol.asyncDispose]());

  const path = (): string => {
    const args = prompt.argsFor([]);
    const config: unknown = JSON.parse(args[args.indexOf('--mcp-config') + 1] ?? '');
    return getText(config, 'mcpServers', 'hooks', 'args', 2) ?? '';
  };
  async function answers(...lines: readonly string[]): Promise<unknown[]> {
    const socket = createConnection(path());
    const read: unknown[] = [];
    const last = JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' });
    socket.write(`${[...lines, last].join('\n')}\n`);
    for await (const line of createInterface({ input: socket })) {
      const answer: unknown = JSON.parse(line);
      if (getText(answer, 'id') === 'last') break;
      read.push(answer);
    }
    socket.destroy();
    return read;
  }
  const call = (given: unknown): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: given });
  const asking = (command: string): string =>
    call({ name: 'permission', arguments: { tool_name: 'Bash', input: { command } } });

  it('is reached by its own user alone', () => {
    expect(statSync(dirname(path())).mode & 0o777).toBe(0o700);
  });

  it('lets an approved call through for the first that asks, whoever that is', async () => {
    const [first] = await answers(asking('ls'));
    expect(getText(first, 'result', 'content', 0, 'text')).toContain('"behavior":"allow"');
    const [second] = await answers(asking('ls'));
    expect(getText(second, 'result', 'content', 0, 'text')).toContain('"behavior":"deny"');
    expect(permissions.asked).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'allow'],
    ['no method', '{"id":1}'],
    ['a notification', '{"method":"notifications/initialized"}'],
    ['an answer', '{"id":1,"result":{"behavior":"allow"}}'],
  ])('answers nothing to %s', async (_, line) => {
    expect(await answers(line)).toEqual([]);
    expect(permissions.asked).toEqual([]);
  });

  it('knows no other method', async () => {
    expect(await answers('{"id":1,"method":"permissions/approve"}')).toMatchObject([
      { error: { code: -32_601 } },
    ]);
  });

  it.each([
    ['nothing', undefined],
    ['a tool that is no text', { arguments: { tool_name: ['Bash'], input: {} } }],
    ['an input that is no object', { arguments: { tool_name: 'Bash', input: 'ls' } }],
    ['no input', { arguments: { tool_name: 'Bash' } }],
  ])('denies a call of %s, and asks nobody', async (_, params) => {
    const [answer] = await answers(call(params));
    expect(getText(answer, 'result', 'content', 0, 'text')).toContain('"behavior":"deny"');
    expect(permissions.asked).toEqual([]);
  });

  it('ends a connection on which a message never ends', async () => {
    const closed = Promise.withResolvers<void>();
    const socket = createConnection(path());
    // It may be reset while it still writes.
    socket.on('error', () => {}).on('close', () => closed.resolve());
    socket.write('x'.repeat(2_000_000));
    await closed.promise;
    expect(permissions.asked).toEqual([]);
  });
});
