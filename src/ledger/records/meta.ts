import { CHANNEL_KEYS, channelKeys, channelRows, toConditions } from '../channel-rows.ts';
import { CERTIFICATE_KEYS, certificateRow, toCertificates } from '../certificate-rows.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import { KEPT_CERTIFICATES } from '../../hooks/ports/ledger.ts';
import type { KnownCertificate } from '../../hooks/ports/ledger.ts';
import { text } from '../rows.ts';
import type { Tx } from '../tx.ts';
import { LANES } from '../work-rows.ts';

const WRITE = `INSERT INTO @meta (key, value) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const ALIKE = 'SELECT key, value FROM @meta WHERE key LIKE $1 ORDER BY value DESC';
/** In the order in which every instance takes the rows. */
const SOME = 'SELECT key, value FROM @meta WHERE key = ANY ($1::text[]) ORDER BY key FOR UPDATE';
const TRIM = `DELETE FROM @meta WHERE key IN
  (SELECT key FROM @meta WHERE key LIKE $1 ORDER BY value DESC LIMIT 1000 OFFSET $2)`;

export async function writeMeta(tx: Tx, key: string, value: string): Promise<void> {
  await tx.run(WRITE, key, value);
}

/** Pauses the intake and all work, or goes on: paused is that the row exists, also after a restart. */
export async function setPaused(tx: Tx, paused: boolean): Promise<null> {
  if (paused) await writeMeta(tx, 'paused', 'yes');
  else await tx.run(`DELETE FROM @meta WHERE key = 'paused'`);
  tx.memory.isPaused = paused;
  for (const lane of LANES) tx.changedLanes.add(lane);
  return null;
}

/** Finds out whether the store can be written, by writing: a full disk, or a standby, shows only then. */
export async function probe(tx: Tx): Promise<null> {
  await writeMeta(tx, 'probed', String(tx.now));
  return null;
}

export async function readChannels(tx: Tx): Promise<ChannelConditions> {
  return toConditions(await tx.all(ALIKE, CHANNEL_KEYS));
}

/** Keeps how channels fared. What another instance met later stays, unless its clock was ahead. */
export async function noteChannels(tx: Tx, news: ChannelConditions): Promise<null> {
  const known = await tx.all(SOME, channelKeys(news));
  const rows = channelRows(news, toConditions(known));
  const times = new Map(known.map((row) => [text(row, 'key'), timeOf(text(row, 'value'))]));
  for (const [key, value] of rows) {
    const before = times.get(key) ?? -Infinity;
    if (before <= timeOf(value) || before > tx.now) await writeMeta(tx, key, value);
  }
  return null;
}

/** When it was. @param value a time, or JSON whose first member is one */
export function timeOf(value: string): number {
  return Number(/^(?:\{"at":)?(-?\d{1,18})/.exec(value)?.[1]);
}

export async function readCertificates(tx: Tx): Promise<readonly KnownCertificate[]> {
  return toCertificates(await tx.all(ALIKE, CERTIFICATE_KEYS));
}

export async function keepCertificate(tx: Tx, certificate: KnownCertificate): Promise<null> {
  await writeMeta(tx, ...certificateRow(certificate));
  await tx.run(TRIM, CERTIFICATE_KEYS, KEPT_CERTIFICATES);
  return null;
}
