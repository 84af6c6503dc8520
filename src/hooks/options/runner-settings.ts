import type { RunnerSettings } from '../ports/index.ts';
import type { RunnerOptions } from './runner-options.ts';

/** Checked options of a runner as its adapter takes them, defaults filled in. */
export function runnerSettings(options: RunnerOptions | undefined): RunnerSettings | undefined {
  if (options === undefined) return undefined;
  const { type } = options;
  if (type === 'command') return commandSettings(options);
  if (type === 'http') return gatewaySettings(options);
  return { type };
}

function commandSettings(options: RunnerOptions): RunnerSettings {
  const { command = '', args = [], resumeArgs, sessionIdPath, env = [] } = options;
  const { output = 'text', resultPath = 'result' } = options;
  return { type: 'command', command, args, resumeArgs, output, resultPath, sessionIdPath, env };
}

function gatewaySettings(options: RunnerOptions): RunnerSettings {
  const { baseUrl = '', apiKey, model = '{agent}', headers = new Map<string, string>() } = options;
  return { type: 'http', baseUrl, apiKey, model, headers: Object.fromEntries(headers) };
}
