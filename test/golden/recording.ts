import { readFileSync, writeFileSync } from 'node:fs';
import type { GoldenAnswer, GoldenAnswers } from './replay.ts';
import type { WantedChange } from './wanted-changes.ts';

/** What one host answered, by title. */
export type Recording = Record<string, GoldenAnswers>;

const fileOf = (host: string): URL => new URL(`answers/${host}.json`, import.meta.url);

/** One line each for status, headers, body and what was stored, so that a diff of the file can be read. */
export function record(host: string, answers: ReadonlyMap<string, GoldenAnswers>): void {
  const lines = (answer: GoldenAnswer): string =>
    Object.entries(answer)
      .map(([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(',\n');
  const entries = [...answers].map(([title, steps]) => {
    const blocks = steps.map((answer) => `    {\n${lines(answer)}\n    }`);
    return `  ${JSON.stringify(title)}: [\n${blocks.join(',\n')}\n  ]`;
  });
  writeFileSync(fileOf(host), `{\n${entries.join(',\n')}\n}\n`);
}

function recorded(host: string): Recording {
  return JSON.parse(readFileSync(fileOf(host), 'utf8')) as Recording;
}

/** What version 1 answered, or what is wanted instead by now. */
export function expectedAnswers(host: string, changes: readonly WantedChange[]): Recording {
  const expected = recorded(host);
  for (const change of changes) {
    if (!change.isMade || !concerns(change, host)) continue;
    for (const title of change.requests) expected[title] = wantedAnswers(change, host, title);
  }
  return expected;
}

export function concerns({ hosts, exceptHosts = [] }: WantedChange, host: string): boolean {
  return (hosts === 'all' || hosts.includes(host)) && !exceptHosts.includes(host);
}

export function wantedAnswers(
  { expected, reason }: WantedChange,
  host: string,
  title: string,
): GoldenAnswers {
  if (typeof expected === 'function') {
    const { [title]: steps = [], wake: [wake] = [] } = recorded(host);
    if (wake === undefined) throw new Error(`no wake was recorded for "${reason}": ${host}`);
    return steps.map((step) => expected(step, wake, title));
  }
  if (isAnswers(expected)) return expected;
  const answers = recorded(expected.host ?? host)[expected.request ?? title];
  if (answers === undefined) throw new Error(`nothing was recorded for "${reason}": ${title}`);
  const { path } = expected;
  return path === undefined ? answers : answers.map((answer) => storedUnder(answer, path));
}

function storedUnder(answer: GoldenAnswer, path: string): GoldenAnswer {
  const stored = answer.stored.map((event) => ({
    ...event,
    request: { ...(event.request as object), path },
  }));
  return { ...answer, stored };
}

function isAnswers(
  expected: Exclude<WantedChange['expected'], (...args: never) => unknown>,
): expected is GoldenAnswers {
  return Array.isArray(expected);
}
