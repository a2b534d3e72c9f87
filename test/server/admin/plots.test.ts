import { expect } from 'chai';
import type { Plot } from '../../../server/admin/plots/plot.js';
import { createPlots, type Plots } from '../../../server/admin/plots/plot-thread.js';

describe('plots', () => {
  const logged: unknown[] = [];
  let plots: Plots;
  before(() => void (plots = createPlots({ error: (...details: unknown[]) => void logged.push(details) })));
  after(() => plots.close());

  const times = (...values: (number | null)[]): Plot => ({
    kind: 'time',
    mark: values.includes(null) ? 'line' : 'columns',
    axis: 'count',
    points: values.map((value, day) => ({ at: `${day} Nov`, tick: `${day} Nov`, value, label: String(value) })),
  });
  const bars = (...names: string[]): Plot => ({
    kind: 'bars',
    width: 460,
    names: 200,
    bars: names.map((name, place) => ({ name, value: place + 1, label: 'x' })),
  });

  it('are SVG without style, script or reference to another origin', async () => {
    for (const plot of [times(1, 5, 3), times(0.1, null, 0.3), times(), times(0, 0), times(1e12), bars('a', 'b')]) {
      const svg = await plots.draw(plot);
      expect(svg).to.match(/^<svg [^]*<\/svg>$/);
      expect(svg).to.not.match(/style=|<style|<script|<image|\son\w+=|NaN|Infinity/);
      expect(svg.replaceAll('http://www.w3.org/', '')).to.not.include('http');
    }
    expect(logged).to.deep.equal([]);
  });

  it('escape names, and draw letters of every script', async () => {
    const svg = await plots.draw(
      bars(`<script>alert("x")</script>`, `'&<img src=x onerror=y>`, 'Überraschung 日本 🎁', '\ud800'),
    );
    expect(svg).to.include('&lt;script&gt;').and.include('&amp;&lt;img').and.include('日本 🎁');
    expect(svg).to.not.match(/<script|<img/);
  });

  it('label equal hours where they are, on a day on which summer time ends', async () => {
    const hours = ['00', '01', '02', '02', '03', '04'].map((hour, place) => ({
      at: hour,
      tick: place % 2 === 0 ? `${hour}:00` : null,
      value: 1,
      label: '1',
    }));
    const svg = await plots.draw({ kind: 'time', mark: 'columns', axis: 'count', points: hours });
    const places = [...svg.matchAll(/translate\(([\d.]+),[\d.]+\)"[^>]*>(0\d:00)</g)].map(([, x, text]) => [
      Number(x),
      text,
    ]);
    expect(places.map(([, text]) => text)).to.deep.equal(['00:00', '02:00', '03:00']);
    expect(places.map(([x]) => x)).to.deep.equal(places.map(([x]) => x).toSorted((one, other) => +one! - +other!));
  });

  it('interrupt the line where there is no rate', async () => {
    const path = (svg: string): string => /class="mark-line[^]*?d="([^"]*)"/.exec(svg)?.[1] ?? '';
    expect(path(await plots.draw(times(1, null, 2, 3))).match(/M/g)?.length).to.equal(2);
  });

  it('are omitted and logged if they cannot be drawn, without affecting others', async () => {
    expect(await plots.draw({ kind: 'bars' } as unknown as Plot)).to.equal('');
    expect(logged.length).to.equal(1);
    expect(await plots.draw(bars('a'))).to.include('<svg');
  });

  it('are drawn again after the thread has ended', async () => {
    await plots.close();
    expect(await plots.draw(bars('a'))).to.include('<svg');
  });
});
