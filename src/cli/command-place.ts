import type { Command } from 'commander';

/** One place on the command line, and what may be typed there. */
export interface CommandPlace {
  /** The commands that lead there, `hooks` left out: `[]`, `['config']`, `['config', 'check']`. */
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
}

export interface Word {
  readonly name: string;
  readonly description: string;
}

export interface OptionWord extends Word {
  /** Whether a value follows. */
  readonly takesValue: boolean;
}

/** Every place below `command`, itself first. */
export function placesOf(command: Command, path: readonly string[] = []): CommandPlace[] {
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
  return [own, ...children.flatMap((child) => placesOf(child, [...path, child.name()]))];
}
