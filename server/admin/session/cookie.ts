import type { Context } from 'koa';

const NAME = 'adjacent_admin';

/** The cookie that carries a session's id. */
export interface SessionCookie {
  read(ctx: Context): string | undefined;
  write(ctx: Context, id: string): void;
  clear(ctx: Context): void;
}

/** @param base absolute address of the dashboard, such as `https://ads.example/admin` */
export function sessionCookie(base: URL): SessionCookie {
  const secure = base.protocol === 'https:' ? '; Secure' : '';
  const attributes = `; Path=${base.pathname}; HttpOnly; SameSite=Strict${secure}`;
  return {
    read: (ctx) => ctx.cookies.get(NAME),
    // By hand: Koa refuses Secure where the proxy in front, and not we, speaks TLS.
    write: (ctx, id) => ctx.append('Set-Cookie', `${NAME}=${id}${attributes}`),
    clear: (ctx) => ctx.append('Set-Cookie', `${NAME}=; Max-Age=0${attributes}`),
  };
}
