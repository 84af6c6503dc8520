import { checkFolders } from './check.ts';
import { OWN_FOLDERS, readFolders } from './folders.ts';

const own = readFolders(OWN_FOLDERS);

/** What is wrong with a scheme or preset of ours with other keys. */
function problemsOf(id: string, kind: 'preset' | 'scheme', change: object): string[] {
  const changed = { ...own[id]?.[kind], ...change };
  return checkFolders({ [id]: { [kind]: changed } }, 'senders').map(
    ({ key, message }) => `${key} ${message}`,
  );
}

describe('the files of senders', () => {
  it('are sound, all of ours', () => {
    expect(Object.keys(own).length).toBeGreaterThan(50);
    expect(checkFolders(own, 'senders')).toEqual([]);
  });

  const proof = own['stripe']?.scheme?.proofs[0];
  it.each<[string, object, string]>([
    ['an unknown key', { nmae: 'x' }, 'nmae is not a known key; remove it'],
    ['a proof of no kind', { proofs: [{ kind: 'magic' }] }, 'proofs[0].kind must be one of'],
    ['no algorithm', { proofs: [{ ...proof, algorithm: 'md5' }] }, 'proofs[0].algorithm must be'],
    [
      'a place that is none',
      { proofs: [{ ...proof, at: {} }] },
      "proofs[0].at must be {header: '…'}",
    ],
    ['a header in capitals', { proofs: [{ ...proof, at: { header: 'X-A' } }] }, 'proofs[0].at'],
    ['an unknown part', { proofs: [{ ...proof, signed: '{boddy}' }] }, 'proofs[0].signed must be'],
    ['a time that is nowhere', { timestamp: undefined }, 'proofs[0].signed has {timestamp}; say'],
    ['an id that is nowhere', { proofs: [{ ...proof, signed: '{id}{body}' }] }, 'proofs[0].signed'],
    ['an unknown handshake', { handshake: { kind: 'wave' } }, 'handshake must be of a kind'],
    ['half a handshake', { handshake: { kind: 'query-echo' } }, 'handshake must be of a kind'],
    ['an id rule that is none', { deliveryId: { headers: [] } }, 'deliveryId must be {headers'],
    [
      'a distance over a day',
      { timestamp: { at: { item: 't' }, unit: 's', toleranceSeconds: 1e6 } },
      'timestamp.toleranceSeconds',
    ],
  ])('names file and key of %s in a scheme', (_, change, expected) => {
    const [first, ...others] = problemsOf('stripe', 'scheme', change);
    expect(first).toContain(`senders/stripe/scheme.json5: ${expected}`);
    expect(others).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an unknown key', { messageTemplat: 'x' }, 'messageTemplat is not a known key'],
    ['an id of its own', { id: 'x' }, 'id is that of the folder'],
    ['a task without an end', { task: 'Do it.' }, 'task must be {report: […]} or {answer: […]}'],
    ['no setup', { setup: undefined }, 'setup must be an array'],
    ['a case of another', { cases: [{ id: 'x' }] }, 'cases[0].id must begin with github-'],
    ['a wrong case', { cases: [{ id: 'github-x', name: 1 }] }, 'cases[0].name must be a string'],
  ])('names file and key of %s in a preset', (_, change, expected) => {
    const [first, ...others] = problemsOf('github', 'preset', change);
    expect(first).toContain(`senders/github/preset.json5: ${expected}`);
    expect(others).toEqual([]);
  });
});
