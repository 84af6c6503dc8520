import { Inject } from '@nestjs/common';
import type { Abstract, Type } from '@nestjs/common';
import { Hooks } from './hooks.service.ts';

/**
 * Injects a service of the ingress with this name.
 * @param name @default the ingress without a name
 * @param service any that the module exports
 * @example constructor(@InjectHooks('partners') private readonly partners: Hooks) {}
 */
export function InjectHooks(
  name?: string,
  service: Type<unknown> | Abstract<unknown> = Hooks,
): ParameterDecorator & PropertyDecorator {
  return Inject(getHooksToken(name, service));
}

/**
 * DI token of a service of the ingress with this name, for `app.get` and for factories.
 * @param name @default the ingress without a name
 * @param service any that the module exports
 */
export function getHooksToken(
  name?: string,
  service: Type<unknown> | Abstract<unknown> = Hooks,
): string {
  return name === undefined ? `${service.name} without a name` : `${service.name} of ${name}`;
}
