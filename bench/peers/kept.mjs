// What is left of the requests that a program has answered with 200 when it is killed under load (kill -9) and started
// again. That is a death of the process, not of the machine: what was written and not fsynced counts as kept.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NUMBER } from '../load.mjs';
import { OPERATOR_TOKEN, REQUESTS } from '../services.mjs';

const SENDERS = 16;
const ANSWERS_BEFORE_KILL = 500;
/** For a program that reads its state after it listens. */
const SETTLE_MS = 1000;

/**
 * @typedef {object} Accepted a request that was answered 200
 * @property {number} number that its text has, and no other text
 * @property {string} answer the body of the answer
 */

/**
 * @param {() => Promise<Server>} start of the program, in the same directory each time.
 * @param {import('./programs.mjs').Program['kept']} kept
 */
export async function killUnderLoad(start, kept) {
  const server = await start();
  const accepted = [];
  const senders = Array.from({ length: SENDERS }, (_, n) => send(server, n, accepted));
  while (accepted.length < ANSWERS_BEFORE_KILL) await delay(1);
  await server.stop('SIGKILL');
  await Promise.all(senders);
  const again = await start();
  await delay(SETTLE_MS);
  try {
    return { accepted: accepted.length, kept: await kept(again, accepted) };
  } finally {
    await again.stop();
  }
}

/** One request after the other until the program is gone. */
async function send(server, sender, accepted) {
  const { headers, body } = REQUESTS.later;
  for (let n = 0; ; n += 1) {
    const number = 2_000_000_000 + sender * 1_000_000 + n;
    try {
      const text = body.replace(NUMBER, number);
      const answer = await fetch(`${server.url}/hooks/wake`, {
        method: 'POST',
        headers,
        body: text,
      });
      if (answer.status === 200) accepted.push({ number, answer: await answer.text() });
    } catch {
      return;
    }
  }
}

/** Asks for each event by the id that its sender was given. */
export async function askOperator(server, accepted) {
  const authorization = `Bearer ${OPERATOR_TOKEN}`;
  let kept = 0;
  for (const { number, answer } of accepted) {
    const url = `${server.url}/ops/api/events/${JSON.parse(answer).eventId}`;
    const event = await fetch(url, { headers: { authorization } });
    if ((await event.text()).includes(String(number))) kept += 1;
  }
  return kept;
}

/** Looks for each text in every file below the program's directory, whatever the file is for. */
export function searchFiles(server, accepted) {
  const files = readdirSync(server.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const isKept = ({ number }) => files.some((text) => text.includes(String(number)));
  return Promise.resolve(accepted.filter(isKept).length);
}
