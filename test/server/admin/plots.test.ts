import { expect } from 'chai';
import type { Plot } from '../../../server/admin/plots/plot.js';
import { createPlots, type Plots } from '../../../server/admin/plots/plot-thread.js';

describe('plots', () => {
  const logged: unknown[] = [];
  let plots: Plots;
  before(() => void (plots = createPlots({ error: (...details: unknown[]) => void logged.push(details) })));
  after(() => plots.close());

  const times = (...values: (number | null)[]): Plot => ({
    mark: values.includes(null) ? 'line' : 'columns',
    axis: 'count',
    points: values.map((value, day) => ({ at: `${day} Nov`, tick: `${day} Nov`, value, label: String(value) })),
  });
  const labelled = (...labels: string[]): Plot => ({
    mark: 'columns',
    axis: 'count',
    points: labels.map((label) => ({ at: 'x', tick: label, value: 1, label })),
  });

  it('are SVG without style, script or reference to another origin', async () => {
    for (const plot of [times(1, 5, 3), times(0.1, null, 0.3), times(), times(0, 0), times(1e12)]) {
      const svg = await plots.draw(plot);
      expect(svg).to.match(/^<svg [^]*<\/svg>$/);
      expect(svg).to.not.match(/style=|<style|<script|<image|\son\w+=|NaN|Infinity/);
      expect(svg.replaceAll('http://www.w3.org/', '')).to.not.include('http');
    }
    expect(logged).to.deep.equal([]);
  });

  it('escape labels, and draw letters of every script', async () => {
    const svg = await plots.draw(
      labelled(`<script>alert("x")</script>`, `'&<img src=x onerror=y>`, 'Überraschung 日本 🎁', '\ud800'),
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
    const svg = await plots.draw({ mark: 'columns', axis: 'count', points: hours });
    const places = [...svg.matchAll(/translate\(([\d.]+),[\d.]+\)"[^>]*>(0\d:00)</g)].map(([, x, text]) => [
      Number(x),
      text,
    ]);
    expect(places.map(([, text]) => text)).to.deep.equal(['00:00', '02:00', '03:00']);
    expect(places.map(([x]) => x)).to.deep.equal(places.map(([x]) => x).toSorted((one, other) => +one! - +other!));
  });

  it('draw the first of many labels', async () => {
    for (const count of [20, 23, 24, 25, 48, 49, 90]) {
      const points = Array.from({ length: count }, (_, place) => ({
        at: 'x',
        tick: place % Math.ceil(count / 6) === 0 ? `${20 + place} Oct` : null,
        value: 1,
        label: '1',
      }));
      const svg = await plots.draw({ mark: 'columns', axis: 'count', points });
      expect(svg, String(count)).to.include('>20 Oct<');
    }
  });

  it('interrupt the line where there is no rate', async () => {
    const path = (svg: string): string => /class="mark-line[^]*?d="([^"]*)"/.exec(svg)?.[1] ?? '';
    expect(path(await plots.draw(times(1, null, 2, 3))).match(/M/g)?.length).to.equal(2);
  });

  it('are omitted and logged if they cannot be drawn, without affecting others', async () => {
    expect(await plots.draw({} as unknown as Plot)).to.equal('');
    expect(logged.length).to.equal(1);
    expect(await plots.draw(times(1))).to.include('<svg');
  });

  it('are drawn again after the thread has ended', async () => {
    await plots.close();
    expect(await plots.draw(times(1))).to.include('<svg');
  });
});
