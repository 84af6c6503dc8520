import type { Preview } from '../../hooks/index.ts';
import { PLAIN } from '../text-layout.ts';
import { previewLines } from './preview.ts';

const PREVIEW: Preview = {
  hook: 'ci',
  mapping: 'ci',
  considered: [],
  actions: [],
  rules: [],
  warnings: [],
  console: [],
  skipped: null,
  refusal: null,
  failure: null,
  ms: 1,
  draft: null,
};

describe('a preview as an operator reads it', () => {
  it('shows the messages of a delivery without an agent, and where they would go', () => {
    const delivered = {
      kind: 'deliver',
      prompt: '',
      message: 'Build https://a.example',
      messages: ['(1/2)\n\nBuild hxxps://a[.]example', '(2/2)\n\n\u001b[2Jdone'],
      delivery: 'chan_1, recipient +1',
    } as const;
    const text = previewLines({ ...PREVIEW, actions: [delivered] }, PLAIN).join('\n');
    expect(text).toContain('chan_1, recipient +1');
    expect(text).toContain('Build hxxps://a[.]example');
    expect(text).toContain('message 2, as it would be sent');
    expect(text).not.toContain('prompt');
    expect(text).not.toContain('\u001b');
  });
});
