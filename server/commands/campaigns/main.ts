import { main } from '../../../platform/command-line/run-command.js';
import { campaigns } from './command.js';

await main(campaigns);
