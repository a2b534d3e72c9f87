import chromiumForServers from '@sparticuz/chromium';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** A real Chromium: the one that is installed, else the one that npm brought. */
export async function launchBrowser(): Promise<Browser> {
  const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({
    executablePath: installed ?? (await chromiumForServers.executablePath()),
    // Nothing that loosens what is tested here: no --disable-web-security, no single process.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'],
  });
}
