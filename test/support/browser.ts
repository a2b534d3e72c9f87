import chromiumForServers from '@sparticuz/chromium';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Timeout of a start in milliseconds; a hook has thirty seconds. */
const START = 12_000;

/**
 * Starts a real Chromium: the installed one, else the one from npm. Retries once, because a start has failed on a busy
 * machine.
 */
export async function launchBrowser(): Promise<Browser> {
  return startBrowser().catch(startBrowser);
}

async function startBrowser(): Promise<Browser> {
  const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({
    timeout: START,
    executablePath: installed ?? (await chromiumForServers.executablePath()),
    // No options that weaken what is tested: no --disable-web-security, no single process.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'],
  });
}
