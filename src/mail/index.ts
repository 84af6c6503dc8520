// The watcher of a mailbox: all that the standalone service and the command line may import.
export type { HookTarget } from './hook-client.ts';
export { MailAuthOptions, MailOAuth2Options, MailOptions } from './mail-options.ts';
export type { MailReport, MailboxReport, MailboxStatus, WatcherStatus } from './mail-report.ts';
export { MailStoreHeld } from './mail-store.ts';
export { MailTrialError, tryMailboxes } from './mailbox-trial.ts';
export type { MailTrial, MailboxTrial } from './mailbox-trial.ts';
export { MailWatcher } from './mail-watcher.ts';
export type { WatcherSurroundings } from './mail-watcher.ts';
export { resolveMail } from './resolve-mail.ts';
