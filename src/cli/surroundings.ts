import { Inject } from '@nestjs/common';
import type { ValueProvider } from '@nestjs/common';
import { inspectConfiguration } from '../standalone/inspect-configuration.ts';
import type { Inspection } from '../standalone/inspect-configuration.ts';
import { configurationDirectory } from '../standalone/load-configuration.ts';
import type { Surroundings } from '../standalone/start.ts';

const SURROUNDINGS = Symbol('SURROUNDINGS');

/** Injects {@link Surroundings}: the environment and the working directory that the command was called with. */
export function InjectSurroundings(): ParameterDecorator {
  return Inject(SURROUNDINGS);
}

export function provideSurroundings(surroundings: Surroundings): ValueProvider<Surroundings> {
  return { provide: SURROUNDINGS, useValue: surroundings };
}

/** The configuration that a service started here would have. @throws ConfigurationError when its directory does not exist. */
export function inspectHere({ env, cwd }: Surroundings): Promise<Inspection> {
  return inspectConfiguration(configurationDirectory(env, cwd), env);
}
