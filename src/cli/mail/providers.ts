/** How mail of a provider is read over IMAP. Host, port and login name: Thunderbird's ISPDB (`source`), else as said. */
export interface MailProvider {
  readonly name: string;
  /** Domains of addresses, and of the MX hosts of other people's domains; subdomains count. */
  readonly domains: readonly string[];
  readonly host: string;
  /** Default: 993 with TLS. */
  readonly port?: number;
  /** True: STARTTLS in place of TLS from the first byte. */
  readonly startTls?: boolean;
  /** True: the login name is what stands before the @. */
  readonly isLocalUser?: boolean;
  /** True: passwords are refused, app passwords, too. */
  readonly needsOAuth2?: boolean;
  readonly advice: string;
  readonly source: string;
}

const ISPDB = 'https://github.com/thunderbird/autoconfig/blob/master/ispdb';

const APP_PASSWORD = 'make an app password for it; the password of the account is refused';

/** Looked up by the domain of the address, else by the MX hosts of its domain. A new provider is a row here. */
export const MAIL_PROVIDERS: readonly MailProvider[] = [
  {
    name: 'Gmail',
    domains: ['gmail.com', 'googlemail.com', 'google.com'],
    host: 'imap.gmail.com',
    advice: `${APP_PASSWORD} (myaccount.google.com/apppasswords, needs 2-step verification)`,
    source: `${ISPDB}/googlemail.com.xml`,
  },
  {
    name: 'Outlook',
    domains: [
      'outlook.com',
      'hotmail.com',
      'live.com',
      'msn.com',
      'office365.com',
      'protection.outlook.com',
      'outlook.de',
      'hotmail.de',
      'live.de',
      'hotmail.fr',
      'live.fr',
      'hotmail.co.uk',
      'live.co.uk',
    ],
    host: 'outlook.office365.com',
    needsOAuth2: true,
    advice: 'passwords are refused; use OAuth2',
    source: `${ISPDB}/hotmail.com.xml`,
  },
  {
    name: 'Yahoo',
    domains: ['yahoo.com', 'yahoo.de', 'yahoo.co.uk', 'yahoo.fr', 'ymail.com', 'rocketmail.com'],
    host: 'imap.mail.yahoo.com',
    advice: APP_PASSWORD,
    source: `${ISPDB}/yahoo.com.xml`,
  },
  {
    name: 'AOL',
    domains: ['aol.com', 'aim.com', 'aol.de', 'aol.co.uk'],
    host: 'imap.aol.com',
    advice: APP_PASSWORD,
    source: `${ISPDB}/aol.com.xml`,
  },
  {
    name: 'iCloud',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    host: 'imap.mail.me.com',
    isLocalUser: true,
    advice: 'make an app-specific password for it (account.apple.com)',
    source: `${ISPDB}/me.com.xml`,
  },
  {
    name: 'Fastmail',
    domains: ['fastmail.com', 'fastmail.fm', 'messagingengine.com'],
    host: 'imap.fastmail.com',
    advice: APP_PASSWORD,
    source: `${ISPDB}/messagingengine.com.xml`,
  },
  {
    name: 'GMX',
    domains: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch', 'gmx.eu', 'gmx.org', 'gmx.info'],
    host: 'imap.gmx.net',
    advice: 'allow POP3 and IMAP in the settings of the mailbox first',
    source: `${ISPDB}/gmx.net.xml`,
  },
  {
    name: 'GMX',
    domains: ['gmx.com', 'gmx.us', 'gmx.co.uk', 'gmx.fr', 'gmx.es', 'gmx.it'],
    host: 'imap.gmx.com',
    advice: 'allow POP3 and IMAP in the settings of the mailbox first',
    source: `${ISPDB}/gmx.com.xml`,
  },
  {
    name: 'WEB.DE',
    domains: ['web.de'],
    host: 'imap.web.de',
    isLocalUser: true,
    advice: 'allow POP3 and IMAP in the settings of the mailbox first',
    source: `${ISPDB}/web.de.xml`,
  },
  {
    name: 'Zoho Mail',
    domains: ['zoho.com', 'zohomail.com'],
    host: 'imap.zoho.com',
    advice: 'allow IMAP in the settings of the mailbox first',
    source: `${ISPDB}/zoho.com.xml`,
  },
  {
    name: 'Proton Mail Bridge',
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    host: '127.0.0.1',
    port: 1143,
    startTls: true,
    advice: 'start Proton Mail Bridge on this machine and take the password that it shows',
    source: 'https://proton.me/support/imap-smtp-and-pop3-setup',
  },
  {
    name: 'T-Online',
    domains: ['t-online.de', 'magenta.de'],
    host: 'secureimap.t-online.de',
    advice: 'set an e-mail password first; that of the website is refused',
    source: `${ISPDB}/t-online.de.xml`,
  },
  {
    name: 'IONOS',
    domains: ['ionos.de', 'kundenserver.de', 'schlund.de'],
    host: 'imap.ionos.de',
    advice: 'the password of the mailbox, not that of the contract',
    source: `${ISPDB}/ionos.de`,
  },
  {
    name: 'mailbox.org',
    domains: ['mailbox.org'],
    host: 'imap.mailbox.org',
    advice: 'with two-factor login make an app password for it',
    source: `${ISPDB}/mailbox.org.xml`,
  },
  {
    name: 'Posteo',
    domains: ['posteo.de', 'posteo.net', 'posteo.org', 'posteo.eu', 'posteo.at', 'posteo.ch'],
    host: 'posteo.de',
    advice: 'with two-factor login allow it for mail programs',
    source: `${ISPDB}/posteo.de.xml`,
  },
];

/** Whose domain it is, of an address or of an MX host. The longest that fits decides. */
export function findProvider(domain: string): MailProvider | undefined {
  const name = domain.toLowerCase().replace(/\.$/, '');
  const fitting = MAIL_PROVIDERS.flatMap((provider) =>
    provider.domains
      .filter((known) => name === known || name.endsWith(`.${known}`))
      .map((known) => ({ provider, length: known.length })),
  );
  return fitting.toSorted((a, b) => b.length - a.length)[0]?.provider;
}
