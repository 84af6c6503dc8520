import { error, info } from './check.ts';
import type { Check, CheckResult, DoctorContext, NamedResult } from './check.ts';
import { burst } from './checks/burst.ts';
import {
  configuration,
  exposure,
  packages,
  programs,
  proxies,
  transforms,
} from './checks/configuration.ts';
import { database, ledger } from './checks/ledger.ts';
import { disk, files, node } from './checks/machine.ts';
import { channels, mailbox, models } from './checks/servers.ts';
import { ruleOfTwo, unsafeContent } from './checks/foreign-content.ts';
import { service } from './checks/service.ts';
import { tokens } from './checks/tokens.ts';

// Checks run side by side and know nothing of each other; what one cannot look at becomes a result like any other.

/** Everything that is looked at, in this order, which is also that of docs/cli.md. A new check is an object in the file that it belongs to, and a row. */
export const CHECKS: readonly Check[] = [
  node,
  configuration,
  tokens,
  exposure,
  proxies,
  files,
  disk,
  ledger,
  database,
  transforms,
  packages,
  programs,
  channels,
  mailbox,
  models,
  ruleOfTwo,
  unsafeContent,
  burst,
  service,
];

/** Runs every check and says what each of them says, in their order. Never rejects. */
export async function runChecks(
  context: DoctorContext,
  { isOffline }: { isOffline: boolean },
  checks: readonly Check[] = CHECKS,
): Promise<readonly NamedResult[]> {
  const results = await Promise.all(
    checks.map(async (check) => {
      const all = await runCheck(check, context, isOffline);
      return all.map((one): NamedResult => ({ check: check.name, ...one }));
    }),
  );
  return results.flat();
}

export const NOT_LOOKED_AT = 'not looked at: the configuration has mistakes';

/** What one check says, or why it could not be asked. A check that throws is a mistake of ours, and is shown as one. */
async function runCheck(
  check: Check,
  context: DoctorContext,
  isOffline: boolean,
): Promise<readonly CheckResult[]> {
  const { resolved, problems } = context.inspection;
  try {
    if (check.needs === 'nothing') return await check.run(context);
    if (resolved === undefined || problems.length > 0) {
      return [info(NOT_LOOKED_AT)];
    }
    if (check.needs === 'network' && isOffline) return [info('not looked at (--offline)')];
    return await check.run({ ...context, resolved });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [error(`could not be looked at: ${why}`, 'tell us if this is not about your machine')];
  }
}
