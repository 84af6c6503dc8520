export { memoryLedger } from './adapters/ledger-sqlite/in-memory.ts';
