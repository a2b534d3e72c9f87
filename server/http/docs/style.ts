/** The style of the docs page; its digest stands in the page's policy. */
export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 64rem; margin: 0 auto; padding: 1.5rem; }
h1, h2, h3 { line-height: 1.2; }
section { margin: 2.5rem 0; scroll-margin-top: 1rem; }
nav ul { list-style: none; padding: 0; columns: 24rem; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
b { font-weight: 600; font-size: .8em; letter-spacing: .04em; }
code, pre { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
pre, .table { overflow-x: auto; }
pre { padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: start; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
`;
