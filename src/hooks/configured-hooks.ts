import { builtInHook } from './actions/hook-request.ts';
import { compilePathRules } from './http/path-rules.ts';
import type { PathRule } from './http/path-rules.ts';
import { compileMappings } from './mappings/compile.ts';
import type { ResolvedHooksOptions } from './options/index.ts';

/** One way in. */
export interface ConfiguredHook {
  /** As stories name it: `wake`, `agent`, or a sub-path; null: every name that nothing else takes. */
  readonly name: string | null;
  /** Ids of the mappings that share it, in the order they are tried; none of the built-in ones. */
  readonly mappings: readonly string[];
  /** What refusals are kept under. */
  readonly refusedAs: string;
  /** What its mappings say before the payload is known; absent: nothing. */
  readonly rule?: PathRule;
}

/** Every way in, the built-in ones first, then in the order of the mappings. Presets of a path are mappings like others. */
export function configuredHooks(settings: ResolvedHooksOptions): ConfiguredHook[] {
  const isReached = ({ path = '' }): boolean => builtInHook(path, settings) === undefined;
  const mappings = compileMappings(settings).mappings.filter(isReached);
  const { rules } = compilePathRules(settings);
  const builtIn = ['wake', 'agent'].filter((name) => builtInHook(name, settings) !== undefined);
  const mapped = [...Map.groupBy(mappings, ({ path }) => path)].map(([path, group]) => {
    const [first = '', ...others] = group.map(({ id }) => id);
    const rule = rules.get(path ?? '');
    return {
      name: path ?? null,
      mappings: [first, ...others],
      refusedAs: path === undefined || others.length === 0 ? first : path,
      ...(rule !== undefined && { rule }),
    };
  });
  return [...builtIn.map((name) => ({ name, mappings: [], refusedAs: name })), ...mapped];
}
