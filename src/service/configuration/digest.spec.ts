import { configurationDigest } from './digest.ts';

const SECTIONS = {
  hooks: { token: 'a', mappings: [{ id: 'x' }] },
  store: { dir: 'a', search: true },
};

describe('the digest of a configuration', () => {
  it('is the same wherever a service listens and keeps its files, and in whatever order keys stand', () => {
    const there = {
      gateway: {},
      store: { search: true, postgres: { url: 'x' }, dir: 'b' },
      hooks: { mappings: [{ id: 'x' }], token: 'a' },
    };
    const here = { ...SECTIONS, gateway: { port: 1, host: '0.0.0.0' } };
    expect(configurationDigest(here)).toBe(configurationDigest(there));
    expect(configurationDigest(here)).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each([
    ['a token', { ...SECTIONS, hooks: { ...SECTIONS.hooks, token: 'b' } }],
    ['the order of a list', { ...SECTIONS, hooks: { token: 'a', mappings: [{}, { id: 'x' }] } }],
    ['retention', { ...SECTIONS, store: { eventDays: 3, search: true } }],
    ['a section', { ...SECTIONS, agents: {} }],
  ])('tells %s apart', (_title, other) => {
    expect(configurationDigest(other)).not.toBe(configurationDigest(SECTIONS));
  });
});
