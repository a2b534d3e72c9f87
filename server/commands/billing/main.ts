import { main } from '../../../platform/command-line/run-command.js';
import { billing } from './command.js';

await main(billing);
