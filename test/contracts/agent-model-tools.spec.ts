import { McpHttpServer } from '../support/mcp/http-server.ts';
import { PROTOCOLS, STEP_USAGE } from '../support/protocols/index.ts';
import { REPLY } from '../support/protocol-server.ts';
import { ToolRoom } from '../support/tool-turn.ts';

describe.each(PROTOCOLS)('a tool call of %s', (_type, protocol) => {
  it('is made, its result goes back to the model, and the event details show it', async () => {
    await using room = await ToolRoom.open({}, protocol);
    room.calls('desk_echo', { text: 'hi' });
    const reply = await room.turn();
    expect(reply).toMatchObject({ text: REPLY, warnings: [expect.stringContaining('a.dotted')] });
    expect(room.toolCalls).toEqual([
      {
        tool: 'desk_echo',
        input: '{"text":"hi"}',
        outcome: 'succeeded',
        result: 'echo: hi',
        ms: expect.any(Number),
      },
    ]);
    expect(reply.usage).toEqual({
      inputTokens: 2 * STEP_USAGE.inputTokens,
      outputTokens: 2 * STEP_USAGE.outputTokens,
    });
    expect(JSON.stringify((await room.model.request(2)).body)).toContain('echo: hi');
  });
});

describe('what the contract allows', () => {
  it('everything: every tool whose name a provider takes is available', async () => {
    await using room = await ToolRoom.open();
    await room.turn();
    const names = ['echo', 'search', 'fail', 'environment', 'directory', 'exit', 'never'];
    expect(await room.availableTools(1)).toEqual(names.map((name) => `desk_${name}`));
  });

  it('a list: only the tools on it are available', async () => {
    await using room = await ToolRoom.open();
    await room.turn({ allowed: ['desk_echo', 'other_tool'] });
    expect(await room.availableTools(1)).toEqual(['desk_echo']);
  });

  it('a list: a call of any other tool is refused and recorded', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_environment');
    const reply = await room.turn({ allowed: ['desk_echo'] });
    expect(reply.text).toBe(REPLY);
    expect(room.toolCalls).toMatchObject([
      { tool: 'desk_environment', outcome: 'refused', result: 'This turn may not use the tool.' },
    ]);
  });

  it('nothing: no server is started, and a call is refused', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_echo');
    await room.turn({ allowed: [] });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo', outcome: 'refused' }]);
    expect(await room.availableTools(1)).toEqual([]);
    expect(room.starts).toEqual([]);
  });

  it('a tool that no server has is named in a warning', async () => {
    await using room = await ToolRoom.open();
    const { warnings } = await room.turn({ allowed: ['desk_typo'] });
    expect(warnings).toEqual(['The tool desk_typo is allowed, but its server does not offer it.']);
  });

  it('decides about a second try after a crash', async () => {
    await using room = await ToolRoom.open();
    const contract = { trust: 'untrusted' as const, verifiedBy: 'token', mayDeliverTo: null };
    const agent = { id: 'main', timeoutSeconds: 1 };
    const tools = { mcp: { desk: room.program() }, untrusted: [] };
    const mayRepeat = (given: object, allowedTools: 'all' | string[]) =>
      room.runner.mayRepeat({
        agent: { ...agent, ...given },
        contract: { ...contract, allowedTools },
      });
    expect(mayRepeat({}, 'all')).toBe(true);
    expect(mayRepeat({ tools }, [])).toBe(true);
    expect(mayRepeat({ tools }, ['other_echo'])).toBe(true);
    expect(mayRepeat({ tools }, ['desk_echo'])).toBe(false);
    expect(mayRepeat({ tools }, 'all')).toBe(false);
  });
});

describe('the record of tool calls', () => {
  it('says that a tool failed, in its own words', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_fail');
    expect(await room.callsOf()).toMatchObject([{ outcome: 'failed', result: 'the disk is full' }]);
  });

  it('keeps 2,000 characters of input and of result', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_echo', { text: 'x'.repeat(5000) });
    const [call] = await room.callsOf();
    expect([call?.input.length, call?.result.length]).toEqual([2000, 2000]);
    expect(call?.result.endsWith('…')).toBe(true);
  });

  it('ends after 20 steps with a warning', async () => {
    await using room = await ToolRoom.open();
    for (let step = 0; step < 30; step += 1) room.calls('desk_echo');
    const { warnings } = await room.turn({ allowed: ['desk_echo'] });
    expect(room.toolCalls).toHaveLength(20);
    expect(warnings?.[0]).toContain('limit of 20 steps');
    expect(room.model.requests).toHaveLength(20);
  });

  it('a failure after a tool was used is not tried again', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_echo', { text: 'hi' });
    room.model.next({}, { status: 503, body: '' });
    await expect(room.turn()).rejects.toMatchObject({
      kind: 'permanent',
      message:
        'provider "local" answered 503; it is not tried again, because tools were used already: desk_echo',
    });
    expect(room.toolCalls).toMatchObject([
      { tool: 'desk_echo', outcome: 'succeeded', result: 'echo: hi' },
    ]);
  });

  it('an answer that was withheld after a tool was used says so once', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_echo');
    const whole = room.model.protocol.text('');
    room.model.answer(whole.map((part) => part.replace('"stop"', '"content_filter"')));
    await expect(room.turn()).rejects.toMatchObject({
      message:
        "the provider's content filter withheld the answer; it is not tried again, because tools were used already: desk_echo",
    });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_echo' }]);
  });

  it('a failure after a refused call only is tried again', async () => {
    await using room = await ToolRoom.open();
    room.calls('desk_exit');
    room.model.next({}, { status: 503, body: '' });
    await expect(room.turn({ allowed: ['desk_echo'] })).rejects.toMatchObject({
      kind: 'retryable',
    });
    expect(room.toolCalls).toMatchObject([{ tool: 'desk_exit', outcome: 'refused' }]);
  });
});

describe('a server over HTTP', () => {
  it('is asked with its headers', async () => {
    await using room = await ToolRoom.open();
    await using server = await McpHttpServer.start();
    room.calls('web_echo', { text: 'over the wire' });
    const headers = { authorization: 'Bearer of-the-server' };
    await room.turn({ mcp: { web: { url: server.url, headers } } });
    expect(room.toolCalls).toMatchObject([{ outcome: 'succeeded', result: 'echo: over the wire' }]);
    for (const request of server.requests) {
      expect(request.headers.authorization).toBe('Bearer of-the-server');
    }
  });

  it('that forgot the session is connected anew', async () => {
    await using room = await ToolRoom.open();
    await using server = await McpHttpServer.start();
    const mcp = { web: { url: server.url, headers: {} } };
    await room.turn({ mcp });
    server.restart();
    room.calls('web_echo', { text: 'again' });
    expect(await room.callsOf({ mcp })).toMatchObject([{ result: 'echo: again' }]);
  });

  it('that refuses fails the turn, which may be tried again', async () => {
    await using room = await ToolRoom.open();
    await using server = await McpHttpServer.start();
    server.refusal = 401;
    const mcp = { web: { url: server.url, headers: {} } };
    await expect(room.turn({ mcp })).rejects.toMatchObject({
      kind: 'retryable',
      message: 'the MCP server "web" of agent "main" cannot be used: it answered 401',
    });
    expect(room.model.requests).toEqual([]);
  });
});
