import { createInterface } from 'node:readline';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { LIMITS, event } from '../contracts/ledger/events.ts';

// A process of its own with an open ledger: says `open` or why not, then stores an event of as many bytes as each line
// on its standard input says.
const [, , dir = ''] = process.argv;

async function accept(bytes: number, ledger: Awaited<ReturnType<typeof open>>): Promise<string> {
  try {
    const payload = JSON.stringify('x'.repeat(bytes));
    return (await ledger.intake.accept(event({ payload }), LIMITS)).outcome;
  } catch (error) {
    return String(error);
  }
}

function open() {
  return sqliteLedger({ dir }).open(new SystemClock());
}

try {
  const ledger = await open();
  console.log('open');
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(await accept(Number(line), ledger));
  }
  await ledger.maintenance.close();
} catch (error) {
  console.log(error instanceof Error ? error.message : 'broke');
}
