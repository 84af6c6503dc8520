import { domainToASCII } from 'node:url';

// What the mailbox's own server found out about the sender, RFC 8601. Linear in the headers. Erasable syntax only.

/** Quoted text, a word, blanks, or one character with a meaning. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^ \t\r\n;="()\\]+|[ \t\r\n]+|[^]/g;

/** `domainToASCII` reads addresses of the web: it would cut at `/`, and decode what stands behind `%`. */
const DOMAIN = /^[\w\u0080-\u{10ffff}.-]+$/u;

/** `hooks.mail.authservId` of a server that gives no name, such as Microsoft's. */
const NAMELESS = 'none';

/**
 * Whether a server says that mail is of its sender's domain: by DMARC, else by DKIM or SPF of that very domain. Of the
 * server's headers the first with a verdict counts: it writes above what it was given, where one may be forged.
 * @param headers fields of the message, in its order
 * @param sender the only address in the only `From`; empty: there is none
 */
export function isAuthentic(headers: readonly string[], sender: string, server: string): boolean {
  const domain = toDomain(sender);
  if (domain === '') return false;
  for (const header of headers) {
    const [, written] = /^authentication-results:([^]*)$/i.exec(header) ?? [];
    if (written === undefined) continue;
    const parts = readParts(written.toLowerCase());
    // It may be the server's own, with something in it that a sender wrote.
    if (parts === null) return false;
    const verdicts = verdictsOf(parts, server.toLowerCase());
    if (verdicts.length > 0) return confirms(verdicts, domain);
  }
  return false;
}

/** The words between semicolons, such as `dmarc=pass`; null: not written as RFC 8601 says, or so that readers may differ. */
function readParts(written: string): string[][] | null {
  let plain = '';
  let depth = 0;
  for (const [token] of written.matchAll(TOKEN)) {
    const isQuoted = token.startsWith('"');
    if (token === '\\' || token === '"' || (isQuoted && depth > 0)) return null;
    if (token === '(') depth += 1;
    if (depth === 0) plain += isQuoted ? token.replace(/[ \t\r\n;="]/g, '') : token;
    else if (!plain.endsWith(' ')) plain += ' ';
    if (token === ')') depth -= 1;
    if (depth < 0) return null;
  }
  if (depth > 0) return null;
  const words = plain.replace(/[ \t\r\n]+/g, ' ').replace(/ ?= ?/g, '=');
  return words.split(';').map((part) => part.trim().split(' '));
}

/** None: it is of another server, or has none on DMARC, DKIM and SPF. */
function verdictsOf(parts: string[][], server: string): string[][] {
  const [[first = ''] = []] = parts;
  const isNamed = !first.includes('=');
  const [name = ''] = first.split('/');
  const isBelow = server.startsWith('*.') && name.endsWith(server.slice(1));
  const isServers = server === NAMELESS ? !isNamed : isNamed && (isBelow || name === server);
  return isServers ? parts.filter(([word = '']) => /^(?:dmarc|dkim|spf)=/.test(word)) : [];
}

function confirms(verdicts: string[][], domain: string): boolean {
  const isOfDomain = (verdict: string, property: RegExp): boolean =>
    verdicts.some(
      ([word, ...properties]) =>
        word === verdict &&
        properties.some(
          (one) => property.test(one) && toDomain(one.slice(one.indexOf('=') + 1)) === domain,
        ),
    );
  const ofDmarc = verdicts.filter(([word = '']) => word.startsWith('dmarc='));
  if (ofDmarc.length > 1 || ofDmarc[0]?.[0] === 'dmarc=fail') return false;
  return (
    isOfDomain('dmarc=pass', /^header\.from=/) ||
    isOfDomain('dkim=pass', /^header\.[di]=/) ||
    isOfDomain('spf=pass', /^smtp\.mailfrom=/)
  );
}

/** Of an address, or of a domain alone. */
function toDomain(text: string): string {
  const domain = text.slice(text.lastIndexOf('@') + 1);
  return DOMAIN.test(domain) ? domainToASCII(domain).replace(/\.$/, '') : '';
}
