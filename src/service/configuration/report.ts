import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../hooks/index.ts';
import type { Environment } from './environment.ts';
import { inspectConfiguration } from './inspect.ts';
import type { RunningConfiguration } from './reload.ts';
import { maskProblems } from './masking.ts';
import { showConfiguration } from './shown.ts';
import type { ShownConfiguration } from './shown.ts';

/** The configuration in force, and what is wrong with the files as they are now. */
export interface ConfigurationReport extends ShownConfiguration {
  /** True: there is neither gateway.json5 nor a fragment. */
  readonly isDemo: boolean;
  /** While there are some, changed files are refused and the configuration in force stays. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Keys that were changed and hold only after a restart; `configuration` has the new values. */
  readonly restartFor: readonly string[];
}

/**
 * Values of files that were refused are shown nowhere, only what is wrong with them.
 * @param env that the service was started with
 */
export async function reportConfiguration(
  running: RunningConfiguration,
  env: Environment,
): Promise<ConfigurationReport> {
  const { started, inForce } = running;
  const now = await inspectConfiguration(started.dir, env);
  const isSame = isDeepStrictEqual(now.files, inForce.files);
  const used = isSame ? now : await inspectConfiguration(started.dir, env, inForce.files);
  return {
    ...showConfiguration(used, env),
    isDemo: used.isDemo,
    problems: maskProblems(now.problems, now),
    warnings: maskProblems(now.warnings, now),
    restartFor: running.unapplied.restartFor,
  };
}
