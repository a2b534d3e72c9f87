import { fileURLToPath } from 'node:url';
import { importFaults } from './import-rule.js';

/** Part of `npm run check`: ends with 1 when an import is against the rule, or files or folders form a circle. */
const faults = importFaults(process.argv[2] ?? fileURLToPath(new URL('../../../', import.meta.url)));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
