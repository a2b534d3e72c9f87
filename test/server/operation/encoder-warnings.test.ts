import { expect } from 'chai';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import type { EncoderPool } from '../../../models/encoder/pool.js';
import { fingerprintOf } from '../../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';
import { calibratedFile, modelText, plainModel } from '../../../models/scoring/decision-model.js';
import { requireGates, warnOfOtherEncoder } from '../../../server/operation/readiness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a bundled encoder', () => {
  it('must have its gate, and so must the one for other languages', async () => {
    const fingerprint = await fingerprintOf(readProfile(PROFILES.fast, ''));
    expect(() => requireGates({ fingerprint, multilingual: undefined })).to.not.throw();
    const other = { fingerprint: '0123456789abcdef' } as EncoderPool;
    expect(() => requireGates(other)).to.throw('a bundled encoder (0123456789abcdef) does not match its gate');
    expect(() => requireGates({ fingerprint, multilingual: other })).to.throw('(0123456789abcdef)');
  });

  it('is the same in a checkout with line ends of Windows', async () => {
    const folder = temporaryDirectory();
    const profile = readProfile(PROFILES.fast, '');
    cpSync(profile.directory, folder, { recursive: true });
    const config = path.join(folder, 'config.json');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replaceAll('\n', '\r\n'));
    expect(readFileSync(config, 'utf8')).to.not.equal(text);
    expect(await fingerprintOf({ ...profile, directory: folder })).to.equal(await fingerprintOf(profile));
    rmSync(folder, { recursive: true });
  });
});

describe('the warning about data fitted for another encoder', () => {
  let dataDir: string;
  let bundled: string;
  const warningsFor = (fingerprint: string): string[] => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push((JSON.parse(line) as { msg: string }).msg);
    warnOfOtherEncoder(fingerprint, dataDir, pino({}, { write }));
    return lines;
  };
  before(async () => {
    dataDir = temporaryDirectory();
    bundled = await fingerprintOf(readProfile(PROFILES.fast, ''));
  });
  after(() => rmSync(dataDir, { recursive: true }));

  it('is not logged for the bundled encoder', () => expect(warningsFor(bundled)).to.deep.equal([]));

  it('is logged for a missing gate', () => {
    expect(warningsFor('0123456789abcdef')).to.have.length(1);
    expect(warningsFor('0123456789abcdef')[0]).to.match(/^MODEL has no gate/);
  });

  it('is logged for a calibration', () => {
    writeFileSync(calibratedFile(dataDir), modelText(plainModel('0123456789abcdef')));
    expect(warningsFor(bundled)).to.deep.equal([
      'DATA_DIR/decision.json was fitted for another encoder and is ignored; run: npm run calibrate',
    ]);
  });
});
