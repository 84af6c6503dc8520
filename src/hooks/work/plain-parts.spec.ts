import { makeChannel } from '../../adapters/channels/providers.ts';
import { plainParts } from './plain-parts.ts';

const CHANNELS = [
  makeChannel('imessage', { apiRoot: 'http://127.0.0.1', password: 'p' }),
  makeChannel('whatsapp', { token: 't', phoneNumberId: '1' }),
  makeChannel('telegram', { token: '1:t' }),
];

describe('plainParts', () => {
  it.each([
    'http`:`//evil.`com`',
    'ht**tp**s**:**//ev**i**l.c**o**m',
    'http:_/_/evil~~.~~com',
    '**http:**//evil.*com*',
    '# http:__/__/evil`.`com',
    'http\ue03a\ue02f/evil\ue02ecom',
    '`http\ue03a//evil\ue02ecom` http\ue03a//evil\ue02e*c*om',
  ])('%j is no link in any form', (markdown) => {
    for (const channel of CHANNELS) {
      expect(plainParts(channel, markdown).join('')).not.toMatch(/http:\/\/|evil\.com/);
    }
  });

  it('keeps the markup of what hides nothing', () => {
    const reply = '# Done\n\n`a_b` took **5** s, see [it](https://a.example/x) and ada@b.example';
    expect(CHANNELS.map((channel) => plainParts(channel, reply)[0]?.split('\n')[2])).toEqual([
      'a_b took 5 s, see it (hxxps://a[.]example/x) and ada@b[.]example',
      '`a_b` took *5* s, see it (hxxps://a[.]example/x) and ada@b[.]example',
      '`a_b` took **5** s, see it (hxxps://a[.]example/x) and ada@b[.]example',
    ]);
  });
});
