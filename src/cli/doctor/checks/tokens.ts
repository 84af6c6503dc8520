import type { Secret } from '../../../service/index.ts';
import { error, info, ok, warning } from '../check.ts';
import type { Check, CheckResult } from '../check.ts';
import { GATEWAY_FILE, inheritedIds, listSecrets, readTokenUses } from '../../../service/index.ts';

/** Secrets that we choose ourselves; the others were made by the platforms that ask for them. */
const OURS =
  /^(?:hooks\.token|hooks\.tokens\[.*|gateway\.auth\.token|ops\.metricsToken|operator-token)$/;

const SHORTEST_GOOD = 24;
/** 16 random bytes have 128; a sentence of common words stays far below. */
const FEWEST_BITS = 64;
const PLACEHOLDER = /replace|change.?me|example|your.?token|secret|password|hook.?token/i;
const NEW_ONE = 'make one with "hooks token new" and put it into .env';

/** Whether our own tokens can be guessed, and whether one token opens two ways in. */
export const tokens: Check = {
  name: 'tokens',
  needs: 'configuration',
  async run({ inspection, resolved }) {
    const secrets = listSecrets(inspection);
    const uses = await readTokenUses(resolved.store.dir);
    const inherited = inheritedIds(resolved.hooks, uses).values();
    const found = [
      ...secrets.filter(({ key }) => OURS.test(key)).flatMap(weaknesses),
      ...reused(secrets),
      ...literal(secrets),
      ...inherited.map((what) =>
        warning(
          what,
          'for another sender: "hooks token retire", then "hooks token new --for" with a new id',
        ),
      ),
    ];
    return found.length > 0 ? found : [ok('the tokens are long, random and used once')];
  },
};

/** What makes one secret easy to guess; the first finding only. */
function weaknesses({ key, value }: Secret): CheckResult[] {
  if (PLACEHOLDER.test(value)) {
    return [
      error(`${key} looks like the placeholder of an example, which everybody knows`, NEW_ONE),
    ];
  }
  if (value.length < SHORTEST_GOOD) {
    return [warning(`${key} has only ${value.length} characters`, NEW_ONE)];
  }
  const bits = Math.floor(estimateBits(value));
  if (bits >= FEWEST_BITS) return [];
  return [warning(`${key} repeats itself: about ${bits} bits, as far as one can see`, NEW_ONE)];
}

/** Shannon's entropy of the characters: an upper bound of what a guess costs. */
function estimateBits(value: string): number {
  const letters = Array.from(value);
  const counts = Map.groupBy(letters, (letter) => letter).values();
  const perLetter = Array.from(counts, ({ length }) => length / letters.length);
  return -letters.length * perLetter.reduce((sum, share) => sum + share * Math.log2(share), 0);
}

function reused(secrets: readonly Secret[]): CheckResult[] {
  const places = Map.groupBy(secrets, ({ value }) => value);
  return (
    Array.from(places.values(), (same) => same.map(({ key }) => key))
      // Two channels, or two agents, may well have one account.
      .filter((keys) => keys.length > 1 && keys.some((key) => OURS.test(key)))
      .map((keys) =>
        error(`${keys.join(' and ')} are the same: who knows one opens the other`, NEW_ONE),
      )
  );
}

/** Secrets that are written out in the main file in place of a variable. */
function literal(secrets: readonly Secret[]): CheckResult[] {
  // What a command obtained stands in its fragment on purpose.
  const keys = secrets.filter(({ file }) => file === GATEWAY_FILE).map(({ key }) => key);
  if (keys.length === 0) return [];
  const fix = 'write ${NAME} there and NAME=… into .env, which is not committed or shared';
  return [info(`written out in gateway.json5: ${keys.join(', ')}`, fix)];
}
