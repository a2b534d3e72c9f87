import { expect } from 'chai';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDataCentres, type DataCentres } from '../../../server/events/data-centres.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('data centres', () => {
  let folder: string;
  let file: string;
  let logged: string;
  let opened: DataCentres | undefined;
  const log = pino({}, { write: (line: string) => void (logged += line) });
  const open = async () => (opened = await openDataCentres({ file, log, pollMs: 10 }));
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  beforeEach(() => {
    folder = temporaryDirectory();
    file = join(folder, 'ranges.txt');
    [logged, opened] = ['', undefined];
  });
  afterEach(async () => {
    await opened?.close();
    rmSync(folder, { recursive: true });
  });

  it('follow their file as it changes, and stay in force while it is damaged', async () => {
    write('192.0.2.0/24');
    const centres = await open();
    expect(centres.has('192.0.2.1')).to.equal(true);
    write('198.51.100.0/24');
    await eventually(() =>
      expect([centres.has('192.0.2.1'), centres.has('198.51.100.1')]).to.deep.equal([false, true]),
    );
    write('somewhere');
    await eventually(() => expect(logged).to.include('data centres: the file cannot be read'));
    expect(centres.has('198.51.100.1')).to.equal(true);
  });

  it('are refused at the start if their file is missing or not a list', async () => {
    expect(String(await open().catch((error: unknown) => error))).to.include(`${file} cannot be used: ENOENT`);
    write('somewhere');
    expect(String(await open().catch((error: unknown) => error))).to.include(
      'line 1: "somewhere" is not an address range',
    );
  });
});
