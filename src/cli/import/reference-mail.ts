import type { Json } from '../../standalone/editing/json5-style.ts';
import type { Sections } from '../../standalone/json5-document.ts';
import type { Note } from './note.ts';
import { textOf } from './reference-match.ts';

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
const CARRIED = ['includeBody', 'model', 'thinking', 'allowUnsafeExternalContent'];
const KNOWN = new Set(['account', 'label', 'maxBytes', ...CARRIED, ...PUSH]);

/** Default of `hooks.mail.maxBytes`. */
const USUAL_BYTES = 65_536;

/** The variable that `hooks mail setup` puts the password of a mailbox into, unless told otherwise. */
export const MAIL_PASSWORD = 'MAIL_PASSWORD';

/**
 * The reference's `hooks.gmail` as our `hooks.mail`: the same account, read over IMAP. How it logs in there cannot be
 * carried over.
 * @param hasPassword whether {@link MAIL_PASSWORD} is set here already.
 */
export function carriedMail(
  gmail: Sections,
  hasPassword: boolean,
): { mail: Record<string, Json> | undefined; notes: Note[] } {
  const notes: Note[] = [];
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
  const account = textOf(gmail['account']);
  if (account === undefined) {
    notes.push({
      key: 'hooks.gmail.account',
      reason: 'is not set',
      todo: 'run "hooks mail setup"',
    });
    return { mail: undefined, notes };
  }
  const label = textOf(gmail['label']);
  const kept = Object.fromEntries([
    ...CARRIED.flatMap((key) => plain(key, gmail[key])),
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

function plain(key: string, value: unknown): [string, Json][] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [[key, value]]
    : [];
}

function setupCommand(
  account: string,
  label: string | undefined,
  kept: Readonly<Record<string, Json>>,
): string {
  const flags = [
    `--account ${quoted(account)}`,
    ...(label === undefined ? [] : [`--mailbox ${quoted(label)}`]),
    ...(kept['includeBody'] === false ? ['--no-body'] : []),
    ...(kept['maxBytes'] === undefined ? [] : [`--max-bytes ${JSON.stringify(kept['maxBytes'])}`]),
    ...(kept['model'] === undefined ? [] : [`--model ${quoted(textOf(kept['model']) ?? '')}`]),
    ...(kept['thinking'] === undefined
      ? []
      : [`--thinking ${quoted(textOf(kept['thinking']) ?? '')}`]),
  ];
  return `hooks mail setup ${flags.join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
