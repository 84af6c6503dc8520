/**
 * What a reader, or a model, may take a character for, beyond its case and its compatibility form: from Unicode UTS #39
 * `confusables.txt` and the alphabets that "fancy text" generators use.
 * Only matching looks here; the text itself is never rewritten into these letters. Right-to-left ones are escaped.
 */
export const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '<': '‹❮˂𝈶ᐸᚲ〈⟨⧼◁⊲◂◀≺ᑄ',
  '>': '›❯˃𝈷ᐳ𖼿〉⟩⧽▷⊳▸▶≻',
  '[': '【〖⟦〚⦋❲〔⁅',
  ']': '】〗⟧〛⦌❳〕⁆',
  '|': '∣ǀ\u{5c0}│┃❘❙❚⏐⏽¦╎╏┆┇┊┋║',
  _: '▁ˍ‗\u{7fa}‿',
  '/': '᜵⁁∕⁄╱⟋⧸𝈺㇓〳Ⳇノ丿⧶',
  ':': '։\u{703}\u{704}᛬᠃᠉⁚\u{5c3}˸꞉∶ːꓽ',
  '!': 'ǃⵑ',
  '~': '⁓∼⍨⸞⩪⸟',
  a: 'ᴀɐʌλδ∀卂ムᗩᏗꍏค⍺ɑαаᎪᗅꓮ𖽀𐊠⍶ẚ',
  b: 'ʙв乃ᏰъβƄЬᏏᖯꞴᏴᗷꓐ𐊂𐊡𐌁ɓƃБƀҍѣ',
  c: 'ϲϹɔↄ©₵匚ᑕፈꉓςϾᴄⲥсꮯ𐐽🝌𑣲𑣩ꓚ𐊢𐌂𐔜¢ȼ₡ҫ',
  d: 'ᑺᑻᒇᴅ∂ðᗪᎴꀸ๔ԁᏧᑯꓒᎠᗞꓓɗɖƌđ₫',
  e: 'ᴇǝəɘɛεΣξ∃∈€乇ᗴᏋꍟєэ∑ꂅㄜ己℮ꬲеҽ⋿ⴹᎬꓰ𑢦𑢮𐊆ɇҿ',
  f: 'ꜰᎦꬵꞙẝք𝈓Ϝᖴꓝ𑣂𐊇𐊥𐔥ƒᵮ',
  g: 'ɢᎶɡᶃƍցԌᏀᏳꓖɠǥ',
  h: 'ʜᏂһհⲎᎻᕼꓧ𐋏ᵸɦꚕᏲⱧҢħћӉӇ',
  i: 'ͺ⍳ıɪɩιіꙇӏꭵ𑣃⍸ɨᵻᵼ',
  j: 'ᴊᏠϳјꞲᎫᒍꓙɉ',
  k: 'ᴋкΚⲔᏦᛕꓗ𐔘ƙⱩҚ₭ꝀҞ',
  l: '\u{5f1}ᒶᒷʟ£ㄥレᏝ꒒ㅣ丨ⳑ￨\u{661}\u{6f1}𐌠\u{1e8c7}ƖΙⲒІӀ\u{5d5}\u{5df}\u{627}\u{7ca}ⵏᛁꓲ𖼨𐊊𐌉𝈪Ꮮᒪꓡ𖼖𑢣𑢲𐐛𐔦łɭƗƚɫ\u{673}',
  m: 'ᴍм爪ᎷɱΜϺⲘᗰᛖꓟ𐊰𐌑Ӎ𑣣𑜀₥ᵯ',
  n: 'ɴ∩∏пл几刀ᑎᏁꈤภոռⲚꓠ𐔓𐆎ɳƞƝᵰ',
  o: '○◯●◎☉⊙⚪⚫⭕◦•ㄖ口ᗝᎧꂦ๏ㅇфφ°º०੦૦௦౦೦൦๐໐၀\u{665}\u{6f5}ᴏᴑꬽοσⲟоჿօ\u{5e1}\u{647}\u{6be}\u{6c1}\u{6d5}ഠဝ𐓪𑣈𑣗𐐬\u{7c0}০୦〇𑓐𑣠ⵔዐଠꓳ𑢵𐊒𐊫𐔖\u{6ff}øꬾⵁɵꝋөѳꮎꮻ⊖⊝⍬𝈚🜔θⴱꭴတ',
  p: 'ᴘᎮ⍴ρⲣрᏢᑭꓑ𐊕ƥᵽ',
  q: 'ꞯԛգզⵕʠ',
  r: 'ґʀɹ®я尺ᖇᏒꋪꭇꭈᴦⲅгꮁ𝈖Ꭱ𐒴ꓣ𖼵ɽɼɍғᵲ',
  s: 'ꙅʃ§₴丂ᔕꌗร∫ꜱƽѕꮪ𑣁𐑈ՏᏕꓢ𖼺𐊖ʂᵴ',
  t: 'ᲄᲅᴛʇτт†‡ㄒイ丅七千꓄Ꮦ┬┴丁⊤⟙🝨ⲦᎢꓔ𖼊𑢼𐊗𐊱𐌕ƭ⍡ȾƮҬ₮ŧᵵ',
  u: 'цџμㄩᏬꀎย∐ꞟᴜꭎꭒʋս𐓶𑣘∪⋃ሀᑌꓴ𖽂ᵾꮜɄ',
  v: '∨⋁ᴠѵ\u{5d8}𑜆ꮩ𑣀𝈍\u{667}\u{6f7}ⴸᐯꛟꓦ𖼈𐔝𐆗🜈',
  w: 'Ꮗшωɯᴡѡԝա𑜊𑜎𑜏ꮃ𑣯𑣦Ꮤꓪѽ𑓅₩ꝡ',
  x: '✕✖✗✘❌❎メ乂ጀꊼ\u{5d0}╳χ⌧⊗⊠᙮×⤫⤬⨯хᕁᕽ᙭𐌢𑣬ꞳⲬⵝᚷꓫ𐊐𐊴𐌗𐔧⨰Ҳ𐆖',
  y: 'Ꭹ¥ɣᶌʏỿꭚγуүყϒⲨᎽꓬ𖽃𑢤𐊲ƴɏұ',
  z: 'ᴢꮓ𑣄𐋵𑣥Ζꓜ𑢩ʐƶȥᵶ',
  ae: 'æӕᴭ',
  oe: 'œꭢꟹ𐞃',
  ue: 'ᵫ',
  qe: '🜀',
};

/** Characters that pass for either of two letters, by case or by eye. */
export const EITHER_LETTER = [
  ['vn', 'νΝ'],
  ['nh', 'ηΗнН'],
  ['uy', 'υΥ'],
  ['nu', 'иИ'],
  ['yt', '𑣜'],
] as const;

/** Letters in boxes, discs and brackets, where the compatibility form is none or has brackets: first of A to Z each. */
export const LETTER_RANGES = [
  0x249c, // in brackets
  0x1f110, // capitals in brackets
  0x1f150, // negative circled
  0x1f170, // negative squared
  0x1f1e6, // regional indicators
] as const;
