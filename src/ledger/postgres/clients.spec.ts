import { Pool } from 'pg';
import { clientConfigOf } from './clients.ts';

it('A client beside the pool of a host has its password, which the pool hides', () => {
  const pool = new Pool({ host: 'db.example.com', password: 'hidden', ssl: { ca: 'A CA' } });
  expect(clientConfigOf(pool)).toMatchObject({
    host: 'db.example.com',
    password: 'hidden',
    ssl: { ca: 'A CA' },
  });
});
