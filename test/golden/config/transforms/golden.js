/** What the transforms of the golden answers say; a mapping names its export. */
export const saysNull = () => null;
export const saysUndefined = () => undefined;
export const saysNonsense = () => 7;
export const throws = () => {
  throw new TypeError('a secret of the payload');
};
export const makesTwo = ({ payload, path }) => [
  { kind: 'wake', text: `two of ${path}`, mode: 'next-heartbeat' },
  { name: 'second', message: `run ${payload.a}` },
];
export const neverEnds = () => {
  for (;;);
};
