import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readEnvironment } from '../../../platform/command-line/settings.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the .env file', () => {
  it('may begin with a byte order mark, and have line ends of Windows', () => {
    const folder = temporaryDirectory();
    const file = path.join(folder, '.env');
    writeFileSync(file, '\ufeffFIRST_SETTING=127.0.0.1\r\nSECOND_SETTING="a#b"\r\n');
    expect(readEnvironment(file)).to.include({ FIRST_SETTING: '127.0.0.1', SECOND_SETTING: 'a#b' });
    rmSync(folder, { recursive: true });
  });
});
