import { main } from '../../../platform/command-line/run-command.js';
import { access } from './command.js';

await main(access);
