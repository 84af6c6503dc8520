import type { AgentDirectory } from '../ports/agent-directory.ts';
import type { AgentRunner } from '../ports/agent-runner.ts';
import type { ChannelBindings } from '../ports/channel-bindings.ts';
import type { Clock } from '../ports/clock.ts';
import type { LedgerProvider } from '../ports/ledger.ts';
import type { RequestObserver } from '../ports/observer.ts';
import type { HooksSettingsInput } from './resolve.ts';

/** What `HooksModule.forRoot` takes: the settings, and what stands behind the ports. */
export interface HooksModuleOptions extends HooksSettingsInput {
  /** Where events become durable, e.g. `sqliteLedger({ dir: 'data' })`. */
  readonly ledger: LedgerProvider;
  /** What runs a turn of an agent, e.g. `demoRunner()`. */
  readonly runner: AgentRunner;
  /** The host's own registry of agents. Default: the agents of the `agents` section. */
  readonly directory?: AgentDirectory;
  /** Where replies can be delivered. Default: nowhere. */
  readonly channels?: ChannelBindings;
  /** Where time comes from. Default: the system. */
  readonly clock?: Clock;
  /** Hears of every answered request, for metrics. Default: nobody. */
  readonly observer?: RequestObserver;
  /** How long runs under way may take when the service stops, 0 or more. @default 20 */
  readonly shutdownSeconds?: number;
}
