import { Injectable } from '@nestjs/common';
import type { PipeTransform, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

export type Pipe = PipeTransform | Type<PipeTransform>;

/** The pipes that Nest has made for the parameters of this ingress: its own, or what stands in their place. */
@Injectable()
export class ParameterPipes {
  readonly #made = new Map<Pipe, PipeTransform>();

  constructor(private readonly modules: ModulesContainer) {}

  get(pipe: Pipe): PipeTransform {
    let made = this.#made.get(pipe);
    if (made === undefined) this.#made.set(pipe, (made = this.#find(pipe)));
    return made;
  }

  /** As `overridePipe` left it, else as `forRoot({ providers })` or `overrideProvider` gave it. */
  #find(pipe: Pipe): PipeTransform {
    if (typeof pipe !== 'function') return pipe;
    for (const { injectables, providers } of this.modules.values()) {
      if (providers.get(ParameterPipes)?.instance !== this) continue;
      const bound = injectables.get(pipe);
      const { instance } =
        (bound?.metatype === pipe ? providers.get(pipe) : undefined) ?? bound ?? {};
      if (isPipe(instance)) return instance;
    }
    throw new Error(`${pipe.name} is no pipe of this ingress`);
  }
}

function isPipe(instance: unknown): instance is PipeTransform {
  return typeof instance === 'object' && instance !== null && 'transform' in instance;
}
