import { maskedDocument } from './masked-document.ts';

const SECRET = String.raw`canary'7X\w2Lr9`;
const WRITTEN = String.raw`'canary\'7X\\w2Lr9'`;

describe('maskedDocument: a gateway.json5 that can be shown', () => {
  it.each([
    ['with escapes', `{ hooks: { token: ${WRITTEN} } }`],
    ['with its key quoted', `{ "hooks": { "to\\u006ben": ${JSON.stringify(SECRET)} } }`],
    ['over two lines', "{ hooks: { token: 'canary\\\n7X' } }"],
    ['in a list', `{ a: { token: [${WRITTEN}] } }`],
    ['in headers', `{ a: { headers: { 'x-any': ${WRITTEN} } } }`],
    ['in arguments', `{ a: { args: ['--token', ${WRITTEN}] } }`],
    ['in an address', `{ a: [{ url: 'https://me:canary7X@host.test' }] }`],
    ['twice under a key', `{ a: { token: ${WRITTEN}, token: '\${T}' } }`],
    ['and in a comment', "{ a: { token: 'canary7X' /* 'canary7X' */ } } // canary7X"],
  ])('without a secret that is written %s', (_, text) => {
    expect(maskedDocument(text)).not.toMatch(/canary|7X/u);
  });

  it('leaves everything else as it is written', () => {
    const text = "// Ours\n{ hooks: { token: '${HOOK_TOKEN}', path: '/hooks', n: [1, 'a'], }, }\n";
    expect(maskedDocument(text)).toBe(text);
    expect(maskedDocument("{ token: 'a', path: 'abc' }")).toBe("{ token: '***', path: 'abc' }");
    expect(maskedDocument('no JSON5')).toBe('no JSON5');
  });
});
