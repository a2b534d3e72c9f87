import { fileURLToPath } from 'node:url';
import { main, parseOptions } from '../platform/command-line/run-command.js';
import { productionPackages } from './packages.js';
import { sbomOf } from './sbom.js';

const usage = `Usage: npm run --silent sbom

Prints the packages that are installed for production, and the models, as CycloneDX.

Example: npm run --silent sbom > adjacent.cdx.json
`;

const root = fileURLToPath(new URL('../../', import.meta.url));

await main({
  usage,
  async run(argv) {
    parseOptions(argv, {}, 0);
    const listed = new Set(productionPackages(root));
    process.stdout.write(sbomOf(root, { isListed: (packagePath) => listed.has(packagePath) }));
  },
});
