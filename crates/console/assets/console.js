// News of a newer version, shortcut keys, the button that checks a signature. Pages work without them.

const find = (id) => document.getElementById(id);
const policy = globalThis.trustedTypes?.createPolicy('onward', { createHTML: (html) => html });

function prepare() {
  for (const control of document.querySelectorAll('[data-scripted]')) control.hidden = false;
  const choice = find('keys-choice');
  if (choice) choice.querySelector('input').checked = keysAreOn();
}

// News. One stream a tab, and only while the tab is visible.
let stream, chain;
function listen() {
  stream?.close();
  const address = find('main').dataset.stream;
  if (!address || document.hidden) return;
  let version;
  [chain, version] = ['chain', 'version'].map((name) => new URL(address, location).searchParams.get(name));
  stream = new EventSource(address);
  stream.onmessage = ({ data }) => {
    const news = JSON.parse(data);
    if (news.chain == chain && news.version != version) announce();
  };
}

function announce() {
  stream.close();
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = 'Show';
  find('newer').replaceChildren('There is something newer. ', link);
}

let focused = '';
async function show() {
  // Nobody loses what they typed, or a link that is shown once.
  if ([...document.querySelectorAll('main input,textarea')].some((one) => one.value != one.defaultValue)) return void open(location.href, '_blank');
  const answer = await fetch(location.href);
  const text = await answer.text();
  const page = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html');
  const fresh = page.getElementById('main');
  if (answer.status == 405) return void open('/chains/' + chain, '_blank');
  if (!answer.ok || answer.redirected || !fresh) return location.assign(location.href);
  find('main').replaceWith(fresh);
  find('newer').replaceChildren();
  document.title = page.title;
  prepare();
  listen();
  const again = focused && [...fresh.querySelectorAll('a,button,input,select,textarea,summary')].find((one) => identity(one) == focused);
  (again || fresh).focus({ preventScroll: true });
}
const identity = (element) => element.id || element.getAttribute('href') || `${element.form?.action} ${element.name} ${element.value}`;

// Shortcut keys.
const keysAreOn = () => {
  try {
    return localStorage.getItem('keys') != 'off';
  } catch {
    return false;
  }
};
let wentAt = -Infinity;
function press(event) {
  const { key, target, timeStamp } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !keysAreOn() || target.closest('input,select,textarea')) return;
  if (key == '/' && find('q')) {
    event.preventDefault();
    find('q').focus();
  } else if (key == 'g') {
    wentAt = timeStamp;
  } else if (timeStamp - wentAt < 1500) {
    wentAt = -Infinity;
    document.querySelector({ c: 'nav a[href="/chase"]', h: '.brand' }[key] ?? '#none')?.click();
  }
}

function click(event) {
  const button = event.target.closest('#verify');
  if (button) import(button.dataset.module).then(({ verify }) => verify(button.dataset, find('verified')));
  if (event.target.closest('#newer a')) {
    event.preventDefault();
    show();
  }
  if (event.target.closest('#print') && !document.querySelector('[data-folded]')) {
    event.preventDefault();
    print();
  }
}

function choose({ target }) {
  if (target.closest('#keys-choice')) localStorage.setItem('keys', target.checked ? 'on' : 'off');
}

document.addEventListener('visibilitychange', listen);
document.addEventListener('keydown', press);
document.addEventListener('click', click);
document.addEventListener('change', choose);
document.addEventListener('focusin', ({ target }) => {
  if (target.closest('main')) focused = identity(target);
});
prepare();
listen();
document.querySelector('.problems')?.focus();
if (location.hash == '#print') print();
