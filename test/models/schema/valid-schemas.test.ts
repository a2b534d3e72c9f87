import { Ajv2020 } from '#ajv';
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { CHECKED_SCHEMAS } from '../../../models/schema/check.js';

const built = new URL('../../../', import.meta.url);

describe('the schemas of requests, feeds, settings files and stored data', () => {
  it('are valid JSON Schema, which checks take for granted to start faster', async () => {
    let modules = 0;
    for (const part of ['models', 'server', 'indexer', 'platform']) {
      for (const name of readdirSync(new URL(part, built), { recursive: true, encoding: 'utf8' })) {
        // The entry of a command would run it; it checks with schemas of other modules.
        if (!name.endsWith('.js') || name.endsWith('main.js')) continue;
        const file = new URL(`${part}/${name}`, built);
        if (!/= checker\(/.test(readFileSync(file, 'utf8'))) continue;
        await import(file.href);
        modules++;
      }
    }
    expect(modules).to.be.at.least(13);
    expect(CHECKED_SCHEMAS.length).to.be.at.least(modules);
    const ajv = new Ajv2020({ strict: false, formats: { uri: true, date: true, 'date-time': true } });
    for (const schema of CHECKED_SCHEMAS) {
      expect(ajv.validateSchema(schema), `${JSON.stringify(schema)}: ${ajv.errorsText()}`).to.equal(true);
    }
    expect(ajv.validateSchema({ type: 'strnig' })).to.equal(false);
  });
});
