// What the operator API answers about the service itself. Texts may hold words of a platform: show them as text, never
// as markup. Times are ISO 8601 in UTC.
import type { Activity, ChannelReport, UsageBy, UsageLine, WorkCounts } from '../../hooks/index.ts';
import type { LostAndWhy } from './answers.ts';
import type { MailStatus } from './ops-options.ts';

/** How the service is doing as a whole. */
export interface ServiceStatus {
  /** Of this package. */
  readonly version: string;
  /** Version of Node. */
  readonly node: string;
  /** When the process began. */
  readonly startedAt: string;
  /** Whether events can be stored at the moment. */
  readonly ready: boolean;
  /** An operator paused intake and work; false where the ledger cannot be asked. */
  readonly paused: boolean;
  /** Every kind and state that has any work; null: the ledger cannot be asked. */
  readonly work: readonly WorkCounts[] | null;
  readonly channels: readonly ChannelReport[];
  /** Null: no mailbox is configured. */
  readonly mail: MailStatus | null;
  /** What needs a person, the worst first. */
  readonly attention: readonly AttentionItem[];
}

/** A button: a POST to this API without a body. */
export interface AttentionAction {
  /** Two or three words, such as `Retry all`. */
  readonly label: string;
  /** With its query. An answer with a `nextCursor` wants to be asked again with that `cursor`. */
  readonly path: string;
  /** It cannot be undone: ask whether it is meant. */
  readonly isFinal: boolean;
}

/** One thing that needs a person. */
export interface AttentionItem {
  readonly kind:
    | 'store-unavailable'
    | 'ledger-damaged'
    | 'disk-nearly-full'
    | 'paused'
    | 'configuration-refused'
    | 'packages-missing'
    | 'requests-lost'
    | 'mapping-failing'
    | 'channel-failing'
    | 'backend-resting'
    | 'mail-degraded'
    | 'loop-held'
    | 'decisions-open'
    | 'dead-work'
    | 'channel-paused'
    | 'restart-pending'
    | 'configuration-warning'
    | 'demo';
  /** `error`: something is lost, refused or stands still. `warning`: something does not work. `info`: good to know. */
  readonly severity: 'error' | 'warning' | 'info';
  /** One sentence without its stop and without times. May hold words of a platform: show it as text. */
  readonly what: string;
  /** What to do, likewise. */
  readonly todo: string;
  /** What to type for it; null: there is no command. */
  readonly command: string | null;
  /** Since the first time; null: nobody knows. */
  readonly since: string | null;
  /** When it is tried again by itself; null: it is not, or it is being tried now. */
  readonly next: string | null;
  /** How many requests, runs or deliveries are behind it; null: it cannot be counted. */
  readonly count: number | null;
  /** What it is about one by one, where one item stands for several. */
  readonly parts: readonly LostAndWhy[];
  /** The hook it is about; null: it is about none, or about one that is not there. */
  readonly hook: string | null;
  /** `chan_1` to `chan_8`; null: it is about none. */
  readonly channel: string | null;
  /** The first is the one to press. */
  readonly actions: readonly AttentionAction[];
}

/** What needs a person, the worst first. */
export interface AttentionList {
  readonly items: readonly AttentionItem[];
}

/** What happened in the last hour in equal steps, the earliest first; the last one is the present one. */
export interface ActivityReport extends Activity {
  /** Length of a step. */
  readonly stepSeconds: number;
  /** When the first step begins. */
  readonly from: string;
}

/** What turns used that said so, runs and heartbeats apart. */
export interface UsageReport {
  readonly by: UsageBy;
  /** In UTC, the present one among them. */
  readonly days: number;
  readonly usage: readonly UsageLine[];
}
