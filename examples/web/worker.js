// Runs the library, one question at a time. The page hands over the bytes of the module first.
'use strict';
let w;
const f64 = (p, n) => new Float64Array(w.memory.buffer, p, n);
const text = p => { const b = new Uint8Array(w.memory.buffer, p, 192); return new TextDecoder().decode(b.slice(0, b.indexOf(0))); };
const fail = () => { throw new Error(text(w.web_why())); };
const KIND = {plane: 0, line: 1, globe: 2};

// f is called with the address of a copy of the numbers.
function lend(numbers, f) {
  const p = w.web_alloc(8 * numbers.length);
  if (!p) throw new Error('memory is short');
  f64(p, numbers.length).set(numbers);
  try { return f(p); } finally { w.web_free(p); }
}
// Floats that f fills.
function borrow(n, f) {
  const p = w.web_alloc(4 * n);
  if (!p) throw new Error('memory is short');
  try { const got = f(p); return [got, new Float32Array(w.memory.buffer, p, n).slice()]; } finally { w.web_free(p); }
}
function fit(q, which, method, width, eps1 = 0, steps = 0, tol = 0) {
  const st = lend(q.side, side => lend(q.x, x => w.web_fit(which, KIND[q.space], side, x, q.x.length / (q.space === 'line' ? 1 : 2), method, width, eps1, steps, tol)));
  if (st) fail();
  const a = f64(w.web_answer(), 64).slice();
  return {events: a[0], width: a[1], nll: a[2], gap: a[3], expected: a[4], steps: a[5], copies: a[6], share: [...a.slice(7, 12)], floor: a[12],
          trace: [...f64(w.web_trace(), 3 * a[13])]};
}
function grid(q, which, cols) {
  const [x0, x1, y0, y1] = q.space === 'globe' ? [-180, 180, -90, 90] : q.space === 'line' ? [q.side[0], q.side[1], 0, 1] : q.side;
  const rows = q.space === 'line' ? 1 : Math.max(1, Math.round(cols * (y1 - y0) / (x1 - x0)));
  const most = 400000, n = Math.min(cols, Math.floor(most / rows)) ;
  const [st, z] = borrow(n * rows, p => w.web_map(which, n, rows, x0, x1, y0, y1, p));
  if (st) fail();
  return {z, cols: n, rows};
}
const jobs = {
  async start(q) {
    const module = await WebAssembly.compile(q.bytes), env = {};
    for (const {module: from, name, kind} of WebAssembly.Module.imports(module)) if (kind === 'function') (env[from] ||= {})[name] = () => 0;
    env.env.web_now = () => performance.now() / 1000;
    w = (await WebAssembly.instantiate(module, env)).exports;
    w._initialize?.();
    return {version: w.web_version()};
  },
  fit(q) {
    const start = performance.now(), info = fit(q, 0, q.method === 'convex' ? 1 : 0, q.width, q.method === 'convex' ? 1e-3 : 0);
    info.ms = performance.now() - start;
    const map = grid(q, 0, q.cols);
    let bumps = [], thumbs = null;
    if (q.features && q.method === 'auto')
      bumps = lend(new Float64Array(5 * 400), p => { const n = w.web_bumps(p, 400); return [...f64(p, 5 * n)]; });
    if (q.features && q.method === 'convex') {
      const [x0, x1, y0, y1] = q.space === 'globe' ? [-180, 180, -90, 90] : q.space === 'line' ? [...q.side.slice(0, 2), 0, 1] : q.side, cols = 64, rows = 32;
      const [count, z] = borrow(12 * cols * rows, p => w.web_features(0, 12, cols, rows, x0, x1, y0, y1, p));
      thumbs = {count, cols, rows, z};
    }
    return {info, map, bumps, thumbs};
  },
  map(q) { return {map: grid(q, 0, q.cols)}; },
  count(q) {
    if (lend(q.xy, p => w.web_count(p, q.corners, 0.95))) fail();
    const a = f64(w.web_answer(), 7);
    return {mean: a[0], lower: a[1], upper: a[2], countLower: a[3], countUpper: a[4], error: a[5], sure: a[6] === 1};
  },
  // One frame of the lesson: PGD from its start to `steps`, or without steps the optimum.
  lesson(q) {
    const info = q.steps ? fit(q, 1, 2, 24, 0.05, q.steps, -1) : fit(q, 1, 1, 24, 0.05, 0, 1e-9);
    return {info, map: grid(q, 1, q.cols)};
  },
  sample(q) {
    const cap = Math.ceil(q.expected + 12 * Math.sqrt(q.expected) + 20), per = q.space === 'line' ? 1 : 2;
    return lend(new Float64Array(per * cap), p => {
      const n = w.web_sample(q.seed, p, cap);
      if (n < 0) fail();
      return {x: f64(p, per * n).slice()};
    });
  },
  save(q) {
    const name = new TextEncoder().encode(q.name + '\0'), p = w.web_alloc(name.length);
    new Uint8Array(w.memory.buffer, p, name.length).set(name);
    const at = w.web_save(q.asC ? 1 : 0, p);
    w.web_free(p);
    if (!at) fail();
    return {bytes: new Uint8Array(w.memory.buffer, at, f64(w.web_answer(), 1)[0]).slice()};
  },
};
onmessage = async ({data: q}) => {
  try { postMessage({id: q.id, good: await jobs[q.job](q)}); } catch (e) { postMessage({id: q.id, bad: String(e.message || e)}); }
};
