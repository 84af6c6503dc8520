import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import * as fc from 'fast-check';
import { Channel } from '../ports/index.ts';
import { plainLinks, plainParts } from './links.ts';

describe('plainLinks: what would be a link or an image is plain text', () => {
  it.each([
    ['https://evil.com/?d=secret', 'hxxps://evil[.]com/?d=secret'],
    ['HTTP://EVIL.COM', 'HxxP://EVIL[.]COM'],
    ['[click](https://evil.com/a)', 'click (hxxps://evil[.]com/a)'],
    ['![](https://evil.com/a.png)', 'hxxps://evil[.]com/a.png'],
    ['![chart](<https://evil.com/a b>)', '![chart] (<hxxps://evil[.]com/a b>)'],
    ['[![a](https://a.com/i)](https://b.com)', '[a (hxxps://a[.]com/i)] (hxxps://b[.]com)'],
    ['[label][ref]', '[label] [ref]'],
    ['[ref]: https://evil.com', '[ref] : hxxps://evil[.]com'],
    ['<https://evil.com|label>', '<hxxps://evil[.]com|label>'],
    ['www.evil.com and data.evil.co.uk/x', 'www[.]evil[.]com and data[.]evil[.]co[.]uk/x'],
    ['<img src="//evil.com/x">', '<img src="//evil[.]com/x">'],
    ['ada@evil.com', 'ada@evil[.]com'],
    ['mailto:ada@evil.com', 'mailto :ada@evil[.]com'],
    ['tg://user?id=1', 'tg ://user?id=1'],
    ['`https://evil.com`', '`hxxps://evil[.]com`'],
    ['https&#58;//evil&#x2e;com', 'hxxps://evil[.]com'],
    ['https&colon;&sol;&sol;evil&period;com', 'hxxps://evil[.]com'],
    ['https\\://evil\\.com', 'hxxps://evil[.]com'],
    ['https:\\/\\/evil.com', 'hxxps://evil[.]com'],
    ['evil。com', 'evil[.]com'],
    ['münchen.рф and xn--e1a.xn--p1ai', 'münchen[.]рф and xn--e1a[.]xn--p1ai'],
    ['_evil.com_ __www.evil.com__', '_evil[.]com_ __www[.]evil[.]com__'],
    ['e\\_vil.com', 'e\\_vil[.]com'],
    ['evil.cc evil.tf evil.bz', 'evil[.]cc evil[.]tf evil[.]bz'],
    ['evile\u0301.com i❤️.ws', 'evile\u0301[.]com i❤️[.]ws'],
    ['evil&#38;#46;com', 'evil&#38;#46;com'],
    ['hxxps://evil[.]com', 'hxxps://evil[.]com'],
    ['http://127.0.0.1:8080/x', 'hxxp://127[.]0[.]0[.]1:8080/x'],
    ['_http://6.6.6.6/?d=1_', '_hxxp://6[.]6[.]6[.]6/?d=1_'],
    ['__![](http://100000000/?d=1)__', '__hxxp://100000000/?d=1__'],
    ['4http://evil/ _mailto:ada', '4hxxp://evil/ _mailto :ada'],
    ['6.6.6.6/?d=1 or 6.6.6.6?d=1', '6[.]6[.]6[.]6/?d=1 or 6[.]6[.]6[.]6?d=1'],
    ['6\\.6.6.6:80#x and 6.6.6.6/24x', '6[.]6[.]6[.]6:80#x and 6[.]6[.]6[.]6/24x'],
  ])('%j is %j', (markdown, plain) => {
    expect(plainLinks(markdown)).toBe(plain);
  });

  it.each([
    'Build 4711 of main failed: 3 of 120 tests, see src/app.ts and package.json.',
    'Hosts 10.0.0.5, 10.0.0.6:8080 and 10.0.0.0/24 of the hotel:5',
    'Version 1.2.3 costs 5.50, e.g. as an example; i.e. more...',
    '# Title\n\n- **bold** `code` [x] done\n\n```ts\nconst a = b[0](c);\n```'.replace(
      'b[0](c)',
      'b(c)',
    ),
    'Wie geht es dir? 你好。世界 – “quoted” (in brackets) a:b 10:30',
    'Array<string> | a && b; x = y ? 1 : 2',
  ])('%j stays as it is', (text) => {
    expect(plainLinks(text)).toBe(text);
  });

  it('whatever stands around an address, no client finds it', () => {
    const around = fc.string({ maxLength: 20 });
    const address = fc.constantFrom(
      'https://evil.com/x',
      'http://evil.com',
      'www.evil.com',
      'evil.com/x',
    );
    expect(() =>
      fc.assert(
        fc.property(around, address, around, (before, link, behind) => {
          const plain = plainLinks(`${before} ${link} ${behind}`);
          expect(plain).not.toMatch(/https?:\/\/|evil\.com/i);
          expect(plain).not.toMatch(/\]\(/);
        }),
        { numRuns: 2000 },
      ),
    ).not.toThrow();
  });

  it.each(['a.', '[', '](', 'https://', '&#58;', 'a.b/', '](a "', '[](a (', 'x-', 'a_', 'a:'])(
    'takes a hundred thousand of %j in linear time',
    (piece) => {
      const reading = (size: number) => plainLinks(piece.repeat(size));
      expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
    },
  );
});

class Unmarked extends Channel {
  override shown(part: string): string {
    return part.replaceAll(/[*_`]/g, '');
  }

  override async send() {
    return {};
  }
}

describe('plainParts: what comes together when markup is taken away', () => {
  it.each([
    ['web_shop: 2 * 3 in `a.ts`', 'web_shop: 2 * 3 in `a.ts`'],
    ['web_shop: 2 * 3 in __init__.py', 'web_shop: 2 * 3 in __init__[.]py'],
    ['web_shop: `evil`.**com**', 'web_shop: `evil`[.]**com**'],
    ['web_shop: **https**://evil.com', 'webshop: hxxps://evil[.]com'],
  ])('%j', (markdown, part) => {
    expect(plainParts(new Unmarked(), markdown)).toEqual([part]);
  });

  it.each(['a*.', '*', 'a.*', '.', '`.'])(
    'takes a hundred thousand of %j in linear time',
    (piece) => {
      const reading = (size: number) => plainParts(new Unmarked(), piece.repeat(size));
      expect(growth(reading, 100_000)).toBeLessThan(QUADRATIC);
    },
  );
});
