// Certificates that verified a request, as rows of `meta`: one that is fetched again replaces the one before.
import type { KnownCertificate } from '../hooks/ports/ledger.ts';
import { storedJson, text } from './rows.ts';
import type { Row } from './rows.ts';

const PREFIX = 'certificate ';
/** Finds all of them. Their values sort by the time they were fetched at. */
export const CERTIFICATE_KEYS = `${PREFIX}%`;

export function certificateRow({ address, pem, fetchedAt }: KnownCertificate): [string, string] {
  return [PREFIX + address, JSON.stringify({ fetchedAt, pem })];
}

/** @param rows `key` and `value` of whatever of them is there. */
export function toCertificates(rows: readonly Row[]): KnownCertificate[] {
  return rows.map((row) => {
    const kept: Omit<KnownCertificate, 'address'> = storedJson(text(row, 'value'));
    return { address: text(row, 'key').slice(PREFIX.length), ...kept };
  });
}
