/**
 * A webpack plugin: characters beyond ASCII become escapes. So the labels are right also where a copy of the script is
 * served without its charset, to a page of another; and compressed it is smaller than as UTF-8.
 */
export class Ascii {
  apply(compiler) {
    const { Compilation, sources } = compiler.webpack;
    compiler.hooks.thisCompilation.tap('Ascii', (compilation) => {
      // After the minimizer, which would take the escapes back; before the source map is written.
      const stage = Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE + 1;
      compilation.hooks.processAssets.tap({ name: 'Ascii', stage }, (assets) => {
        for (const name of Object.keys(assets).filter((asset) => /\.m?js$/.test(asset))) {
          compilation.updateAsset(name, (source) => {
            const escaped = new sources.ReplaceSource(source);
            for (const { 0: character, index } of source.source().matchAll(/[^\0-\x7f]/g)) {
              escaped.replace(index, index, `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
            }
            return escaped;
          });
        }
      });
    });
  }
}
