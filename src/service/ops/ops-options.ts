import type { Problem } from '../../hooks/index.ts';
import type { ConfigurationReport } from '../configuration/report.ts';
import type { MissingPackages } from '../configuration/packages.ts';
import type { OperatorTokens } from '../configuration/operator-tokens.ts';
import type { SavedMappings } from '../configuration/saved-mappings.ts';
import type { PresetKeeper } from '../senders/preset-keeper.ts';
import type { TokenKeeper } from '../senders/token-keeper.ts';

export interface OpsModuleOptions {
  /** Those in force, never the hook token; read for every request, since a reload changes them. */
  readonly tokens: () => OperatorTokens;
  /** True: other machines may ask, too. */
  readonly exposed: boolean;
  /** Host names under which it is asked, beside addresses and localhost. Absent: whoever serves it has looked already. */
  readonly hosts?: readonly string[];
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** `hooks.path`, with its leading slash. */
  readonly hooksPath: string;
  /** Scheme, host and port of the hooks on this machine, for whom no `hooks.publicUrl` says another. Absent: unknown. */
  readonly hooksOrigin?: string | undefined;
  /** The configuration in force and its files. Absent: the application that imports the hooks configures them. */
  readonly configurationReport?: () => Promise<ConfigurationReport>;
  /** When each hook token was last used before this start, by the name of its secret. Absent: nobody keeps that. */
  readonly tokenUses?: () => Promise<ReadonlyMap<string, number>>;
  /** Makes and ends tokens of senders. Absent: the application that imports the hooks does that. */
  readonly tokenKeeper?: TokenKeeper;
  /** Saves mappings. Absent: as above. */
  readonly savedMappings?: SavedMappings;
  /** Enables presets. Absent: as above. */
  readonly presetKeeper?: PresetKeeper;
  /** State of the mailbox watcher, read whenever it is shown. Absent or undefined: there is none. */
  readonly mail?: () => MailStatus | undefined;
  /** How the configuration stands, read whenever it is shown. Absent: nobody can tell. */
  readonly configuration?: () => ConfigurationState;
}

export interface ConfigurationState {
  /** Nothing was configured at its start: the service shows itself. */
  readonly isDemo: boolean;
  /** True: something has been configured since. @default false */
  readonly isConfiguredSince?: boolean;
  /** Keys whose change waits for a restart. */
  readonly restartFor: readonly string[];
  /** Why the changed files were refused; empty: they are in force. */
  readonly refused: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Optional packages that it needs and npm has not installed; null: none. */
  readonly missing: MissingPackages | null;
}

export const OPS_OPTIONS = Symbol('OPS_OPTIONS');

/** State of a mailbox watcher, as far as the operator API shows it. */
export interface MailStatus {
  readonly account: string;
  readonly state: string;
  /** True: mail does not get through, and not only for a moment. */
  readonly isDegraded: boolean;
  /** What to do about it. */
  readonly hint: string | null;
  readonly mailboxes: readonly MailboxStatus[];
}

/** One mailbox of it. */
export interface MailboxStatus {
  readonly mailbox: string;
  readonly state: string;
  /** ISO 8601. */
  readonly since: string;
  readonly connectedSince: string | null;
  readonly lastMessageAt: string | null;
  readonly lastError: { readonly at: string; readonly message: string } | null;
  /** Messages since the start of the watcher. */
  readonly delivered: number;
  readonly refused: number;
  /** Messages that are known and not accepted yet. */
  readonly waiting: number;
  readonly lagSeconds: number;
}
