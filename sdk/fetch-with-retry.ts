import { AdsdkError } from './error.js';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Sends an HTTP request, with one retry after a network failure. Throws a typed error: `network`, `timeout`, or
 * `aborted` as soon as one of the signals is aborted, even if the page has replaced `fetch` by one that ignores
 * signals.
 *
 * @param timeout milliseconds in total, including the retry
 */
export function fetchWithRetry(
  url: string,
  request: RequestInit,
  timeout: number,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<Reply> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  let onAbort: () => void;
  return new Promise<Reply>((resolve, reject) => {
    const stop = (code: 'timeout' | 'aborted') => {
      reject(new AdsdkError(code));
      abort.abort();
    };
    timer = setTimeout(stop, timeout, 'timeout');
    onAbort = () => stop('aborted');
    for (const signal of signals) {
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort);
    }
    twice(url, { ...request, signal: abort.signal }).then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', onAbort);
  });
}

async function twice(url: string, request: RequestInit): Promise<Reply> {
  for (let again = true; ; again = false) {
    try {
      // Null prototype: fetch also reads inherited fields that a page may have set on Object.prototype.
      const response = await fetch(url, { __proto__: null, ...request } as RequestInit);
      return { status: response.status, headers: response.headers, body: await response.text() };
    } catch (error) {
      if (!again || request.signal!.aborted) throw new AdsdkError('network', String(error));
      await new Promise((resume) => setTimeout(resume, 200));
    }
  }
}
