import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import pino from 'pino';
import { fingerprintOf } from '../../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../../models/encoder/profile.js';
import { calibratedFile, modelText, plainModel } from '../../../models/scoring/decision-model.js';
import { warnOfOtherEncoder } from '../../../server/operation/readiness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

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
