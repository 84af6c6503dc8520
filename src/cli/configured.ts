import type { ResolvedSections } from '../service/index.ts';
import { CliError } from './cli-error.ts';
import type { CommandContext } from './command.ts';

/** @throws CliError where there is no configuration that a service would start with */
export async function configured({ inspect }: CommandContext): Promise<ResolvedSections> {
  const { resolved, problems, isDemo } = await inspect();
  if (resolved === undefined || problems.length > 0) {
    throw new CliError('the configuration has problems', 'see "hooks config check"');
  }
  if (isDemo) throw new CliError('there is no configuration here, and so no ledger');
  return resolved;
}
