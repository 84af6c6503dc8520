import { PLATFORMS } from '../support/platforms/index.ts';
import { describeChannel } from './channels.contract.ts';

for (const [name, speech] of PLATFORMS) describeChannel(name, speech);
