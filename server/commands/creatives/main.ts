import { main } from '../../../platform/command-line/run-command.js';
import { creatives } from './command.js';

await main(creatives);
