import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLandingUrls, writeLandingUrls } from '../../../models/snapshot/landing-urls.js';
import { loadSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { SnapshotFaultError } from '../../../models/snapshot/snapshot-fault.js';
import { readPublications } from '../../../models/snapshot/pointer.js';
import { altered, anyJson, damaged } from '../../support/hostile-values.js';
import { DIMS, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a snapshot with arbitrary content', () => {
  const dataDir = temporaryDirectory();
  after(() => rmSync(dataDir, { recursive: true }));
  let directory: string;
  before(async () => {
    directory = path.join(dataDir, 'snapshots', await publishTestSnapshot(dataDir, 5));
  });

  /**
   * Checks that a snapshot with these bytes in one of its files is refused with the name of the faulty field or file,
   * unless the bytes change nothing.
   */
  const refused = async (name: string, bytes: Buffer): Promise<void> => {
    const file = path.join(directory, name);
    const good = readFileSync(file);
    writeFileSync(file, bytes);
    try {
      const { creatives } = await loadSnapshot(directory, { fingerprint: 'made', dims: DIMS });
      expect(creatives).to.have.length(5);
    } catch (error) {
      expect(error).to.be.instanceOf(SnapshotFaultError);
      expect((error as SnapshotFaultError).field).to.not.equal('');
    } finally {
      writeFileSync(file, good);
    }
  };

  for (const name of ['manifest.json', 'creatives.jsonl', 'vectors.f32', 'graph.hnsw']) {
    it(`is refused, naming the fault, if ${name} is damaged`, async () => {
      const any = damaged(readFileSync(path.join(directory, name)));
      await fc.assert(
        fc.asyncProperty(any, (bytes) => refused(name, bytes)),
        { numRuns: 150 },
      );
    });
  }

  it('is refused, naming the field, if its manifest was altered', async () => {
    const manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as object;
    const any = altered(manifest).map((value) => Buffer.from(JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(any, (bytes) => refused('manifest.json', bytes)),
      { numRuns: 500 },
    );
  });

  for (const bytes of [1e15, 2 ** 53, 0]) {
    it(`is refused if its manifest declares a file of ${bytes} bytes`, async () => {
      const manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as {
        files: Record<string, { bytes: number }>;
      };
      manifest.files['creatives.jsonl']!.bytes = bytes;
      await refused('manifest.json', Buffer.from(JSON.stringify(manifest)));
    });
  }

  it('is not loaded if the pointer names none', async () => {
    const file = path.join(dataDir, 'current');
    const good = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(damaged(good), async (bytes) => {
        writeFileSync(file, bytes);
        for (const { id } of await readPublications(dataDir)) expect(id).to.match(/^[0-9a-f]{16}$/);
      }),
      { numRuns: 300 },
    );
    writeFileSync(file, good);
  });

  it('has landing URLs, or reports that their file cannot be used', async () => {
    const file = path.join(dataDir, 'landing-urls.json');
    const entry = { landingUrl: 'https://shop.example/', leftAt: '2026-11-22T00:00:00Z' };
    const images = new Map([[`${'ab'.repeat(32)}.png`, '2026-11-22T00:00:00Z']]);
    await writeLandingUrls(dataDir, { creatives: new Map([['a', entry]]), images }, null);
    const good = readFileSync(file);
    const table = JSON.parse(good.toString()) as object;
    const any = fc.oneof(damaged(good), anyJson.map(toBytes), altered(table).map(toBytes));
    await fc.assert(
      fc.asyncProperty(any, async (bytes) => {
        writeFileSync(file, bytes);
        const outcome = await readLandingUrls(dataDir).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome.message).to.include('landing-urls.json cannot be used');
        else expect(outcome).to.have.all.keys('creatives', 'images');
      }),
      { numRuns: 300 },
    );
  });
});

const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
