import { needPackages } from '../support/debian-packages.mjs';

needPackages(
  'The PostgreSQL suite',
  ['/usr/lib/postgresql/*/bin/postgres', '/usr/sbin/pgbouncer', '/usr/sbin/nginx'],
  ['postgresql', 'pgbouncer', 'nginx'],
);
