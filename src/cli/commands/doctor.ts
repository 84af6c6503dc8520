import type { InspectColor } from 'node:util';
import { SystemClock } from '../../hooks/index.ts';
import { probeMailboxes } from '../../mail/index.ts';
import { EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import { SEVERITIES } from '../doctor/check.ts';
import type { NamedResult, Severity } from '../doctor/check.ts';
import { askMistake, reach } from '../doctor/reach.ts';
import { NOT_LOOKED_AT, runChecks } from '../doctor/run-checks.ts';
import { lookAtPostgres } from '../../service/index.ts';
import { findService } from '../service/find-service.ts';
import type { Terminal } from '../terminal.ts';

const COLOURS: Readonly<Record<Severity, InspectColor>> = {
  ok: 'green',
  info: 'cyan',
  warning: 'yellow',
  error: 'red',
};
const WIDEST = Math.max(...SEVERITIES.map(({ length }) => length));

/** Runs every check of `doctor/checks/` side by side and shows the results in their order. Ends with 1 when one is an error. */
export const doctor = defineCommand({
  name: 'doctor',
  description: 'look at everything that could go wrong, and say what to do',
  options: [option('--offline', 'ask no other machine'), JSON_OPTION],
  examples: [
    ['hooks doctor', 'tokens, exposure, files, disk, transforms, channels, models, …'],
    ['hooks doctor --offline', 'ask no other machine'],
    [
      `hooks doctor --json | jq -r '.findings[] | select(.severity != "ok") | .what'`,
      'what needs a look, for a program; exit code 1 when there is an error',
    ],
  ],
  async action(command, { json = false, offline = false }) {
    const { terminal, env, inspect } = command;
    const context = {
      inspection: await inspect(),
      env,
      nodeVersion: process.versions.node,
      reach,
      askMistake,
      askAttention: async () => {
        const service = await findService(command, {});
        return (await service.ask('GET /ops/api/attention', 'items', {})).items;
      },
      tryMail: (mail: Parameters<typeof probeMailboxes>[0]) =>
        probeMailboxes(mail, new SystemClock()),
      tryDatabase: lookAtPostgres,
    };
    const results = await runChecks(context, { isOffline: offline });
    const isFine = results.every(({ severity }) => severity !== 'error');
    if (json) terminal.printJson({ ok: isFine, findings: results });
    else show(results, terminal);
    if (!isFine) terminal.exitCode = EXIT.failed;
  },
});

function show(results: readonly NamedResult[], terminal: Terminal): void {
  const indent = ' '.repeat(WIDEST + 1);
  for (const { check, severity, what, fix } of withoutRepetition(results)) {
    const label = terminal.style(COLOURS[severity], severity.padEnd(WIDEST));
    terminal.printWrapped(`${label} ${check}: ${what}`, { rest: indent });
    if (fix !== null) terminal.printWrapped(`→ ${fix}`, { first: indent, rest: `${indent}  ` });
  }
  terminal.print();
  terminal.print(describeCounts(results));
}

/** Checks that could not be made all say the same: it is printed once, in the place of the first. */
function withoutRepetition(results: readonly NamedResult[]): readonly NamedResult[] {
  const skipped = results.filter(({ what }) => what === NOT_LOOKED_AT);
  const check = skipped.map((result) => result.check).join(', ');
  return results.flatMap((result) => {
    if (!skipped.includes(result)) return [result];
    return result === skipped[0] ? [{ ...result, check }] : [];
  });
}

/** The last line, worst first: `1 error, 2 warnings, 3 info, 9 ok`. */
function describeCounts(results: readonly NamedResult[]): string {
  return SEVERITIES.toReversed()
    .map((severity) => {
      const count = results.filter((result) => result.severity === severity).length;
      const isCounted = severity === 'error' || severity === 'warning';
      return `${count} ${severity}${isCounted && count !== 1 ? 's' : ''}`;
    })
    .join(', ');
}
