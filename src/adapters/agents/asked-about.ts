import type { AskedTools } from '../../hooks/ports/agent-runner.ts';

export const NOBODY =
  'A person has to decide about this tool, and nobody can be asked in this turn.';

export function isAskedAbout({ tools }: AskedTools, tool: string): boolean {
  return tools.some((pattern) => fits(tool, pattern));
}

function fits(tool: string, pattern: string): boolean {
  const words = pattern.split('*').map((word) => RegExp.escape(word));
  return new RegExp(`^${words.join('.*')}$`, 's').test(tool);
}
