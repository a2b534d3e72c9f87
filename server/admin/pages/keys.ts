import type { Router } from '@koa/router';
import { readKeyCommand, UsageError } from '../../keys/arguments.js';
import { createKey, deactivateKey, KeyChangeError, rotateKey } from '../../keys/changes.js';
import type { KeyFile, StoredKey } from '../../keys/key-file.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';
import type { Notice } from '../view/show.js';

/** `GET /admin/keys`: publishers' keys; `POST` creates, rotates, deactivates. A new key is shown on the next page, once. */
export function keys(router: Router<AdminState>, options: PageOptions): void {
  const { show, path, keys: store, clock, log } = options;
  router.get('/keys', async (ctx) => {
    const file = await store.read();
    const now = clock();
    const rows = file.keys.map((key) => ({ ...key, sha256: undefined, state: stateOf(key, now) }));
    show(ctx, 'keys', {
      title: 'Keys',
      place: 'keys',
      // Live ones first, latest first.
      rows: rows
        .toReversed()
        .toSorted((one, other) => Number(one.state !== 'active') - Number(other.state !== 'active')),
      publishers: [...new Set(file.keys.map(({ publisher }) => publisher))].toSorted(),
      suggested: new URLSearchParams(ctx.querystring).get('publisher') ?? '',
    });
  });

  for (const [action, change] of Object.entries(CHANGES)) {
    router.post(`/keys/${action}`, async (ctx) => {
      ctx.state.session.notice = await noticeOf(() => change(options, ctx.state.form));
      if (ctx.state.session.notice.kind !== 'failed') log.info({ action }, 'keys were changed in the dashboard');
      ctx.status = 303;
      ctx.set('Location', `${path}/keys`);
      ctx.body = '';
    });
  }
}

type Change = (options: PageOptions, form: URLSearchParams) => Promise<Notice>;

const CHANGES: Readonly<Record<'create' | 'rotate' | 'deactivate', Change>> = {
  async create({ keys, config, clock }, form) {
    const command = readKeyCommand(argumentsOf(form), config.timeZone, clock());
    if (command.name !== 'create') throw new UsageError('this makes no key');
    return shownOnce(await keys.change((file: KeyFile) => createKey(file, command.key, clock())));
  },
  async rotate({ keys, config, clock }, form) {
    const argv = ['rotate', form.get('id') ?? '', `--overlap=${form.get('overlap') ?? ''}`];
    const command = readKeyCommand(argv, config.timeZone, clock());
    if (command.name !== 'rotate') throw new UsageError('this rotates no key');
    return shownOnce(await keys.change((file: KeyFile) => rotateKey(file, command.id, command.overlapMs, clock())));
  },
  async deactivate({ keys, clock }, form) {
    const { id, publisher } = await keys.change((file: KeyFile) => deactivateKey(file, form.get('id') ?? '', clock()));
    return { kind: 'done', text: `${id} of ${publisher} is deactivated. It is refused within a second.` };
  },
};

/** The form as the command line that asks the same, so that both are checked by the same rules. */
function argumentsOf(form: URLSearchParams): string[] {
  const [publisher, expires, perMinute] = ['publisher', 'expires', 'perMinute'].map((name) =>
    (form.get(name) ?? '').trim(),
  );
  const origins = (form.get('origins') ?? '').split(/\s+/).filter((origin) => origin !== '');
  return [
    'create',
    `--publisher=${publisher}`,
    ...(form.get('kind') === 'test' ? ['--test'] : []),
    ...origins.map((origin) => `--origin=${origin}`),
    ...(expires === '' ? [] : [`--expires=${expires}`]),
    ...(perMinute === '' ? [] : [`--requests-per-minute=${perMinute}`]),
  ];
}

function shownOnce({ key, stored }: { readonly key: string; readonly stored: StoredKey }): Notice {
  return { kind: 'key', id: stored.id, publisher: stored.publisher, key };
}

async function noticeOf(change: () => Promise<Notice>): Promise<Notice> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof KeyChangeError)) throw error;
    // The rules speak of flags; the form's fields bear the same names.
    return { kind: 'failed', text: `Nothing was changed: ${error.message.replaceAll('--', '')}.` };
  }
}

function stateOf({ deactivatedAt, expiresAt }: StoredKey, now: number): 'active' | 'expired' | 'deactivated' {
  if (deactivatedAt !== null && Date.parse(deactivatedAt) <= now) return 'deactivated';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}
