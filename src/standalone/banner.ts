import { isAbsolute, relative } from 'node:path';
import { normalizePrefix } from '../hooks/index.ts';
import type { Configuration } from './configuration.ts';

/** What a person reads who has just started the service: where it is, and commands that work as they are. */
export function banner(configuration: Configuration, url: string, cwd: string): string {
  const { isDemo, hooks } = configuration;
  const prefix = `${url}${normalizePrefix(hooks.path ?? '')}`;
  const hookToken = tokenWord(configuration.hookTokenFile, '$HOOK_TOKEN', cwd);
  const operatorToken = tokenWord(configuration.operatorTokenFile, '$OPERATOR_TOKEN', cwd);
  const paragraphs = [
    isDemo
      ? `Listening on ${url} (demo: there is no gateway.json5 in ${configuration.dir})`
      : `Listening on ${url}`,
    ...(hooks.enabled === true
      ? [
          paragraph(
            'Wake the agent:',
            hook(`${prefix}/wake`, hookToken, { text: 'Hello', mode: 'now' }),
          ),
          paragraph('Ask the agent:', hook(`${prefix}/agent`, hookToken, { message: 'Say hello' })),
        ]
      : ['Hooks are off; set hooks.enabled and hooks.token in gateway.json5.']),
    paragraph(
      'See what became of it:',
      `curl -sS -H "Authorization: Bearer ${operatorToken}" ${url}/ops/api/events`,
    ),
  ];
  return `\n${paragraphs.join('\n\n')}\n\n`;
}

function paragraph(title: string, command: string): string {
  return `${title}\n  ${command}`;
}

function hook(url: string, token: string, payload: object): string {
  return `curl -sS ${url} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify(payload)}'`;
}

/** Never the token itself: the command that reads it, or the variable that stands for one the operator chose. */
function tokenWord(file: string | undefined, variable: string, cwd: string): string {
  if (file === undefined) return variable;
  const near = relative(cwd, file);
  const path = near.startsWith('..') || isAbsolute(near) ? file : near;
  return `$(cat ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`})`;
}
