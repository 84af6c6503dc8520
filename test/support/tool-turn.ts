import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AgentReply,
  AgentRunner,
  AgentTurn,
  ToolCall,
  CapabilityContract,
} from '../../src/hooks/ports/agent-runner.ts';
import type { McpServerSettings, ToolSettings } from '../../src/hooks/ports/agent-directory.ts';
import { bundled } from './bundled.ts';
import { ManualClock } from './clocks.ts';
import { McpHttpServer } from './mcp/http-server.ts';
import { NOW } from './model-turn.ts';
import { openaiCompatible } from './protocols/index.ts';
import type { ModelProtocol } from './protocols/index.ts';
import { ProtocolServer } from './protocol-server.ts';
import { runnerFor, turnFor } from './provider-turn.ts';

const MCP_PROGRAM = bundled('mcp/program.ts', 'mcp/test-tools.ts');

interface ToolTurn {
  readonly mcp?: ToolSettings['mcp'];
  readonly allowed?: CapabilityContract['allowedTools'];
  readonly agentId?: string;
  readonly workspace?: string;
  readonly signal?: AbortSignal;
  readonly asks?: AgentTurn['asks'];
  readonly resumed?: AgentTurn['resumed'];
  readonly mayWait?: AgentTurn['mayWait'];
  readonly history?: AgentTurn['history'];
}

export class ToolRoom implements AsyncDisposable {
  private readonly diary: string;
  /** The server `desk` of a turn: {@link web}, unless it is a program. */
  private desk: McpServerSettings;
  private reported: () => readonly ToolCall[] = () => [];

  private constructor(
    private readonly dir: string,
    readonly web: McpHttpServer,
    readonly model: ProtocolServer,
    readonly runner: AgentRunner & AsyncDisposable,
    readonly clock: ManualClock,
  ) {
    this.diary = join(dir, 'starts');
    this.desk = { url: web.url, headers: {} };
  }

  static async withProgram(env?: Readonly<Record<string, string>>): Promise<ToolRoom> {
    const room = await ToolRoom.open(openaiCompatible, env);
    room.desk = room.program();
    return room;
  }

  static async open(
    protocol: ModelProtocol = openaiCompatible,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ToolRoom> {
    const model = await ProtocolServer.start(protocol);
    // Not the caller's: behind a folder that this user may not enter, what is missing looks forbidden.
    const path = { PATH: '/usr/bin:/bin' };
    const clock = new ManualClock(NOW);
    const dir = mkdtempSync(join(tmpdir(), 'hooks-tools-'));
    const runner = runnerFor(model, { ...path, ...env }, clock, join(dir, 'workspaces'));
    return new ToolRoom(dir, await McpHttpServer.start(), model, runner, clock);
  }

  file(name: string): string {
    return join(this.dir, name);
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }

  program(env: readonly string[] = []): McpServerSettings {
    return { command: process.execPath, args: [MCP_PROGRAM, this.diary], env };
  }

  get starts(): readonly number[] {
    try {
      return readFileSync(this.diary, 'utf8').trim().split('\n').map(Number);
    } catch {
      return [];
    }
  }

  calls(tool: string, input: unknown = {}): void {
    this.model.answer(this.model.protocol.toolCall(tool, input));
  }

  turn({
    mcp,
    allowed = 'all',
    agentId = 'main',
    workspace,
    signal,
    ...about
  }: ToolTurn = {}): Promise<AgentReply> {
    const tools = { mcp: mcp ?? { desk: this.desk }, untrusted: [] };
    const agent = { id: agentId, timeoutSeconds: 600, workspace, tools };
    const trust = allowed === 'all' ? ('trusted' as const) : ('untrusted' as const);
    const contract = { trust, verifiedBy: 'token', allowedTools: allowed, mayDeliverTo: null };
    const reportToolCalls = (calls: () => readonly ToolCall[]) => void (this.reported = calls);
    const turn = turnFor(this.model, { agent, contract, reportToolCalls, ...about });
    return this.runner.run(turn, signal ?? new AbortController().signal);
  }

  get toolCalls(): readonly ToolCall[] {
    return this.reported();
  }

  async callsOf(asked: ToolTurn = {}): Promise<readonly ToolCall[]> {
    await this.turn(asked);
    return this.toolCalls;
  }

  async availableTools(n: number): Promise<readonly unknown[]> {
    return this.model.protocol.toolsOf((await this.model.request(n)).body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner[Symbol.asyncDispose]();
    await this.model.close();
    await this.web[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true });
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
