import { marksOf, repetition, stretchesOf, wordsOf } from './repeated-words.ts';

const REPLY =
  'I have restarted <the service> & its queue is empty again, see [log](https://a.example/b)';

function of(text: string, reply = REPLY) {
  return repetition(wordsOf(text), wordsOf(reply));
}

describe('repetition', () => {
  it.each([
    [
      'JSON in JSON',
      JSON.stringify({ body: JSON.stringify({ text: `${REPLY}\n\t` }) }),
      ['body', 'text'],
    ],
    ['HTML', `<p>${REPLY.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}<br></p>`, []],
    [
      'HTML that was escaped twice',
      REPLY.replaceAll('&', '&amp;amp;').replaceAll('<', '&amp;lt;'),
      [],
    ],
    ['quote marks, other case and blanks', `> ${REPLY.toUpperCase().replaceAll(' ', '\n>  ')}`, []],
    ['signs that nobody sees', REPLY.replaceAll('e', 'e\u200b'), []],
    ['ids and times', `#4711 ${REPLY} 2026-11-28T03:00:00Z`, []],
    ['links as they are shown in what is sent', REPLY.replace('https', 'hxxps'), []],
    ['a frame', `FW: ${REPLY}\n-- \nsent by a bot`, ['fw', 'sent', 'by', 'a', 'bot']],
  ])('finds a text in %s', (_what, text, others) => {
    expect(of(text)).toMatchObject({ share: 1, shareOfHead: 1, isWhole: true, others });
  });

  it('finds how it begins where the rest was cut off, also within a word or a sign', () => {
    const cut = of(`FW: ${REPLY.slice(0, 60)}`);
    expect(cut).toMatchObject({ shareOfHead: 1, isWhole: false, others: ['fw'] });
    const escaped = REPLY.replaceAll('&', '&amp;');
    const within = escaped.slice(0, escaped.indexOf('&amp;') + 3);
    expect(of(`FW: ${within}`)).toMatchObject({ others: ['fw'] });
  });

  it.each(['…', '...'])('leaves out what is left of a word before %s', (sign) => {
    const cut = of(`FW: ${REPLY.slice(0, REPLY.indexOf('empty') + 2)}${sign} at 3`);
    expect(cut).toMatchObject({ begins: 6, isWhole: false, others: ['fw', 'at'] });
  });

  it('finds each stretch once: what is said beside the reply that quotes it is said twice', () => {
    const alert = 'the disk of the database host is full';
    const reply = `You wrote: ${alert}. I have removed old files.`;
    expect(of(`${alert}\nnote: ${reply}`, reply).others.toSorted()).toEqual(
      [...new Set(wordsOf(`${alert} note`))].toSorted(),
    );
  });

  it('finds next to nothing in other words', () => {
    const { share, others } = of('I have restarted it myself, and now?');
    expect(share).toBeLessThan(0.2);
    expect(others).toEqual(['it', 'myself', 'and', 'now']);
  });

  it.each(['', 'ok', 'done, thanks', '\u0000', '&#99999999;', '&#x110000;', '\\u12'])(
    'finds nothing in %j, and breaks on nothing',
    (text) => {
      expect(of(text)).toMatchObject({ share: 0, repeated: 0 });
      expect(of(REPLY, text)).toMatchObject({ share: 0, repeated: 0 });
    },
  );

  it('takes signs for words where there are no blanks', () => {
    const reply = '服务已经重新启动，队列是空的';
    expect(of(`转发：${reply}`, reply)).toMatchObject({ share: 1, others: ['转', '发'] });
    expect(of(`${reply.slice(0, 8)}…`, reply)).toMatchObject({ begins: 6 });
  });
});

it.each(['\\\\', '&amp;', '<a ', '&', '> ', 'a', '.'])(
  'reads a text of nothing but %j in no time',
  (sign) => {
    const begin = process.cpuUsage();
    wordsOf(sign.repeat(100_000));
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000);
  },
);

describe('marksOf', () => {
  it('leaves out what is foreign, and is in a long part of the text', () => {
    const words = wordsOf(Array.from({ length: 400 }, (_, n) => letters(n)).join(' '));
    const marks = marksOf(words, new Set());
    expect(marks).toHaveLength(32);
    const part = new Set(stretchesOf(words.slice(100, 130)));
    expect(marks.some((mark) => part.has(mark))).toBe(true);
    expect(marksOf(words, new Set(stretchesOf(words)))).toEqual([]);
  });
});

/** A word of its own for each number. */
function letters(n: number): string {
  return `w${n.toString(26).replaceAll(/\d/g, (digit) => 'zyxwvutsrq'.charAt(Number(digit)))}`;
}
