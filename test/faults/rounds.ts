/** How long each scenario goes on: 20 in `.ci/run`; `FAULTS_ROUNDS=200` for `npm run test:faults:long`. */
export const ROUNDS = Number(process.env['FAULTS_ROUNDS'] ?? '20');

/** Writes a figure that docs/reliability.md quotes, without the frame that Jest puts around `console`. */
export function tell(figures: string): void {
  process.stderr.write(`  ${figures}\n`);
}

/** What is under way in five kills in a row is given up: a suite of other things lets it end after every fourth. */
export const KILLS_IN_A_ROW = 4;
