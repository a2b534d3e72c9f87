import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, parseOptions } from '../platform/command-line/run-command.js';
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
    const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly dev?: boolean }>>;
    };
    process.stdout.write(sbomOf(root, { isListed: (place) => packages[place]?.dev !== true && place in packages }));
  },
});
