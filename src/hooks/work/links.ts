import type { Channel, DeliveryJob } from '../ports/index.ts';

/**
 * A dot between labels of a host name, escaped or not. Full-width and ideographic ones count between Latin letters;
 * elsewhere they end sentences.
 */
const DOT = String.raw`\\?(?:\.|(?<=[a-z0-9])[\u3002\uff0e\uff61](?=[a-z0-9]))`;
/** Symbols are letters of host names, too; no label is longer. */
const SIGN = String.raw`\p{L}\p{M}\p{N}\p{So}`;
const LABEL = `[${SIGN}](?:[${SIGN}_-]{0,61}[${SIGN}])?`;

/** `scheme://`, however its signs are escaped. */
const SCHEME = /([a-z][a-z0-9+.-]{0,30})\\*:(\\*[/\uff0f]\\*[/\uff0f])/giu;
/** Schemes that act without slashes. */
const BARE_SCHEME =
  /(?<![a-z0-9])(mailto|tel|sms|javascript|data|skype|tg|slack|msteams|facetime)\\*:(?=\S)/giu;
/** No more labels than that at once: a longer name is broken up from its end, in linear time. */
const HOST = new RegExp(
  `(?<![${SIGN}])(?:${LABEL}${DOT}){1,20}(\\p{L}{2,63}|xn--[a-z0-9-]{2,59})(?![\\p{L}\\p{N}]|_[\\p{L}\\p{N}])`,
  'giu',
);
/** An address in digits that carries something: a block of addresses (`10.0.0.0/24`) does not. */
const IP_ADDRESS = new RegExp(
  `(?<![\\d.])\\d{1,3}(?:${DOT}\\d{1,3}){3}(?=(?::\\d{1,5})?[/?#])(?!/\\d{1,2}(?![${SIGN}_/?#&=.:%-]))`,
  'gu',
);
const ANY_DOT = new RegExp(DOT, 'giu');

/** Endings of file names that are no top-level domain: no client makes a link of them. */
const FILE_ENDINGS = new Set(
  'bmp c cfg cjs class conf cpp cs css csv cts cxx dart db diff dll doc docx env erl ex exe exs gif go gradle gz h hpp hs htm html ini ipynb jar java jpeg jpg js json json5 jsonc jsonl jsx kt less lock log lua md5 mjs mts odt otf out patch pdf php png ppt pptx proto ps1 pyc pyi rb rej rtf sass scala scss sql sqlite svg swift tar test tex tgz tmp toml ts tsv tsx ttf txt vue wasm webp woff woff2 xls xlsx xml yaml yml'.split(
    ' ',
  ),
);

/** `[label](address)` and `![label](address)`, in their usual shape. */
const LINK = /!?\[([^\][]*)\]\(\s*<?([^\s()<>]+)>?(?:\s+["'(][^"')]{0,300}["')])?\s*\)/gu;

/**
 * Markdown in which every link and image is plain text: labels stand beside their addresses, and addresses are written so
 * that no client makes a link or a preview of them (`hxxps://example[.]com`). What an agent writes after it has read
 * foreign text must not carry data away through an address that a client fetches or a person taps. It holds inside of
 * code, too: what is code for us may be none for the client.
 */
export function plainLinks(markdown: string): string {
  return withoutEntities(markdown)
    .replace(LINK, (_link, label: string, address: string) =>
      label === '' ? address : `${label} (${address})`,
    )
    .replace(/\](?=[([:])/gu, '] ')
    .replace(
      SCHEME,
      (_address, scheme: string, slashes: string) =>
        `${defused(scheme)}:${slashes.replaceAll('\\', '')}`,
    )
    .replace(BARE_SCHEME, '$1 :')
    .replace(IP_ADDRESS, (address) => address.replace(ANY_DOT, '[.]'))
    .replace(HOST, (host, ending: string) =>
      FILE_ENDINGS.has(ending.toLowerCase()) ? host : host.replace(ANY_DOT, '[.]'),
    );
}

/** What a platform's own form may take away, so that what stood around it comes together; invisible signs, too. */
const MARKUP = /[*_~`\\\r\u2028-\u202e]|\u030a|\u0333|\u033f/g;
/** A dot inside of a word, with markup beside it: `__init__.py`, `a.**b**`. */
const DOT_AT_MARKUP = new RegExp(
  `(?<=[${SIGN}][*_~\`]{1,9})\\.(?=[*_~\`]{0,9}[${SIGN}])|(?<=[${SIGN}])\\.(?=[*_~\`]{1,9}[${SIGN}])`,
  'gu',
);

type Said = Pick<DeliveryJob, 'text' | 'trust' | 'allowLinks' | 'closing'>;

export function showsLinks({ trust, allowLinks }: Said): boolean {
  return trust.level === 'trusted' || allowLinks === true;
}

export function messagesOf(channel: Channel, said: Said): readonly string[] {
  const { text, closing } = said;
  const parts = showsLinks(said) ? channel.parts(text) : plainParts(channel, text);
  return closing === undefined ? parts : [...parts, ...channel.parts(closing)];
}

/**
 * The messages of a reply, without links. Where one comes together when the platform's form takes markup away, dots that
 * touch markup are made plain; if that is not enough (`**https**://…`), the whole reply loses its markup.
 */
export function plainParts(channel: Channel, markdown: string): readonly string[] {
  const plain = plainLinks(markdown);
  for (const text of [plain, plain.replace(DOT_AT_MARKUP, '[.]')]) {
    const parts = channel.parts(text);
    if (parts.every((part) => isPlain(part) && isPlain(channel.shown(part)))) return parts;
  }
  return channel.parts(plainLinks(plain.replace(MARKUP, '')));
}

function isPlain(text: string): boolean {
  return plainLinks(text) === text;
}

/** `http` becomes `hxxp`; every other scheme, too, becomes one that no client knows. */
function defused(scheme: string): string {
  return /^h(?:tt|xx)ps?$/i.test(scheme) ? scheme.replace(/tt/i, 'xx') : `${scheme} `;
}

/** It stays written out: what follows it could be read as another written-out character. */
const AMPERSAND = 0x26;

/** Written-out characters are read before links are looked for, so that they cannot hide one. */
function withoutEntities(text: string): string {
  return text
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/giu, (entity, hex?: string, decimal?: string) => {
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const isVisible =
        point > 0x20 &&
        point !== AMPERSAND &&
        point <= 0x10_ffff &&
        (point < 0xd800 || point > 0xdfff);
      return isVisible ? String.fromCodePoint(point) : entity;
    })
    .replace(
      /&(colon|period|sol|commat|lbrack|lsqb|rbrack|rsqb|lpar|rpar|bsol|quest|num);/giu,
      (_e, name: string) => NAMED[name.toLowerCase()] ?? '',
    );
}

const NAMED: Readonly<Record<string, string>> = {
  colon: ':',
  period: '.',
  sol: '/',
  commat: '@',
  lbrack: '[',
  lsqb: '[',
  rbrack: ']',
  rsqb: ']',
  lpar: '(',
  rpar: ')',
  bsol: '\\',
  quest: '?',
  num: '#',
};
