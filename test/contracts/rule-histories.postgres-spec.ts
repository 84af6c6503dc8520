import { SharedDatabase } from '../postgres/shared-database.ts';
import { runs } from '../support/rounds.ts';
import { describeRuleHistories } from './rule-histories.contract.ts';

const database = SharedDatabase.inThisFile();

describeRuleHistories('three services on PostgreSQL', {
  histories: runs(10),
  instances: 3,
  open: () => database.empty(),
});
