import type { Random } from './random.ts';

const COMMON =
  `the of and a to in is you that it he was for on are as with his they I at be this have from or one had
by word but not what all were we when your can said there use an each which she do how their if will up other about out
many then them these so some her would make like him into time has look two more write go see number no way could people
my than first water been call who oil its now find long down day did get come made may part please server again still
fine restart check wait until tomorrow customer order invoice ticket service error log file host disk memory queue done`
    .split(/\s+/)
    .filter((word) => word !== '');
const SYLLABLES =
  'ba co du fe gi ho ju ka le mi no pu ra se ti vo wa xe yu zo bre cli dra flo gru pla'.split(' ');

/** What people say who say little. */
export const SHORT = [
  'ok',
  'yes',
  'no',
  'thanks',
  'do it',
  'why?',
  'and now?',
  'ok do it',
  'yes please',
  '👍',
  'fine',
  'go on',
];

function word(random: Random): string {
  if (random.chance(0.65)) return random.pick(COMMON.slice(0, random.pick([20, 60, 140])));
  const count = random.between(1, 3);
  return Array.from({ length: count }, () => random.pick(SYLLABLES)).join('');
}

/** So many words, with ids, signs and lines as people and models write them. */
export function sentence(random: Random, words: number): string {
  const parts: string[] = [];
  for (let n = 0; n < words; n += 1) {
    let next = word(random);
    if (random.chance(0.04)) next = `**${next}**`;
    if (random.chance(0.03)) next = `[${next}](https://${word(random)}.example/${word(random)})`;
    if (random.chance(0.04)) next = `#${random.between(100, 99_999)}`;
    if (random.chance(0.02)) next = `"${next}" & <${word(random)}>`;
    if (random.chance(0.02)) next = `${next}'s`;
    parts.push(
      next + (random.chance(0.1) ? random.pick(['.', ',', '?', '!', '.\n', '\n\n- ']) : ''),
    );
  }
  return parts.join(' ');
}

/** What a hop makes of a text: the same each time, but for ids and times, and where it cuts what is long. */
export type Hop = (text: string, random: Random) => string;

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
const id = (random: Random): string => `${random.between(1e5, 1e9)}`;
const time = (random: Random): string =>
  new Date(Date.UTC(2026, 0, 1) + random.between(0, 1e10)).toISOString();

/** A hop of one of many kinds. */
export function hop(random: Random): Hop {
  const name = sentence(random, random.between(1, 4)).replace(/\W+/g, ' ');
  const most = random.between(120, 900);
  return random.pick<Hop>([
    (text, now) => JSON.stringify({ id: id(now), source: name, text, at: time(now) }),
    (text, now) => JSON.stringify({ event: { id: id(now), body: JSON.stringify({ text }) } }),
    (text) => escape(text),
    (text) => `<p>${escape(text).replaceAll('\n', '<br>')}</p>`,
    (text) => `FW: ${text}`,
    (text, now) => `[${name} ${id(now)}] ${text}`,
    (text, now) => `${text}\n\n-- \nsent by ${name} at ${time(now)}`,
    (text) => (text.length > most ? `${text.slice(0, most)}…` : text),
    (text) => text.replace(/^/gm, '> '),
    (text) => text.replace(/\s+/g, ' ').trim(),
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => `“${text}”`,
    (text) => text.replaceAll(/[*_`]/g, ''),
    (text) => text.replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, '<$2|$1>'),
  ]);
}
