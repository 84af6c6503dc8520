import type { CommandPlace } from '../command-place.ts';

/** Completion for bash. Words are commands and options, which need no quoting; where there are none, files complete. */
export function bashScript(places: readonly CommandPlace[]): string {
  return `# Completion of hooks for bash: source <(hooks completion bash)
_hooks() {
  local word place='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$place/$word" in
${stepCases(places)}
    esac
  done
  case "$place \${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(places)}
  esac
  case "$place" in
${wordCases(places)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hooks hooks
`;
}

/** `/config/check` */
function placeName(path: readonly string[]): string {
  return path.map((name) => `/${name}`).join('');
}

function stepCases(places: readonly CommandPlace[]): string {
  const names = places.slice(1).map(({ path }) => `'${placeName(path)}'`);
  return `      ${names.join(' | ')}) place="$place/$word" ;;`;
}

/** After an option with a value nothing is known: bash completes files. */
function valueCases(places: readonly CommandPlace[]): string {
  const cases = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name }) => `    '${placeName(path)} ${name}') return ;;`),
  );
  return cases.length === 0 ? '    *) ;;' : cases.join('\n');
}

function wordCases(places: readonly CommandPlace[]): string {
  return places
    .map(({ path, commands, options }) => {
      const words = [...commands, ...options].map(({ name }) => name).join(' ');
      return `    '${placeName(path)}') words='${words}' ;;`;
    })
    .join('\n');
}
