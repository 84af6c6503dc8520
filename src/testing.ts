import './platform/required-node.ts';
export { memoryLedger } from './ledger/sqlite/index.ts';
