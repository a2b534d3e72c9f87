import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8').replaceAll(/^```.*?^```/gms, '');
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');

/** Returns the anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Returns the links of a document that lead to no file, or to no heading of one. */
function brokenLinksOf(document: string): string[] {
  const links = Array.from(read(document).matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? document : path.join(path.dirname(document), file);
      if (!existsSync(path.join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
    });
}

describe('links between documents', () => {
  it('are found in a document', () => {
    expect(read('README.md')).to.include('](CONTRIBUTING.md#glossary)');
    expect(anchorsOf(read('CONTRIBUTING.md'))).to.include('glossary');
  });

  for (const document of documents) {
    it(`lead from ${document} to existing files and headings`, () => {
      expect(brokenLinksOf(document)).to.deep.equal([]);
    });
  }
});
