// What takes longest is begun first, or one worker would be at it at the end while the others have nothing to do. Jest
// knows the times of an earlier run only, and begins with the largest files where there was none.
import TestSequencer from '@jest/test-sequencer';

const LONGEST = new RegExp(
  [
    '(?:npm|commands|newcomer)\\.package',
    '(?:hosts|memory|swapped-files|clock|parts|outages)\\.faults',
    '(?:releases|trouble|disk|kill|instances|asleep)\\.postgres',
    'ledger-(?:sqlite|postgres)-(?:work|rules|operating)\\.',
    'service\\.mail',
    '(?:gateway-agent|command-agents)\\.real',
    '(?:journeys|every-view)\\.console',
    'stop\\.e2e',
  ].join('|'),
);

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const sorted = super.sort(tests);
    const isLongest = ({ path }) => LONGEST.test(path);
    return [...sorted.filter(isLongest), ...sorted.filter((test) => !isLongest(test))];
  }
}
