import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Problem, ResolvedHooksOptions } from '../hooks/index.ts';
import type { Environment } from './variables.ts';

/** Programs of agents and of their tools that this user cannot start: every turn that needs one would fail. */
export function unfoundPrograms({ agents }: ResolvedHooksOptions, env: Environment): Problem[] {
  const { defaults, list } = agents;
  const programs: [string, string | undefined][] = [
    ['agents.defaults.runner.command', defaults.runner?.command],
    ...list.flatMap(({ runner, tools }, index): [string, string | undefined][] => [
      [`agents.list[${index}].runner.command`, runner?.command],
      ...Array.from(tools?.mcp ?? [], ([name, { command }]): [string, string | undefined] => [
        `agents.list[${index}].tools.mcp.${name}.command`,
        command,
      ]),
    ]),
  ];
  return programs.flatMap(([key, program]) =>
    program === undefined || isFound(program, env['PATH'] ?? '')
      ? []
      : [{ key, message: `names a program that ${missing(program)}` }],
  );
}

function isFound(program: string, path: string): boolean {
  if (isAbsolute(program)) return mayRun(program);
  return path.split(delimiter).some((dir) => dir !== '' && mayRun(join(dir, program)));
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function missing(program: string): string {
  return isAbsolute(program)
    ? 'is not there or may not be run; install it there or correct the path'
    : 'PATH does not find; install it or write its absolute path';
}
