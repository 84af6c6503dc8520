import type { Check, Patient } from './check.ts';
import { CHECKS } from './checks.ts';
import { error, info } from './finding.ts';
import type { Finding, Found } from './finding.ts';

/** Runs every check and says what all of them found, in their order. Never rejects. */
export async function examine(
  patient: Patient,
  { isOffline }: { isOffline: boolean },
  checks: readonly Check[] = CHECKS,
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    checks.map(async (check) => {
      const all = await foundBy(check, patient, isOffline);
      return all.map((one): Finding => ({ check: check.name, ...one }));
    }),
  );
  return found.flat();
}

/** Of a check that needs a configuration without mistakes. */
export const NOT_LOOKED_AT = 'not looked at: the configuration has mistakes';

async function foundBy(
  check: Check,
  patient: Patient,
  isOffline: boolean,
): Promise<readonly Found[]> {
  const { resolved, problems } = patient.inspection;
  try {
    if (check.needs === 'nothing') return await check.run(patient);
    if (resolved === undefined || problems.length > 0) {
      return [info(NOT_LOOKED_AT)];
    }
    if (check.needs === 'network' && isOffline) return [info('not looked at (--offline)')];
    return await check.run({ ...patient, resolved });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [error(`could not be looked at: ${why}`, 'tell us if this is not about your machine')];
  }
}
