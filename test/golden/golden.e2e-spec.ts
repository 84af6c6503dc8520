import { isRecord } from '../../src/platform/objects.ts';
import { startHost } from './host.ts';
import { hosts } from './hosts.ts';
import { concerns, expectedAnswers, record, wantedAnswers } from './recording.ts';
import type { Recording } from './recording.ts';
import { replay } from './replay.ts';
import type { GoldenAnswers } from './replay.ts';
import { wantedChanges } from './wanted-changes.ts';

/**
 * Proves that no answer changes: every host of `hosts.ts` is sent its requests, and the answers are compared with those
 * of version 1 (commit 78dfe3f), but for what `wanted-changes.ts` lists.
 * `GOLDEN=record` writes `answers/` anew. That is for version 1 alone: to add a request or a host, copy this folder into
 * a checkout of 78dfe3f, record there, and bring the folder back.
 */
const isRecording = process.env['GOLDEN'] === 'record';

/** Exactly that, but a later version may show more of an action than was recorded. */
function like(answers: GoldenAnswers | undefined): unknown {
  return answers?.map((answer) => ({
    ...answer,
    stored: answer.stored.map((event) => ({
      ...event,
      actions: event.actions.map((action) => expect.objectContaining(sayable(action)) as unknown),
    })),
  }));
}

/** Who named a recipient is said in other words than in version 1, and only where there is one. */
function sayable({ deliver, ...action }: { readonly deliver?: unknown }): object {
  if (!isRecord(deliver)) return deliver === undefined ? action : { ...action, deliver };
  const { toFrom: _words, ...target } = deliver;
  return { ...action, deliver: expect.objectContaining(target) };
}

describe.each(hosts)('the host $name', (host) => {
  const titles = Object.keys(host.requests);
  let answers: Map<string, GoldenAnswers>;
  let expected: Recording;

  beforeAll(async () => {
    const running = await startHost(host);
    try {
      answers = await replay(host, running);
    } finally {
      await running.close();
    }
    if (isRecording) record(host.name, answers);
    expected = expectedAnswers(host.name, wantedChanges);
  });

  it.each(titles)('answers as before: %s', (title) => {
    expect(answers.get(title)).toEqual(like(expected[title]));
  });

  it('is asked all that was recorded', () => {
    expect(titles).toEqual(Object.keys(expected));
  });
});

describe('a wanted change', () => {
  it.each(wantedChanges)('names what exists: $reason', (change) => {
    const concerned = hosts.filter(({ name }) => concerns(change, name));
    expect(concerned).not.toEqual([]);
    for (const { name, requests } of concerned) {
      expect(Object.keys(requests)).toEqual(expect.arrayContaining([...change.requests]));
      for (const title of change.requests) expect(wantedAnswers(change, name, title)).toBeDefined();
    }
  });
});
