import { IsArray, IsOptional, IsString } from 'class-validator';
import { MappingOptions, TextList, resolveSection } from '../options/index.ts';
import type { Problem } from '../options/index.ts';
import { isRecord } from '../../platform/objects.ts';
import { contradictionsOf } from './handshake.ts';
import { SchemeRules } from './scheme.ts';
import type { SchemeFile } from './scheme.ts';

// Asked by the build of ours and by every start of those of the operator.

class PresetWords {
  @IsString({ each: true })
  @IsArray()
  readonly setup!: readonly string[];

  @IsOptional()
  @TextList()
  readonly report?: readonly string[];

  @IsOptional()
  @TextList()
  readonly answer?: readonly string[];
}

export function checkFolders(
  folders: Readonly<Record<string, { readonly preset?: unknown; readonly scheme?: unknown }>>,
  place: string,
): Problem[] {
  return Object.entries(folders).flatMap(([id, { preset, scheme }]) => {
    return [
      ...(preset === undefined ? [] : checkPreset(id, preset, `${place}/${id}/preset.json5`)),
      ...(scheme === undefined ? [] : checkScheme(scheme, `${place}/${id}/scheme.json5`)),
    ];
  });
}

export function checkScheme(written: unknown, file: string): Problem[] {
  const { value, problems } = resolveSection(SchemeRules, written, file);
  return inFile(file, problems.length > 0 ? problems : contradictions(value, file));
}

function contradictions(scheme: SchemeFile, file: string): Problem[] {
  const { handshakes = [], proofs } = scheme;
  return [
    ...unplacedParts(scheme, file),
    ...unboundTokens(scheme, file),
    ...handshakes.flatMap((one, index) =>
      contradictionsOf(one, { key: `${file}.handshakes[${index}]`, signs: proofs.length > 0 }),
    ),
  ];
}

function unplacedParts({ proofs, timestamp }: SchemeFile, file: string): Problem[] {
  return proofs.flatMap((proof, index) => {
    if (!('signed' in proof) || typeof proof.signed !== 'string') return [];
    const { signed } = proof;
    const key = `${file}.proofs[${index}].signed`;
    const isPlain = proof.kind === 'signature' && proof.algorithm === 'sha256';
    return [
      ...(isPlain && !signed.includes('{secret}')
        ? [{ key, message: 'must have {secret}, or anybody could compute it' }]
        : []),
      ...(proof.kind === 'signature' && !isPlain && signed.includes('{secret}')
        ? [{ key, message: 'has {secret}, which is the key of this algorithm; remove it' }]
        : []),
      ...(signed.includes('{timestamp}') && timestamp === undefined
        ? [{ key, message: 'has {timestamp}; say in timestamp where it stands' }]
        : []),
      ...(signed.includes('{id}') && proof.idHeader === undefined
        ? [{ key, message: 'has {id}; say in idHeader where it stands' }]
        : []),
    ];
  });
}

/** A token by a key that an issuer publishes says only that the issuer knows its bearer. */
function unboundTokens({ proofs }: SchemeFile, file: string): Problem[] {
  return proofs.flatMap((proof, index) => {
    if (proof.kind !== 'jwt' || proof.keys === undefined) return [];
    const isBound = Object.values(proof.claims ?? {}).some((text) => text === '{secret}');
    const message = 'must say which one is {secret}, since anybody gets a token of this issuer';
    return isBound ? [] : [{ key: `${file}.proofs[${index}].claims`, message }];
  });
}

function checkPreset(id: string, written: unknown, file: string): Problem[] {
  if (!isRecord(written)) return [{ key: file, message: 'must be an object' }];
  const { task, setup, cases = [], ...mapping } = written;
  const words = { setup, ...(isRecord(task) && task) };
  const found = [
    ...resolveSection(PresetWords, words, file).problems,
    ...resolveSection(MappingOptions, mapping, file).problems,
    ...misplaced(mapping, file),
  ];
  const kinds = isRecord(task) ? Object.keys(task) : [];
  if (kinds.length === 0 || kinds.some((kind) => kind !== 'report' && kind !== 'answer')) {
    found.push({ key: `${file}.task`, message: 'must be {report: […]}, {answer: […]} or both' });
  }
  if (!Array.isArray(cases)) found.push({ key: `${file}.cases`, message: 'must be a list' });
  const list: readonly unknown[] = Array.isArray(cases) ? cases : [];
  return inFile(file, [
    ...found,
    ...list.flatMap((one, index) => checkCase(id, one, `${file}.cases[${index}]`)),
  ]);
}

/** The folder says both. */
function misplaced(mapping: Readonly<Record<string, unknown>>, file: string): Problem[] {
  const message = 'is that of the folder; remove it';
  return ['id', 'match']
    .filter((key) => key in mapping)
    .map((key) => ({ key: `${file}.${key}`, message }));
}

function checkCase(id: string, one: unknown, key: string): Problem[] {
  const { problems } = resolveSection(MappingOptions, one, key);
  const name = isRecord(one) ? one['id'] : undefined;
  const isOwn = typeof name === 'string' && name.startsWith(`${id}-`);
  return isOwn ? problems : [...problems, { key: `${key}.id`, message: `must begin with ${id}-` }];
}

/** `senders/mux/scheme.json5: proofs[0].at`. */
function inFile(file: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ key, message }) => ({
    key:
      file.endsWith('.json5') && key.startsWith(`${file}.`)
        ? `${file}: ${key.slice(file.length + 1)}`
        : key,
    message,
  }));
}
