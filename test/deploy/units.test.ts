import { expect } from 'chai';
import { readFileSync } from 'node:fs';

const operations = readFileSync(new URL('../../../server/OPERATIONS.md', import.meta.url), 'utf8');
const units = [...operations.matchAll(/^```ini\n([^]*?)^```$/gm)].map(([, unit = '']) => unit);

describe('the systemd units of OPERATIONS', () => {
  it('have comments only on separate lines, since systemd reads a trailing comment as part of the value', () => {
    expect(units).to.have.length.above(2);
    for (const unit of units) expect(unit).to.not.match(/^\w+=.*[ \t][#;]/m);
  });

  it('disable core dumps of the server', () => {
    const services = units.filter((unit) => unit.includes('dist/server/main.js'));
    expect(services).to.have.length(1);
    expect(services[0]).to.match(/^LimitCORE=0$/m);
  });

  it('start the server again however often it ends, without a busy loop', () => {
    const server = units.find((unit) => unit.includes('dist/server/main.js')) ?? '';
    const [unit = '', service = ''] = server.split('[Service]');
    expect(unit).to.match(/^StartLimitIntervalSec=0$/m);
    expect(service)
      .to.match(/^Restart=always$/m)
      .and.to.match(/^RestartSec=2$/m);
  });

  it('make DATA_DIR private to its user wherever they create it', () => {
    const creating = units.filter((unit) => /^StateDirectory=/m.test(unit));
    expect(creating).to.have.length(2);
    for (const unit of creating) expect(unit).to.match(/^StateDirectoryMode=0700$/m);
  });
});
