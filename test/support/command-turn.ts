import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandRunner } from '../../src/adapters/agents/command.ts';
import { AgentError } from '../../src/hooks/ports/agent-runner.ts';
import type { AgentTurn } from '../../src/hooks/ports/agent-runner.ts';
import type { CommandSettings } from '../../src/hooks/ports/agent-directory.ts';
import { agentTurn } from './agent-turn.ts';
import { eventually } from './eventually.ts';

/** The command-line agent of the tests; its first argument says how it behaves. */
export const AGENT = fileURLToPath(new URL('cli/agent.mjs', import.meta.url));
export const KEY = 'sk-secret-1234567890';

export function command(args: readonly string[], over: Partial<CommandSettings> = {}) {
  const settings = { type: 'command', command: process.execPath, args: [AGENT, ...args] } as const;
  return { ...settings, output: 'text', resultPath: 'result', env: [], ...over } as const;
}

export function serviceEnvironment(): Record<string, string | undefined> {
  const [PATH, HOME] = ['/usr/bin:/bin', process.env['HOME']];
  return { PATH, HOME, TZ: 'UTC', API_KEY: KEY, HOOK_TOKEN: 'the-hook-token-of-the-tests' };
}

export function runCommand(
  dir: string,
  runner: CommandSettings,
  over: Partial<AgentTurn> = {},
  signal = new AbortController().signal,
) {
  const agent = { id: 'ops', timeoutSeconds: 600, runner };
  return commandRunner({ env: serviceEnvironment, workspaces: dir }).run(
    agentTurn({ agent, ...over }),
    signal,
  );
}

export async function failedCommand(
  dir: string,
  runner: CommandSettings,
  over?: Partial<AgentTurn>,
): Promise<AgentError> {
  const error: unknown = await runCommand(dir, runner, over).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentError)) throw new Error(`not an AgentError: ${String(error)}`);
  return error;
}

/** The ids that a program writes into that file: its own and, if it has a child, the child's. */
export function pidsIn(file: string, count = 2): Promise<readonly number[]> {
  return eventually(`${count} programs run`, () => {
    const pids = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean) : [];
    return pids.length === count && pids.map(Number);
  });
}
