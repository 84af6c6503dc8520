import { LastingMemory } from '../support/lasting-memory.ts';
import { describeRuleHistories } from './rule-histories.contract.ts';

describeRuleHistories('one service on SQLite', {
  count: Number(process.env['RULE_HISTORIES'] ?? 300),
  instances: 1,
  mostMs: 200,
  open: () => new LastingMemory(),
});
