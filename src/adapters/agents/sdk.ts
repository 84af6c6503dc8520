import { AgentError } from '../../hooks/ports/agent-runner.ts';
import type { AgentFailure } from '../../hooks/ports/agent-runner.ts';
import {
  loadOptionalPackage,
  type OptionalPackage,
  OptionalPackageError,
} from '../../platform/optional-package.ts';

/**
 * Imports a package of the AI SDK, or a file of ours that needs it, when a turn first does:
 * `loadSdk('ai', () => import('./model-turn.ts'))`. They are optional peer dependencies, because a host with agents of
 * its own needs none of them, and each costs start-up time and memory.
 * @param kind how a missing package counts: as a model that cannot be asked, whose turns wait until it is installed.
 * @throws AgentError that says what to install, when the package is missing or of another version.
 */
export async function loadSdk<T>(
  name: OptionalPackage,
  load: () => Promise<T>,
  kind: AgentFailure = 'unreachable',
): Promise<T> {
  try {
    return await loadOptionalPackage(name, load);
  } catch (error) {
    if (!(error instanceof OptionalPackageError)) throw error;
    throw new AgentError(error.message, kind);
  }
}
