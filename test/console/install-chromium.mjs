import { needPackages } from '../support/debian-packages.mjs';

needPackages(
  'The console suite',
  ['/usr/bin/chromium', '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'],
  ['chromium', 'fonts-dejavu-core'],
);
