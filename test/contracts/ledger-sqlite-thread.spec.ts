import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { ROUNDS } from '../support/rounds.ts';
import { sqliteStore } from '../support/sqlite-store.ts';
import { describeAccepting } from './ledger/accepting.contract.ts';
import { describeCrashes } from './ledger/crashes.contract.ts';
import { describeErasing } from './ledger/erasing.contract.ts';
import { describeSearching } from './ledger/searching.contract.ts';
import { describeLedger } from './ledger.contract.ts';

// What goes to a thread is the same as on the main thread, and moved by one line for all of it (thread-host.ts).
const MOVED = [describeAccepting, describeCrashes, describeErasing, describeSearching];

describeLedger(
  'a SQLite file in a thread of its own',
  sqliteStore((dir) => sqliteLedger({ dir, host: 'thread' })),
  ROUNDS === 1 ? MOVED : undefined,
);
