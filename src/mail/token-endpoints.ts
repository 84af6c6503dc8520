/** Where access tokens are got, and for what. */
export interface TokenEndpoint {
  readonly tokenUrl: string;
  readonly scope?: string;
}

const GOOGLE: TokenEndpoint = { tokenUrl: 'https://oauth2.googleapis.com/token' };

const MICROSOFT: TokenEndpoint = {
  tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  scope: 'https://outlook.office.com/IMAP.AccessAsUser.All offline_access',
};

const BY_HOST: readonly (readonly [string, TokenEndpoint])[] = [
  ['gmail.com', GOOGLE],
  ['googlemail.com', GOOGLE],
  ['office365.com', MICROSOFT],
  ['outlook.com', MICROSOFT],
];

/** The token endpoint of the provider that runs the IMAP server `host`, when it is a known one. */
export function tokenEndpointOf(host: string): TokenEndpoint | undefined {
  const name = host.toLowerCase().replace(/\.$/u, '');
  return BY_HOST.find(([domain]) => name === domain || name.endsWith(`.${domain}`))?.[1];
}
