import { jest } from '@jest/globals';

const LIBRARIES = ['imapflow', 'mailparser', 'html-to-text', 'css-tree', 'css-select'];
const loaded: string[] = [];
for (const name of LIBRARIES) {
  jest.unstable_mockModule(name, () => {
    loaded.push(name);
    return {};
  });
}
await import('./index.ts');
await import('../app.module.ts');

describe('a service without hooks.mail', () => {
  it('imports no library of mail', () => {
    expect(loaded).toEqual([]);
  });
});
