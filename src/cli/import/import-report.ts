import { join } from 'node:path';
import { GATEWAY_FILE } from '../../standalone/configuration-files.ts';
import { maskedDocument } from '../change/masked-document.ts';
import { showChange } from '../change/show-change.ts';
import { asLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';
import type { ImportPlan } from './import-plan.ts';

/** What would change, what is wrong with it, and what is left to a person. */
export function showImport(plan: ImportPlan, terminal: Terminal): void {
  showChange(plan.change, Object.keys(plan.variables), terminal);
  const { notes, problems, warnings } = plan;
  if (notes.length > 0) {
    terminal.print();
    terminal.print(terminal.style('bold', 'Not carried over as it was'));
  }
  for (const { key, reason, todo } of notes) {
    terminal.printWrapped(asLine(`- ${key}: ${reason}`), { first: '', rest: '  ' });
    if (todo === undefined) continue;
    terminal.printWrapped(asLine(`→ ${todo}`), { first: '  ', rest: '    ' });
  }
  for (const { key, message } of problems) {
    const word = terminal.style('red', 'problem');
    terminal.printWrapped(`${word} ${asLine(`${key} ${message}`)}`, { first: '', rest: '  ' });
  }
  for (const { key, message } of warnings) {
    const word = terminal.style('yellow', 'warning');
    terminal.printWrapped(`${word} ${asLine(`${key} ${message}`)}`, { first: '', rest: '  ' });
  }
}

/** The same for a program; secrets are left out. */
export function reportImport(plan: ImportPlan, isWritten: boolean): object {
  const { change, notes, problems, warnings, variables } = plan;
  return {
    file: join(change.dir, GATEWAY_FILE),
    written: isWritten,
    gateway: maskedDocument(change.after.gateway ?? ''),
    variables: Object.keys(variables),
    notes,
    problems,
    warnings,
  };
}
