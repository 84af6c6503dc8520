import type { LedgerInstance } from '../../hooks/index.ts';
import { findInstance } from './instances.ts';

const started = { startedAt: '2026-01-01T00:00:00.000Z', seenAt: '2026-01-01T00:00:00.000Z' };
const state = { version: '1.0.0', configuration: null, isThis: false, draining: false };
const instance = (id: string, name: string): LedgerInstance => {
  return { ...started, ...state, id, name, underWay: 0 };
};
const LIST = [
  instance('6f1f', 'pod-a 7'),
  instance('6f20', 'pod-b 7'),
  instance('0b1c', 'pod-b 8'),
];
const named = (word: string, instances: readonly LedgerInstance[] | null = LIST) =>
  findInstance(instances, word).id;

describe('findInstance', () => {
  it.each([
    ['6f1f', '6f1f'],
    ['6f2', '6f20'],
    ['pod-a 7', '6f1f'],
    ['pod-a', '6f1f'],
    ['pod-b 8', '0b1c'],
  ])('knows %p', (word, id) => {
    expect(named(word)).toBe(id);
  });

  it.each([
    ['pod', 'no service'],
    ['7', 'no service'],
    ['', '3 services'],
    ['6f', '2 services'],
    ['pod-b', '2 services'],
  ])('refuses %p', (word, why) => {
    expect(() => named(word)).toThrow(why);
  });

  it('refuses every word where the ledger is a file', () => {
    expect(() => named('6f1f', null)).toThrow('the ledger is a file');
  });
});
