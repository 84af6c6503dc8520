import { describeAccepting } from './ledger/accepting.contract.ts';
import { describeActivity } from './ledger/activity.contract.ts';
import { describeAudit } from './ledger/audit.contract.ts';
import { describeChannelPlaces } from './ledger/channel-places.contract.ts';
import { describeClaiming } from './ledger/claiming.contract.ts';
import { describeConsoleSessions } from './ledger/console-sessions.contract.ts';
import { describeCrashes } from './ledger/crashes.contract.ts';
import { describeFairness } from './ledger/fairness.contract.ts';
import { describeHookUses } from './ledger/hook-uses.contract.ts';
import { describeParts } from './ledger/parts.contract.ts';
import { describeOperations } from './ledger/operations.contract.ts';
import { describeErasing } from './ledger/erasing.contract.ts';
import { describePruning } from './ledger/pruning.contract.ts';
import { describeRules } from './ledger/rules.contract.ts';
import { describeBudgets } from './ledger/budgets.contract.ts';
import { describeRefusals } from './ledger/refusals.contract.ts';
import { describeSessions } from './ledger/sessions.contract.ts';
import { describeSearching } from './ledger/searching.contract.ts';
import { describeSettling } from './ledger/settling.contract.ts';
import { describeEventDetails } from './ledger/event-details.contract.ts';
import { describeEventFeed } from './ledger/event-feed.contract.ts';
import { describeEventList } from './ledger/event-list.contract.ts';
import { describeTranscripts } from './ledger/transcripts.contract.ts';
import { describeWaits } from './ledger/waits.contract.ts';
import type { OpenStore } from './ledger/store.ts';

type Part = (openStore: OpenStore) => void;

/** In files of their own, which several workers run at once. */
const PARTS = {
  work: [
    describeAccepting,
    describeClaiming,
    describeFairness,
    describeChannelPlaces,
    describeParts,
    describeCrashes,
    describeSettling,
    describeSessions,
    describeTranscripts,
  ],
  rules: [describeWaits, describeRules, describeBudgets],
  operating: [
    describeEventDetails,
    describeEventFeed,
    describeEventList,
    describeSearching,
    describeOperations,
    describeRefusals,
    describeAudit,
    describeConsoleSessions,
    describeActivity,
    describeHookUses,
    describeErasing,
    describePruning,
  ],
} satisfies Record<string, readonly Part[]>;

/** @param parts all of a kind, or those alone in which this store may differ from one that has passed them all */
export function describeLedger(
  name: string,
  openStore: OpenStore,
  parts: keyof typeof PARTS | readonly Part[],
): void {
  describe(`a ledger in ${name}`, () => {
    for (const describePart of typeof parts === 'string' ? PARTS[parts] : parts)
      describePart(openStore);
  });
}
