// The page: events in, questions to the worker, pictures out. One state, one render.
'use strict';
const $ = id => document.getElementById(id), all = s => [...document.querySelectorAll(s)];
const map = $('map'), ctx = map.getContext('2d');
const TAU = 2 * Math.PI, RAD = Math.PI / 180;
const WIDTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 0]; // 0: as the data deserve
const PLACES = [[139.7, 35.7, 'Tokyo'], [-70.7, -33.4, 'Santiago'], [106.8, -6.2, 'Jakarta'], [-149.9, 61.2, 'Anchorage'], [12.5, 41.9, 'Rome'],
  [36.8, -1.3, 'Nairobi'], [-99.1, 19.4, 'Mexico City'], [174.8, -41.3, 'Wellington'], [-74, 40.7, 'New York'], [77.2, 28.6, 'Delhi']];
const state = {
  space: 'plane', tool: 'point', method: 'auto', width: 0, features: false,
  side: {plane: [0, 100, 0, 60], line: [0, 100, 0, 1], globe: [-180, 180, -90, 90]},
  x: {plane: [], line: [], globe: []}, steps: {plane: [], line: [], globe: []}, // steps: how many numbers there were before each act
  view: {lon: 150, lat: 10}, region: null, cursor: null, dates: false, name: 'map',
  info: null, map: null, bumps: [], count: null, lesson: null, top: 1,
};
const per = () => state.space === 'line' ? 1 : 2;
const events = () => state.x[state.space];
const side = () => state.side[state.space];

// ---- the worker: one question at a time. Of questions of one kind that wait, only the last is asked.
const bytes = Uint8Array.from(atob($('wasm').textContent.trim()), c => c.charCodeAt(0));
const worker = new Worker(URL.createObjectURL(new Blob([$('worker').textContent], {type: 'text/javascript'})));
let waiting = [], running = null, serial = 0;
const idlers = [];
function ask(job, q, last = false) {
  if (last) waiting = waiting.filter(a => a.job !== job || (a.settle({stale: true}), false));
  return new Promise((resolve, reject) => { waiting.push({job, q, settle: resolve, reject}); next(); });
}
function next() {
  if (running) return;
  running = waiting.shift() || null;
  if (running) { running.id = ++serial; worker.postMessage({id: running.id, job: running.job, ...running.q}); }
  else idlers.splice(0).forEach(f => f());
}
worker.onmessage = ({data}) => {
  if (!running || data.id !== running.id) return;
  const was = running;
  running = null;
  if (data.bad !== undefined) was.reject(new Error(data.bad)); else was.settle(data.good);
  setTimeout(next);
};
const idle = () => new Promise(f => { const look = () => running || waiting.length ? idlers.push(() => setTimeout(look)) : f(); look(); });

// ---- colours: a scale by luminance, dark on light paper and the other way round at night
const MAGMA = [[252, 250, 240], [254, 226, 176], [254, 178, 122], [246, 114, 92], [212, 73, 107], [150, 45, 125], [92, 24, 118], [36, 14, 66]];
let shades;
function theme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  const stops = dark ? [[12, 10, 18], [45, 20, 85], [110, 30, 125], [175, 50, 120], [228, 90, 98], [252, 150, 108], [254, 210, 150], [253, 250, 215]] : MAGMA;
  shades = new Uint8ClampedArray(3 * 256);
  for (let i = 0; i < 256; i++) {
    const t = i / 255 * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2);
    for (let c = 0; c < 3; c++) shades[3 * i + c] = stops[k][c] + (t - k) * (stops[k + 1][c] - stops[k][c]);
  }
  picture = null;
}
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const shade = v => 3 * Math.max(0, Math.min(255, Math.round(255 * Math.sqrt(Math.max(0, v) / state.top))));

// ---- numbers for people
const short = v => !isFinite(v) ? '–' : v === 0 ? '0' : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(2) : String(+v.toPrecision(Math.abs(v) >= 1000 ? 5 : 4));
const day = d => new Date(d * 86400000).toISOString().slice(0, 10);
const along = v => state.dates && state.space === 'line' ? day(v) : short(v);
function parseNumber(text) {
  const t = text.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(t)) return +t;
  if (/^\d{4}-\d\d-\d\d/.test(t)) { // ISO 8601, UTC unless it says otherwise
    const ms = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(t.slice(10)) || t.length === 10 ? t : t.replace(' ', 'T') + 'Z');
    if (!isNaN(ms)) return ms / 86400000;
  }
  return NaN;
}
const say = (words, bad = false) => { $('status').textContent = words; $('status').classList.toggle('bad', bad); };

// ---- where things are on the canvas
let W = 0, H = 0, box = {l: 0, t: 0, r: 1, b: 1};
function measure() {
  const frame = $('frame'), s0 = side(), wide = frame.clientWidth, most = Math.min(innerHeight * (wide < 600 ? 0.56 : 0.74), 800);
  const tall = state.space === 'plane' ? (wide - (wide < 500 ? 56 : 126)) * Math.min(5, (s0[3] - s0[2]) / (s0[1] - s0[0])) + 46 : state.space === 'line' ? Math.min(most, 0.62 * wide) : Math.min(most, wide);
  frame.style.height = Math.round(Math.max(Math.min(tall, most), 230)) + 'px';
  const dpr = Math.min(devicePixelRatio || 1, 2), rect = map.getBoundingClientRect();
  W = rect.width, H = rect.height;
  if (map.width !== Math.round(W * dpr) || map.height !== Math.round(H * dpr)) map.width = Math.round(W * dpr), map.height = Math.round(H * dpr);
  ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
  const s = side(), m = {l: W < 500 ? 38 : 52, t: 14, r: W < 500 ? 18 : state.space === 'plane' ? 74 : 28, b: 30};
  if (state.space === 'globe') {
    const r = Math.min(W, H) / 2 - 12;
    box = {cx: W / 2, cy: H / 2, radius: r, l: W / 2 - r, r: W / 2 + r, t: H / 2 - r, b: H / 2 + r};
    return;
  }
  let w = W - m.l - m.r, h = H - m.t - m.b;
  if (state.space === 'plane') { // the frame is as tall as the window needs it
    const aspect = Math.max(0.2, Math.min(5, (s[1] - s[0]) / (s[3] - s[2])));
    if (w / h > aspect) w = h * aspect; else h = w / aspect;
  }
  const l = m.l + (W - m.l - m.r - w) / 2, t = m.t + (H - m.t - m.b - h) / 2;
  box = {l, t, r: l + w, b: t + h};
}
const lineTop = () => state.map ? 1.15 * Math.max(...state.map.z, 1e-300) : 1;
function toScreen(x, y) {
  const s = side();
  if (state.space === 'globe') {
    const la = y * RAD, lo = (x - state.view.lon) * RAD, sl = Math.sin(state.view.lat * RAD), cl = Math.cos(state.view.lat * RAD);
    return [box.cx + box.radius * Math.cos(la) * Math.sin(lo), box.cy - box.radius * (cl * Math.sin(la) - sl * Math.cos(la) * Math.cos(lo)),
            sl * Math.sin(la) + cl * Math.cos(la) * Math.cos(lo)];
  }
  const px = box.l + (x - s[0]) / (s[1] - s[0]) * (box.r - box.l);
  return [px, state.space === 'line' ? box.b - y / lineTop() * (box.b - box.t) : box.b - (y - s[2]) / (s[3] - s[2]) * (box.b - box.t), 1];
}
function toWorld(px, py, clamp = false) { // null: not on the map
  const s = side();
  if (state.space === 'globe') {
    let u = (px - box.cx) / box.radius, v = (box.cy - py) / box.radius, q = u * u + v * v;
    if (q >= 1) { if (!clamp) return null; const k = 0.9999 / Math.sqrt(q); u *= k, v *= k, q = u * u + v * v; }
    const w = Math.sqrt(1 - q), sl = Math.sin(state.view.lat * RAD), cl = Math.cos(state.view.lat * RAD);
    let lon = state.view.lon + Math.atan2(u, w * cl - v * sl) / RAD;
    lon = ((lon + 180) % 360 + 360) % 360 - 180;
    return [lon, Math.asin(Math.max(-1, Math.min(1, v * cl + w * sl))) / RAD];
  }
  let x = s[0] + (px - box.l) / (box.r - box.l) * (s[1] - s[0]), y = state.space === 'line' ? 0 : s[2] + (box.b - py) / (box.b - box.t) * (s[3] - s[2]);
  if (clamp) x = Math.max(s[0], Math.min(s[1], x)), y = state.space === 'line' ? 0 : Math.max(s[2], Math.min(s[3], y));
  return x < s[0] || x > s[1] || (state.space === 'plane' && (y < s[2] || y > s[3])) ? null : [x, y];
}

// ---- drawing
let picture = null; // the map's colours, made again when the map, the theme or the view changes
function colours(m) {
  const c = document.createElement('canvas'), g = c.getContext('2d');
  const sorted = Float32Array.from(state.lesson?.still || m.z).sort(); // one scale for all frames of a lesson
  state.top = Math.max(sorted[Math.floor(0.996 * (sorted.length - 1))], 1e-300);
  if (state.space === 'globe') {
    const r = Math.max(60, Math.min(420, Math.round(box.radius * (turning ? 0.5 : 1)))), n = 2 * r, img = g.createImageData(c.width = c.height = n, n);
    const sl = Math.sin(state.view.lat * RAD), cl = Math.cos(state.view.lat * RAD);
    for (let j = 0; j < n; j++) for (let i = 0; i < n; i++) {
      const u = (i + 0.5 - r) / r, v = (r - j - 0.5) / r, q = u * u + v * v;
      if (q >= 1) continue;
      const w = Math.sqrt(1 - q), la = Math.asin(Math.max(-1, Math.min(1, v * cl + w * sl))) / Math.PI + 0.5;
      let lo = (state.view.lon * RAD + Math.atan2(u, w * cl - v * sl)) / TAU + 0.5;
      lo -= Math.floor(lo);
      const a = lo * m.cols - 0.5, b = (1 - la) * m.rows - 0.5, i0 = Math.floor(a), j0 = Math.max(0, Math.min(m.rows - 2, Math.floor(b))), fa = a - i0, fb = Math.max(0, Math.min(1, b - j0));
      const at = (y, x) => m.z[y * m.cols + (x + m.cols) % m.cols];
      const z = (1 - fb) * ((1 - fa) * at(j0, i0) + fa * at(j0, i0 + 1)) + fb * ((1 - fa) * at(j0 + 1, i0) + fa * at(j0 + 1, i0 + 1)), k = shade(z), o = 4 * (j * n + i);
      img.data[o] = shades[k], img.data[o + 1] = shades[k + 1], img.data[o + 2] = shades[k + 2];
      img.data[o + 3] = 255 * Math.min(1, (1 - Math.sqrt(q)) * r);
    }
    g.putImageData(img, 0, 0);
  } else {
    const img = g.createImageData(c.width = m.cols, c.height = m.rows);
    for (let i = 0; i < m.z.length; i++) { const k = shade(m.z[i]); img.data[4 * i] = shades[k], img.data[4 * i + 1] = shades[k + 1], img.data[4 * i + 2] = shades[k + 2], img.data[4 * i + 3] = 255; }
    g.putImageData(img, 0, 0);
  }
  return c;
}
function ticks(a, b, n) {
  const raw = (b - a) / n, mag = 10 ** Math.floor(Math.log10(raw)), step = mag * [1, 2, 5, 10].find(k => k * mag >= raw), out = [];
  for (let v = Math.ceil(a / step - 1e-9) * step; v <= b + 1e-9 * step; v += step) out.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return out;
}
function path(points) { // pieces of the globe's far side are left out
  ctx.beginPath();
  let pen = false;
  for (const [x, y, depth] of points) {
    if (depth <= 0) { pen = false; continue; }
    if (pen) ctx.lineTo(x, y); else ctx.moveTo(x, y);
    pen = true;
  }
}
function graticule() {
  ctx.strokeStyle = css('--soft');
  ctx.globalAlpha = 0.28;
  ctx.lineWidth = 0.7;
  for (let g = -180; g < 180; g += 30) { path(Array.from({length: 61}, (_, k) => toScreen(g, -90 + 3 * k))); ctx.stroke(); }
  for (let g = -60; g <= 60; g += 30) { path(Array.from({length: 121}, (_, k) => toScreen(-180 + 3 * k, g))); ctx.stroke(); }
  ctx.globalAlpha = 1;
  ctx.beginPath();
  ctx.arc(box.cx, box.cy, box.radius, 0, TAU);
  ctx.strokeStyle = css('--line');
  ctx.lineWidth = 1.5;
  ctx.stroke();
  ctx.font = '11px system-ui, sans-serif';
  for (const [lon, lat, name] of PLACES) {
    const [x, y, depth] = toScreen(lon, lat);
    if (depth < 0.15) continue;
    ctx.fillStyle = css('--soft');
    ctx.beginPath(); ctx.arc(x, y, 1.8, 0, TAU); ctx.fill();
    ctx.fillText(name, x + 5, y - 4);
  }
}
function axes() {
  const s = side();
  ctx.strokeStyle = css('--soft'), ctx.fillStyle = css('--soft'), ctx.lineWidth = 1;
  ctx.font = '12px system-ui, sans-serif';
  ctx.strokeRect(box.l + 0.5, box.t + 0.5, box.r - box.l - 1, box.b - box.t - 1);
  ctx.textAlign = 'center', ctx.textBaseline = 'top';
  for (const v of ticks(s[0], s[1], Math.max(2, (box.r - box.l) / (state.dates ? 110 : 80)))) {
    const x = toScreen(v, s[2])[0];
    ctx.beginPath(); ctx.moveTo(x, box.b); ctx.lineTo(x, box.b + 5); ctx.stroke();
    ctx.fillText(state.space === 'line' && !state.dates && Math.abs(v) < 1e5 ? String(+v.toPrecision(7)) : along(v), x, box.b + 8);
  }
  ctx.textAlign = 'right', ctx.textBaseline = 'middle';
  const [a, b] = state.space === 'line' ? [0, lineTop()] : [s[2], s[3]];
  if (state.space === 'plane' || state.map)
    for (const v of ticks(a, b, Math.max(2, (box.b - box.t) / 60))) {
      const y = toScreen(s[0], v)[1];
      ctx.beginPath(); ctx.moveTo(box.l, y); ctx.lineTo(box.l - 5, y); ctx.stroke();
      ctx.fillText(short(v), box.l - 8, y);
    }
  ctx.textAlign = 'left', ctx.textBaseline = 'alphabetic';
}
function legend() { // what the colours mean, in events per unit
  const globe = state.space === 'globe', x = globe ? W - 66 : box.r + 14, t = globe ? H - 150 : box.t, b = globe ? H - 24 : Math.min(box.b, box.t + 220);
  for (let y = t; y < b; y++) {
    const k = 3 * Math.round(255 * (b - y) / (b - t));
    ctx.fillStyle = `rgb(${shades[k]}, ${shades[k + 1]}, ${shades[k + 2]})`;
    ctx.fillRect(x, y, 11, 1.2);
  }
  ctx.strokeStyle = css('--line'), ctx.lineWidth = 1, ctx.strokeRect(x, t, 11, b - t);
  ctx.fillStyle = css('--soft'), ctx.font = '11px system-ui, sans-serif', ctx.textBaseline = 'middle';
  for (const v of [0, 0.25, 1]) ctx.fillText(short(+(v * state.top).toPrecision(2)), x + 15, b - Math.sqrt(v) * (b - t) + (v ? 4 : -4));
  ctx.textBaseline = 'alphabetic';
}
function regionPath() {
  const r = state.region, p = [];
  const edge = (x0, y0, x1, y1) => { for (let k = 0; k < 24; k++) p.push(toScreen(x0 + (x1 - x0) * k / 24, y0 + (y1 - y0) * k / 24)); };
  if (r.kind === 'lasso') { for (let k = 0; k < r.xy.length; k += 2) p.push(toScreen(r.xy[k], r.xy[k + 1])); if (p.length) p.push(p[0]); }
  else if (state.space === 'line') { const a = toScreen(r.xy[0], 0)[0], b = toScreen(r.xy[1], 0)[0]; return [[a, box.t, 1], [b, box.t, 1], [b, box.b, 1], [a, box.b, 1], [a, box.t, 1]]; }
  else {
    const [x0, x1, y0, y1] = r.xy, xe = state.space === 'globe' && x1 < x0 ? x1 + 360 : x1;
    edge(x0, y0, xe, y0), edge(xe, y0, xe, y1), edge(xe, y1, x0, y1), edge(x0, y1, x0, y0), p.push(toScreen(x0, y0));
  }
  return p;
}
let drawn = false;
const render = () => { if (!drawn) { drawn = true; requestAnimationFrame(paint); } };
function paint() {
  drawn = false;
  measure();
  ctx.clearRect(0, 0, W, H);
  const shown = state.lesson?.frames[state.lesson.at]?.map || state.map, x = events(), dot = css('--dot'), n = x.length / per();
  if (state.space !== 'line' && shown) {
    if (picture?.of !== shown || (state.space === 'globe' && picture.view !== [state.view.lon, state.view.lat, box.radius, turning].join())) {
      picture = colours(shown);
      picture.of = shown, picture.view = [state.view.lon, state.view.lat, box.radius, turning].join();
    }
    ctx.imageSmoothingQuality = 'high';
    ctx.drawImage(picture, box.l, box.t, box.r - box.l, box.b - box.t);
  } else if (state.space !== 'line') {
    ctx.fillStyle = css('--map');
    ctx.beginPath();
    if (state.space === 'globe') ctx.arc(box.cx, box.cy, box.radius, 0, TAU); else ctx.rect(box.l, box.t, box.r - box.l, box.b - box.t);
    ctx.fill();
  }
  if (state.space === 'line' && shown) {
    const pts = [...shown.z].map((z, k) => toScreen(side()[0] + (k + 0.5) / shown.cols * (side()[1] - side()[0]), z));
    ctx.beginPath();
    ctx.moveTo(box.l, box.b);
    for (const [px, py] of pts) ctx.lineTo(px, Math.max(py, box.t));
    ctx.lineTo(box.r, box.b);
    ctx.fillStyle = 'rgba(212, 73, 107, .22)';
    ctx.fill();
    path(pts);
    ctx.strokeStyle = '#d4496b', ctx.lineWidth = 2.2;
    ctx.stroke();
  }
  if (state.features && !state.lesson) {
    ctx.strokeStyle = css('--mark');
    for (let k = 0; k < state.bumps.length; k += 5) {
      const [bx, by, sx, sy, share] = state.bumps.slice(k, k + 5);
      ctx.globalAlpha = 0.15 + 0.75 * Math.sqrt(share), ctx.lineWidth = 1;
      if (state.space === 'line') {
        const [px] = toScreen(bx, 0), half = sx / (side()[1] - side()[0]) * (box.r - box.l), y = box.b - 10 - (k / 5 % 12) * 5;
        ctx.beginPath(); ctx.moveTo(px - half, y); ctx.lineTo(px + half, y); ctx.stroke();
      } else if (state.space === 'plane') {
        const [px, py] = toScreen(bx, by), s = side();
        ctx.beginPath();
        ctx.ellipse(px, py, sx / (s[1] - s[0]) * (box.r - box.l), sy / (s[3] - s[2]) * (box.b - box.t), 0, 0, TAU);
        ctx.stroke();
      } else {
        const pts = [];
        for (let t = 0; t <= 32; t++) { // a circle of radius sx degrees about (bx, by)
          const a = t / 32 * TAU, d = sx * RAD, la = Math.asin(Math.sin(by * RAD) * Math.cos(d) + Math.cos(by * RAD) * Math.sin(d) * Math.cos(a));
          pts.push(toScreen(bx + Math.atan2(Math.sin(a) * Math.sin(d) * Math.cos(by * RAD), Math.cos(d) - Math.sin(by * RAD) * Math.sin(la)) / RAD, la / RAD));
        }
        path(pts);
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
  }
  if (state.space === 'globe') graticule();
  ctx.fillStyle = dot, ctx.strokeStyle = dot;
  const size = n < 60 ? 3.4 : n < 500 ? 2.2 : n < 2500 ? 1.3 : 0.9;
  ctx.globalAlpha = n < 500 ? 0.95 : n < 1500 ? 0.7 : 0.5;
  ctx.beginPath();
  for (let k = 0; k < x.length; k += per()) {
    if (state.space === 'line') { const px = toScreen(x[k], 0)[0]; ctx.moveTo(px, box.b); ctx.lineTo(px, box.b - 12); continue; }
    const [px, py, depth] = toScreen(x[k], x[k + 1]);
    if (depth > 0) { ctx.moveTo(px + size, py); ctx.arc(px, py, size, 0, TAU); }
  }
  if (state.space === 'line') { ctx.lineWidth = n < 300 ? 1.3 : 0.6; ctx.stroke(); } else ctx.fill();
  ctx.globalAlpha = 1;
  ctx.save();
  if (state.space === 'plane') { ctx.beginPath(); ctx.rect(box.l, box.t, box.r - box.l, box.b - box.t); ctx.clip(); }
  if (state.region) {
    path(regionPath());
    ctx.fillStyle = css('--mark'), ctx.globalAlpha = 0.14;
    ctx.fill();
    ctx.globalAlpha = 1, ctx.strokeStyle = css('--card'), ctx.lineWidth = 4.5;
    ctx.stroke();
    ctx.strokeStyle = css('--mark'), ctx.lineWidth = 2;
    ctx.stroke();
  }
  ctx.restore();
  if (state.space !== 'globe') axes();
  if (shown && state.space !== 'line' && W >= 500) legend();
  if (state.cursor) {
    const [cx, cy] = toScreen(state.cursor[0], state.space === 'line' ? 0 : state.cursor[1]);
    ctx.strokeStyle = css('--ink'), ctx.lineWidth = 1.5;
    ctx.beginPath(); ctx.moveTo(cx - 9, cy); ctx.lineTo(cx + 9, cy); ctx.moveTo(cx, cy - 9); ctx.lineTo(cx, cy + 9); ctx.stroke();
  }
  $('hint').innerHTML = n || state.lesson ? '' : `<b>${matchMedia('(pointer: coarse)').matches ? 'Tap' : 'Click'} to put events here</b><br>or drag to scatter some, drop a CSV, or take an example`;
  curve();
}

// ---- fits: the map appears while you draw
let fitted = 0;
async function refit(fine = false) {
  picture = null;
  endLesson();
  const mine = ++fitted, x = Float64Array.from(events()), q = {space: state.space, side: side(), x, method: state.method, width: state.width || (state.method === 'convex' ? 64 : 0),
    features: state.features, cols: state.space === 'globe' ? 360 : state.space === 'line' ? 800 : x.length > 1500 ? 384 : 256};
  if (!x.length) {
    waiting = waiting.filter(a => a.job !== 'fit' || (a.settle({stale: true}), false));
    Object.assign(state, {info: null, map: null, bumps: [], count: null});
    tell(); ready(); render();
    say('No events yet.');
    return;
  }
  render();
  if (x.length > 800) say(`Fitting ${x.length} events …`);
  try {
    const got = await ask('fit', q, true);
    if (got.stale || mine !== fitted) return;
    Object.assign(state, {info: got.info, map: got.map, bumps: got.bumps});
    thumbs(got.thumbs);
    const i = got.info;
    say(`${i.events} event${i.events === 1 ? '' : 's'}, ${i.width} feature${i.width === 1 ? '' : 's'}, fitted in ${i.ms < 1000 ? Math.round(i.ms) + ' ms' : (i.ms / 1000).toFixed(1) + ' s'}` +
        (i.copies > i.events / 4 ? `; ${i.copies} are copies of earlier ones` : ''));
    describe();
    ready(); render(); count();
  } catch (e) { if (mine === fitted) say(e.message, true); }
}
function describe() {
  const i = state.info, part = ['constant', 'bumps of one width', 'bumps as wide as to neighbours', 'moved bumps', 'smooth surface'];
  $('made').textContent = !i ? '' : state.method === 'convex'
    ? `A global optimum, certified to ${i.gap.toExponential(1)} nats per event in ${i.steps} steps.`
    : 'Made of ' + i.share.map((s, k) => [s, part[k]]).filter(s => s[0] > 0.005).sort((a, b) => b[0] - a[0]).map(([s, name]) => `${Math.round(100 * s)} % ${name}`).join(', ') + '.';
}
function thumbs(t) {
  const at = $('thumbs');
  at.hidden = !t || !t.count;
  at.replaceChildren();
  for (let k = 0; t && k < t.count; k++) {
    const c = document.createElement('canvas'), g = c.getContext('2d'), img = g.createImageData(c.width = t.cols, c.height = t.rows);
    for (let i = 0; i < t.cols * t.rows; i++) {
      const z = t.z[k * t.cols * t.rows + i], s = 3 * Math.round(255 * Math.max(0, Math.min(1, 0.5 + 0.5 * z)));
      img.data.set([shades[s], shades[s + 1], shades[s + 2], 255], 4 * i);
    }
    g.putImageData(img, 0, 0);
    at.append(c);
  }
}
const ready = () => {
  const none = !state.info;
  for (const id of ['savemodel', 'saveheader', 'savecsv', 'savepng', 'sample', 'play', 'undo', 'clear']) $(id).disabled = none && (id !== 'undo' && id !== 'clear' || !events().length);
};

// ---- counts
function inside(px, py) { // the events of the region, as people would count them
  const r = state.region, xy = r.xy;
  if (r.kind === 'box') {
    if (state.space === 'line') return px >= xy[0] && px <= xy[1];
    const within = state.space === 'globe' && xy[1] < xy[0] ? px >= xy[0] || px <= xy[1] : px >= xy[0] && px <= xy[1];
    return within && py >= xy[2] && py <= xy[3];
  }
  let p = [px, py], c = xy, depth = 1;
  if (state.space === 'globe') { // as the lasso was drawn: on the screen, on this side
    const at = toScreen(px, py);
    [p, depth] = [at, at[2]];
    c = []; for (let k = 0; k < xy.length; k += 2) c.push(...toScreen(xy[k], xy[k + 1]).slice(0, 2));
  }
  let odd = false;
  for (let i = 0, j = c.length - 2; i < c.length; j = i, i += 2)
    if ((c[i + 1] > p[1]) !== (c[j + 1] > p[1]) && p[0] < (c[j] - c[i]) * (p[1] - c[i + 1]) / (c[j + 1] - c[i + 1]) + c[i]) odd = !odd;
  return odd && depth > 0;
}
async function count() {
  if (!state.region || !state.map) { state.count = null; tell(); return; }
  const r = state.region, corners = r.kind === 'lasso' ? r.xy.length / 2 : 0;
  if (state.space === 'globe') say('Integrating over the region …');
  try {
    const got = await ask('count', {xy: Float64Array.from(r.xy), corners}, true);
    if (got.stale || r !== state.region) return;
    state.count = got;
    if (state.space === 'globe') say('');
    tell();
  } catch (e) { state.count = null; tell(); say(e.message, true); }
}
function tell() {
  const c = state.count, r = state.region, x = events();
  $('mean').textContent = c ? short(c.mean) : '–';
  $('interval').textContent = c ? c.sure ? `${short(c.lower)} to ${short(c.upper)}` : 'not known here' : '–';
  $('newcount').textContent = c ? `${c.countLower} to ${c.countUpper}` : '–';
  let seen = 0;
  if (r) for (let k = 0; k < x.length; k += per()) seen += inside(x[k], x[k + 1]);
  $('seen').textContent = r ? seen : '–';
  $('exact').textContent = !r ? 'Drag a rectangle or a lasso on the map.' : !c ? '' : c.error ? `Integrated numerically; estimated error ${c.error.toPrecision(1)}.` : 'An exact integral, in closed form.';
  $('corners').hidden = r?.kind === 'lasso';
  for (let k = 0; k < 4; k++) if (document.activeElement !== $('r' + k)) $('r' + k).value = r?.kind === 'box' && k < r.xy.length ? (state.dates && state.space === 'line' ? day(r.xy[k]) : String(+r.xy[k].toPrecision(6))) : '';
  for (let k = 0; k < 4; k++) if (document.activeElement !== $('w' + k)) $('w' + k).value = state.dates && state.space === 'line' ? day(side()[k]) : String(+side()[k].toPrecision(8));
}
function setRegion(r) { state.region = r; state.count = null; tell(); render(); if (r) count(); }

// ---- acts on events
function remember() { state.steps[state.space].push(events().length); }
function add(list) { for (const [x, y] of list) { events().push(x); if (per() === 2) events().push(y); } }
function undo() {
  const to = state.steps[state.space].pop();
  if (to === undefined && !events().length) return;
  events().length = to ?? 0;
  refit();
}
function choose(space) {
  if (space === state.space) return;
  Object.assign(state, {space, region: null, count: null, info: null, map: null, bumps: [], cursor: null});
  if (space === 'globe' && state.tool === 'point' && events().length > 50) setTool('turn');
  if (space !== 'globe' && state.tool === 'turn') setTool('point');
  if (space === 'line' && state.tool === 'lasso') setTool('box');
  show();
  refit();
}
function setTool(tool) {
  if ((tool === 'turn' && state.space !== 'globe') || (tool === 'lasso' && state.space === 'line')) return;
  state.tool = tool;
  show();
}
function show() {
  all('[data-space]').forEach(b => b.setAttribute('aria-pressed', b.dataset.space === state.space));
  all('[data-tool]').forEach(b => b.setAttribute('aria-pressed', b.dataset.tool === state.tool));
  all('[data-method]').forEach(b => b.setAttribute('aria-pressed', b.dataset.method === state.method));
  document.querySelector('[data-tool=turn]').hidden = state.space !== 'globe';
  document.querySelector('[data-tool=lasso]').hidden = state.space === 'line';
  document.querySelector('[data-tool=box]').textContent = state.space === 'line' ? 'Interval' : 'Rectangle';
  $('window').hidden = state.space === 'globe';
  all('.two').forEach(e => e.hidden = state.space === 'line');
  $('corners').querySelectorAll('span')[0].textContent = {plane: 'x', line: '', globe: 'lon'}[state.space];
  $('corners').querySelectorAll('span')[2].textContent = {plane: 'y', line: '', globe: 'lat'}[state.space];
  map.style.cursor = state.tool === 'turn' ? 'grab' : 'crosshair';
  $('widthsaid').textContent = state.width ? `at most ${state.width} features` : state.method === 'convex' ? '64 features' : 'as the data deserve';
  if (state.method === 'convex' && state.width) $('widthsaid').textContent = `${state.width} features`;
  tell(); ready(); render();
}

// ---- pointer and keys
let drag = null, turning = false;
function at(e) { const r = map.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; }
const pointers = new Map();
map.addEventListener('pointerdown', e => {
  if (e.button > 1) return;
  pointers.set(e.pointerId, at(e));
  try { map.setPointerCapture(e.pointerId); } catch { /* a pointer that is gone already */ }
  if (pointers.size > 1) { drag = state.space === 'globe' ? {kind: 'turn', last: at(e)} : null; return; } // two fingers turn the globe
  const p = at(e), tool = e.button === 1 || e.altKey ? 'turn' : state.tool;
  state.cursor = null;
  measure();
  drag = {kind: tool, from: p, last: p, moved: false};
  if (tool === 'point') {
    const here = toWorld(...p);
    if (!here) { drag = state.space === 'globe' ? {kind: 'turn', last: p} : null; return; }
    remember();
    add([here]);
    refit();
  }
  if (tool === 'lasso') drag.xy = [...(toWorld(...p, true))];
  if (tool === 'turn') map.style.cursor = 'grabbing';
});
map.addEventListener('pointermove', e => {
  const p = at(e);
  probe(e.pointerType === 'mouse' && !drag ? p : null);
  if (!drag || (pointers.size > 1 && drag.kind !== 'turn')) return;
  drag.moved ||= Math.hypot(p[0] - drag.from?.[0], p[1] - drag.from?.[1]) > 4;
  if (drag.kind === 'turn') {
    turning = true;
    state.view.lon = ((state.view.lon - (p[0] - drag.last[0]) / box.radius / RAD + 540) % 360) - 180;
    state.view.lat = Math.max(-90, Math.min(90, state.view.lat + (p[1] - drag.last[1]) / box.radius / RAD));
    drag.last = p;
    render();
  } else if (drag.kind === 'point') { // scatter some along the way
    const far = Math.hypot(p[0] - drag.last[0], p[1] - drag.last[1]);
    if (far < 9) return;
    drag.last = p;
    const here = toWorld(p[0] + 9 * (Math.random() + Math.random() - 1), p[1] + 9 * (Math.random() + Math.random() - 1));
    if (here) { add([here]); refit(); }
  } else if (drag.kind === 'box' && drag.moved) {
    const a = toWorld(...drag.from, true), b = toWorld(...p, true);
    let [x0, x1] = [a[0], b[0]];
    if (state.space === 'globe') { const east = ((b[0] - a[0]) % 360 + 360) % 360; if (east > 180) [x0, x1] = [b[0], a[0]]; } else if (x0 > x1) [x0, x1] = [x1, x0];
    const xy = state.space === 'line' ? [x0, x1] : [x0, x1, Math.min(a[1], b[1]), Math.max(a[1], b[1])];
    if (xy[0] !== xy[1] && xy[2] !== xy[3] || state.space === 'line' && xy[0] !== xy[1]) state.space === 'globe' ? (state.region = {kind: 'box', xy}, state.count = null, tell(), render()) : setRegion({kind: 'box', xy});
  } else if (drag.kind === 'lasso') {
    if (Math.hypot(p[0] - drag.last[0], p[1] - drag.last[1]) < 6) return;
    drag.last = p;
    drag.xy.push(...toWorld(...p, true));
    state.region = {kind: 'lasso', xy: drag.xy};
    render();
  }
});
function letGo(e) {
  pointers.delete(e.pointerId);
  if (!drag) return;
  const d = drag;
  drag = null;
  if (d.kind === 'turn') { turning = false; show(); return; }
  if (d.kind === 'box') { if (!d.moved) setRegion(null); else if (state.space === 'globe') count(); }
  if (d.kind === 'lasso') {
    const xy = simple(d.xy);
    if (xy) setRegion({kind: 'lasso', xy}); else { setRegion(null); if (d.xy.length > 8) say('A lasso must not cross itself.', true); }
  }
}
map.addEventListener('pointerup', letGo);
map.addEventListener('pointercancel', letGo);
map.addEventListener('pointerleave', () => probe(null));
// Corners of a lasso that does not cross itself; a crossing cuts off the loop behind it.
function simple(xy) {
  let p = [];
  for (let k = 0; k < xy.length; k += 2) if (!p.length || xy[k] !== p.at(-1)[0] || xy[k + 1] !== p.at(-1)[1]) p.push([xy[k], xy[k + 1]]);
  const side3 = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const cross = (a, b, c, d) => side3(a, b, c) * side3(a, b, d) < 0 && side3(c, d, a) * side3(c, d, b) < 0;
  for (let again = true, rounds = 0; again && rounds < 50; rounds++) {
    again = false;
    for (let i = 0; i < p.length && !again; i++)
      for (let j = i + 2; j < p.length && !again; j++) {
        if (i === 0 && j === p.length - 1) continue;
        if (!cross(p[i], p[i + 1], p[j], p[(j + 1) % p.length])) continue;
        if (j - i > p.length / 2) p = p.slice(i + 1, j + 1); else p.splice(i + 1, j - i); // keep the larger loop
        again = true;
      }
    if (again && rounds === 49) return null;
  }
  return p.length >= 3 ? p.flat() : null;
}
function probe(p) {
  const here = p && toWorld(...p), m = state.map;
  $('probe').hidden = !here || !m;
  if (!here || !m) return;
  const s = side(), i = Math.min(m.cols - 1, Math.floor((here[0] - s[0]) / (s[1] - s[0]) * m.cols)), j = state.space === 'line' ? 0 : Math.min(m.rows - 1, Math.floor((s[3] - here[1]) / (s[3] - s[2]) * m.rows));
  $('probe').textContent = `${along(here[0])}${state.space === 'line' ? '' : ', ' + short(here[1])}: ${short(m.z[j * m.cols + i])} per unit`;
  $('probe').style.left = Math.min(p[0] + 14, W - 190) + 'px';
  $('probe').style.top = Math.max(p[1] - 34, 4) + 'px';
}
map.addEventListener('keydown', e => {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (step) {
    e.preventDefault();
    const by = e.shiftKey ? 25 : 5;
    if (state.space === 'globe' && state.tool === 'turn') { state.view.lon = ((state.view.lon + step[0] * by + 540) % 360) - 180; state.view.lat = Math.max(-90, Math.min(90, state.view.lat - step[1] * by)); return render(); }
    const now = state.cursor ? toScreen(...state.cursor) : [(box.l + box.r) / 2, (box.t + box.b) / 2];
    const to = toWorld(now[0] + step[0] * by, state.space === 'line' ? box.b : now[1] + step[1] * by, true);
    if (to) state.cursor = to;
    if (state.corner && state.cursor) corner(state.cursor);
    say(`${along(state.cursor[0])}${state.space === 'line' ? '' : ', ' + short(state.cursor[1])}`);
    render();
  } else if ((e.key === 'Enter' || e.key === ' ') && state.cursor) {
    e.preventDefault();
    if (state.tool === 'point') { remember(); add([state.cursor]); refit(); }
    else if (state.corner) { corner(state.cursor); state.corner = null; } else { state.corner = state.cursor; say('One corner is set. Move on and press Enter for the other.'); }
  } else if (e.key === 'Escape') { state.corner = null; state.cursor = null; setRegion(null); }
});
function corner(b) {
  const a = state.corner, xy = [Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1])];
  if (xy[0] < xy[1] && (state.space === 'line' || xy[2] < xy[3])) setRegion({kind: 'box', xy: state.space === 'line' ? xy.slice(0, 2) : xy});
}
addEventListener('keydown', e => {
  if (e.target.matches('input:not([type=range]):not([type=checkbox])')) return;
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z') { e.preventDefault(); undo(); }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const tool = {p: 'point', r: 'box', l: 'lasso', t: 'turn'}[e.key.toLowerCase()];
  if (tool) setTool(tool);
});
for (const form of ['corners', 'window']) {
  const read = () => ['0', '1', '2', '3'].map(k => parseNumber($((form === 'corners' ? 'r' : 'w') + k).value)).slice(0, state.space === 'line' ? 2 : 4);
  const act = () => {
    const v = read(), s = side();
    if (v.some(isNaN)) return;
    if (form === 'corners') {
      const out = state.space !== 'globe' && (v[0] < s[0] || v[1] > s[1] || v[2] < s[2] || v[3] > s[3]);
      if (!(v[0] < v[1] || state.space === 'globe') || v[2] >= v[3] || out) return say('A region lies in the window, and ends after it begins.', true);
      return setRegion({kind: 'box', xy: v});
    }
    if (!(v[0] < v[1]) || v[2] >= v[3]) return say('A window ends after it begins.', true);
    if (v.every((a, k) => a === s[k])) return;
    const x = events();
    for (let k = 0; k < x.length; k += per()) if (x[k] < v[0] || x[k] > v[1] || (per() === 2 && (x[k + 1] < v[2] || x[k + 1] > v[3]))) return say('There are events outside that window.', true);
    state.side[state.space] = state.space === 'line' ? [...v, 0, 1] : v;
    state.region = null;
    refit();
    tell();
  };
  $(form).addEventListener('submit', e => { e.preventDefault(); act(); });
  $(form).addEventListener('change', act);
}

// ---- files
function table(text) { // rows of numbers with names of columns, as the program reads them
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/), notes = lines.filter(l => l[0] === '#').join(' '), body = lines.filter(l => l.trim() && l[0] !== '#');
  if (!body.length) return {notes, names: [], rows: []};
  const sep = [',', ';', '\t'].map(c => [body[0].split(c).length, c]).sort((a, b) => b[0] - a[0])[0][1];
  const cut = l => l.split(sep).map(c => c.trim().replace(/^"(.*)"$/, '$1'));
  let names = cut(body[0]), header = names.every(n => isNaN(parseNumber(n)));
  if (!header) names = names.map((_, k) => String(k + 1));
  return {notes, names, rows: body.slice(header ? 1 : 0).map(cut), first: header ? 2 : 1};
}
function openText(text, name) {
  state.name = name.replace(/\.[^.]*$/, '').replace(/\W+/g, '_').replace(/^(\d)/, '_$1') || 'map';
  if (/^\s*[{[]/.test(text)) return openGeo(JSON.parse(text));
  const t = table(text), lower = t.names.map(n => n.toLowerCase()), lon = lower.findIndex(n => /^(lon|lng|long|longitude)$/.test(n)), lat = lower.findIndex(n => /^lat(itude)?$/.test(n));
  const good = k => t.rows.length && t.rows.slice(0, 50).every(r => !isNaN(parseNumber(r[k] ?? ''))), usable = t.names.map((_, k) => k).filter(good);
  if (!t.rows.length || !usable.length) throw new Error('There are no numbers in this file.');
  const globe = lon >= 0 && lat >= 0, space = globe ? 'globe' : usable.length === 1 ? 'line' : 'plane', columns = globe ? [lon, lat] : usable.slice(0, space === 'line' ? 1 : 2), x = [];
  t.rows.forEach((r, i) => columns.forEach(k => {
    const v = parseNumber(r[k] ?? '');
    if (isNaN(v)) throw new Error(`Row ${i + 1}: "${r[k] ?? ''}" is no number.`);
    x.push(v);
  }));
  const n = '\\s+(-?[\\d.eE+-]+)', plane = t.notes.match(new RegExp(`rectangle x${n}${n} y${n}${n}`)), span = t.notes.match(new RegExp(`interval${n}${n}`));
  put(space, x, space === 'plane' ? plane?.slice(1, 5).map(Number) : span ? [+span[1], +span[2], 0, 1] : null, /-\d\d/.test(t.rows[0][columns[0]]) && space === 'line');
}
function openGeo(g) {
  const x = [], walk = o => {
    if (!o) return;
    if (o.type === 'FeatureCollection') o.features.forEach(walk);
    else if (o.type === 'Feature') walk(o.geometry);
    else if (o.type === 'GeometryCollection') o.geometries.forEach(walk);
    else if (o.type === 'Point') x.push(o.coordinates[0], o.coordinates[1]);
    else if (o.type === 'MultiPoint') o.coordinates.forEach(c => x.push(c[0], c[1]));
  };
  walk(g);
  if (!x.length) throw new Error('There are no points in this GeoJSON.');
  put('globe', x, null, false);
}
function put(space, x, given, dates) {
  const d = space === 'line' ? 1 : 2;
  let s = given;
  if (!s && space !== 'globe') { // the extent, with a little room: people may correct it
    s = [0, 1, 0, 1];
    for (let k = 0; k < d; k++) {
      let lo = Infinity, hi = -Infinity;
      for (let i = k; i < x.length; i += d) lo = Math.min(lo, x[i]), hi = Math.max(hi, x[i]);
      const room = (hi - lo || 1) * 0.02;
      s[2 * k] = lo - room, s[2 * k + 1] = hi + room;
    }
  }
  if (s) state.side[space] = s;
  state.dates = dates;
  state.x[space] = x, state.steps[space] = [];
  if (space === state.space) { state.region = null; refit(); show(); } else choose(space);
  if (space === 'globe') setTool('turn');
  if (!given && space !== 'globe') say('The window was taken from the events: correct it, if more was watched.');
}
async function open(file) { try { openText(await file.text(), file.name); } catch (e) { say(e.message, true); } }
$('file').onchange = e => { if (e.target.files[0]) open(e.target.files[0]); e.target.value = ''; };
addEventListener('dragover', e => { e.preventDefault(); $('drop').hidden = false; });
addEventListener('dragleave', e => { if (!e.relatedTarget) $('drop').hidden = true; });
addEventListener('drop', e => { e.preventDefault(); $('drop').hidden = true; if (e.dataTransfer.files[0]) open(e.dataTransfer.files[0]); });
const data = JSON.parse($('data').textContent);
all('[data-example]').forEach(b => b.onclick = () => openText(data[b.dataset.example], b.dataset.example + '.csv'));

function keep(what, name, type) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([what], {type}));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
const keepModel = async asC => {
  try { const {bytes: b} = await ask('save', {asC, name: state.name}); keep(b, state.name + (asC ? '.h' : '.model'), asC ? 'text/plain' : 'application/octet-stream'); say(`${b.length} bytes saved.`); } catch (e) { say(e.message, true); }
};
$('savemodel').onclick = () => keepModel(false);
$('saveheader').onclick = () => keepModel(true);
$('savecsv').onclick = () => {
  const rows = [], x = events(), s = side();
  for (let k = 0; k < x.length; k += per()) rows.push(x.slice(k, k + per()).join(','));
  const note = state.space === 'plane' ? `# window: rectangle x ${s[0]} ${s[1]} y ${s[2]} ${s[3]}` : state.space === 'line' ? `# window: interval ${s[0]} ${s[1]}` : '# sphere, degrees';
  keep([note, {plane: 'x,y', line: 'time', globe: 'lon,lat'}[state.space], ...rows, ''].join('\n'), state.name + '.csv', 'text/csv');
};
$('savepng').onclick = () => map.toBlob(b => keep(b, state.name + '.png', 'image/png'));
let seed = 0;
$('sample').onclick = async () => {
  try {
    const {x} = await ask('sample', {seed: ++seed, space: state.space, expected: state.info.expected});
    remember();
    state.x[state.space] = [...x], state.steps[state.space] = [];
    refit();
  } catch (e) { say(e.message, true); }
};

// ---- the lesson: frames of PGD at more and more steps, the optimum first
async function lesson() {
  const l = state.lesson = {frames: [], at: 0, best: null, playing: true}, q = {space: state.space, side: side(), x: Float64Array.from(events()), cols: state.space === 'globe' ? 180 : 160};
  state.region = null;
  tell();
  $('endlesson').hidden = false, $('play').disabled = true;
  say('The lesson: first the optimum …');
  try {
    const best = await ask('lesson', {...q, steps: 0});
    l.best = best.info, l.still = best.map.z;
    const most = q.x.length > 3000 ? 512 : 2048;
    for (let s = 1; s <= most && state.lesson === l; s = Math.max(s + 1, Math.round(s * 1.414))) {
      const got = await ask('lesson', {...q, steps: s});
      if (state.lesson !== l) return;
      l.frames.push({steps: s, gap: got.info.gap, far: Math.max(got.info.nll - l.best.nll, 1e-12), map: got.map});
      if (l.playing) l.at = l.frames.length - 1;
      $('scrub').max = l.frames.length - 1, $('scrub').value = l.at;
      said(); render();
    }
    if (state.lesson === l) { l.playing = false; $('play').disabled = false; $('play').textContent = '▶ Again'; say('The lesson is over: drag the slider to walk back.'); }
  } catch (e) { say(e.message, true); endLesson(); }
}
function said() {
  const l = state.lesson, f = l?.frames[l.at];
  if (!f) { $('told').textContent = ''; return; }
  $('told').textContent = `After ${f.steps} step${f.steps > 1 ? 's' : ''} PGD is ${f.far.toPrecision(2)} nats per event from the optimum, and can prove that it is no further than ${f.gap >= 0 ? f.gap.toPrecision(2) : '…'}. ` +
    `The default solver proved ${l.best.gap.toExponential(0)} after ${l.best.steps} steps.`;
}
function endLesson() {
  if (!state.lesson) return;
  state.lesson = null;
  picture = null;
  $('endlesson').hidden = true, $('play').disabled = !state.info, $('play').textContent = '▶ Play', $('scrub').max = 0;
  said(); render();
}
function replay() {
  const l = state.lesson;
  l.at = 0;
  const tick = () => { if (state.lesson !== l || !l.playing) return; said(); $('scrub').value = l.at; render(); if (++l.at < l.frames.length) setTimeout(tick, 220); else { l.at--; l.playing = false; $('play').textContent = '▶ Again'; } };
  l.playing = true;
  tick();
}
$('play').onclick = () => state.lesson?.frames.length ? replay() : lesson();
$('endlesson').onclick = () => { endLesson(); say(''); };
$('scrub').oninput = e => { if (!state.lesson) return; state.lesson.playing = false; state.lesson.at = +e.target.value; said(); render(); };
function curve() { // both distances against steps, logarithmic
  const c = $('curve'), l = state.lesson;
  c.hidden = $('scrub').hidden = !l;
  if (!l) return;
  const dpr = Math.min(devicePixelRatio || 1, 2), w = c.clientWidth, h = c.clientHeight, g = c.getContext('2d');
  if (c.width !== Math.round(w * dpr)) c.width = Math.round(w * dpr), c.height = Math.round(h * dpr);
  g.setTransform(dpr, 0, 0, dpr, 0, 0);
  g.clearRect(0, 0, w, h);
  if (!l.best) return;
  const looks = [];
  for (let k = 0; k < l.best.trace.length; k += 3) if (l.best.trace[k + 2] > 0) looks.push([Math.max(l.best.trace[k], 1), l.best.trace[k + 2]]);
  const top = Math.min(10, Math.max(1, ...l.frames.map(f => f.gap || 0))), x = s => 34 + Math.log(s) / Math.log(2048) * (w - 44), y = v => 22 + Math.log(top / Math.max(Math.min(v, top), 1e-5)) / Math.log(top / 1e-5) * (h - 42);
  g.font = '10.5px system-ui, sans-serif', g.fillStyle = css('--soft'), g.strokeStyle = css('--line'), g.lineWidth = 1;
  for (let k = 0; k >= -5; k--) { g.beginPath(); g.moveTo(34, y(10 ** k)); g.lineTo(w - 6, y(10 ** k)); g.stroke(); g.fillText(k ? '1e' + k : '1', 6, y(10 ** k) + 4); }
  for (const s of [1, 8, 64, 512]) g.fillText(s + (s === 1 ? ' step' : ''), x(s) - 4, h - 6);
  const line = (pts, colour, width) => { g.strokeStyle = colour, g.lineWidth = width; g.beginPath(); pts.forEach(([s, v], k) => k ? g.lineTo(x(s), y(v)) : g.moveTo(x(s), y(v))); g.stroke(); };
  line(looks, css('--mark'), 1.6);
  line(l.frames.filter(f => f.gap >= 0).map(f => [f.steps, f.gap]), '#d4496b', 2.2);
  line(l.frames.map(f => [f.steps, f.far]), css('--accent'), 2.2);
  const f = l.frames[l.at];
  if (f) for (const [v, colour] of [[f.gap, '#d4496b'], [f.far, css('--accent')]]) { g.fillStyle = colour; g.beginPath(); g.arc(x(f.steps), y(v), 4, 0, TAU); g.fill(); }
  [['certificate', '#d4496b'], ['true distance', css('--accent')], ['default solver', css('--mark')]].forEach(([name, colour], k) => { g.fillStyle = colour; g.fillText(name, 40 + 86 * k, 12); });
}

// ---- controls
all('[data-space]').forEach(b => b.onclick = () => choose(b.dataset.space));
all('[data-tool]').forEach(b => b.onclick = () => setTool(b.dataset.tool));
all('[data-method]').forEach(b => b.onclick = () => { state.method = b.dataset.method; show(); refit(); });
$('undo').onclick = undo;
$('clear').onclick = () => { state.x[state.space] = [], state.steps[state.space] = [], state.region = null; refit(); show(); };
$('width').oninput = e => { state.width = WIDTHS[+e.target.value]; show(); refit(); };
$('features').onchange = e => { state.features = e.target.checked; refit(); };
$('theme').onclick = () => { theme(document.documentElement.dataset.theme !== 'dark'); render(); };
theme(matchMedia('(prefers-color-scheme: dark)').matches);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', e => { theme(e.matches); render(); });
new ResizeObserver(render).observe(map);
window.page = {state, idle, openText, setRegion, theme, screen: (x, y) => (measure(), toScreen(x, y))}; // for tests, and for the curious
show();
ask('start', {bytes}).then(({version: v}) => { $('version').textContent = `sneppp ${Math.floor(v / 10000)}.${Math.floor(v / 100) % 100}.${v % 100}.`; say('No events yet.'); refit(); }).catch(e => say('WebAssembly did not start: ' + e.message, true));
