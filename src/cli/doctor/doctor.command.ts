import { Command, Option } from 'nest-commander';
import { SystemClock } from '../../hooks/index.ts';
import { tryMailboxes } from '../../mail/index.ts';
import type { MailOptions } from '../../mail/index.ts';
import type { Surroundings } from '../../standalone/start.ts';
import { EXIT } from '../cli-error.ts';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions, Example } from '../hooks-command.ts';
import { InjectSurroundings, inspectHere } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { examine } from './examine.ts';
import { reach } from './reach.ts';
import { showFindings } from './show-findings.ts';

interface DoctorOptions extends CommonOptions {
  readonly offline?: boolean;
}

@Command({
  name: 'doctor',
  description: 'look at everything that could go wrong, and say what to do',
})
export class DoctorCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks doctor', 'tokens, exposure, files, disk, transforms, channels, models, …'],
    ['hooks doctor --offline', 'ask no other machine'],
    [
      `hooks doctor --json | jq -r '.findings[] | select(.severity != "ok") | .what'`,
      'what needs a look, for a program; exit code 1 when there is an error',
    ],
  ];

  constructor(
    private readonly terminal: Terminal,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super();
  }

  @Option({ flags: '--offline', description: 'ask no other machine' })
  parseOffline(): boolean {
    return true;
  }

  override async run(_: string[], { json = false, offline = false }: DoctorOptions): Promise<void> {
    const { env } = this.surroundings;
    const inspection = await inspectHere(this.surroundings);
    const tryMail = (mail: MailOptions) => tryMailboxes(mail, new SystemClock());
    const patient = { inspection, env, nodeVersion: process.versions.node, reach, tryMail };
    const findings = await examine(patient, { isOffline: offline });
    const isFine = findings.every(({ severity }) => severity !== 'error');
    if (json) this.terminal.printJson({ ok: isFine, findings });
    else showFindings(findings, this.terminal);
    if (!isFine) this.terminal.exitCode = EXIT.failed;
  }
}
