// Where no times of an earlier run are known, Jest begins with the largest files. What describes a whole ledger in a few
// lines takes longest, and would be begun last: then one worker is at it while the others have nothing to do.
import TestSequencer from '@jest/test-sequencer';

const LONGEST =
  /\/(?:ledger-(?:sqlite|postgres)-(?:work|rules|operating)|rule-histories|kill|power-cut|power-cut-between)\.[a-z-]*spec\.ts$/;

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const sorted = super.sort(tests);
    const isLongest = ({ path }) => LONGEST.test(path);
    return [...sorted.filter(isLongest), ...sorted.filter((test) => !isLongest(test))];
  }
}
