import type { Command } from 'commander';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand } from '../command.ts';

/* Scripts that start no process at Tab: each holds the tree of commands as a table of lines. Else files complete. */

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
    terminal.print(script(tableLines(program).join('\n')).trimEnd());
  },
});

/** A line per word, with tabs between: its place (`hooks/config`), the word, its kind, and what is said of it. */
function tableLines(command: Command, place = command.name()): string[] {
  const words = [...command.createHelp().visibleOptions(command)].flatMap((option) =>
    [option.long, option.short]
      .filter((name) => typeof name === 'string')
      .map((name) => [name, option.required ? 'value' : 'flag', option.description]),
  );
  const commands = command.commands.map((child) => [child.name(), 'command', child.description()]);
  const own = [...commands, ...words].map((cells) => [place, ...cells].join('\t'));
  const below = command.commands.flatMap((child) => tableLines(child, `${place}/${child.name()}`));
  return [...own, ...below];
}

const SCRIPTS = {
  bash: (table: string) => `# Completion of hooks for bash: source <(hooks completion bash)
_hooks() {
  local place=hooks tab=$'\\t' previous='' words='' i at word kind said table
  table=$'\\n'${quoted(table)}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    previous=\${COMP_WORDS[i]}
    [[ $table == *$'\\n'"$place$tab$previous\${tab}command$tab"* ]] && place+="/$previous"
  done
  [[ $table == *$'\\n'"$place$tab$previous\${tab}value$tab"* ]] && return
  while IFS=$tab read -r at word kind said; do
    [[ $at == "$place" ]] && words+=" $word"
  done <<<"$table"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hooks hooks
`,
  zsh: (table: string) => `#compdef hooks
# Completion of hooks for zsh: source <(hooks completion zsh)
_hooks() {
  local place=hooks tab=$'\\t' previous='' line table
  local -a cells entries
  table=$'\\n'${quoted(table)}
  for previous in "\${(@)words[2,CURRENT-1]}"; do
    [[ $table == *$'\\n'"$place$tab$previous\${tab}command$tab"* ]] && place+="/$previous"
  done
  if [[ $table == *$'\\n'"$place$tab$previous\${tab}value$tab"* ]]; then
    _files
    return
  fi
  for line in "\${(f)table}"; do
    cells=("\${(@ps:\\t:)line}")
    [[ $cells[1] == "$place" ]] && entries+=("$cells[2]:\${cells[4]//:/\\\\:}")
  done
  _describe 'hooks' entries || _files
}
compdef _hooks hooks
`,
  fish: (
    table: string,
  ) => `# Completion of hooks for fish: hooks completion fish > ~/.config/fish/completions/hooks.fish
function __hooks_words
    set -l table (string split \\n -- ${quoted(table)})
    set -l place hooks
    set -l previous ''
    for previous in (commandline -opc)[2..-1]
        string match -q -- "$place"\\t"$previous"\\tcommand\\t'*' $table; and set place "$place/$previous"
    end
    string match -q -- "$place"\\t"$previous"\\tvalue\\t'*' $table; and return
    for line in $table
        set -l cells (string split \\t -- $line)
        test $cells[1] = $place; and echo $cells[2]\\t$cells[4]
    end
end
complete -c hooks -a '(__hooks_words)'
complete -c hooks -f -n '__hooks_words | string match -qr "^[a-z]"'
`,
};

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
