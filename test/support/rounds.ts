/** How often what is random is tried: 1 in `npm test` and CI; `npm run test:long` sets more. */
export const ROUNDS = Number(process.env['HOOKS_ROUNDS'] ?? '1');

/** Always the same, so that no test fails by chance; `npm run test:long` sets another and says which. */
export const SEED = Number(process.env['HOOKS_SEED'] ?? '1');

/** Parameters of fast-check. */
export function runs(numRuns: number): { numRuns: number; seed: number } {
  return { numRuns: numRuns * ROUNDS, seed: SEED };
}
