import { LastingMemory } from '../support/lasting-memory.ts';
import { runs } from '../support/rounds.ts';
import { describeRuleHistories } from './rule-histories.contract.ts';

describeRuleHistories('one service on SQLite', {
  histories: runs(20),
  instances: 1,
  open: () => new LastingMemory(),
});
