import './platform/required-node.ts';
export { memoryLedger } from './adapters/sqlite/index.ts';
