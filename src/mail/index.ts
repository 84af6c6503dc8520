// The watcher of a mailbox: all that the service and the command line may import.
export { MailStoreHeld, readMailMemory, writeMailMemory } from './memory-file.ts';
export type { HookTarget } from './hook-client.ts';
export type { MailboxReport, MailboxStatus } from './mailbox-state.ts';
export type { MailMessage } from './message.ts';
export { MailAuthOptions, MailOAuth2Options, MailOptions, resolveMail } from './options.ts';
export { ConnectionCheckError, probeMailboxes } from './probe.ts';
export type { ConnectionCheck, MailboxCheck } from './probe.ts';
export { sharedMailName } from './memory.ts';
export type { HeldText } from './memory.ts';
export { MailWatcher } from './watcher.ts';
export type { MailReport, WatcherDependencies, WatcherStatus } from './watcher.ts';
