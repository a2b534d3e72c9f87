import { fileURLToPath } from 'node:url';
import { importFaults } from './import-rule.js';

/** Part of `npm run check`: exits with 1 if an import violates the rule, or files or directories form a cycle. */
const faults = importFaults(process.argv[2] ?? fileURLToPath(new URL('../../../', import.meta.url)));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
