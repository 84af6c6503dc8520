import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalRecord } from './journal.ts';
import { cutsOf, eventOf, fileNamed, record } from './power-cuts.ts';
import { ROUNDS } from './rounds.ts';

const BETWEEN = Math.min(5 * ROUNDS, 250);
/** Four send them, and not every answer lies between two writes. */
const EVENTS_FOR_BETWEEN = 120;

function betweenCommitAndAnswer(journal: readonly JournalRecord[], most: number): number[] {
  const log = fileNamed(journal, 'ledger.db-wal');
  const cuts: number[] = [];
  let isWritten = false;
  for (const [n, one] of journal.entries()) {
    if (one.kind === 'fsync-end' && one.file === log) isWritten = true;
    else if (one.kind === 'write' && one.file === log) isWritten = false;
    else if (isWritten && eventOf(one) !== undefined) cuts.push(n);
  }
  const step = Math.max(1, cuts.length / most);
  return Array.from({ length: Math.min(most, cuts.length) }, (_, n) => cuts[Math.floor(n * step)]!);
}

describe.each(['inline', 'thread'])(
  `${BETWEEN} power cuts between commit and answer, host %s`,
  (host) => {
    it('lose nothing that was promised, and leave a ledger that is whole', async () => {
      const dir = await mkdtemp(join(tmpdir(), 'hooks-power-'));
      const journal = await record(dir, { host, events: EVENTS_FOR_BETWEEN });
      const cuts = betweenCommitAndAnswer(journal, BETWEEN);
      expect(cuts).toHaveLength(BETWEEN);
      for await (const left of cutsOf(journal, dir, () => false, cuts)) {
        expect(left).toEqual({ promised: expect.any(Number), missing: [], integrity: 'ok' });
      }
      await rm(dir, { recursive: true });
    });
  },
);
