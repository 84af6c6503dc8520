import type { ComponentChildren } from 'preact';
import type { Api } from '../api/client.ts';
import { session } from '../api/session.ts';

type Role = Api<'LoggedIn'>['role'];

/** Each may also what the ones before it may. */
const ROLES: readonly Role[] = ['read', 'operate', 'configure'];

/** Shows what only somebody with this role can do; the service refuses it to others in any case. */
export function May({ role, children }: { role: Role; children: ComponentChildren }) {
  return may(role) ? <>{children}</> : null;
}

/** Whether somebody with this role is logged in. */
export function may(role: Role): boolean {
  const { value } = session;
  return value.state === 'in' && ROLES.indexOf(value.as.role) >= ROLES.indexOf(role);
}
