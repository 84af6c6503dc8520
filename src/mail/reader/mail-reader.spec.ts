import { globSync, readFileSync } from 'node:fs';
import { assert, asyncProperty, uint8Array } from 'fast-check';
import type { ParsedMail, ReadContext } from './parsed-mail.ts';
import { processMillisecondsOf } from '../../../test/support/cpu-time.ts';
import { FOUND_WAYS, OWN_WAYS, UNWRITTEN_WAYS } from '../../../test/support/hidden-texts.ts';
import { runs } from '../../../test/support/rounds.ts';
import { MailReader, ReaderPackageError, UnreadableMail } from './mail-reader.ts';

/** The longest attempt in milliseconds for what has to be read, however busy the machine is. */
const PATIENT_MS = 100_000;
/** How many times what an ordinary mail of its size costs a hostile one may cost; what grows as a square costs far more. */
const FEW = 10;
/** The same of styles: what css-tree and css-select are given is counted. */
const FEW_OF_STYLES = 5;

const MAILBOX: ReadContext = { charset: 'windows-1252' };

let reader: MailReader;
let patient: MailReader;
let usual: number;

beforeAll(async () => {
  reader = new MailReader();
  patient = new MailReader(PATIENT_MS);
  await Promise.all([reader.warmUp(), patient.warmUp()]);
  const ordinary = Buffer.from(html('<p>One of many ordinary lines</p>'.repeat(6000)));
  usual = await processMillisecondsOf(() => patient.read(ordinary, MAILBOX));
});

afterAll(() => Promise.all([reader.close(), patient.close()]));

function read(mail: string | Uint8Array, mailbox = MAILBOX): Promise<ParsedMail> {
  return reader.read(typeof mail === 'string' ? Buffer.from(mail) : mail, mailbox);
}

/** As bytes: each character is one. */
function readBytes(mail: string, mailbox = MAILBOX): Promise<ParsedMail> {
  return read(Buffer.from(mail, 'latin1'), mailbox);
}

function html(body: string): string {
  return `From: a@b.example\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}`;
}

function rules(rule: string | ((index: number) => string), count: number): string {
  const all = Array.from({ length: count }, (_, index) =>
    typeof rule === 'string' ? rule : rule(index),
  );
  return `<style>${all.join('')}</style>`;
}

/** With what it costs beside an ordinary mail of its size. */
async function patientlyRead(
  mail: string,
  mailbox = MAILBOX,
): Promise<{ mail: ParsedMail; cost: number }> {
  let found: ParsedMail | undefined;
  const cost = await processMillisecondsOf(async () => {
    found = await patient.read(Buffer.from(mail), mailbox);
  });
  if (found === undefined) throw new Error('nothing was read');
  return { mail: found, cost: cost / usual };
}

describe('a usual mail', () => {
  it('is read with encoded words, several recipients and its date', async () => {
    const mail = await read(
      [
        'From: =?utf-8?q?J=C3=BCrgen?= <J@Example.org>',
        'To: a@example.org, "B, C" <b@example.org>',
        'Subject: =?utf-8?b?w5xiZXJyYXNjaHVuZw==?=',
        'Date: Sat, 21 Nov 2026 10:00:00 +0100',
        'References: <1@x>',
        ' <2@x>',
        'Return-Path: <>',
        'X-Autoreply: yes',
        'X-Other: no',
        '',
        'Hello',
      ].join('\r\n'),
    );
    expect(mail).toMatchObject({
      from: '"Jürgen" <J@Example.org>',
      fromAddresses: ['j@example.org'],
      to: 'a@example.org, "B, C" <b@example.org>',
      subject: 'Überraschung',
      date: '2026-11-21T09:00:00.000Z',
      headers: { references: '<1@x> <2@x>', 'return-path': '<>', 'x-autoreply': 'yes' },
      text: 'Hello',
    });
  });

  it('names its attachments and prefers the plain part', async () => {
    const mail = await read(
      [
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: multipart/alternative; boundary=y',
        '',
        '--y',
        'Content-Type: text/plain',
        '',
        'Plain.',
        '--y',
        'Content-Type: text/html',
        '',
        '<b>HTML</b>',
        '--y--',
        '--x',
        'Content-Type: application/pdf; name="../../Rechnung.pdf"',
        'Content-Disposition: attachment',
        'Content-Transfer-Encoding: base64',
        '',
        'AAAA',
        '--x--',
      ].join('\r\n'),
    );
    expect(mail.text).toBe('Plain.');
    expect(mail.attachments).toEqual([
      { filename: '../../Rechnung.pdf', contentType: 'application/pdf', size: 3 },
    ]);
  });

  it('in HTML becomes the text that a person reads', async () => {
    const mail = await read(
      html(
        '<head><title>T</title><style>p{}</style></head><h1>Sale</h1><script>alert(1)</script><p>See <a href="https://x.example/?q=1">here</a>&nbsp;&amp; now</p><ul><li>one</li></ul><img src="https://t.example/pixel.gif" alt="pixel">',
      ),
    );
    expect(mail.text).toBe('Sale\n\nSee here [https://x.example/?q=1]\u00a0& now\n\n * one');
  });
});

describe('bytes that are not UTF-8', () => {
  const LATIN = 'Content-Type: text/plain; charset=iso-8859-1\r\n';
  const UTF8 = 'Content-Type: text/plain; charset="utf-8"\r\n';

  it.each([
    ['a subject without any charset', 'Subject: Qualit\xe4t\r\n\r\nx', { subject: 'Qualität' }],
    [
      'one in the charset of the text',
      `${LATIN}Subject: Qualit\xe4t\r\n\r\nx`,
      { subject: 'Qualität' },
    ],
    [
      'one in another charset of the text',
      'Content-Type: text/plain; charset=koi8-r\r\nSubject: \xf0\xd2\xc9\xd7\xc5\xd4\r\n\r\n\xf0\xd2\xc9\xd7\xc5\xd4',
      { subject: 'Привет', text: 'Привет' },
    ],
    [
      'one in the charset of the first part',
      'Subject: \xc4\xe3\xba\xc3\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset=gb2312\r\n\r\n\xc4\xe3\xba\xc3\r\n--x--',
      { subject: '你好', text: '你好' },
    ],
    [
      'one that says UTF-8 and is not',
      `${UTF8}Subject: Qualit\xe4t\r\n\r\nx`,
      { subject: 'Qualität' },
    ],
    [
      'one of a charset that nobody knows',
      'Content-Type: text/plain; charset=x-none\r\nSubject: \x80 5\r\n\r\nx',
      { subject: '€ 5' },
    ],
    ['a text without a charset', 'Subject: x\r\n\r\nQualit\xe4t', { text: 'Qualität' }],
    ['a text that says UTF-8 and is not', `${UTF8}\r\nQualit\xe4t`, { text: 'Qualität' }],
    ['a sender', 'From: J\xfcrgen <j@example.org>\r\n\r\nx', { from: '"Jürgen" <j@example.org>' }],
    [
      'a folded subject',
      'Subject: Qualit\xe4t\r\n und G\xfcte\r\n\r\nx',
      { subject: 'Qualität und Güte' },
    ],
    [
      'one header beside another in UTF-8',
      'From: J\xc3\xbcrgen <j@example.org>\r\nSubject: Qualit\xe4t\r\n\r\nx',
      { from: '"Jürgen" <j@example.org>', subject: 'Qualität' },
    ],
    [
      'a charset that is none of lines',
      'Content-Type: text/plain; charset=utf-16le\r\nSubject: \xe4\r\n\r\n',
      { subject: 'ä' },
    ],
  ])('are read: %s', async (_what, mail, expected) => {
    expect(await readBytes(mail)).toMatchObject(expected);
  });

  it('are in the charset of the mailbox where the message says nothing', async () => {
    const mailbox = { charset: 'koi8-r' };
    const mail = await readBytes('Subject: \xf0\xd2\xc9\xd7\xc5\xd4\r\n\r\n\xf0\xd2\xc9', mailbox);
    expect(mail).toMatchObject({ subject: 'Привет', text: 'При' });
  });

  it('are not guessed in UTF-8 beside them', async () => {
    const mail = await readBytes('Subject: \xe4\r\n\r\n\xc3\xa4 and \xef\xbf\xbd\r\n\xe4');
    expect(mail.text).toBe('ä and \ufffd\nä');
  });
});

/** A multipart mail with a text and forwarded messages. */
function forward(text: string, ...messages: readonly string[]): string {
  const parts = messages.map(
    (message) => `--f${text}\r\nContent-Type: message/rfc822\r\n\r\n${message}`,
  );
  return `From: a@b.example\r\nSubject: Fwd\r\nContent-Type: multipart/mixed; boundary=f${text}\r\n\r\n--f${text}\r\n\r\n${text}\r\n${parts.join('\r\n')}\r\n--f${text}--`;
}

describe('a forwarded message', () => {
  const INVOICE =
    'From: Shop <shop@shop.example>\r\nSubject: =?utf-8?q?M=C3=BCnze?=\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\r\nPay 5.\r\n\r\nNow.\r\n--i\r\nContent-Type: application/pdf; name=bill.pdf\r\nContent-Disposition: attachment\r\n\r\nx\r\n--i--';
  const READ = [
    'Forwarded message:',
    '> From: "Shop" <shop@shop.example>',
    '> Subject: Münze',
    '> Date: 2026-11-21T10:00:00.000Z',
    '> Attachments: bill.pdf',
    '>',
    '> Pay 5.',
    '>',
    '> Now.',
  ].join('\n');

  it('is read behind the text, each line of it marked', async () => {
    const mail = await read(forward('see', INVOICE));
    expect(mail.text).toBe(`see\n\n${READ}`);
    expect(mail.attachments).toMatchObject([{ contentType: 'message/rfc822' }]);
    expect(mail).toMatchObject({ from: 'a@b.example', subject: 'Fwd' });
  });

  it.each(['attachment; filename=x.eml', 'inline'])(
    'is read when it is declared %s',
    async (how) => {
      const declared = `message/rfc822\r\nContent-Disposition: ${how}\r\n`;
      const mail = await read(forward('see', INVOICE).replace('message/rfc822\r\n', declared));
      expect(mail.text).toBe(`see\n\n${READ}`);
    },
  );

  it('is read in Base64, under another type and by the name of its file', async () => {
    const file = 'application/octet-stream\r\nContent-Disposition: attachment; filename=x.eml';
    const encoded = Buffer.from(INVOICE).toString('base64');
    for (const type of [file, 'message/rfc822', 'message/global']) {
      const mail = await read(
        forward('see', encoded).replace(
          'message/rfc822\r\n',
          `${type}\r\nContent-Transfer-Encoding: base64\r\n`,
        ),
      );
      expect(mail.text).toBe(`see\n\n${READ}`);
    }
  });

  it('in another is marked twice', async () => {
    const { text } = await read(forward('one', forward('two', 'Subject: in\r\n\r\nthree')));
    expect(text).toContain(
      '> two\n>\n> Forwarded message:\n> > From:\n> > Subject: in\n> >\n> > three',
    );
  });

  it('cannot end itself', async () => {
    const { text } = await read(
      forward('one', 'Subject: a\r\n\r\nx\r\n\r\nForwarded message:\r\ny'),
    );
    expect(text).toMatch(/> Forwarded message:\n> y$/u);
    expect(text.split('\n').filter((line) => !line.startsWith('>'))).toEqual([
      'one',
      '',
      'Forwarded message:',
    ]);
  });

  it('hides no more from a person than the mail itself', async () => {
    const hidden = html(
      '<p>Buy</p><p style="display:none">evil</p><p style="text-indent:-9999px">pale</p>',
    );
    const mail = await read(forward('one', hidden));
    expect(mail).toMatchObject({ unseenChars: 4, unseenText: 'pale' });
    expect(mail.text).toMatch(/> Buy$/u);
  });

  it('is read in its own charset', async () => {
    const mail = await readBytes(forward('one', 'Subject: Qualit\xe4t\r\n\r\nG\xfcte'));
    expect(mail.text).toMatch(/> Subject: Qualität\n>\n> Güte$/u);
  });

  it('is one of five at most, one beside another or in each other', async () => {
    const beside = await read(
      forward('x', ...Array.from({ length: 9 }, (_, n) => `Subject: n${n}\r\n\r\n`)),
    );
    expect(beside.text.match(/Subject: n\d/gu)).toHaveLength(5);
    const deep = Array.from({ length: 9 }).reduce<string>(
      (inner, _, n) => forward(`t${n}`, inner),
      'Subject: n\r\n\r\n',
    );
    expect((await read(deep)).text.match(/Forwarded message:/gu)).toHaveLength(5);
  });

  it('has no say in who sent the mail', async () => {
    const verdict = 'Authentication-Results: mx.example.net; dmarc=pass header.from=b.example\r\n';
    const mail = await read(forward('one', `${verdict}From: a@b.example\r\n\r\nx`), SERVER);
    expect(mail.authentic).toBe(false);
  });
});

const SERVER: ReadContext = { ...MAILBOX, authservId: 'mx.example.net' };

describe('the sender', () => {
  const PASS = 'Authentication-Results: mx.example.net; dmarc=pass header.from=b.example\r\n';

  it.each([
    ['one address', `${PASS}From: "x@y.example" <A@B.example>\r\n\r\n`, 'a@b.example', true],
    ['one without a verdict', 'From: a@b.example\r\n\r\n', 'a@b.example', false],
    ['one of another domain', `${PASS}From: a@evil.example\r\n\r\n`, 'a@evil.example', false],
    ['two addresses', `${PASS}From: a@b.example, c@b.example\r\n\r\n`, '', false],
    ['two headers', `${PASS}From: a@evil.example\r\nFrom: a@b.example\r\n\r\n`, '', false],
    ['a header of odd blanks', `${PASS}From: a@b.example\r\nFrom : a@b.example\r\n\r\n`, '', false],
    ['a group', `${PASS}From: all: a@b.example;\r\n\r\n`, '', false],
    ['none', `${PASS}\r\n`, '', false],
    ['an encoded address', `${PASS}From: <=?utf-8?q?a=40b.example=20?=>\r\n\r\n`, '', false],
    ['a verdict in the text', `From: a@b.example\r\n\r\n${PASS}`, 'a@b.example', false],
    [
      'a verdict whose name is in another charset',
      `From: a@b.example\r\n\u00e4${PASS}\r\n`,
      'a@b.example',
      false,
    ],
  ])('is authentic with %s: %#', async (_what, mail, sender, authentic) => {
    expect(await readBytes(mail, SERVER)).toMatchObject({ sender, authentic });
  });

  it('is unknown where no server is believed', async () => {
    expect(await read(`${PASS}From: a@b.example\r\n\r\n`)).toMatchObject({ authentic: 'unknown' });
  });

  it.each(['a', 'a=', 'a = ', '(', '()', '"', '\\', ' '])(
    'is found out at the cost of an ordinary mail in a verdict of many %j',
    async (text) => {
      const header = `Authentication-Results: mx.example.net; ${text.repeat(500_000 / text.length)}`;
      const { mail, cost } = await patientlyRead(`${header}\r\nFrom: a@b.example\r\n\r\n`, SERVER);
      expect(mail.authentic).toBe(false);
      expect(cost).toBeLessThan(FEW);
    },
  );
});

describe('HTML that hides text from a person', () => {
  it.each([
    ['display', '<div style="display:none">evil</div>'],
    ['the attribute', '<p hidden>evil</p>'],
    ['visibility', '<p style="visibility:hidden">evil</p>'],
    ['no size', '<span style="font-size:0">evil</span>'],
    ['one pixel', '<span style="font: 1px/1 Arial; font-size:1px">evil</span>'],
    ['opacity', '<p style="opacity:0.0">evil</p>'],
    ['no height', '<div style="max-height:0;overflow:hidden">evil</div>'],
    ['white on white', '<p style="color:#fff">evil</p>'],
    ['white on white, by font', '<font color="white">evil</font>'],
    ['grey on grey', '<td bgcolor="#EEEEEE"><i style="color: rgb(238,238,240)">evil</i></td>'],
    ['transparent', '<p style="color:transparent">evil</p>'],
    ['a class', '<style>.x, td.y { display: none }</style><p class="a x">evil</p>'],
    ['a tag', '<style>/* } */ s { font-size: 0px }</style><s>evil</s>'],
    ['a link', '<a style="display:none" href="https://evil.example/">evil</a>'],
    ['what is inside of it', '<div style="display:none"><p style="display:block">evil</p></div>'],
  ])('by %s: it is left out', async (_how, markup) => {
    const mail = await read(html(`<p>Dear Ann,</p>${markup}<p>see you.</p>`));
    expect(mail.text.replace(/\s+/gu, ' ')).toBe('Dear Ann, see you.');
    expect(mail.unseenChars).toBe(0);
  });

  it.each([
    ['a button', '<a style="color:#fff;background:#06c" href="https://a.example/">Buy</a>'],
    ['a dark table', '<table bgcolor="#000"><tr><td style="color:white">Buy</td></tr></table>'],
    [
      'a dark class',
      '<style>.d{background:#111}</style><div class="d"><b style="color:#fff">Buy</b></div>',
    ],
    [
      'a rule of several parts',
      '<style>.a .b{background:#111}</style><div class="a"><b class="b" style="color:#fff">Buy</b></div>',
    ],
    [
      'columns without gaps',
      '<div style="font-size:0"><div style="font-size:14px">Buy</div></div>',
    ],
    [
      'small screens',
      '<style>@media (max-width:600px){.m{display:none}}</style><p class="m">Buy</p>',
    ],
    [
      'text that is shown again',
      '<div style="visibility:hidden"><p style="visibility:visible">Buy</p></div>',
    ],
    ['aria', '<p aria-hidden="true">Buy</p>'],
    ['a colour of the system, as Outlook writes it', '<p style="color:windowtext">Buy</p>'],
    [
      'a typeface of some letters',
      '<style>@font-face{font-family:a;src:url(https://a.example/a.woff2);unicode-range:U+0-FF}</style><p>Buy</p>',
    ],
    [
      'text for phones, as Foundation has it',
      '<style>@media (max-width:596px){.s{display:block!important;font-size:14px!important}}</style><p class="s" style="display:none;font-size:0;mso-hide:all">Buy</p>',
    ],
    ['small print', '<p style="font-size:8px;color:#777">Buy</p>'],
    ['half of the light', '<p style="opacity:0.6">Buy</p>'],
  ])('is not what %s does', async (_what, markup) => {
    const mail = await read(html(`<body style="background:#ffffff">${markup}</body>`));
    expect(mail.text).toContain('Buy');
    expect(mail.unseenChars).toBe(0);
  });

  it('perhaps (a picture behind it): it is counted, and apart from the text', async () => {
    const picture = '<td style="background:url(x.png)"><b style="color:#fff">Buy</b></td>';
    expect(await read(html(`<p>Dear Ann,</p><table><tr>${picture}</tr></table>`))).toMatchObject({
      text: 'Dear Ann,',
      unseenChars: 3,
      unseenText: 'Buy',
    });
  });

  it.each([...FOUND_WAYS, ...OWN_WAYS])('by %s: it is no text of the mail', async (markup) => {
    const mail = await read(html(`<!doctype html><html><body>${markup}</body></html>`));
    expect(mail.text).not.toContain('evil');
    expect(mail.unseenText === '').toBe(mail.unseenChars === 0);
  });

  it.each([...FOUND_WAYS, ...OWN_WAYS, ...UNWRITTEN_WAYS])(
    'by %s, in a mail without html and body: it is no text of the mail',
    async (markup) => {
      expect((await read(html(markup))).text).not.toContain('evil');
    },
  );

  it('by styles deeper than any text that is shown: it is no text of the mail', async () => {
    const style = '<style>.x{display:none}</style>';
    const markup = `<p class="x">evil</p>${'<div>'.repeat(300)}${style}${'</div>'.repeat(300)}`;
    const mail = await read(html(`<p>Dear Ann,</p>${markup}`));
    expect(mail.text).toBe('Dear Ann,');
  });

  it('behind the end of what is read: all before it may not be visible', async () => {
    const filler = ' '.repeat(262_144);
    const mail = await read(html(`<b class="x">evil</b>${filler}<style>.x{color:#fff}</style>`));
    expect(mail).toMatchObject({ text: '', unseenText: 'evil', isCut: true });
  });

  it('is not suspected in more than three of sixty newsletters, invoices and notices', async () => {
    const files = globSync('test/fixtures/mails/*.html');
    expect(files).toHaveLength(60);
    const suspected: string[] = [];
    for (const file of files) {
      const source = readFileSync(file, 'utf8');
      const mail = await read(html(source));
      const shown = /Shown: "(.+)" -->/.exec(source)?.[1];
      expect(mail.text.replace(/\s+/gu, ' ')).toContain(shown);
      if (mail.unseenChars > 0) suspected.push(`${file}: ${mail.unseenText}`);
    }
    expect(suspected.slice(3)).toEqual([]);
  });

  it('does not count what fills up the preview of a newsletter', async () => {
    const filler = '&zwnj;&nbsp;&#847;&shy;'.repeat(50);
    const mail = await read(html(`<div style="display:none">${filler}</div><p>News</p>`));
    expect(mail).toMatchObject({ text: 'News', unseenChars: 0 });
  });

  it.each([
    ['rules and elements', rules('.c{left:0}', 9_000) + '<p class=c>x'.repeat(9_000)],
    ['neighbours', `${rules('i ~ i ~ u{opacity:0}', 300)}${'<i>x</i><u>y</u>'.repeat(12_000)}`],
    ['places', `${rules('p:nth-child(2n+1){opacity:0}', 200)}${'<p>x</p>'.repeat(20_000)}`],
    ['ancestors', `${rules('.a .a .a .a .b{opacity:0}', 500)}${'<i class=a>x'.repeat(15_000)}`],
    ['attributes', `${rules('[title*=aab]{opacity:0}', 300)}<p title="${'a'.repeat(190_000)}">x`],
    ['selectors', rules((n) => `.c${n}>b+c~d{left:0}`, 9_000)],
    ['values', rules((n) => `a{clip-path:polygon(${'0 0,'.repeat(40)}${n}px 0)}`, 1_000)],
    ['styles', Array.from({ length: 9_000 }, (_, n) => `<p style="left:${n}px">x`).join('')],
    ['depth', '<div class="a b c" style="color:#fff">x'.repeat(5_000)],
    ['styles without an end', '<style '.repeat(30_000)],
    ['comments without an end', `<style>${'/*'.repeat(90_000)}`],
    ['comments in one style', `<p style="${'/*'.repeat(90_000)}">x`],
    ['braces', `<style>${'{'.repeat(90_000)}${'}'.repeat(90_000)}`],
  ])('is looked for in 200 KB of %s at the cost of an ordinary mail', async (_what, markup) => {
    const { mail, cost } = await patientlyRead(html(markup));
    expect(mail.isCut).toBe(false);
    expect(cost).toBeLessThan(FEW_OF_STYLES);
  });

  it('is looked for in styles as far as a mail has them, and beyond that all is unsure', async () => {
    const shown = (count: number) => read(html(`${rules('.c{left:0}', count)}<p>Buy</p>`));
    expect(await shown(500)).toMatchObject({ text: 'Buy', unseenChars: 0 });
    expect(await shown(5_000)).toMatchObject({ text: '', unseenText: 'Buy' });
    const steps = `${rules('i ~ i ~ u{opacity:0}', 300)}${'<i>x</i><u>y</u>'.repeat(2_000)}`;
    expect(await read(html(`<p>Buy</p>${steps}`))).toMatchObject({ text: '' });
  });
});

describe('a hostile mail', () => {
  it('of one hundred thousand nested tags is read or given up in time', async () => {
    const deep = '<div><blockquote>'.repeat(100_000);
    const answer = await read(html(`${deep}deep`)).catch((error: unknown) => error);
    expect(answer).not.toBeUndefined();
    await expect(read('Subject: next\r\n\r\nfine')).resolves.toMatchObject({ subject: 'next' });
  });

  it('of a thousand nested parts leaves the reader alive', async () => {
    const parts = Array.from({ length: 1_000 }, (_, n) => [
      `Content-Type: multipart/mixed; boundary=b${n}`,
      '',
      `--b${n}`,
    ]).flat();
    await read(parts.join('\r\n')).catch(() => undefined);
    await expect(read('Subject: next\r\n\r\n')).resolves.toMatchObject({ subject: 'next' });
  });

  it('of fifty thousand parts leaves the reader alive', async () => {
    const part = '--b\r\nContent-Disposition: attachment\r\n\r\nx\r\n';
    const mail = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(50_000)}`;
    await read(mail).catch(() => undefined);
    await expect(read('Subject: next\r\n\r\n')).resolves.toMatchObject({ subject: 'next' });
  });

  it.each([
    ['a header of a megabyte', `Subject: ${'x'.repeat(1_000_000)}\r\n\r\nbody`],
    ['a hundred thousand recipients', `To: ${'a@b.example, '.repeat(100_000)}\r\n\r\nbody`],
    ['nested comments in an address', `From: ${'('.repeat(100_000)}a@b.example\r\n\r\nbody`],
    ['one line of ten megabytes', `Subject: x\r\n\r\n${'y'.repeat(10_000_000)}`],
    ['a megabyte of line breaks', `Subject: x\r\n\r\n${'\r\n'.repeat(500_000)}`],
    ['a megabyte of encoded words', `Subject: ${'=?utf-8?q?a?= '.repeat(70_000)}\r\n\r\n`],
    ['open tags without an end', html('<a href="'.repeat(50_000))],
    ['nested tables', html('<table><tr><td>'.repeat(20_000))],
    ['a quoted name without an end', `From: "${'\\"'.repeat(100_000)}\r\n\r\nbody`],
  ])('(%s) is bounded or given up', async (_, mail) => {
    const answer = await read(mail).catch((error: unknown) => error);
    const size = JSON.stringify(answer).length;
    expect(size).toBeLessThan(mail.length * 2 + 20_000);
    await expect(read('Subject: next\r\n\r\n')).resolves.toMatchObject({ subject: 'next' });
  });

  it('with an unknown charset keeps what can be read', async () => {
    const head = 'Subject: x\r\nContent-Type: text/plain; charset="x-none\\"; a=b"\r\n\r\n';
    await expect(read(`${head}plain words`)).resolves.toMatchObject({ text: 'plain words' });
  });

  it('cannot put line breaks or control characters into what becomes a line', async () => {
    const subject = Buffer.from('a\r\nBcc: x@y\u0000\u001b[31m').toString('base64');
    const mail = await read(
      `From: =?utf-8?b?${subject}?= <a@b.example>\r\nSubject: =?utf-8?b?${subject}?=\r\n\r\nx`,
    );
    expect(mail.subject).toBe('a Bcc: x@y [31m');
    expect(`${mail.from}${mail.to}`).not.toMatch(/\p{Cc}/u);
  });

  it('that takes too long is given up, and the next one is read', async () => {
    const shortLimit = new MailReader(1);
    await shortLimit.warmUp();
    const slow = html('<p>x</p>'.repeat(300_000));
    await expect(shortLimit.read(Buffer.from(slow), MAILBOX)).rejects.toThrow(UnreadableMail);
    await shortLimit.close();
  });
});

describe('any bytes', () => {
  it('are read within their bounds, or given up', async () => {
    await assert(
      asyncProperty(uint8Array({ maxLength: 2_000 }), async (bytes) => {
        const mail = await read(bytes).catch(() => undefined);
        expect(mail?.text.length ?? 0).toBeLessThanOrEqual(Math.max(bytes.length, 4_096));
      }),
      runs(20),
    );
  });
});

describe('what a sender claims', () => {
  it.each([
    ['nonsense', null],
    ['275761-01-01', null],
    ['', null],
    ['Fri, 31 Dec 9999\r\n 23:59:59 +0000', '9999-12-31T23:59:59.000Z'],
    ['Sat, 21 Nov 2026 10:00:00 +0100 (CET)', '2026-11-21T09:00:00.000Z'],
  ])('as its date (%j) is %j', async (date, known) => {
    expect((await read(`From: a@b.example\r\nDate: ${date}\r\n\r\nHello`)).date).toBe(known);
  });

  it('in megabytes of nested HTML is cut, at the cost of an ordinary mail, and says so', async () => {
    const nested = html(`<p>Begin</p>${'<table><tr><td>'.repeat(500_000)}`);
    const { mail, cost } = await patientlyRead(nested);
    expect(mail).toMatchObject({ text: expect.stringMatching(/^Begin/u), isCut: true });
    expect(cost).toBeLessThan(FEW);
  });
});

describe('a thread whose library is not installed', () => {
  it('says which, for every message, and is started again for the next', async () => {
    const reason = 'the package mailparser is not installed, install it with: npm i mailparser';
    const says = JSON.stringify({ kind: 'missing-package', reason });
    const program = `import { parentPort } from 'node:worker_threads'; parentPort.postMessage(${says});`;
    const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    const missing = new MailReader(1_000, url);
    for (const _ of [1, 2]) {
      await expect(missing.read(Buffer.from('x'), MAILBOX)).rejects.toThrow(
        new ReaderPackageError(reason),
      );
    }
    await missing.close();
  });
});
