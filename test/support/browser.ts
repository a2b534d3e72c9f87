import chromiumForServers from '@sparticuz/chromium';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Of a start, in milliseconds; a hook has thirty seconds. */
const START = 12_000;

/**
 * A real Chromium: the one that is installed, else the one that npm brought. One that does not start, as happened once
 * in a whole run on a busy machine, is started once more.
 */
export async function launchBrowser(): Promise<Browser> {
  return startBrowser().catch(startBrowser);
}

async function startBrowser(): Promise<Browser> {
  const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({
    timeout: START,
    executablePath: installed ?? (await chromiumForServers.executablePath()),
    // Nothing that loosens what is tested here: no --disable-web-security, no single process.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'],
  });
}
