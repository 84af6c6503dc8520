const LISTED = /^\p{RGI_Emoji}$/v;
const people = Array.from('👨👩🧑👦👧🧒💏👯🤼👮🏃🚶🧎');
const tones = ['', '🏻', '🏽', '🏿'];

/** Emoji that Unicode lists, found by trying: all single ones, flags, keycaps, and what joiners hold together. */
export const LISTED_EMOJI: readonly string[] = [
  ...singles(),
  ...Array.from('0123456789#*', (key) => `${key}\ufe0f\u20e3`),
  '🇩🇪',
  '🇮🇳',
  '🇧🇷',
  '🇺🇳',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '🏴󠁧󠁢󠁷󠁬󠁳󠁿',
  ...joined(),
].filter((sequence) => LISTED.test(sequence));

function singles(): readonly string[] {
  const found: string[] = [];
  for (let point = 0xa9; point <= 0x1faff; point += 1) {
    const one = String.fromCodePoint(point);
    if (!/\p{Emoji}/u.test(one)) continue;
    found.push(one, `${one}\ufe0f`, ...tones.slice(1).map((tone) => one + tone));
  }
  return found;
}

function joined(): readonly string[] {
  const objects = singles().filter((one) => LISTED.test(one));
  const first = people.flatMap((one) => tones.map((tone) => one + tone));
  const extra = ['❤️', '🏳️', '🏴', '🐈', '🐕', '🐻', '🐦', '👁️', '😮', '😵', '😶', '⛓️', '🍋'];
  const pairs = [...first, ...extra].flatMap((one) =>
    objects.map((other) => `${one}\u200d${other}`),
  );
  const more = ['👩‍❤️‍👨', '👩‍❤️‍💋‍👩', '👨‍👩‍👧‍👦', '👩‍👩‍👦‍👦', '🧑‍🧑‍🧒‍🧒', '👩🏽‍❤️‍💋‍👨🏿', '🧑🏻‍🤝‍🧑🏿', '🚶🏽‍♀️‍➡️'];
  return [...pairs, ...more];
}
