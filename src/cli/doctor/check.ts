import type { MailOptions, ConnectionCheck } from '../../mail/index.ts';
import type {
  AttentionItem,
  DatabaseState,
  Environment,
  Inspection,
  Question,
  ResolvedSections,
} from '../../service/index.ts';

// Results say what is and what to do; they hold no secret, and nothing of a message or a prompt.

/** One thing that the doctor looks at: an object in `checks/`, and a row in `run-checks.ts`. */
export type Check =
  | (Named & {
      readonly needs: 'nothing';
      readonly run: (context: DoctorContext) => CheckResults;
    })
  | (Named & {
      /** `network`: `--offline` leaves it out. */
      readonly needs: 'configuration' | 'network';
      readonly run: (context: SoundContext) => CheckResults;
    });

interface Named {
  readonly name: string;
}

type CheckResults = readonly CheckResult[] | Promise<readonly CheckResult[]>;

/** What a check works with. Nothing is changed by any of it. */
export interface DoctorContext {
  readonly inspection: Inspection;
  /** The environment of the process, `.env` not included. */
  readonly env: Environment;
  readonly nodeVersion: string;
  /** Asks a server whether it is there: null when it answered anything at all, else why not. */
  readonly reach: (url: string) => Promise<string | null>;
  /** Asks a server whether the settings are right: what its answer says is wrong; null: nothing, or it did not answer. */
  readonly askMistake: (question: Question) => Promise<{ what: string; fix: string } | null>;
  /** What the running service says that it needs. @throws CliError when it does not answer */
  readonly askAttention: () => Promise<readonly AttentionItem[]>;
  /** Logs in to the mailboxes without changing anything. @throws ConnectionCheckError */
  readonly tryMail: (mail: MailOptions) => Promise<ConnectionCheck>;
  /** Looks at the database of the ledger without changing anything. @throws Error with a sentence */
  readonly tryDatabase: (options: { url: string; schema: string }) => Promise<DatabaseState>;
}

/** The same where the configuration has no problems. */
export interface SoundContext extends DoctorContext {
  readonly resolved: ResolvedSections;
}

/** From nothing to do to something that must be done. */
export const SEVERITIES = ['ok', 'info', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface CheckResult {
  readonly severity: Severity;
  /** One sentence. Never a secret. */
  readonly what: string;
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null;
}

export interface NamedResult extends CheckResult {
  readonly check: string;
}

export function ok(what: string): CheckResult {
  return { severity: 'ok', what, fix: null };
}

/** Worth knowing; there may be nothing to do. */
export function info(what: string, fix: string | null = null): CheckResult {
  return { severity: 'info', what, fix };
}

/** The service works, but less safely or less well than it could. */
export function warning(what: string, fix: string): CheckResult {
  return { severity: 'warning', what, fix };
}

/** Something does not work or is open to others; the command ends with 1. */
export function error(what: string, fix: string): CheckResult {
  return { severity: 'error', what, fix };
}
