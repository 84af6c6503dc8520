import { TurnTools } from '../../src/adapters/agents/turn-tools.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import { isRunning, ToolRoom } from '../support/tool-turn.ts';

const MB = 1024 * 1024;
const UNUSABLE = 'the MCP server "desk" of agent "main" cannot be used';

const ENDLESS = `process.on('SIGTERM', () => {});
  const write = () => { while (process.stdout.write('x'.repeat(65536))); process.stdout.once('drain', write); };
  require('node:fs').writeFileSync(process.argv[1], String(process.pid));
  write();`;

describe('an MCP program that writes one endless line', () => {
  it('is not read further, and ended', async () => {
    await using room = await ToolRoom.open();
    const before = process.memoryUsage().rss;
    const args = ['-e', ENDLESS, room.file('pid')];
    const mcp = { desk: { command: process.execPath, args, env: [] } };
    await expect(room.turn({ mcp })).rejects.toMatchObject({
      kind: 'retryable',
      message: `${UNUSABLE}: the connection ended`,
    });
    expect(isRunning(Number(room.read('pid')))).toBe(false);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB);
  });
});

describe('an MCP server over HTTP whose answer does not end', () => {
  it.each(['text/event-stream', 'application/json'])(
    'is cut off after 16 MB of %s',
    async (type) => {
      await using room = await ToolRoom.open();
      const body = `data: ${'x'.repeat(80 * MB)}`;
      const endless = { status: 200, headers: { 'content-type': type }, chunks: [body] };
      const server = new ScriptedServer(() => endless);
      await server.listen();
      const mcp = { desk: { url: `${server.origin}/mcp`, headers: {} } };
      await expect(room.turn({ mcp })).rejects.toMatchObject({ kind: 'retryable' });
      expect(await (await server.request(1)).closed).toBe('broken');
      await server.close();
    },
  );
});

describe('an MCP server with any number of misnamed tools', () => {
  it('is the matter of one warning', () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `${n} ${'x'.repeat(1000)}`);
    const tools = Object.fromEntries(names.map((name) => [name, {}])) as never;
    const turnTools = new TurnTools();
    turnTools.add('desk', { tools, [Symbol.dispose]: () => {} }, 'all');
    expect(turnTools.tools).toEqual({});
    expect(turnTools.warnings).toHaveLength(1);
    expect(turnTools.warnings[0]).toMatch(/^Not offered, .*: desk_0 x.* and 9995 more\.$/);
    expect(turnTools.warnings[0]?.length).toBeLessThan(700);
  });
});

describe('MCP servers with any number of tools', () => {
  it('give 128 of them together, the rest is named in a warning', () => {
    const turnTools = new TurnTools();
    for (const server of ['desk', 'web']) {
      const names = Array.from({ length: 100 }, (_, n) => `t${n}`);
      const tools = Object.fromEntries(names.map((name) => [name, {}])) as never;
      turnTools.add(server, { tools, [Symbol.dispose]: () => {} }, 'all');
    }
    expect(Object.keys(turnTools.tools)).toHaveLength(128);
    expect(turnTools.warnings).toEqual([
      'Not offered, for a turn has at most 128 tools: web_t28, web_t29, web_t30, web_t31, web_t32 and 67 more.',
    ]);
  });
});
