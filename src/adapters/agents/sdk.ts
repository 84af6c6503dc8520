import { AgentError } from '../../hooks/ports/agent-runner.ts';
import type { AgentFailure } from '../../hooks/ports/agent-runner.ts';
import {
  loadOptionalPackage,
  type OptionalPackage,
  OptionalPackageError,
} from '../../platform/optional-package.ts';

/** Optional packages, imported with the first turn that needs one. @throws AgentError that says what to install */
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
