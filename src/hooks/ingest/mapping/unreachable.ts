import type { Problem } from '../../options/index.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { labelOf } from './mapping-entry.ts';
import type { MappingEntry } from './mapping-entry.ts';

/** Names that the built-in hooks take, whatever a mapping says. */
const BUILT_IN: readonly (string | undefined)[] = ['wake', 'agent'];

/** A mapping with the place where it is written. */
export interface PlacedMapping {
  readonly entry: MappingEntry;
  readonly compiled: CompiledMapping;
}

/** Warnings for mappings that no request can ever come to, each with the one that stands before it. */
export function unreachable(placed: readonly PlacedMapping[]): Problem[] {
  return placed.flatMap(({ entry, compiled }, index) => {
    const first = placed.slice(0, index).find((earlier) => takesAllOf(earlier.compiled, compiled));
    const why = first === undefined ? behindBuiltIn(compiled) : behind(first, entry);
    return why === undefined ? [] : [{ key: labelOf(entry), message: `can never match: ${why}` }];
  });
}

function takesAllOf(earlier: CompiledMapping, later: CompiledMapping): boolean {
  return (
    (earlier.path === undefined || earlier.path === later.path) &&
    (earlier.source === undefined || earlier.source === later.source)
  );
}

function behind({ entry }: PlacedMapping, { key, mapping }: MappingEntry): string {
  const advice =
    key === `preset ${mapping.id}`
      ? `give that mapping the id ${mapping.id} to change the preset, or narrow its match`
      : 'put it before that one, or narrow the match of that one';
  return `${labelOf(entry)} comes first and takes all of its requests; ${advice}`;
}

function behindBuiltIn({ path }: CompiledMapping): string | undefined {
  if (!BUILT_IN.includes(path)) return undefined;
  return `the built-in hook ${path} wins (only ${path}/, with the slash, would come here); give it another path`;
}
