{
  'use strict';

  // The flame graph: each box is below its caller's. Only boxes that are wide enough to see are in the document.
  const ROW = 20;
  const NARROWEST = 2;
  const graph = document.getElementById('flame');
  const data = JSON.parse(document.getElementById('flame-data').textContent);
  const detail = document.getElementById('flame-detail');
  const search = document.getElementById('flame-search');
  const found = document.getElementById('flame-found');
  const back = document.getElementById('flame-back');
  const kinds = [...document.querySelectorAll('.legend-kinds li')].map((item) => item.textContent.trim());

  const boxes = data.boxes.map(([depth, frame, now, itself, before], index) => ({
    index, depth, now, itself, before, called: [], caller: null, left: 0, found: false,
    name: data.frames[frame][0], place: data.frames[frame][1], kind: data.frames[frame][2],
  }));
  const roots = [];
  {
    const way = [];
    for (const box of boxes) {
      way.length = box.depth;
      box.caller = way[box.depth - 1] ?? null;
      (box.caller?.called ?? roots).push(box);
      way.push(box);
    }
  }

  let zoomed = null;
  let focused = null;
  const chosen = (id) => document.getElementById(id)?.checked ?? false;
  const width = (box) => (chosen('flame-before') ? box.before : box.now);

  const percent = (share) => `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;

  function described(box) {
    const parts = [box.name];
    if (box.place) parts.push(box.place);
    parts.push(kinds[box.kind]);
    parts.push(`total ${percent(box.now)}, self ${percent(box.itself)}`);
    if (data.compared) parts.push(`before ${percent(box.before)}`);
    return parts.join(' · ');
  }

  // Red for growth, blue for shrinkage, at full strength from ten percentage points on.
  function changed(box) {
    const change = box.now - box.before;
    const strength = Math.min(70, Math.round(Math.abs(change) * 700));
    const hue = change > 0 ? 'var(--hue-2)' : 'var(--hue-1)';
    return `color-mix(in srgb, ${hue} ${strength}%, var(--panel))`;
  }

  function place() {
    // A caller is laid out before the functions that it calls.
    const lay = (list, left) => {
      for (const box of list) {
        box.left = left;
        left += width(box);
      }
    };
    lay(roots, 0);
    for (const box of boxes) lay(box.called, box.left);
  }

  function visible() {
    const all = roots.reduce((sum, box) => sum + width(box), 0) || 1;
    const [left, span] = zoomed && width(zoomed) > 0 ? [zoomed.left, width(zoomed)] : [0, all];
    const scale = graph.clientWidth / span;
    const shown = [];
    for (let next = zoomed?.caller ?? null; next; next = next.caller) shown.unshift({ box: next, left: 0, width: span, above: true });
    const waiting = zoomed ? [zoomed] : [...roots].reverse();
    while (waiting.length > 0) {
      const box = waiting.pop();
      if (width(box) * scale < NARROWEST) continue;
      shown.push({ box, left: box.left - left, width: width(box), above: false });
      for (let index = box.called.length - 1; index >= 0; index -= 1) waiting.push(box.called[index]);
    }
    return shown.map((it) => ({ ...it, left: it.left * scale, width: it.width * scale }));
  }

  function draw() {
    const byChange = chosen('flame-change');
    const hadFocus = graph.contains(document.activeElement);
    const shown = visible();
    const holds = shown.some(({ box }) => box === focused);
    if (!holds) focused = zoomed ?? shown[0]?.box ?? null;
    const deepest = shown.reduce((most, { box }) => Math.max(most, box.depth), 0);
    graph.style.height = `${(deepest + 1) * ROW + 1}px`;
    graph.replaceChildren(...shown.map(({ box, left, width: wide, above }) => {
      const element = document.createElement('div');
      element.setAttribute('role', 'treeitem');
      element.setAttribute('aria-level', String(box.depth + 1));
      element.setAttribute('aria-label', described(box));
      if (box.called.length > 0) element.setAttribute('aria-expanded', 'true');
      element.tabIndex = box === focused ? 0 : -1;
      element.className = `kind-${box.kind}${above ? ' above' : ''}${box.found ? ' found' : ''}`;
      element.style.left = `${left}px`;
      element.style.top = `${box.depth * ROW}px`;
      element.style.width = `${wide}px`;
      if (byChange && !box.found) element.style.background = changed(box);
      if (wide > 24) element.textContent = box.name;
      element.dataset.box = String(box.index);
      return element;
    }));
    back.hidden = zoomed === null;
    // Keeps the focus, so that a reader who uses the keyboard continues from the new boxes.
    if (hadFocus && focused) element(focused)?.focus();
  }

  const element = (box) => graph.querySelector(`[data-box="${box.index}"]`);

  function focus(box) {
    if (!box) return;
    let next = box;
    // If the box is too narrow to be in the document, zooms into its caller.
    if (!element(next)) zoom(next.caller);
    while (next && !element(next)) next = next.caller;
    if (!next) return;
    if (focused && element(focused)) element(focused).tabIndex = -1;
    focused = next;
    element(next).tabIndex = 0;
    element(next).focus();
  }

  function zoom(box) {
    zoomed = box;
    draw();
  }

  function beside(box, step) {
    const list = (box.caller?.called ?? roots).filter((other) => width(other) > 0);
    return list[list.indexOf(box) + step];
  }

  function look() {
    const wanted = search.value.trim().toLowerCase();
    let share = 0;
    let functions = new Set();
    for (const box of boxes) {
      const within = box.caller !== null && (box.caller.found || box.caller.below);
      box.found = wanted !== '' && `${box.name}\n${box.place}`.toLowerCase().includes(wanted);
      box.below = within;
      if (box.found) functions.add(`${box.name}\n${box.place}`);
      if (box.found && !within) share += box.now;
    }
    const count = functions.size === 1 ? '1 function' : `${functions.size} functions`;
    found.textContent = wanted === '' ? '' : `${count}, ${percent(share)}`;
    draw();
  }

  const boxOf = (event) => boxes[Number(event.target.closest?.('[data-box]')?.dataset.box ?? NaN)];

  graph.addEventListener('click', (event) => {
    const box = boxOf(event);
    if (!box) return;
    focused = box;
    zoom(box);
    element(box)?.focus();
  });
  graph.addEventListener('pointerover', (event) => {
    const box = boxOf(event);
    if (box) detail.textContent = described(box);
  });
  graph.addEventListener('focusin', (event) => {
    const box = boxOf(event);
    if (box) detail.textContent = described(box);
  });
  graph.addEventListener('keydown', (event) => {
    const box = boxOf(event);
    if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowUp: () => focus(box.caller),
      ArrowDown: () => focus(box.called.find((other) => width(other) > 0)),
      ArrowLeft: () => focus(beside(box, -1)),
      ArrowRight: () => focus(beside(box, 1)),
      Home: () => focus(roots[0]),
      Enter: () => { zoom(box); focus(box); },
      ' ': () => { zoom(box); focus(box); },
      Escape: () => { zoom(zoomed?.caller ?? null); focus(box); },
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  });
  back.addEventListener('click', () => {
    const last = zoomed;
    zoom(null);
    focus(last);
  });
  search.addEventListener('input', look);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
      event.preventDefault();
      search.focus();
    }
  });
  for (const choice of document.querySelectorAll('.flame .choice input')) {
    choice.addEventListener('change', () => { place(); draw(); });
  }
  // The height depends on what is drawn, so only a new width needs a redraw.
  let drawnWidth = graph.clientWidth;
  new ResizeObserver(() => {
    if (graph.clientWidth === drawnWidth) return;
    drawnWidth = graph.clientWidth;
    draw();
  }).observe(graph);

  // A click on a function in the table searches for it in the graph.
  for (const label of document.querySelectorAll('.flame tbody .label')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'Find it in the graph';
    button.append(...label.childNodes);
    label.append(button);
    button.addEventListener('click', () => {
      search.value = button.textContent;
      look();
    });
  }

  place();
  draw();
}
