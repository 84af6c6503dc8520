import type { MailOptions, MailTrial } from '../../mail/index.ts';
import type { Inspection } from '../../standalone/inspect-configuration.ts';
import type { ResolvedSections } from '../../standalone/resolve-configuration.ts';
import type { Environment } from '../../standalone/variables.ts';
import type { Found } from './finding.ts';

/** What is examined. */
export interface Patient {
  readonly inspection: Inspection;
  /** The environment of the process, `.env` not included. */
  readonly env: Environment;
  readonly nodeVersion: string;
  /** Asks a server whether it is there: null when it answered anything at all, else why not. */
  readonly reach: (url: string) => Promise<string | null>;
  /** Logs in to the mailboxes without changing anything. @throws MailTrialError */
  readonly tryMail: (mail: MailOptions) => Promise<MailTrial>;
}

/** A patient whose configuration has no problems. */
export interface SoundPatient extends Patient {
  readonly resolved: ResolvedSections;
}

interface Named {
  /** One word. */
  readonly name: string;
}

/** One thing that is looked at: a file of its own, and a row in `checks.ts`. */
export type Check =
  | (Named & {
      readonly needs: 'nothing';
      readonly run: (patient: Patient) => readonly Found[] | Promise<readonly Found[]>;
    })
  | (Named & {
      /** `network`: `--offline` leaves it out. */
      readonly needs: 'configuration' | 'network';
      readonly run: (patient: SoundPatient) => readonly Found[] | Promise<readonly Found[]>;
    });
