import { readFile } from 'node:fs/promises';
import { REJECTIONS } from '../../src/hooks/ports/rejection.ts';
import { OPS_REFUSALS, SERVICE_REFUSALS } from '../../src/service/refusals.ts';

interface Row {
  readonly code: string;
  readonly status: number;
  readonly sentence: string;
}

function rowsOf(section: string): Row[] {
  return Array.from(section.matchAll(/^\| `(\w+)` +\| (\d+) +\| (.*?) +\|$/gm), (match) => ({
    code: match[1] ?? '',
    status: Number(match[2]),
    sentence: (match[3] ?? '').replaceAll('\\<', '<'),
  }));
}

function listed(table: Readonly<Record<string, { status: number; sentence: string }>>): Row[] {
  return Object.entries(table).map(([code, entry]) => ({ code, ...entry }));
}

describe('docs/errors.md', () => {
  it('lists exactly the codes, statuses and sentences of the three catalogues', async () => {
    const text = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const [hooks = '', ops = '', service = ''] = text.split(/^## .*$/m);
    expect(rowsOf(hooks)).toEqual(listed(REJECTIONS));
    expect(rowsOf(ops)).toEqual(listed(OPS_REFUSALS));
    expect(rowsOf(service)).toEqual(listed(SERVICE_REFUSALS));
  });

  it('has no 4xx for our own trouble', () => {
    const own = [
      'event_queue_full',
      'intake_busy',
      'paused',
      'shutting_down',
      'store_unavailable',
    ] as const;
    for (const code of own) expect(REJECTIONS[code].status).toBe(503);
  });
});
