import type { Command } from 'commander';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand } from '../command.ts';

/*
 * Scripts that complete commands and options, made from the tree of commands. They start no process at Tab: each knows
 * every place on the command line and the words that may stand there. Where none may, files complete.
 */

/** Every shell that can be served. */
const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script for one shell; sourcing it is up to the user. */
export const completion = defineCommand({
  name: 'completion',
  description: 'print a script that completes commands and options in your shell',
  arguments: [['<shell>', 'bash, zsh or fish']],
  options: [],
  examples: [
    ['source <(hooks completion bash)', 'complete in this bash; in ~/.bashrc: in every one'],
    ['source <(hooks completion zsh)', 'the same for zsh and ~/.zshrc'],
    ['hooks completion fish > ~/.config/fish/completions/hooks.fish', 'the same for fish'],
  ],
  action({ terminal, program }, _options, shell) {
    const script = Object.entries(SCRIPTS).find(([name]) => name === shell)?.[1];
    if (script === undefined) {
      const known = Object.keys(SCRIPTS).join(', ');
      throw new CliError(`there is no script for '${shell}'`, `known are ${known}`, EXIT.usage);
    }
    terminal.print(script(listPlaces(program)).trimEnd());
  },
});

/** One place on the command line, and what may be typed there. */
interface Place {
  /** The commands that lead there, `hooks` left out: `[]`, `['config']`, `['config', 'check']`. */
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
}

/** A command or an option, and what is said of it. */
interface Word {
  readonly name: string;
  readonly description: string;
}

/** An option; one with a value has the next word to itself. */
interface OptionWord extends Word {
  /** Whether a value follows. */
  readonly takesValue: boolean;
}

/** Every place below `command`, itself first. */
function listPlaces(command: Command, path: readonly string[] = []): Place[] {
  const children = command.commands;
  const commands = children.map((child) => ({
    name: child.name(),
    description: child.description(),
  }));
  const own = {
    path,
    commands,
    options: [...command.createHelp().visibleOptions(command)].flatMap((option) =>
      [option.long, option.short]
        .filter((name) => name !== undefined && name !== null)
        .map((name) => ({
          name,
          description: option.description,
          takesValue: option.required || option.optional,
        })),
    ),
  };
  return [own, ...children.flatMap((child) => listPlaces(child, [...path, child.name()]))];
}

/** Words are commands and options, which need no quoting. */
function bashScript(places: readonly Place[]): string {
  return `# Completion of hooks for bash: source <(hooks completion bash)
_hooks() {
  local word place='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$place/$word" in
${bashStepCases(places)}
    esac
  done
  case "$place \${COMP_WORDS[COMP_CWORD - 1]}" in
${bashValueCases(places)}
  esac
  case "$place" in
${bashWordCases(places)}
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

/** The words that lead from one place to the next. */
function bashStepCases(places: readonly Place[]): string {
  const names = places.slice(1).map(({ path }) => `'${placeName(path)}'`);
  return `      ${names.join(' | ')}) place="$place/$word" ;;`;
}

/** After an option with a value nothing is known: bash completes files. */
function bashValueCases(places: readonly Place[]): string {
  const cases = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name }) => `    '${placeName(path)} ${name}') return ;;`),
  );
  return cases.length === 0 ? '    *) ;;' : cases.join('\n');
}

/** What may stand at each place. */
function bashWordCases(places: readonly Place[]): string {
  return places
    .map(({ path, commands, options }) => {
      const words = [...commands, ...options].map(({ name }) => name).join(' ');
      return `    '${placeName(path)}') words='${words}' ;;`;
    })
    .join('\n');
}

/** With descriptions; after an option with a value, files complete. */
function zshScript(places: readonly Place[]): string {
  return `#compdef hooks
# Completion of hooks for zsh: source <(hooks completion zsh)
_hooks() {
  local word place=''
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
${zshStepCases(places)}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${zshValueCases(places)}
  esac
  case "$place" in
${zshWordCases(places)}
  esac
  _describe 'hooks' entries || _files
}
compdef _hooks hooks
`;
}

function zshStepCases(places: readonly Place[]): string {
  const names = places.slice(1).map(({ path }) => placeName(path));
  return `      ${names.join('|')}) place="$place/$word" ;;`;
}

/** After an option with a value nothing is known: zsh completes files. */
function zshValueCases(places: readonly Place[]): string {
  const cases = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name }) => `    '${placeName(path)} ${name}') _files; return ;;`),
  );
  return cases.length === 0 ? '    *) ;;' : cases.join('\n');
}

function zshWordCases(places: readonly Place[]): string {
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

/** With descriptions. */
function fishScript(places: readonly Place[]): string {
  return `# Completion of hooks for fish: hooks completion fish > ~/.config/fish/completions/hooks.fish
function __hooks_place
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place/$word"
            case ${places.slice(1).map(fishPlace).join(' ')}
                set place "$place/$word"
        end
    end
    echo $place
end

${places.flatMap(fishLines).join('\n')}
`;
}

function fishPlace({ path }: Place): string {
  return quoted(placeName(path));
}

/** A line for each word at a place; `-f` keeps files away where only commands may stand. */
function fishLines(place: Place): string[] {
  const at = `complete -c hooks -n ${quoted(`test (__hooks_place) = ${fishPlace(place)}`)}`;
  return [
    ...place.commands.map((word) => `${at} -f -a ${quoted(word.name)} ${described(word)}`),
    ...place.options.map((option) => `${at} ${flag(option)} ${described(option)}`),
  ];
}

/** Fish takes long and short options apart, and `-r` says that a value follows. */
function flag({ name, takesValue }: OptionWord): string {
  const form = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  return takesValue ? `${form} -r` : form;
}

function described({ description }: Word): string {
  return `-d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
