import type { ChannelReport } from '../../hooks/index.ts';
import { asLine } from '../foreign-text.ts';
import { age } from '../text-layout.ts';

/*
 * How channels are doing, as an operator reads it. What a platform answered is foreign text and is made harmless.
 */

/** Rows of `hooks channels list`, head first. */
export function channelTable(channels: readonly ChannelReport[], now: number): string[][] {
  const rows = channels.map((channel) => [
    channel.id,
    asLine(channel.provider),
    channelState(channel, now),
    channel.lastSuccessAt === null ? 'never' : `${age(channel.lastSuccessAt, now)} ago`,
    lastError(channel, now),
  ]);
  return [['CHANNEL', 'PROVIDER', 'STATE', 'LAST MESSAGE', 'LAST ERROR'], ...rows];
}

/** One word, and for how long where a platform asked for a rest. */
function channelState({ state, pausedUntil }: ChannelReport, now: number): string {
  if (pausedUntil === null) return state;
  return `${state} ${Math.max(0, Math.ceil((Date.parse(pausedUntil) - now) / 1000))}s`;
}

function lastError({ lastError: error }: ChannelReport, now: number): string {
  return error === null ? '-' : `${age(error.at, now)} ago: ${asLine(error.message)}`;
}
