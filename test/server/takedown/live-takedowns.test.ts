import { expect } from 'chai';
import { rmSync } from 'node:fs';
import type { ServedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import type { SharedStore } from '../../../server/stores/shared-store.js';
import { openTakedowns } from '../../../server/takedown/live-takedowns.js';
import { buildCreativeMaps } from '../../../server/live-index/creative-maps.js';
import { takedownStore, type TakedownFile } from '../../../server/takedown/takedown-file.js';
import { eventually } from '../../support/eventually.js';
import { testCreative } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the takedowns that a server follows', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const at = new Date(0).toISOString();
  const imageOf = (letter: string): string => `${letter.repeat(64)}.png`;
  const quiet = { info: () => undefined, error: () => undefined };

  it('note the image of a live creative, even when the first write fails', async () => {
    const store = takedownStore(dataDir);
    await store.change(({ creatives }) => void creatives.push({ id: 'boots', reason: null, at, images: [] }));
    let writes = 0;
    const full: SharedStore<TakedownFile> = {
      path: store.path,
      stamp: () => store.stamp(),
      read: () => store.read(),
      change(change, beforeWrite) {
        return writes++ === 0 ? Promise.reject(new Error('no space left')) : store.change(change, beforeWrite);
      },
    };
    const imageFile = imageOf('a');
    const snapshot = { creatives: [testCreative('boots', { imageFile })] } as unknown as ServedSnapshot;
    const logged: string[] = [];
    const log = { info: () => undefined, error: (_: object, message: string) => void logged.push(message) };
    const takedowns = await openTakedowns({ store: full, index: { current: () => snapshot }, log });
    try {
      await eventually(async () => expect((await store.read()).creatives[0]!.images).to.deep.equal([imageFile]));
      expect(logged).to.deep.equal(['takedowns: images cannot be noted']);
    } finally {
      await takedowns.close();
    }
  });

  it('look an image up by name, without a walk over the catalogue: it stays while another live creative has it', async () => {
    const store = takedownStore(dataDir);
    await store.change(({ creatives }) => {
      creatives.push({ id: 'boots', reason: null, at, images: [imageOf('a'), imageOf('b'), imageOf('c')] });
      creatives.push({ id: 'socks', reason: null, at, images: [] });
    });
    const pictures = { boots: 'd', socks: 'd', rake: 'b', tea: 'c', seeds: 'c', spade: 'e' };
    const creatives = Object.entries(pictures).map(([id, letter]) => testCreative(id, { imageFile: imageOf(letter) }));
    const snapshot = { creatives } as unknown as ServedSnapshot;
    await buildCreativeMaps(snapshot);
    Object.defineProperty(snapshot, 'creatives', { get: () => expect.fail('the catalogue was walked') });
    let current: ServedSnapshot | null = snapshot;
    const takedowns = await openTakedowns({ store, index: { current: () => current }, log: quiet });
    try {
      const down = () => ['a', 'b', 'c', 'd', 'e'].filter((letter) => takedowns.hasImage(imageOf(letter)));
      expect(down()).to.deep.equal(['a', 'd']);
      await eventually(async () => expect((await store.read()).creatives[1]!.images).to.deep.equal([imageOf('d')]));
      await takedowns.refresh();
      current = null;
      expect(down()).to.deep.equal(['a', 'b', 'c', 'd']);
    } finally {
      await takedowns.close();
    }
  });
});
