import { checkFolders } from './check.ts';
import { OWN_FOLDERS, readFolders } from './folders.ts';

const own = readFolders(OWN_FOLDERS);

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

  const ask = { method: 'POST', at: { field: 'type' }, is: 'ping' };
  const pong = { when: ask, from: 'verified', answer: { status: 200 } };
  it.each<[string, object, string]>([
    ['one asked of nobody', { ...pong, from: 'friends' }, 'from must be one of'],
    [
      'one of no method',
      { ...pong, when: { ...ask, method: 'PUT' } },
      'when.method must be one of',
    ],
    ['an unknown key', { ...pong, run: 'x' }, 'run is not a known key'],
    ['a status that is none', { ...pong, answer: { status: 302 } }, 'answer.status must not be'],
    [
      'a part that is none',
      { ...pong, answer: { status: 200, text: '{env:HOME}' } },
      'answer.text',
    ],
    [
      'a long text',
      { ...pong, answer: { status: 200, text: 'x'.repeat(201) } },
      'answer.text must',
    ],
    [
      'a nested answer',
      { ...pong, answer: { status: 200, json: { a: { b: 'c' } } } },
      'answer.json must be numbers',
    ],
    [
      'a header that a proxy obeys',
      { ...pong, answer: { status: 200, headers: { 'x-accel-redirect': '{field:a}' } } },
      'answer.headers must be',
    ],
    [
      'a body that is read for strangers',
      { ...pong, from: 'anybody' },
      'from must be verified, since a body',
    ],
    [
      'an HMAC for strangers',
      {
        when: { method: 'GET' },
        from: 'anybody',
        answer: {
          status: 200,
          text: '{hmac}',
          hmac: { of: { field: 'a' }, hash: 'sha256', encoding: 'hex' },
        },
      },
      'from must be verified',
    ],
    ['an HMAC of nothing', { ...pong, answer: { status: 200, text: '{hmac}' } }, 'answer.hmac and'],
    [
      'any POST of strangers',
      { when: { method: 'POST' }, from: 'anybody', answer: { status: 200 } },
      'when.at is missing',
    ],
    [
      'a verified GET',
      { when: { method: 'GET' }, from: 'verified', answer: { status: 200 } },
      'when.method must be POST',
    ],
    [
      'the header of a proxy',
      {
        when: { method: 'GET', at: { header: 'x-forwarded-for' } },
        from: 'anybody',
        answer: { status: 200 },
      },
      'when.at names a header of credentials',
    ],
    [
      'a header that asks nothing',
      { ...pong, answer: { status: 200, text: '{header:x-internal}' } },
      'answer can repeat no header but',
    ],
    [
      'a secret that is repeated in the body',
      {
        when: { method: 'POST', at: { field: 'token' } },
        from: 'awaited',
        answer: { status: 200, text: '{field:token}' },
      },
      'answer can say no more than',
    ],
    [
      'a secret in an address',
      {
        when: { method: 'POST', at: { query: 'token' } },
        from: 'awaited',
        answer: { status: 200 },
      },
      'when.at must be a header or a field',
    ],
    [
      'two bodies',
      { ...pong, answer: { status: 200, text: 'a', json: {} } },
      'answer must be text',
    ],
    ['a body with 204', { ...pong, answer: { status: 204, text: 'a' } }, 'answer.status says that'],
    [
      'nothing to compare',
      { when: { method: 'GET', is: 'x' }, from: 'anybody', answer: { status: 200 } },
      'when.at is missing; say what is compared',
    ],
    [
      'a verify token beside a proof',
      { ...pong, when: { ...ask, verifyToken: 'v' } },
      'when.verifyToken has no meaning',
    ],
  ])('names file and key of %s in a handshake', (_, handshake, expected) => {
    const [first, ...others] = problemsOf('stripe', 'scheme', { handshakes: [handshake] });
    expect(first).toContain(`senders/stripe/scheme.json5: handshakes[0].${expected}`);
    expect(others).toEqual([]);
  });

  it('names a handshake that needs a secret, of a sender that signs nothing', () => {
    const when = { method: 'GET', verifyToken: 'v' };
    const handshakes = [{ when, from: 'anybody', answer: { status: 200 } }];
    expect(problemsOf('okta', 'scheme', { handshakes })).toEqual([
      expect.stringContaining(
        'handshakes[0].when and answer have no secret of a sender that signs',
      ),
    ]);
  });

  it.each<[string, object, string]>([
    ['an unknown key', { messageTemplat: 'x' }, 'messageTemplat is not a known key'],
    ['an id of its own', { id: 'x' }, 'id is that of the folder'],
    [
      'a task without an end',
      { task: 'Do it.' },
      'task must be {report: […]}, {answer: […]} or both',
    ],
    ['no setup', { setup: undefined }, 'setup must be an array'],
    ['a case of another', { cases: [{ id: 'x' }] }, 'cases[0].id must begin with github-'],
    ['a wrong case', { cases: [{ id: 'github-x', name: 1 }] }, 'cases[0].name must be a string'],
  ])('names file and key of %s in a preset', (_, change, expected) => {
    const [first, ...others] = problemsOf('github', 'preset', change);
    expect(first).toContain(`senders/github/preset.json5: ${expected}`);
    expect(others).toEqual([]);
  });
});
