import type { Address } from '../../../standalone/addresses.ts';
import type { Patient } from '../check.ts';
import { info, ok, warning } from '../finding.ts';
import type { Found } from '../finding.ts';

/** Asks every server once, all at the same time. */
export async function reachable(
  addresses: readonly Address[],
  { reach }: Patient,
  none: string,
): Promise<readonly Found[]> {
  if (addresses.length === 0) return [info(none)];
  return Promise.all(
    addresses.map(async ({ key, name, url }): Promise<Found> => {
      // The path or the query may hold a secret.
      const origin = URL.parse(url)?.origin ?? key;
      const why = await reach(url);
      if (why === null) return ok(`${key}: ${name} answers at ${origin}`);
      const fix = `check ${key}, the network and a firewall's rules for outgoing connections`;
      return warning(`${key}: ${name} does not answer at ${origin} (${why})`, fix);
    }),
  );
}
