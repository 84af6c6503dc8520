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

const openStore = sqliteStore((dir) => sqliteLedger({ dir, host: 'thread' }));
const NAME = 'a SQLite file in a thread of its own';

if (ROUNDS === 1) describeLedger(NAME, openStore, MOVED);
else
  for (const parts of ['work', 'rules', 'operating'] as const)
    describeLedger(NAME, openStore, parts);
