import { main } from '../../../platform/command-line/run-command.js';
import { signingKeys } from './command.js';

await main(signingKeys);
