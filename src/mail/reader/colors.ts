/** Colours as mails write them. Erasable syntax only. */

export type Color = readonly [red: number, green: number, blue: number];

const NAMES = new Map(
  'white fff black 000 red f00 green 008000 blue 00f yellow ff0 gray 808080 grey 808080 silver c0c0c0 navy 000080 maroon 800000 teal 008080 purple 800080 orange ffa500 gold ffd700 tomato ff6347 crimson dc143c whitesmoke f5f5f5 gainsboro dcdcdc ivory fffff0 snow fffafa beige f5f5dc ghostwhite f8f8ff lightgray d3d3d3 lightgrey d3d3d3 darkgray a9a9a9 darkgrey a9a9a9 dimgray 696969 dimgrey 696969 steelblue 4682b4 royalblue 4169e1 darkblue 00008b darkgreen 006400 window fff windowtext 000'
    .match(/\w+ \w+/g)
    ?.map((pair) => [pair.split(' ', 1).join(''), `#${pair.replace(/.* /, '')}`]),
);

/** Red, green, blue and how much of it covers what is below, 0 to 1; undefined: a colour that is not known here. */
export function readColor(text: string): readonly number[] | undefined {
  if (text === 'transparent') return [0, 0, 0, 0];
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(NAMES.get(text) ?? text)?.[1];
  if (hex !== undefined) {
    const parts = (hex.length < 6 ? hex.replace(/./g, '$&$&') : hex).match(/../g) ?? [];
    const [red = 0, green = 0, blue = 0, alpha = 255] = parts.map((one) =>
      Number.parseInt(one, 16),
    );
    return [red, green, blue, alpha / 255];
  }
  const number = String.raw`\s*(\d*\.?\d+)\s*`;
  const rgb = new RegExp(`^rgba?\\(${number}[, ]${number}[, ]${number}(?:[,/]${number})?\\)$`);
  const numbers = rgb
    .exec(text)
    ?.slice(1)
    .map((part) => Number(part ?? 1));
  return numbers?.map((part, at) => Math.min(part, at < 3 ? 255 : 1));
}

export function over(color: readonly number[], below: Color | undefined): Color | undefined {
  const [red = 0, green = 0, blue = 0, alpha = 1] = color;
  if (alpha >= 1) return [red, green, blue];
  if (below === undefined) return undefined;
  const mix = (part: number, at: 0 | 1 | 2): number => part * alpha + below[at] * (1 - alpha);
  return [mix(red, 0), mix(green, 1), mix(blue, 2)];
}
