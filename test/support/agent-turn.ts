import type { AgentTurn } from '../../src/hooks/ports/agent-runner.ts';

export function agentTurn(over: Partial<AgentTurn> = {}): AgentTurn {
  return {
    id: 'run-1',
    kind: 'run',
    agent: { id: 'main', timeoutSeconds: 600 },
    sessionKey: 'agent:main:hook:run-1',
    history: [],
    prompt: 'Where is the station?',
    deadline: Number.MAX_SAFE_INTEGER,
    contract: {
      trust: 'untrusted',
      verifiedBy: 'token',
      allowedTools: [],
      mayDeliverTo: null,
    },
    ...over,
  };
}
