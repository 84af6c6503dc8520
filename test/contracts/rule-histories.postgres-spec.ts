import { SharedDatabase } from '../postgres/shared-database.ts';
import { describeRuleHistories } from './rule-histories.contract.ts';

const database = SharedDatabase.inThisFile();

describeRuleHistories('three services on PostgreSQL', {
  count: Number(process.env['RULE_HISTORIES'] ?? 40),
  instances: 3,
  mostMs: 10_000,
  open: () => database.empty(),
});
