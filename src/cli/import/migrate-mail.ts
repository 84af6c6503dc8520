import type { Sections } from '../../service/index.ts';
import { trimmedText } from './openclaw-config.ts';
import type { MigrationNote } from './openclaw-config.ts';

/** How Gmail pushes there; our watcher reads the mailbox itself. */
const PUSH = [
  'topic',
  'subscription',
  'pushToken',
  'hookUrl',
  'renewEveryMinutes',
  'serve',
  'tailscale',
];
const TAKEN_OVER = ['includeBody', 'model', 'thinking', 'allowUnsafeExternalContent'];
const KNOWN = new Set(['account', 'label', 'maxBytes', ...TAKEN_OVER, ...PUSH]);

/** Default of `hooks.mail.maxBytes`. */
const USUAL_BYTES = 65_536;

/** The variable from which the imported `hooks.mail` takes its password, when it is set here. */
export const MAIL_PASSWORD = 'MAIL_PASSWORD';

/**
 * Its `hooks.gmail` as our `hooks.mail`: the same account, read over IMAP. How it logs in there cannot be
 * taken over.
 * @param hasPassword whether {@link MAIL_PASSWORD} is set here already.
 */
export function migrateMail(
  gmail: Sections,
  hasPassword: boolean,
): { mail: Record<string, unknown> | undefined; notes: MigrationNote[] } {
  const notes: MigrationNote[] = [];
  const present = PUSH.filter((key) => gmail[key] !== undefined);
  if (present.length > 0) {
    notes.push({
      key: 'hooks.gmail',
      reason: `${present.join(', ')}: mail is not pushed here, the mailbox is read over IMAP`,
      todo: 'end the Pub/Sub subscription once mail arrives',
    });
  }
  for (const key of Object.keys(gmail).filter((key) => !KNOWN.has(key))) {
    notes.push({ key: `hooks.gmail.${key}`, reason: 'is not known here' });
  }
  const maxBytes = Number(gmail['maxBytes'] ?? USUAL_BYTES);
  if (maxBytes < USUAL_BYTES) {
    const reason = `counts the whole message here, not only its body: ${USUAL_BYTES} is left in force`;
    notes.push({ key: 'hooks.gmail.maxBytes', reason });
  }
  const account = trimmedText(gmail['account']);
  if (account === undefined) {
    notes.push({
      key: 'hooks.gmail.account',
      reason: 'is not set',
      todo: 'run "hooks mail setup"',
    });
    return { mail: undefined, notes };
  }
  const label = trimmedText(gmail['label']);
  const kept = Object.fromEntries([
    ...TAKEN_OVER.flatMap((key) => plain(key, gmail[key])),
    ...(maxBytes > USUAL_BYTES ? plain('maxBytes', maxBytes) : []),
  ]);
  const mail = {
    account,
    host: 'imap.gmail.com',
    auth: { password: `\${${MAIL_PASSWORD}}` },
    ...(label !== undefined && label !== 'INBOX' && { mailboxes: [label] }),
    ...kept,
  };
  if (hasPassword) return { mail, notes };
  notes.push({
    key: 'hooks.gmail',
    reason:
      'needs a login of its own here (an app password, or OAuth2), so that hooks.mail is not written',
    todo: `run: ${setupCommand(account, label, kept)}`,
  });
  return { mail: undefined, notes };
}

function plain(key: string, value: unknown): [string, unknown][] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [[key, value]]
    : [];
}

function setupCommand(
  account: string,
  label: string | undefined,
  kept: Readonly<Record<string, unknown>>,
): string {
  const flags = [
    `--account ${quoted(account)}`,
    ...(label === undefined ? [] : [`--mailbox ${quoted(label)}`]),
    ...(kept['includeBody'] === false ? ['--no-body'] : []),
    ...(kept['maxBytes'] === undefined ? [] : [`--max-bytes ${JSON.stringify(kept['maxBytes'])}`]),
    ...(kept['model'] === undefined ? [] : [`--model ${quoted(trimmedText(kept['model']) ?? '')}`]),
    ...(kept['thinking'] === undefined
      ? []
      : [`--thinking ${quoted(trimmedText(kept['thinking']) ?? '')}`]),
  ];
  return `hooks mail setup ${flags.join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
