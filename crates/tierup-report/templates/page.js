'use strict';

// Tables: a click on a heading sorts, the best first; another click reverses. Rows without a figure stay at the end.
for (const table of document.querySelectorAll('table')) {
  const heads = table.querySelectorAll('th[data-first]');
  heads.forEach((head, column) => {
    const title = head.querySelector('.title');
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener('click', () => {
      const turned = { ascending: 'descending', descending: 'ascending' }[head.getAttribute('aria-sort')];
      const order = turned ?? head.dataset.first;
      heads.forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', order);
      sort(table.tBodies[0], column, order === 'ascending' ? 1 : -1);
    });
  });
}

function sort(body, column, sign) {
  const value = (row) => {
    const text = row.cells[column].dataset.value;
    return text === '' ? null : Number(text);
  };
  const compare = (one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (a - b);
  };
  body.append(...[...body.rows].sort(compare));
}

// Latency: shows each row's value at the percentile under the pointer, or selected by the arrow keys.
const figure = document.getElementById('latency');
const data = JSON.parse(document.getElementById('latency-data')?.textContent ?? 'null');
if (figure && data) {
  const reading = document.createElement('div');
  reading.className = 'reading';
  reading.setAttribute('aria-live', 'polite');
  figure.append(reading);
  for (const svg of figure.querySelectorAll('svg')) follow(svg, reading);
}

function follow(svg, reading) {
  const plot = svg.querySelector('.plot');
  const [left, top, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(plot.getAttribute(name)));
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  cursor.setAttribute('class', 'cursor');
  let share = 0.5;

  const show = (next) => {
    share = Math.min(1, Math.max(0, next));
    const place = left + share * width;
    for (const [name, value] of Object.entries({ x1: place, x2: place, y1: top, y2: top + height })) {
      cursor.setAttribute(name, value);
    }
    svg.append(cursor);
    reading.replaceChildren(...lines(share));
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    const room = figure.clientWidth - reading.offsetWidth;
    const beside = place * scale + (share < 0.5 ? 14 : -14 - reading.offsetWidth);
    reading.style.left = `${Math.min(room, Math.max(0, beside))}px`;
    reading.style.top = `${svg.getBoundingClientRect().top - figure.getBoundingClientRect().top + top * scale}px`;
  };
  const hide = () => {
    cursor.remove();
    reading.replaceChildren();
  };

  svg.tabIndex = 0;
  svg.addEventListener('pointermove', (event) => {
    const box = plot.getBoundingClientRect();
    show((event.clientX - box.left) / box.width);
  });
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.addEventListener('focus', () => { if (svg.matches(':focus-visible')) show(share); });
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (step) show(share + step);
    if (event.key === 'Escape') hide();
    if (step) event.preventDefault();
  });
}

function lines(share) {
  const line = (text, value, swatch) => {
    const row = document.createElement('div');
    const label = document.createElement('bdi');
    if (swatch) label.append(swatch);
    label.append(text);
    row.append(label, value);
    return row;
  };
  const percent = 100 * (1 - 10 ** (-share * data.decades));
  const digits = percent < 90 ? 0 : Math.min(4, Math.ceil(share * data.decades) - 1);
  const shown = data.rows.filter((row) => document.getElementById(`show-${row.class}`)?.checked ?? true);
  const values = shown.map((row) => {
    const key = document.querySelector(`label:has(#show-${row.class})`);
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.cssText = key?.style.cssText ?? '';
    const value = row.milliseconds[Math.round(share * data.steps)];
    return [value ?? Infinity, line(row.label, value === undefined ? '–' : `${Number(value.toPrecision(3))} ms`, swatch)];
  });
  values.sort((one, other) => other[0] - one[0]);
  return [line('share', `${percent.toFixed(digits)} %`), ...values.map(([, row]) => row)];
}
