// Drives the page as people would, and compares its numbers with the program's: sh tests/web.sh
import {chromium} from 'playwright-core';
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync, mkdirSync} from 'node:fs';
import {resolve} from 'node:path';

const out = 'build/web/test', page_url = 'file://' + resolve('build/web/index.html');
mkdirSync(out, {recursive: true});
let passed = 0, failed = 0;
const check = (words, good, told = '') => { good ? passed++ : (failed++, console.log('web: FAIL', words, told)); };
const near = (a, b, tol) => Math.abs(a - b) <= tol * Math.abs(b);
const program = (...words) => execFileSync('build/sneppp', words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});

const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync']});
const troubles = [];
async function open(options) {
  const context = await browser.newContext(options), page = await context.newPage();
  page.on('console', m => { if (m.type() === 'error' || m.type() === 'warning') troubles.push(m.text()); });
  page.on('pageerror', e => troubles.push(String(e)));
  page.on('request', r => { if (!/^(file|data|blob):/.test(r.url())) troubles.push('network: ' + r.url()); });
  await page.goto(page_url);
  await idle(page);
  return page;
}
const idle = async page => { await page.evaluate(() => window.page.idle()); await page.waitForTimeout(60); };
const count = page => page.evaluate(() => window.page.state.count);
const info = page => page.evaluate(() => window.page.state.info);
const drop = (page, name, text) => page.evaluate(({name, text}) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name, {type: 'text/csv'}));
  window.dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true}));
}, {name, text});
const ask = async (page, ...corners) => { // by the four fields
  for (const [k, v] of corners.entries()) await page.fill('#r' + k, String(v));
  await page.press('#r' + (corners.length - 1), 'Enter');
  await page.waitForTimeout(50);
  await idle(page);
  return count(page);
};
const saved = async (page, button) => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  const path = `${out}/${download.suggestedFilename()}`;
  await download.saveAs(path);
  return path;
};

// ---- a desk: drop the trees
let page = await open({viewport: {width: 1280, height: 860}, colorScheme: 'light', acceptDownloads: true});
check('it starts', (await page.textContent('#version')).includes('sneppp'));
await drop(page, 'bei.csv', readFileSync('examples/data/bei.csv', 'utf8'));
await page.waitForTimeout(100);
await idle(page);
let told = await info(page);
check('all trees are there', told.events === 3604, JSON.stringify(told));
check('as many are expected', near(told.expected, 3604, 1e-6));
console.log(`web: 3604 trees fitted in ${Math.round(told.ms)} ms`);
check('the window of the file', JSON.stringify(await page.evaluate(() => window.page.state.side.plane)) === '[0,1000,0,500]');
program('fit', 'examples/data/bei.csv', '--window', '0,1000,0,500', '--save', `${out}/native.model`);
program('export', `${out}/native.model`, `${out}/native.h`);
const asked = await ask(page, 600, 700, 50, 150);
// The program prints six digits; its model, loaded by the binding for Python, says all of them.
const python = process.env.PYTHON || '/usr/bin/python3';
const exact = path => JSON.parse(execFileSync(python, ['-c', `import sys, json; sys.path.insert(0, 'examples/python'); import sneppp
m = sneppp.load(sys.argv[1]); s = m.count(box=[(600, 700), (50, 150)], level=0.95); print(json.dumps([s.mean, s.lower, s.upper, s.count_lower, s.count_upper, m.count()]))`, path], {encoding: 'utf8'}));
const native = exact(`${out}/native.model`);
console.log(`web: ${asked.mean} trees expected here, ${native[0]} by the program, relative difference ${(Math.abs(asked.mean - native[0]) / native[0]).toExponential(1)}`);
check('the count of the program, to 1e-9', near(asked.mean, native[0], 1e-9), `${asked.mean} ${native[0]}`);
check('its interval', near(asked.lower, native[1], 1e-6) && near(asked.upper, native[2], 1e-6) && asked.sure, JSON.stringify([asked, native]));
check('its new counts', asked.countLower === native[3] && asked.countUpper === native[4]);
check('what is shown', (await page.textContent('#mean')) === String(+native[0].toPrecision(4)), await page.textContent('#mean'));
check('seen here', (await page.textContent('#seen')) === '140', await page.textContent('#seen'));
const model = await saved(page, '#savemodel');
const again = exact(model);
check('a saved model is the same model', near(again[0], asked.mean, 1e-12) && near(again[5], 3604, 1e-6), JSON.stringify(again));
check('the program reads it', program('info', model).includes('window: box, 2 coordinates'));
check('the C header', readFileSync(await saved(page, '#saveheader'), 'utf8').includes('static const sneppp_model bei'));

// ---- a rectangle and a lasso by hand
const place = (x, y) => page.evaluate(([x, y]) => { // where on the screen?
  const c = document.getElementById('map').getBoundingClientRect(), p = window.page.screen(x, y);
  return [c.left + p[0], c.top + p[1]];
}, [x, y]);
async function dragThrough(page, points) {
  await page.mouse.move(...points[0]);
  await page.mouse.down();
  for (const p of points.slice(1)) await page.mouse.move(...p, {steps: 6});
  await page.mouse.up();
  await page.waitForTimeout(60);
  await idle(page);
}
await page.click('[data-tool=box]');
await dragThrough(page, [await place(600, 150), await place(700, 50)]);
let got = await count(page);
check('a dragged rectangle', got && near(got.mean, asked.mean, 0.1), JSON.stringify(got));
await page.click('[data-tool=lasso]');
await dragThrough(page, [await place(600, 50), await place(700, 50), await place(700, 150), await place(600, 150), await place(602, 60)]);
got = await count(page);
check('a lasso', got && near(got.mean, asked.mean, 0.15) && got.error === 0, JSON.stringify(got));
await page.click('[data-tool=box]');
await dragThrough(page, [await place(560, 180), await place(760, 20)]);
await page.mouse.move(5, 5);
await page.evaluate(() => scrollTo(0, 0));
await page.waitForTimeout(150);
await page.screenshot({path: `${out}/desk.png`, clip: {x: 0, y: 0, width: 1280, height: 800}});

// ---- features, by width and by method
await page.check('#features');
await page.locator('#width').fill('9');
await idle(page);
told = await info(page);
check('a width of 32', told.width > 0 && told.width <= 32, told.width);
check('bumps are drawn', (await page.evaluate(() => window.page.state.bumps.length)) > 0);
await page.screenshot({path: `${out}/features.png`});
await page.click('[data-method=convex]');
await idle(page);
told = await info(page);
check('a convex fit, certified', told.width === 32 && told.gap >= 0 && told.gap <= 1e-4, JSON.stringify(told));
check('pictures of its features', (await page.locator('#thumbs canvas').count()) === 12);
await page.click('[data-method=auto]');
await page.locator('#width').fill('18');
await page.uncheck('#features');
await idle(page);

// ---- points by hand, by keys, and back
await page.click('#clear');
await page.waitForTimeout(60);
check('cleared', (await info(page)) === null);
await page.click('[data-tool=point]');
for (const [x, y] of [[200, 200], [220, 210], [700, 300], [710, 330], [720, 310], [690, 290]]) await page.mouse.click(...await place(x, y));
await idle(page);
told = await info(page);
check('six clicks', told.events === 6 && near(told.expected, 6, 1e-6), JSON.stringify(told));
await dragThrough(page, [await place(300, 100), await place(500, 150), await place(600, 400)]);
told = await info(page);
check('a drag scatters', told.events > 15, told.events);
check('fits while one draws are quick', told.ms < 1500, told.ms);
console.log(`web: ${told.events} events fitted in ${told.ms.toFixed(1)} ms`);
await page.keyboard.press('Control+z');
await idle(page);
check('undo', (await info(page)).events === 6);
await page.focus('#map');
for (const key of ['ArrowRight', 'ArrowUp', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
await idle(page);
check('an event by keys', (await info(page)).events === 7);
await page.keyboard.press('r');
await page.keyboard.press('Enter');
for (const key of ['Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowUp', 'Enter']) await page.keyboard.press(key);
await idle(page);
check('a rectangle by keys', (await count(page))?.mean > 0);
await page.click('#sample');
await idle(page);
check('simulated events', (await info(page)).events >= 0);

// ---- the lesson
await drop(page, 'some.csv', readFileSync('examples/data/bei.csv', 'utf8').split('\n').slice(0, 402).join('\n'));
await page.waitForTimeout(100);
await idle(page);
await page.click('#play');
await page.waitForFunction(() => window.page.state.lesson && !window.page.state.lesson.playing && window.page.state.lesson.frames.length > 10, null, {timeout: 240000});
const frames = await page.evaluate(() => window.page.state.lesson.frames.map(f => [f.steps, f.gap, f.far]));
check('the certificate holds at every step', frames.every(([, gap, far]) => !(gap >= 0) || far <= gap + 1e-9), JSON.stringify(frames));
check('the certificate closes', frames.at(-1)[1] < frames.find(f => f[1] >= 0)[1] / 2, JSON.stringify([frames[0], frames.at(-1)]));
await page.locator('#lesson').scrollIntoViewIfNeeded();
await page.screenshot({path: `${out}/lesson.png`});
await page.click('#endlesson');

// ---- the line, in the dark
await page.emulateMedia({colorScheme: 'dark'});
await page.click('[data-example=coal]');
await page.waitForTimeout(60);
await idle(page);
told = await info(page);
check('the line', told.events === 191 && near(told.expected, 191, 1e-6), JSON.stringify(told));
program('fit', 'examples/data/coal.csv', '--window', '1851.2026,1962.2204', '--save', `${out}/coal.model`);
got = await ask(page, 1860, 1880);
const words = program('count', `${out}/coal.model`, '--region', 'box:1860,1880', '--level', '0.95');
// the program prints six digits: half a unit of the last one, and what roundings make of a fit on another machine
check('an interval of it, as the program says', near(+words.match(/expected=([0-9.]+) lo=/)[1], got.mean, 1e-6), words + got.mean);
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({path: `${out}/line.png`});

// ---- the globe
await page.click('[data-example=earthquakes]');
await page.waitForTimeout(100);
await idle(page);
told = await info(page);
check('the globe', told.events === 2297 && near(told.expected, 2297, 1e-6), JSON.stringify(told));
got = await ask(page, 120, 150, 25, 50);
check('a rectangle of the globe', got && got.mean > 100 && got.mean < 600 && got.error < 0.05 * got.mean, JSON.stringify(got));
console.log(`web: ${got?.mean} earthquakes expected around Japan, error ${got?.error}; ${await page.textContent('#seen')} seen`);
await page.click('[data-tool=turn]');
await page.evaluate(() => scrollTo(0, 0));
const rect = await (await page.$('#map')).boundingBox(), middle = [rect.x + rect.width / 2, rect.y + rect.height / 2];
const before = await page.evaluate(() => window.page.state.view.lon);
await dragThrough(page, [middle, [middle[0] - 60, middle[1]]]);
check('the globe turns', (await page.evaluate(() => window.page.state.view.lon)) !== before);
await page.mouse.move(5, 5);
await page.screenshot({path: `${out}/globe.png`});
await drop(page, 'points.geojson', JSON.stringify({type: 'FeatureCollection', features: [[10, 50], [11, 51], [12, 50.5]].map(c => ({type: 'Feature', properties: {}, geometry: {type: 'Point', coordinates: c}}))}));
await page.waitForTimeout(60);
await idle(page);
check('GeoJSON', (await info(page)).events === 3);
await drop(page, 'bad.csv', 'x,y\none,two\n');
await page.waitForTimeout(60);
check('a file without numbers is refused with a sentence', /number/.test(await page.textContent('#status')), await page.textContent('#status'));
await page.context().close();

// ---- a phone
page = await open({viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: 'dark'});
check('nothing is wider than the screen', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
check('fingers can hit every button', await page.evaluate(() => [...document.querySelectorAll('button')].filter(b => b.offsetParent && b.getBoundingClientRect().height < 40).map(b => b.textContent)).then(l => l.length <= 1));
const small = await (await page.$('#map')).boundingBox();
for (let k = 0; k < 12; k++) await page.touchscreen.tap(small.x + 90 + 17 * (k % 4) + 60 * (k % 2), small.y + 60 + 13 * (k % 5));
await idle(page);
check('taps are events', (await info(page))?.events === 12, JSON.stringify(await info(page)));
await page.tap('[data-example=bei]');
await page.waitForTimeout(100);
await idle(page);
await ask(page, 600, 700, 50, 150);
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({path: `${out}/phone.png`});
await page.screenshot({path: `${out}/phone_all.png`, fullPage: true});
check('the count on a phone', (await page.textContent('#mean')) === String(+native[0].toPrecision(4)));
check('no errors on the console, nothing from the network', troubles.length === 0, troubles.join('\n'));
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
