import type { ImapFlowOptions } from 'imapflow';
import { isLoopback } from '../hooks/index.ts';
import type { MailOptions } from './mail-options.ts';

/** What the server is shown: a password, or an access token. */
export type Credentials = { readonly pass: string } | { readonly accessToken: string };

const MIB = 1024 * 1024;

/** Longest line of a server: the uids of a mailbox with a million new messages. */
const LONGEST_LINE = 16 * MIB;

/** How the connection is made. The password and the mail never travel in the clear beyond this machine. */
export function connectionOptions(mail: MailOptions, credentials: Credentials): ImapFlowOptions {
  const { host, secure, user, account, maxBytes } = mail;
  return {
    host,
    port: mail.port ?? (secure ? 993 : 143),
    ...encryption(host, secure),
    auth: { user: user ?? account, ...credentials },
    // Its lines could hold subjects and addresses.
    logger: false,
    emitLogs: false,
    // IDLE begins as soon as nothing else is asked: the default waits 15 s, and so would new mail.
    autoIdleDelay: 50,
    // A connection that died without a word is noticed by the next of these, and again later by the other.
    maxIdleTime: 120_000,
    connectionTimeout: 30_000,
    socketTimeout: 150_000,
    disableAutoEnable: true,
    maxLiteralSize: maxBytes + MIB,
    maxLineLength: LONGEST_LINE,
    maxResponseSize: maxBytes + LONGEST_LINE + MIB,
  };
}

/** Without `secure`, STARTTLS must succeed; on this machine it may be absent, or made with a certificate of its own. */
function encryption(host: string, secure: boolean): Partial<ImapFlowOptions> {
  const tls = { minVersion: 'TLSv1.2' } as const;
  if (secure) return { secure: true, tls };
  if (!isLoopback(host)) return { secure: false, doSTARTTLS: true, tls };
  return { secure: false, tls: { ...tls, rejectUnauthorized: false } };
}
