import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import type { Ledger } from '../../hooks/ports/ledger.ts';
import type { AllCalls, Opening, ReaderCalls, WriterCalls } from './calls.ts';
import { LaneBells } from './lane-bells.ts';
import { SqliteConversations } from './sqlite-conversations.ts';
import { SqliteIntake } from './sqlite-intake.ts';
import { SqliteOperations } from './sqlite-operations.ts';
import { SqliteStories } from './sqlite-stories.ts';
import { SqliteUpkeep } from './sqlite-upkeep.ts';
import { SqliteWorkLedger } from './sqlite-work-ledger.ts';
import { ReaderThread } from './reader-thread.ts';
import { ThreadLink } from './thread-link.ts';
import type { Caller } from './thread-link.ts';
import { startThread } from './threads.ts';

/** Opens the ledger of a directory, or one in memory. */
export async function openSqliteLedger(dir: string | null, clock: Clock): Promise<Ledger> {
  const worker = startThread('writer', { dir, now: clock.now() });
  await opened(worker, dir ?? 'memory');
  const bells = new LaneBells(clock);
  if (dir === null) {
    const link = new ThreadLink<AllCalls>(worker, clock, (lanes) => bells.ring(lanes));
    return ledgerOf({ bells, writer: link, reader: link, close: () => link.close() });
  }
  const writer = new ThreadLink<WriterCalls>(worker, clock, (lanes) => bells.ring(lanes));
  const reader = new ReaderThread(dir, clock);
  const close = async () => {
    await reader.close();
    await writer.close();
  };
  return ledgerOf({ bells, writer, reader, close });
}

async function opened(worker: Worker, name: string): Promise<void> {
  const [opening]: Opening[] = await once(worker, 'message');
  if (opening?.refusal === null) return;
  throw new Error(`the ledger in ${name} cannot be used: ${opening?.refusal}`);
}

interface Parts {
  readonly bells: LaneBells;
  readonly writer: Caller<WriterCalls>;
  readonly reader: Caller<ReaderCalls>;
  readonly close: () => Promise<void>;
}

function ledgerOf({ bells, writer, reader, close }: Parts): Ledger {
  return {
    intake: new SqliteIntake(writer),
    work: new SqliteWorkLedger(writer, bells),
    conversations: new SqliteConversations(writer),
    stories: new SqliteStories(reader),
    operations: new SqliteOperations(writer, reader),
    upkeep: new SqliteUpkeep(writer, async () => {
      const closed = close();
      bells.ringAll();
      await closed;
    }),
  };
}
