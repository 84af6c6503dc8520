import { agentRunner } from '../../src/adapters/agents/by-agent.ts';
import type { AgentRunner, AgentTurn } from '../../src/hooks/ports/agent-runner.ts';
import type { RunnerSettings } from '../../src/hooks/ports/agent-directory.ts';
import { agentTurn } from './agent-turn.ts';
import { command, KEY, serviceEnvironment } from './command-turn.ts';
import { ConfigDirectory } from './config-directory.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';
import type { Script } from './scripted-server.ts';

export interface Subject extends AsyncDisposable {
  readonly runner: AgentRunner;
  answered(text: string, over?: Partial<AgentTurn>): AgentTurn;
  refused(over?: Partial<AgentTurn>): AgentTurn;
  stalled(): AgentTurn;
}

export const PROMPT = 'Is the blue elephant at home?';

/** An agent with that runner, behind {@link agentRunner} as the service has it. */
function turnOf(runner: RunnerSettings, over: Partial<AgentTurn> = {}): AgentTurn {
  const agent = { id: 'ops', timeoutSeconds: 600, runner };
  return agentTurn({ agent, prompt: PROMPT, model: 'local/llama3', ...over });
}

function runnerFor(baseUrl: string, dir: ConfigDirectory): AgentRunner {
  const local = { type: 'openai-compatible' as const, baseUrl, apiKey: KEY };
  const models = () => ({ providers: { local } });
  return agentRunner({ models, env: serviceEnvironment, workspaces: dir.path });
}

async function served(settings: (server: OpenAiServer) => RunnerSettings): Promise<Subject> {
  const dir = new ConfigDirectory();
  const server = await startOpenAiServer();
  const runner = settings(server);
  const scripted = (script: Script, over?: Partial<AgentTurn>) => {
    server.next(script);
    return turnOf(runner, over);
  };
  return {
    runner: runnerFor(server.baseUrl, dir),
    answered: (text, over) => {
      server.reply = text;
      return turnOf(runner, over);
    },
    refused: (over) => {
      const error = { message: `no ${KEY}, no ${PROMPT}` };
      return scripted({ status: 401, body: { error } }, over);
    },
    stalled: () => scripted({ stall: 'mid-body' }),
    [Symbol.asyncDispose]: async () => {
      dir[Symbol.dispose]();
      await server.close();
    },
  };
}

function program(): Subject {
  const dir = new ConfigDirectory();
  const env = ['API_KEY'];
  return {
    runner: runnerFor('http://127.0.0.1:1/v1', dir),
    answered: (text, over) => turnOf(command(['say', text]), over),
    refused: (over) => turnOf(command(['fail'], { env }), over),
    stalled: () => turnOf(command(['stall'])),
    [Symbol.asyncDispose]: async () => dir[Symbol.dispose](),
  };
}

export const SUBJECTS: readonly [string, () => Promise<Subject>][] = [
  ['model', () => served(() => ({ type: 'model' }))],
  ['command', async () => program()],
  ['http', () => served(({ baseUrl }) => gateway(baseUrl))],
];

export function gateway(baseUrl: string) {
  const headers = { 'x-agent': '{agent}', 'x-session': '{session}', 'x-contract': '{contract}' };
  const http = { type: 'http', baseUrl, apiKey: KEY, model: 'agent:{agent}' } as const;
  return { ...http, sessions: 'gateway', headers } as const;
}
