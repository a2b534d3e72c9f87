import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { fill } from '../support/fake-ad-server.js';
import { eventually } from '../support/eventually.js';
import { KEY, publisherPages } from '../support/publisher-pages.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const GREETING = 'Hello! What can I do for you?';
/** Errors of the script become messages of the console. */
const SHOW_ERRORS = `<script>addEventListener('adsdk:error', ({ detail }) => console.error(detail.message))</script>`;

describe('The examples', () => {
  const pages = publisherPages();
  before(function () {
    this.timeout(120_000);
    execFileSync(
      process.execPath,
      ['node_modules/webpack/bin/webpack.js', '--config', 'sdk/examples/webpack.config.js'],
      {
        cwd: fileURLToPath(root),
      },
    );
  });
  beforeEach(() => {
    pages.network.respond((response, asked, count) => fill({ name: `Ad ${count}` })(response, asked, count));
  });

  /** Does what the example's readers do: inserts the service's address and a key, and opens the page. */
  const open = (name: string) => {
    const page = read(`sdk/examples/${name}/index.html`).replace('%BASE%', pages.network.origin);
    return pages.openBare(page.replace('</head>', `${SHOW_ERRORS}</head>`), {
      files: { 'main.js': read(`dist/sdk/examples/public/${name}/main.js`).replace('%KEY%', KEY) },
    });
  };
  const lastContext = () => (JSON.parse(pages.network.asked.at(-1)!.body) as { context: string }).context;

  it('plain: fills its slot for each question, with one impression per ad', async () => {
    const { page, consoleMessages } = await open('plain');
    for (const question of ['Which boots?', 'Which tent?']) {
      await page.getByLabel('Your question').fill(question);
      await page.getByRole('button', { name: 'Ask' }).click();
      await eventually(() => expect(lastContext()).to.equal(question));
    }
    await page.locator('[data-adsdk-slot] b', { hasText: 'Ad 2' }).waitFor();
    await eventually(() => expect(pages.network.events).to.deep.equal(['impression r1', 'impression r2']));
    expect(consoleMessages).to.deep.equal([]);
  });

  for (const name of ['react', 'vue']) {
    it(`${name}: shows one ad at a time as the conversation goes on, and removes it when unmounted`, async () => {
      const { page, consoleMessages } = await open(name);
      const send = async (message: string) => {
        await page.getByLabel('Message').fill(message);
        await page.getByRole('button', { name: 'Send' }).click();
      };
      expect(await page.locator('li').allInnerTexts()).to.deep.equal([GREETING]);
      await send('Which boots?');
      await page.locator('adsdk-ad').waitFor();
      const first = await page.locator('b').innerText();
      await send('Or sandals?');
      await eventually(async () => {
        const names = await page.locator('b').allInnerTexts();
        expect(names).to.have.length(1);
        expect(names).not.to.include(first);
      });
      expect(JSON.parse(pages.network.asked.at(-1)!.body)).to.deep.equal({
        messages: [
          { role: 'assistant', content: GREETING },
          { role: 'user', content: 'Which boots?' },
          { role: 'assistant', content: 'You said: Which boots?' },
          { role: 'user', content: 'Or sandals?' },
        ],
      });
      const shown = [GREETING, 'Which boots?', 'You said: Which boots?', 'Or sandals?', 'You said: Or sandals?'];
      expect(await page.locator('li').allInnerTexts()).to.deep.equal(shown);
      expect(new Set(pages.network.events).size).to.equal(pages.network.events.length);
      expect(consoleMessages).to.deep.equal([]);
    });
  }
});
