import { Ajv2020 } from '#ajv';
import { expect } from 'chai';
import { readdirSync } from 'node:fs';

const directory = new URL('../../../models/schema/', import.meta.url);

describe('the schemas of requests, feeds and stored data', () => {
  it('are valid JSON Schema, which checks take for granted to start faster', async () => {
    const ajv = new Ajv2020({ strict: false, formats: { uri: true, date: true, 'date-time': true } });
    const names: string[] = [];
    for (const file of readdirSync(directory).filter((name) => name.endsWith('.js'))) {
      const exported = (await import(new URL(file, directory).href)) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        if (typeof value !== 'object' || value === null || !('~kind' in value)) continue;
        expect(ajv.validateSchema(value), `${file}: ${name}: ${ajv.errorsText()}`).to.equal(true);
        names.push(name);
      }
    }
    expect(names).to.include.members(['MatchRequest', 'Creative', 'SourceName']);
  });
});
