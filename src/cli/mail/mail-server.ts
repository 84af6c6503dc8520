import { Resolver } from 'node:dns/promises';
import { connect } from 'node:tls';
import { findProvider } from './providers.ts';
import type { MailProvider } from './providers.ts';

// In the order of certainty: the table of providers, the domain's MX hosts, the usual names with a valid certificate.

export interface MailServer {
  readonly host: string;
  /** Undefined: the usual one. */
  readonly port: number | undefined;
  readonly secure: boolean;
  /** Login name of an account there, when it is not the address. */
  readonly user?: string;
  readonly provider?: MailProvider;
}

export interface MailLookups {
  /** Names of the MX hosts of a domain; empty when there are none, or no name server answers. */
  readonly mxHosts: (domain: string) => Promise<readonly string[]>;
  /** Whether an IMAP server with a valid certificate listens there, with TLS on port 993. */
  readonly isImapServer: (host: string) => Promise<boolean>;
}

const PATIENCE_MS = 3_000;
const IMAPS = 993;

export function knownMailServer(account: string): MailServer | undefined {
  const [local, domain] = splitAddress(account);
  const provider = findProvider(domain);
  return provider && toServer(provider, local);
}

/** Finds it by who takes the mail of the domain, else by the names that are usual. Undefined: only a person knows. */
export async function findMailServer(
  account: string,
  { mxHosts, isImapServer }: MailLookups,
): Promise<MailServer | undefined> {
  const [local, domain] = splitAddress(account);
  const provider = (await mxHosts(domain)).map(findProvider).find((known) => known !== undefined);
  if (provider !== undefined) return toServer(provider, local);
  for (const host of [`imap.${domain}`, `mail.${domain}`]) {
    if (await isImapServer(host)) return { host, port: undefined, secure: true };
  }
  return undefined;
}

export function splitAddress(account: string): [string, string] {
  const at = account.lastIndexOf('@');
  return [account.slice(0, Math.max(at, 0)), account.slice(at + 1).toLowerCase()];
}

function toServer(provider: MailProvider, local: string): MailServer {
  const { host, port, startTls = false, isLocalUser = false } = provider;
  return { host, port, secure: !startTls, provider, ...(isLocalUser && { user: local }) };
}

/** The real network: one question each, three seconds at most. */
export const networkLookups: MailLookups = {
  async mxHosts(domain) {
    try {
      const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 1 });
      const records = await resolver.resolveMx(domain);
      return records.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange);
    } catch {
      return [];
    }
  },

  isImapServer(host) {
    return new Promise((resolve) => {
      const socket = connect({ host, port: IMAPS, servername: host, timeout: PATIENCE_MS });
      const end = (answer: boolean): void => {
        socket.destroy();
        resolve(answer);
      };
      socket.once('secureConnect', () => end(true));
      socket.once('timeout', () => end(false));
      socket.once('error', () => end(false));
    });
  },
};
