import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { importFaults } from './import-rule.js';

describe('the import rule', () => {
  it('holds in this repository', () => {
    expect(importFaults(fileURLToPath(new URL('../../../', import.meta.url)))).to.deep.equal([]);
  });

  it('refuses an import of a layer above', () => {
    const tree = {
      'server/decide/decide.ts': `import { app } from '../http/app.js';`,
      'server/domain/money.ts': `export { total } from '../ledger/total.js';`,
      'server/commands/keys/main.ts': `import { page } from '../../admin/page.js';`,
      'models/index/graph.ts': `import { main } from '../../indexer/main.js';`,
      'server/keys/key.ts': `import { serve } from '../serve.js';`,
      'platform/time/poll.ts': `import { graph } from '../../models/index/graph.js';`,
    };
    const ends = ['server/http/app', 'server/ledger/total', 'server/admin/page', 'indexer/main', 'server/serve'];
    expect(faultsOf({ ...tree, ...Object.fromEntries(ends.map((end) => [`${end}.ts`, ''])) })).to.have.members([
      'server/decide/decide.ts must not import server/http/app.ts',
      'server/domain/money.ts must not import server/ledger/total.ts',
      'server/commands/keys/main.ts must not import server/admin/page.ts',
      'models/index/graph.ts must not import indexer/main.ts',
      'server/keys/key.ts must not import server/serve.ts',
      'platform/time/poll.ts must not import models/index/graph.ts',
    ]);
  });

  it('refuses files that import each other, even if only for types', () => {
    const faults = faultsOf({
      'models/a/one.ts': `import type { Two } from './two.js';`,
      'models/a/two.ts': `import type { Three } from './three.js';`,
      'models/a/three.ts': `export type { One } from './one.js';`,
    });
    expect(faults).to.include(
      'circular import of files: models/a/one.ts → models/a/two.ts → models/a/three.ts → models/a/one.ts',
    );
  });

  it('refuses directories that import each other, even if no two files do', () => {
    const faults = faultsOf({
      'server/keys/key.ts': `import { spent } from '../ledger/spend.js';`,
      'server/keys/list.ts': '',
      'server/ledger/spend.ts': '',
      'server/ledger/main.ts': `import { list } from '../keys/list.js';`,
    });
    expect(faults).to.include('circular import of folders: server/keys → server/ledger → server/keys');
  });

  it('refuses directories of which only subdirectories import each other', () => {
    const faults = faultsOf({
      'server/keys/file/a.ts': `import { b } from '../../ledger/b.js';`,
      'server/keys/c.ts': '',
      'server/ledger/b.ts': '',
      'server/ledger/store/d.ts': `import { c } from '../../keys/c.js';`,
    });
    expect(faults).to.deep.equal(['circular import of parts of one folder: server/keys → server/ledger → server/keys']);
  });

  function faultsOf(files: Readonly<Record<string, string>>): string[] {
    const root = temporaryDirectory();
    try {
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(root, file), text);
      }
      return importFaults(root);
    } finally {
      rmSync(root, { recursive: true });
    }
  }
});
