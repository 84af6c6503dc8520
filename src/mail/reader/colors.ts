// Colours of a mail as a browser reads them. Erasable syntax only.

export type Color = readonly [red: number, green: number, blue: number];

/** A colour that may shine through. */
export function over(color: readonly number[], background: Color | undefined): Color | undefined {
  const [red = 0, green = 0, blue = 0, alpha = 1] = color;
  if (alpha >= 1) return [red, green, blue];
  if (background === undefined) return undefined;
  const [r, g, b] = background;
  const mix = (top: number, below: number): number => top * alpha + below * (1 - alpha);
  return [mix(red, r), mix(green, g), mix(blue, b)];
}

const NAMES = new Map(
  [
    ...'white fff black 000 red f00 green 008000 blue 00f yellow ff0 gray 808080 grey 808080 silver c0c0c0 navy 000080 maroon 800000 olive 808000 teal 008080 purple 800080 fuchsia f0f magenta f0f aqua 0ff cyan 0ff lime 0f0 orange ffa500 gold ffd700 pink ffc0cb brown a52a2a crimson dc143c tomato ff6347 coral ff7f50 indigo 4b0082 violet ee82ee orchid da70d6 salmon fa8072 khaki f0e68c beige f5f5dc ivory fffff0 snow fffafa whitesmoke f5f5f5 gainsboro dcdcdc lightgray d3d3d3 lightgrey d3d3d3 darkgray a9a9a9 darkgrey a9a9a9 dimgray 696969 dimgrey 696969 slategray 708090 lightblue add8e6 skyblue 87ceeb steelblue 4682b4 royalblue 4169e1 dodgerblue 1e90ff darkblue 00008b midnightblue 191970 darkred 8b0000 darkgreen 006400 forestgreen 228b22 seagreen 2e8b57 lavender e6e6fa linen faf0e6 azure f0ffff aliceblue f0f8ff ghostwhite f8f8ff floralwhite fffaf0 mintcream f5fffa window fff windowtext 000 canvas fff canvastext 000'.matchAll(
      /([a-z]+) ([\da-f]+)/g,
    ),
  ].map(([, name = '', hex = '']) => [name, `#${hex}`]),
);

/** Red, green, blue and, where it shines through, alpha; `none`: nothing is painted. */
export function readColor(text: string): readonly number[] | 'none' | undefined {
  if (text === 'transparent') return 'none';
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(NAMES.get(text) ?? text)?.[1];
  if (hex !== undefined) {
    const long = hex.length < 6 ? hex.replace(/./g, '$&$&') : hex;
    const parts = (long.match(/../g) ?? []).map((part) => Number.parseInt(part, 16));
    return withAlpha(parts, (parts[3] ?? 255) / 255);
  }
  const [, kind, list = ''] = /^(rgb|hsl)a?\(([-\d.%deg\s,/+]+)\)$/.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const written = list.split(/[\s,/]+/).filter((part) => part !== '');
  const numbers = written.map((part) => Number.parseFloat(part));
  if (written.length < 3 || written.length > 4 || numbers.some(Number.isNaN)) return undefined;
  const alpha = (numbers[3] ?? 1) / (written[3]?.endsWith('%') === true ? 100 : 1);
  if (kind === 'hsl') return withAlpha(fromHsl(numbers), alpha);
  const scale = written[0]?.endsWith('%') === true ? 2.55 : 1;
  return withAlpha(
    numbers.slice(0, 3).map((part) => Math.min(255, Math.max(0, part * scale))),
    alpha,
  );
}

function withAlpha(parts: readonly number[], alpha: number): readonly number[] | 'none' {
  return alpha <= 0.1 ? 'none' : [...parts.slice(0, 3), Math.min(1, alpha)];
}

function fromHsl([hue = 0, saturation = 0, lightness = 0]: readonly number[]): number[] {
  const [s, l] = [Math.min(100, saturation) / 100, Math.min(100, lightness) / 100];
  return [0, 8, 4].map((at) => {
    const k = (((at + hue / 30) % 12) + 12) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  });
}
