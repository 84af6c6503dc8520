import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { isRunning, ToolRoom } from '../support/tool-turn.ts';

describe('an MCP program', () => {
  it('is given the allowed variables and no other', async () => {
    const env = {
      HOME: '/home/agent',
      TZ: 'UTC',
      DESK_KEY: 'k',
      GATEWAY_TOKEN: 'ours',
      USER: 'me',
    };
    await using room = await ToolRoom.withProgram(env);
    room.calls('desk_environment');
    const toolCalls = await room.callsOf({ mcp: { desk: room.program(['DESK_KEY']) } });
    const seen: Record<string, string> = JSON.parse(toolCalls?.[0]?.result ?? '');
    expect(Object.keys(seen).toSorted()).toEqual(['DESK_KEY', 'HOME', 'PATH', 'TZ']);
  });

  it('is given a workspace that is not there yet, readable for nobody else', async () => {
    await using room = await ToolRoom.withProgram();
    const workspace = room.file('agents/main');
    room.calls('desk_directory');
    expect((await room.callsOf({ workspace }))[0]?.result).toBe(workspace);
    expect((await stat(workspace)).mode & 0o777).toBe(0o700);
  });

  it('without a workspace works in one of its own, and never where the service does', async () => {
    await using room = await ToolRoom.withProgram();
    room.calls('desk_directory');
    expect((await room.callsOf({ agentId: 'night' }))[0]?.result).toBe(
      room.file('workspaces/night'),
    );
  });

  it('that does not exist is named, and not tried again', async () => {
    await using room = await ToolRoom.withProgram();
    const mcp = { desk: { command: 'no-such-program-here', args: [], env: [] } };
    await expect(room.turn({ mcp })).rejects.toMatchObject({
      kind: 'needs-operator',
      message:
        'the MCP server "desk" of agent "main" cannot be used: its program "no-such-program-here" was not found: install it, or write its absolute path',
    });
  });

  it('whose workspace cannot be made fails the turn, which says so', async () => {
    await using room = await ToolRoom.withProgram();
    await writeFile(room.file('taken'), '');
    const workspace = room.file('taken/main');
    await expect(room.turn({ workspace })).rejects.toMatchObject({
      kind: 'needs-operator',
      message:
        'the workspace of agent "main" cannot be made (ENOTDIR): make it a directory of this user',
    });
  });

  it('has as long to be ready as it is given', async () => {
    await using room = await ToolRoom.withProgram();
    const args = ['-e', 'setInterval(() => {}, 1000)'];
    const mcp = { desk: { command: process.execPath, args, env: [], connectMs: 200 } };
    await expect(room.turn({ mcp })).rejects.toMatchObject({
      kind: 'retryable',
      message:
        'the MCP server "desk" of agent "main" cannot be used: it was not ready in time: raise its connectTimeout if it needs longer',
    });
  });

  it.each([
    [
      { protocolVersion: '1999-01-01', capabilities: { tools: {} } },
      'it speaks a version of MCP that is not known here: update it, or this service',
    ],
    [
      { protocolVersion: '2025-06-18', capabilities: {} },
      'it offers no tools: remove it from tools.mcp',
    ],
    [{ protocolVersion: 7 }, 'what it answered is not as MCP has it: update it'],
  ])('that introduces itself with %j is named for that', async (introduced, reason) => {
    await using room = await ToolRoom.withProgram();
    const result = { serverInfo: { name: 'desk', version: '1' }, ...introduced };
    // The words of an initialize result: modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle
    const script = `process.stdin.on('data', (text) => {
      const { id } = JSON.parse(String(text).split('\\n')[0]);
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ${JSON.stringify(result)} }));
    });`;
    const mcp = { desk: { command: process.execPath, args: ['-e', script], env: [] } };
    await expect(room.turn({ mcp })).rejects.toMatchObject({
      kind: 'needs-operator',
      message: `the MCP server "desk" of agent "main" cannot be used: ${reason}`,
    });
  });

  it('that ends at once fails the turn', async () => {
    await using room = await ToolRoom.withProgram();
    const mcp = { desk: { command: process.execPath, args: ['-e', ''], env: [] } };
    await expect(room.turn({ mcp })).rejects.toMatchObject({ kind: 'retryable' });
  });

  it('that ends in a call fails the call, and is started again for the next turn', async () => {
    await using room = await ToolRoom.withProgram();
    room.calls('desk_exit');
    expect(await room.callsOf()).toMatchObject([{ outcome: 'failed' }]);
    room.calls('desk_echo', { text: 'back' });
    expect(await room.callsOf()).toMatchObject([{ result: 'echo: back' }]);
    expect(room.starts).toHaveLength(2);
  });

  it('that was killed between two turns is started again', async () => {
    await using room = await ToolRoom.withProgram();
    await room.turn();
    process.kill(room.starts[0] ?? 0, 'SIGKILL');
    await eventually('the first program ends', () => !isRunning(room.starts[0] ?? 0));
    await room.turn();
    expect(room.starts).toHaveLength(2);
  });

  it('does not hold a turn that has reached its deadline', async () => {
    await using room = await ToolRoom.withProgram();
    room.calls('desk_never');
    const deadline = new AbortController();
    const turn = room.turn({ signal: deadline.signal });
    await (
      await room.model.request(1)
    ).closed;
    const reason = new Error('the deadline');
    deadline.abort(reason);
    await expect(turn).rejects.toBe(reason);
    room.calls('desk_echo', { text: 'next' });
    expect(await room.callsOf()).toMatchObject([{ result: 'echo: next' }]);
    expect(room.starts).toHaveLength(1);
  });
});

describe('a program that is never ready', () => {
  const script =
    'require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)';

  it('does not hold a turn at its deadline, and ends with the runner', async () => {
    const room = await ToolRoom.withProgram();
    const workspace = await mkdtemp(join(tmpdir(), 'hooks-workspace-'));
    const mcp = { desk: { command: process.execPath, args: ['-e', script], env: [] } };
    const deadline = new AbortController();
    const turn = room.turn({ mcp, workspace, signal: deadline.signal });
    const text = () => readFile(join(workspace, 'pid'), 'utf8').catch(() => '');
    const pid = Number(await eventually('the program starts', async () => (await text()) || false));
    const reason = new Error('the deadline');
    deadline.abort(reason);
    await expect(turn).rejects.toBe(reason);
    expect(isRunning(pid)).toBe(true);
    await room[Symbol.asyncDispose]();
    expect(isRunning(pid)).toBe(false);
    await rm(workspace, { recursive: true });
  });
});

describe('how long a program runs', () => {
  it('the turns of an agent share it, another agent has its own', async () => {
    await using room = await ToolRoom.withProgram();
    await Promise.all([room.turn(), room.turn(), room.turn()]);
    expect(room.starts).toHaveLength(1);
    await room.turn({ agentId: 'other' });
    expect(room.starts).toHaveLength(2);
  });

  it('until its settings or its workspace change', async () => {
    await using room = await ToolRoom.withProgram({ DESK_KEY: 'k' });
    await room.turn();
    const mcp = { desk: room.program(['DESK_KEY']) };
    await room.turn({ mcp });
    await room.turn({ mcp, workspace: room.file('elsewhere') });
    expect(room.starts).toHaveLength(3);
    const isEnded = (start: number) => !isRunning(room.starts[start] ?? 0);
    await eventually('the programs before end', () => isEnded(0) && isEnded(1));
    expect(isEnded(2)).toBe(false);
  });

  it('until no turn has used it for five minutes', async () => {
    await using room = await ToolRoom.withProgram();
    await room.turn();
    room.clock.advance(5 * 60_000 - 1);
    await room.turn();
    room.clock.advance(5 * 60_000 - 1);
    await room.turn();
    expect(room.starts).toHaveLength(1);
    room.clock.advance(5 * 60_000);
    await eventually('the program ends', () => !isRunning(room.starts[0] ?? 0));
    await room.turn();
    expect(room.starts).toHaveLength(2);
  });

  it('until the runner is disposed, which waits for its end', async () => {
    const room = await ToolRoom.withProgram();
    await room.turn();
    await room.turn({ agentId: 'other' });
    const { starts } = room;
    await room.runner[Symbol.asyncDispose]();
    expect(starts.map(isRunning)).toEqual([false, false]);
    await expect(room.turn()).rejects.toMatchObject({ kind: 'retryable' });
    await room[Symbol.asyncDispose]();
  });
});
