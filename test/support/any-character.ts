import * as fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/** As `unit: 'binary'` without halves of characters; that lists all of them in every test file, which takes over a second. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count));
