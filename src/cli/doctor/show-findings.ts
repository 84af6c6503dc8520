import type { InspectColor } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { NOT_LOOKED_AT } from './examine.ts';
import { SEVERITIES } from './finding.ts';
import type { Finding, Severity } from './finding.ts';

const COLOURS: Readonly<Record<Severity, InspectColor>> = {
  ok: 'green',
  info: 'cyan',
  warning: 'yellow',
  error: 'red',
};
const WIDEST = Math.max(...SEVERITIES.map(({ length }) => length));

/** Each finding with what to do, and how many there are of each severity. */
export function showFindings(findings: readonly Finding[], terminal: Terminal): void {
  const indent = ' '.repeat(WIDEST + 1);
  for (const { check, severity, what, fix } of withoutRepetition(findings)) {
    const label = terminal.style(COLOURS[severity], severity.padEnd(WIDEST));
    terminal.printWrapped(`${label} ${check}: ${what}`, { rest: indent });
    if (fix !== null) terminal.printWrapped(`→ ${fix}`, { first: indent, rest: `${indent}  ` });
  }
  terminal.print();
  terminal.print(countsOf(findings));
}

/** Checks that could not be made say the same: they are told once, in the place of the first. */
function withoutRepetition(findings: readonly Finding[]): readonly Finding[] {
  const skipped = findings.filter(({ what }) => what === NOT_LOOKED_AT);
  const check = skipped.map((finding) => finding.check).join(', ');
  return findings.flatMap((finding) => {
    if (!skipped.includes(finding)) return [finding];
    return finding === skipped[0] ? [{ ...finding, check }] : [];
  });
}

function countsOf(findings: readonly Finding[]): string {
  return SEVERITIES.toReversed()
    .map((severity) => {
      const count = findings.filter((finding) => finding.severity === severity).length;
      const isCounted = severity === 'error' || severity === 'warning';
      return `${count} ${severity}${isCounted && count !== 1 ? 's' : ''}`;
    })
    .join(', ');
}
