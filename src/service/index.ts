// What other rooms may import of the service. Everything but `start` is light: commands that only read the
// configuration load no server.
import type { Readable } from 'node:stream';
import type { DatabaseState } from '../ledger/postgres/index.ts';
import type { Edition } from '../ledger/sqlite/index.ts';
import type { ResolvedSections } from './configuration/resolve.ts';
import type { DumpedRows } from './ledger-backup.ts';
import type { TriedEvent } from './event-trial.ts';
import type { ProcessContext } from './start.ts';

export { expandVariables } from './configuration/environment.ts';
export type { Environment } from './configuration/environment.ts';
export {
  DOTENV_FILE,
  GATEWAY_FILE,
  fragmentSections,
  withFragment,
} from './configuration/files.ts';
export type { ConfigurationFiles, Sections } from './configuration/files.ts';
export { withVariables, writeDotenv } from './configuration/dotenv.ts';
export type { Variables } from './configuration/dotenv.ts';
export { findLapse } from './configuration/file-modes.ts';
export {
  FRAGMENTS_DIR,
  Written,
  asWritten,
  fragmentFile,
  keptAsWritten,
  literal,
  readFragments,
  writeFragment,
} from './configuration/fragments.ts';
export type { FragmentPlan } from './configuration/fragment-change.ts';
export { channelAddresses, inspectConfiguration, modelAddresses } from './configuration/inspect.ts';
export type { Address, Inspection, Question } from './configuration/inspect.ts';
export { PACKAGES_KEY, findMissing } from './configuration/packages.ts';
export { addressText, isLocalAddress, listeningAddress } from './configuration/listen-address.ts';
export type { ListenAddress } from './configuration/listen-address.ts';
export { wideRanges } from './configuration/proxies.ts';
export { configurationDirectory } from './configuration/load.ts';
export type { ResolvedSections } from './configuration/resolve.ts';
export type { ConfigurationReport } from './configuration/report.ts';
export { showConfiguration } from './configuration/shown.ts';
export type { ShownConfiguration } from './configuration/shown.ts';
export { MASK, maskSecrets } from './configuration/masking.ts';
export { listSecrets } from './configuration/secrets.ts';
export type { Secret } from './configuration/secrets.ts';
export { CONFIGURATION } from './configuration/sections.ts';
export { diskRoom } from './ops/disk-room.ts';
export { newToken } from './configuration/token-file.ts';
export type { DatabaseState } from '../ledger/postgres/index.ts';
export { DEFAULT_PROVIDERS, findAddress, tokenQuestion } from '../adapters/channels/providers.ts';
export type { ChannelProviderName, TokenQuestion } from '../adapters/channels/providers.ts';
export { publicUrl } from '../adapters/agents/model-providers.ts';
export { OLLAMA_URL } from '../adapters/agents/by-agent.ts';
export type * from './ops/answers.ts';
export type * from './ops/configuring-answers.ts';
export type * from './ops/status-answers.ts';
export {
  findPreset,
  presetsOf,
  findRule,
  proofKind,
  schemeOf,
  senderName,
  senderPath,
  setupSteps,
  signsUrl,
} from './senders/sender.ts';
export type { ProofKind } from './senders/sender.ts';
export { decideSecrets, planSender, presentSender } from './senders/sender-plan.ts';
export type { PresentSender, SenderChange } from './senders/sender-plan.ts';
export { CannotSign, asNew, canSign, signPost } from './senders/signed-post.ts';
export type { HookPost, Unsigned } from './senders/signed-post.ts';
export {
  addToken,
  giveToken,
  keptSender,
  retireTokens,
  strangeHooks,
} from './senders/sender-tokens.ts';
export type { GivenToken, Sender } from './senders/sender-tokens.ts';
export { endOperatorToken, giveOperatorToken } from './senders/operator-token.ts';
export { ROLES } from './configuration/operator-tokens.ts';
export { ConfigurationUnchanged } from './configuration/unchanged.ts';
export type { WhyUnchanged } from './configuration/unchanged.ts';
export { listTokens } from './senders/token-list.ts';
export type { ListedToken } from './senders/token-list.ts';
export { inheritedIds } from './senders/inherited-ids.ts';
export { readTokenUses } from './token-uses-file.ts';
export { mailTarget } from './mail-watch.ts';
export type { DumpedRows } from './ledger-backup.ts';

/** Starts the service and leaves it running; a start that fails says why on stderr and ends the process with 1. */
export async function start(context: ProcessContext): Promise<void> {
  const service = await import('./start.ts');
  await service.start(context);
}

/** What is in a database, for whoever wants to keep a ledger there. @throws Error with a sentence that says what is wrong */
export async function lookAtPostgres(options: {
  readonly url: string;
  readonly schema: string;
}): Promise<DatabaseState> {
  const postgres = await import('../ledger/postgres/index.ts');
  return postgres.lookAtPostgres(options);
}

/** The edition of the ledger in a directory; null: there is none. @throws Error with a sentence when it cannot be used */
export async function lookAtDirectory(dir: string): Promise<Edition | null> {
  const sqlite = await (await import('../ledger/sqlite/index.ts')).ledgerFiles();
  return sqlite.lookAtDirectory(dir);
}

/** Writes the ledger of a configuration as JSON lines (ledger-backup.ts). @throws Error with a sentence */
export async function backUpLedger(
  sections: ResolvedSections,
  now: number,
  write: (text: string) => Promise<unknown>,
): Promise<DumpedRows> {
  return (await import('./ledger-backup.ts')).backUpLedger(sections, now, write);
}

/** Fills the empty store of a configuration with such a ledger. @throws Error with a sentence */
export async function restoreLedger(
  sections: ResolvedSections,
  now: number,
  from: Readable,
): Promise<DumpedRows> {
  return (await import('./ledger-backup.ts')).restoreLedger(sections, now, from);
}

export type { TriedEvent } from './event-trial.ts';

/** What the newest stored events become by another configuration (event-trial.ts). @throws Error with a sentence */
export async function tryNewestEvents(
  before: ResolvedSections,
  after: ResolvedSections,
  most: number,
  now: number,
): Promise<readonly TriedEvent[]> {
  return (await import('./event-trial.ts')).tryNewestEvents(before, after, most, now);
}
