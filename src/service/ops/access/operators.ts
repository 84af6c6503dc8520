import { Reflector } from '@nestjs/core';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endOf } from '../../../hooks/index.ts';
import { ROLES } from '../../configuration/operator-tokens.ts';
import type { OperatorTokens, Role } from '../../configuration/operator-tokens.ts';
import { Refusal } from '../../refusals.ts';

// Who operates the service. A route without `@Needs` or `@Changes` needs `read` for GET, and everything for anything
// else.

export const FIRST_OPERATOR = 'operator';

export interface Operator {
  readonly id: string;
  readonly role: Role;
}

/** With the token, as it is written: itself, or its digest. */
export interface KnownOperator extends Operator {
  readonly token: string;
  /** Its last day or moment; absent: it has no end. */
  readonly notAfter?: string;
}

/** The tokens of the configuration, also those that have ended; a blank one opens nothing. */
export function everybody({ operator, others = [] }: OperatorTokens): KnownOperator[] {
  const first = { id: FIRST_OPERATOR, role: 'configure', token: operator } as const;
  return [first, ...others].filter(({ token }) => token !== '');
}

/** Whether a token counts no more. @param now epoch milliseconds */
export function hasEnded({ notAfter }: KnownOperator, now: number): boolean {
  return endOf(notAfter) < now;
}

export const Needs = Reflector.createDecorator<Role>();

const reflector = new Reflector();
const OPERATORS = new WeakMap<FastifyRequest, Operator>();

/** Keeps who an operator is. @throws Refusal 403 for a role that is too low */
export function admit(context: ExecutionContext, operator: Operator): void {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const needed = neededRole(context, request.method);
  if (ROLES.indexOf(operator.role) < ROLES.indexOf(needed)) {
    throw new Refusal(
      'role_too_low',
      `${operator.id} may ${operator.role}, and this needs ${needed}`,
    );
  }
  OPERATORS.set(request, operator);
}

function neededRole(context: ExecutionContext, method: string): Role {
  const declared = reflector.get(Needs, context.getHandler());
  return declared ?? (['GET', 'HEAD'].includes(method) ? 'read' : 'configure');
}

/** Who asks; its guard has let it in. */
export function operatorOf(request: FastifyRequest): Operator | undefined {
  return OPERATORS.get(request);
}
