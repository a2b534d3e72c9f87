import { expect } from 'chai';
import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadSnapshot, verifySnapshot } from '../../../models/snapshot/load-snapshot.js';
import { SnapshotFaultError } from '../../../models/snapshot/snapshot-fault.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { DIMS, publishTestSnapshot } from '../../support/test-snapshot.js';

/** A manifest as anyone with an editor may change it. */
interface Editable {
  formatVersion: number;
  name: string;
  counts?: { creatives: number };
  source: { digest: string };
}

describe('loading a snapshot', () => {
  const folder = temporaryDirectory();
  const encoder = { fingerprint: 'made', dims: DIMS };
  let good: string;
  before(async () => {
    good = path.join(folder, 'snapshots', await publishTestSnapshot(folder, 12));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Copies the snapshot to a directory of the same name, where a test may damage it. */
  let copies = 0;
  const copy = (): string => {
    const directory = path.join(folder, `copy-${copies++}`, path.basename(good));
    cpSync(good, directory, { recursive: true });
    return directory;
  };
  const edit = (directory: string, change: (manifest: Editable) => void): void => {
    const file = path.join(directory, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Editable;
    change(manifest);
    writeFileSync(file, JSON.stringify(manifest));
  };
  const refusal = async (directory: string, expected = encoder): Promise<string> => {
    try {
      await loadSnapshot(directory, expected);
    } catch (error) {
      expect(error).to.be.instanceOf(SnapshotFaultError);
      return (error as SnapshotFaultError).field + ' ' + (error as SnapshotFaultError).reason;
    }
    throw new Error('it was loaded');
  };

  it('returns creatives, vectors and a search over them', async () => {
    const { creatives, vectors, search, manifest } = await loadSnapshot(good, encoder);
    expect(creatives.map(({ id }) => id)).to.deep.equal(Array.from({ length: 12 }, (_, at) => `c${at}`));
    expect(vectors).to.have.length(12 * DIMS);
    expect(manifest.counts.creatives).to.equal(12);
    const { near } = await search.nearest(vectors.slice(5 * DIMS, 6 * DIMS), 1, []);
    expect(near[0]!.label).to.equal(5);
  });

  it('can be checked without loading its vectors: each file must match its checksum', async () => {
    expect((await verifySnapshot(good, encoder)).creatives).to.have.length(12);
    for (const file of ['creatives.jsonl', 'vectors.f32', 'graph.hnsw']) {
      const directory = copy();
      truncateSync(path.join(directory, file), 10);
      const refused = await verifySnapshot(directory, encoder).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(SnapshotFaultError);
      expect((refused as SnapshotFaultError).field).to.equal(file);
    }
    const other = await verifySnapshot(good, { ...encoder, fingerprint: 'other' }).catch(String);
    expect(other).to.include('encoder.fingerprint is made');
  });

  describe('with the vectors of a second encoder', () => {
    const other = { fingerprint: 'other', dims: DIMS };
    let both: string;
    before(async () => {
      both = path.join(folder, 'snapshots', await publishTestSnapshot(folder, 12, 'both', true));
    });

    it('returns them as a separate catalogue of the same creatives', async () => {
      const { multilingual, ...first } = await loadSnapshot(both, { ...encoder, multilingual: other });
      expect(multilingual!.creatives).to.equal(first.creatives);
      expect(multilingual!.words).to.equal(first.words);
      expect(multilingual!.vectors).to.deep.equal(first.vectors.toReversed());
      const query = multilingual!.vectors.slice(3 * DIMS, 4 * DIMS);
      expect((await multilingual!.search.nearest(query, 1, [])).near[0]!.label).to.equal(3);
    });

    it('returns none without such an encoder, with a different one, or if the snapshot has none', async () => {
      expect((await loadSnapshot(both, encoder)).multilingual).to.equal(null);
      const stranger = { fingerprint: 'stranger', dims: DIMS };
      expect((await loadSnapshot(both, { ...encoder, multilingual: stranger })).multilingual).to.equal(null);
      expect((await loadSnapshot(good, { ...encoder, multilingual: other })).multilingual).to.equal(null);
    });

    it('refuses the whole snapshot when they are damaged or belong to another one', async () => {
      const damaged = (damage: (directory: string) => void) => {
        const directory = path.join(folder, `both-${copies++}`, path.basename(both));
        cpSync(both, directory, { recursive: true });
        damage(directory);
        return loadSnapshot(directory, { ...encoder, multilingual: other }).then(
          () => 'loaded',
          (error: Error) => error.message,
        );
      };
      expect(await damaged((d) => truncateSync(path.join(d, 'multilingual.f32'), 8))).to.match(/f32 is cut short/);
      expect(await damaged((d) => rmSync(path.join(d, 'multilingual.hnsw')))).to.match(/hnsw is missing/);
      expect(await damaged((d) => writeFileSync(path.join(d, 'multilingual.hnsw'), 'x'))).to.match(/hnsw is cut short/);
    });
  });

  const damages: readonly [what: string, damage: (directory: string) => void, reason: RegExp][] = [
    ['of another format version', (d) => edit(d, (m) => (m.formatVersion = 2)), /^formatVersion is 2, expected 1/],
    ['without a manifest', (d) => rmSync(path.join(d, 'manifest.json')), /^manifest\.json is missing/],
    [
      'with a manifest cut short',
      (d) => truncateSync(path.join(d, 'manifest.json'), 50),
      /^manifest\.json is not valid JSON/,
    ],
    ['with a manifest that lacks a field', (d) => edit(d, (m) => delete m.counts), /^counts is required/],
    [
      'with a different count',
      (d) => edit(d, (m) => (m.counts = { creatives: 11 })),
      /^counts\.creatives is 11, which requires/,
    ],
    [
      'with a name other than the one it was built with',
      (d) => edit(d, (m) => (m.name = 'x')),
      /^id does not belong to the manifest/,
    ],
    ['with another source digest', (d) => edit(d, (m) => (m.source.digest = '1'.repeat(64))), /^id does not belong/],
    [
      'with vectors cut short',
      (d) => truncateSync(path.join(d, 'vectors.f32'), 100),
      /^vectors\.f32 is cut short: 100 bytes, the manifest says 384/,
    ],
    ['with a graph cut short', (d) => truncateSync(path.join(d, 'graph.hnsw'), 100), /^graph\.hnsw is cut short/],
    [
      'with an empty list of creatives',
      (d) => truncateSync(path.join(d, 'creatives.jsonl'), 0),
      /^creatives\.jsonl is cut short/,
    ],
    ['without a graph', (d) => rmSync(path.join(d, 'graph.hnsw')), /^graph\.hnsw is missing/],
    ...['creatives.jsonl', 'vectors.f32', 'graph.hnsw'].map(
      (file) =>
        [
          `with one bit of ${file} altered`,
          (d: string) => flip(path.join(d, file)),
          new RegExp(`^${file.replace('.', '\\.')} was altered`),
        ] as [string, (d: string) => void, RegExp],
    ),
  ];
  for (const [what, damage, reason] of damages) {
    it(`refuses one ${what} and names the fault`, async () => {
      const directory = copy();
      damage(directory);
      expect(await refusal(directory)).to.match(reason);
    });
  }

  it('refuses one of another encoder and names fingerprint or dims', async () => {
    expect(await refusal(good, { fingerprint: 'other', dims: DIMS })).to.match(
      /^encoder\.fingerprint is made .* the encoder's is other/,
    );
    expect(await refusal(good, { fingerprint: 'made', dims: 4 })).to.match(/^encoder\.dims is 8, the encoder's is 4/);
  });

  it('refuses one in a directory named after another', async () => {
    const directory = copy();
    const renamed = path.join(path.dirname(directory), '0123456789abcdef');
    renameSync(directory, renamed);
    expect(await refusal(renamed)).to.match(/^id is not the name of its directory/);
  });

  function flip(file: string): void {
    const bytes = readFileSync(file);
    const at = bytes.length >> 1;
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(file, bytes);
  }
});
