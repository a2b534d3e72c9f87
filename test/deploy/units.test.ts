import { expect } from 'chai';
import { readFileSync } from 'node:fs';

const operations = readFileSync(new URL('../../../server/OPERATIONS.md', import.meta.url), 'utf8');
const units = [...operations.matchAll(/^```ini\n([^]*?)^```$/gm)].map(([, unit = '']) => unit);

describe('the units of OPERATIONS', () => {
  it('have comments on lines of their own: systemd takes one behind a value for a part of it', () => {
    expect(units).to.have.length.above(2);
    for (const unit of units) expect(unit).to.not.match(/^\w+=.*[ \t][#;]/m);
  });

  it('leave no core of a server', () => {
    const services = units.filter((unit) => unit.includes('dist/server/main.js'));
    expect(services).to.have.length(1);
    expect(services[0]).to.match(/^LimitCORE=0$/m);
  });
});
