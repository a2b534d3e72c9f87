import { expect } from 'chai';
import { rmSync } from 'node:fs';
import type { ServedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import type { SharedStore } from '../../../server/stores/shared-store.js';
import { openTakedowns } from '../../../server/takedown/live-takedowns.js';
import { takedownStore, type TakedownFile } from '../../../server/takedown/takedown-file.js';
import { eventually } from '../../support/eventually.js';
import { madeCreative } from '../../support/made-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('what is taken down, as a server follows it', () => {
  const dataDir = temporaryDirectory();
  after(() => rmSync(dataDir, { recursive: true }));

  it('keeps the image that a live creative bears, also where the first write fails', async () => {
    const store = takedownStore(dataDir);
    const at = new Date(0).toISOString();
    await store.change(({ creatives }) => void creatives.push({ id: 'boots', reason: null, at, images: [] }));
    let writes = 0;
    const full: SharedStore<TakedownFile> = {
      path: store.path,
      read: () => store.read(),
      change(change, beforeWrite) {
        return writes++ === 0 ? Promise.reject(new Error('no space left')) : store.change(change, beforeWrite);
      },
    };
    const imageFile = `${'a'.repeat(64)}.png`;
    const snapshot = { creatives: [madeCreative('boots', { imageFile })] } as unknown as ServedSnapshot;
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
});
