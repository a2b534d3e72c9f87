import { main } from '../../../platform/command-line/run-command.js';
import { keys } from './command.js';

await main(keys);
