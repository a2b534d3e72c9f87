import type { AxeResults } from 'axe-core';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds on a page, each as the rule and the elements. */
export interface AccessibilityFindings {
  readonly violations: string[];
  /** What axe-core could not decide, such as the contrast of text on an image. */
  readonly undecided: string[];
}

/** Checks a page with every axe-core rule up to WCAG 2.2 AA, and its best practices. */
export async function checkAccessibility(page: Page): Promise<AccessibilityFindings> {
  await page.evaluate(AXE);
  const { violations, incomplete } = await page.evaluate(() =>
    (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      // Off by default, although it is of WCAG 2.2 AA.
      rules: { 'target-size': { enabled: true } },
    }),
  );
  return { violations: violations.map(inWords), undecided: incomplete.map(inWords) };
}

function inWords({ id, nodes }: AxeResults['violations'][number]): string {
  return `${id}: ${nodes.map(({ html }) => html).join(' | ')}`;
}
