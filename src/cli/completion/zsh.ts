import type { CommandPlace, Word } from '../command-place.ts';

/** Completion for zsh, with descriptions; after an option with a value, files complete. */
export function zshScript(places: readonly CommandPlace[]): string {
  return `#compdef hooks
# Completion of hooks for zsh: source <(hooks completion zsh)
_hooks() {
  local word place=''
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
${stepCases(places)}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${valueCases(places)}
  esac
  case "$place" in
${wordCases(places)}
  esac
  _describe 'hooks' entries || _files
}
compdef _hooks hooks
`;
}

function placeName(path: readonly string[]): string {
  return path.map((name) => `/${name}`).join('');
}

function stepCases(places: readonly CommandPlace[]): string {
  const names = places.slice(1).map(({ path }) => placeName(path));
  return `      ${names.join('|')}) place="$place/$word" ;;`;
}

function valueCases(places: readonly CommandPlace[]): string {
  const cases = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name }) => `    '${placeName(path)} ${name}') _files; return ;;`),
  );
  return cases.length === 0 ? '    *) ;;' : cases.join('\n');
}

function wordCases(places: readonly CommandPlace[]): string {
  return places
    .map(({ path, commands, options }) => {
      const entries = [...commands, ...options].map(entry).join(' ');
      return `    '${placeName(path)}') entries=(${entries}) ;;`;
    })
    .join('\n');
}

/** `'name:description'`; a colon ends the name, so those of the text are escaped. */
function entry({ name, description }: Word): string {
  const text = description.replaceAll('\\', String.raw`\\`).replaceAll(':', String.raw`\:`);
  return `'${`${name}:${text}`.replaceAll("'", String.raw`'\''`)}'`;
}
