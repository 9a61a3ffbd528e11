// Checks the signature of a chain, and that the page shows what was signed, nothing else and nothing less.
// `prove` and `compare` know no page, so tests run them without a browser.

// RFC 8785.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value != 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`;
}

// The signed `data` of an envelope as received, or an error that says what is wrong.
export async function prove(text, keySet, subtle = crypto.subtle) {
  const { data, provenance } = JSON.parse(text);
  const written = canonical(data);
  demand(text.startsWith(`{"data":${written},"provenance":{`), 'the signed data are not canonical JSON');
  const bytes = new TextEncoder().encode(written);
  const digest = btoa(String.fromCharCode(...new Uint8Array(await subtle.digest('SHA-256', bytes))));
  const { alg, value } = provenance.payloadHash;
  demand(alg == 'SHA-256' && value == digest.replace(/\+/g, '-').replace(/\//g, '_').replace('=', ''), 'the digest of the data is another one');
  const key = keySet.keys.find(({ kid }) => kid == provenance.kid);
  demand(key, `the key set has no key ${provenance.kid}`);
  demand(provenance.alg == 'RS256' && key.kty == 'RSA', 'the signature is not RS256');
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const imported = await subtle.importKey('jwk', { kty: 'RSA', n: key.n, e: key.e }, rsa, false, ['verify']);
  const letters = atob(provenance.signature.replace(/-/g, '+').replace(/_/g, '/'));
  const signature = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  demand(await subtle.verify(rsa, imported, signature, bytes), 'the signature does not fit the data');
  return data;
}

function demand(isMet, complaint) {
  if (!isMet) throw Error(complaint);
}

// Compares one signed chain with what a page shows; UPRNs are texts, top first:
// {year, homes: [uprn], folded: [uprn], rows: [uprn], facts: [{at, text}], rest: [text]}.
// Returns the number of facts; throws an error with the first difference.
export function compare(received, { year, homes: order, folded, rows, facts, rest }) {
  const chain = JSON.parse(JSON.stringify(received), (_, value) => (typeof value == 'string' ? asShown(value) : value));
  const homes = new Map(chain.properties.map((home) => [`${home.uprn}`, home]));
  const call = (uprn) => name(homes.get(`${uprn}`)?.address ?? { line1: `UPRN ${uprn}` });
  checkOrder(homes, order, call, 'ladder');
  checkOrder(homes, rows, call, 'table');
  const seen = new Map(facts.map(({ at, text }) => [at, text]));
  const isEnd = (member) => (uprn) => !homes.get(uprn).connections[member].length;
  const bottom = call(order.findLast(isEnd('buyersSale')));
  const length = chain.chainSummary.chainLength;
  const title = length == 1 ? `${bottom}, not in a chain` : `Chain of ${length}: ${bottom} to ${call(order.find(isEnd('onwardPurchase')))}`;
  const signed = new Map([['/title', [[title]]]]);
  for (const [uprn, home] of homes) {
    for (const [path, texts, isOptional] of factsOf(home, call, (path) => seen.get(`${uprn}/${path}`), year)) {
      signed.set(`${uprn}/${path}`, [texts, isOptional || (folded.includes(uprn) && !IN_TABLE.test(path))]);
    }
  }
  const where = (at) => at.replace(/(.*)\/(.*)/, (_, uprn, path) => (uprn ? `${path} of ${call(uprn)}` : path));
  for (const { at, text } of facts) {
    demand(signed.has(at), `the page shows “${text}” as ${where(at)}, which is not signed`);
    const [texts] = signed.get(at);
    demand(texts.includes(text), `the page shows “${text}” as ${where(at)}, but “${texts[0]}” is signed`);
  }
  for (const [at, [texts, isOptional]] of signed) {
    demand(isOptional || seen.has(at), `the page does not show “${texts[0]}”, the signed ${where(at)}`);
  }
  const extra = rest.map((text) => text.replace(LABELS, '')).find(Boolean);
  demand(!extra, `the page shows “${extra}” among the signed facts, which is not signed`);
  return facts.length;
}

// As a page shows a text: characters that mislead readers by their numbers, such as U+202E.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?<=\p{M}{2})\p{M}/gu;
const number = (one) => `U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
const asShown = (text) => text.replace(HIDDEN, number).replace(/\s+/g, ' ').trim();

// What the table shows of a home that the ladder leaves out.
const IN_TABLE = /ed$|^(funding.isCashBuyer|name|uprn|tenure|transactionType)$/;
// The words of the page between the facts.
const LABELS = /Agent|conveyancers?|\((seller|buyer)’s\)|bought by the seller of|Fell through on|UPRN|\bat\b|[·↑✕,.\s]/g;

// Within a layer the page may choose the order.
function checkOrder(homes, shown, call, where) {
  const isMutual = ([uprn, { connections }]) =>
    connections.onwardPurchase.every((upper) => homes.get(`${upper}`)?.connections.buyersSale.includes(Number(uprn)));
  demand([...homes].every(isMutual), 'the signed links disagree');
  const layers = {};
  const layer = (uprn) => (layers[uprn] ??= 1 + Math.max(0, ...homes.get(`${uprn}`).connections.buyersSale.map(layer)));
  const wanted = [...homes.keys()].reverse();
  const missing = wanted.find((uprn) => !shown.includes(uprn));
  demand(!missing, `the ${where} does not show ${call(missing)}`);
  const extra = shown.find((uprn, index) => !homes.has(uprn) || shown.indexOf(uprn) < index);
  demand(!extra, `the ${where} shows ${call(extra)}, which is not signed`);
  demand(shown.every((uprn, index) => layer(uprn) == layer(wanted[index])), `the ${where} shows the homes in another order`);
}

// What a page may show of one home: [path, allowed texts, whether it may be left out].
function factsOf({ uprn, address, tenure, transactionType, participants, milestones, connections, ...ends }, call, shown, year) {
  const { onwardPurchase, buyersSale } = connections;
  const sales = buyersSale.map(call);
  const last = sales.pop();
  const list = [
    ['name', [name(address)]],
    ['place', [place(address)]],
    ['uprn', [`${uprn}`]],
    ['tenure', [tenure.replace('shareof', 'share of ')], !tenure],
    ['transactionType', [transactionType.join(', ').replace(/_/g, ' ')], !transactionType.length],
    ['connections.buyersSale', [sales.length ? `${sales.join(', ')} and ${last}` : last], !last],
  ];
  for (const [part, text] of Object.entries(participants)) list.push([`participants.${part}`, [text], !text]);
  if (!onwardPurchase.length) list.push(['isTopClosed', [ends.isTopClosed ? 'Top closed' : 'Top not confirmed']]);
  if (!buyersSale.length) list.push(['isBottomClosed', [ends.isBottomClosed ? 'Bottom closed' : 'Bottom not confirmed']]);
  for (const [path, value] of leaves(milestones)) list.push([path, texts(path, value, year), !value]);
  return list.concat(stages(milestones, (path) => shown(path)?.startsWith('–')));
}

function texts(path, value, year) {
  if (!value) return ['–'];
  if (value === true) return ['✓ yes'];
  const written = day(value, year);
  if (path.endsWith('expected')) return [written, `! ${written}`, `– ${written}`];
  return path.startsWith('fall') ? [written, `✕ ${written}`] : [`✓ ${written}`, `– ${written}`];
}

const SIGNS = { done: '✓', implied: '✓', 'under way': '◐', 'not begun': '○', 'not needed': '–', overdue: '!' };
const STAGES = Object.entries({
  soldSubjectToContract: 'Sale agreed',
  searches: 'Searches',
  funding: 'Funding',
  enquiries: 'Enquiries',
  exchangeOfContracts: 'Exchange',
  completion: 'Completion',
});

// The six stages in words, from the dates alone.
function stages(milestones, isNotNeeded) {
  const states = STAGES.map(([group]) => {
    if (group == 'funding' && milestones.funding.isCashBuyer) return ['not needed'];
    const dates = leaves(milestones[group], `${group}.`);
    const ends = dates.filter(([path]) => path.endsWith('completed'));
    const open = ends.filter(([path, date]) => !date && !isNotNeeded(path)).map(([path]) => path);
    if (!open.length) return [ends.some(([, date]) => date) ? 'done' : 'not needed'];
    const isExpected = dates.some(([path, date]) => date && open.includes(path.replace('expected', 'completed')));
    if (isExpected) return ['under way', 'overdue'];
    const isBegun = dates.some(([, date]) => date) || (group == 'soldSubjectToContract' && milestones.listed.completed);
    return [isBegun ? 'under way' : 'not begun'];
  });
  const completed = milestones.completion.completed;
  const exchanged = completed || milestones.exchangeOfContracts.completed;
  const agreed = exchanged || states.slice(1, 4).some(([state]) => state != 'not begun');
  const later = [agreed, exchanged, exchanged, exchanged, completed];
  return STAGES.map(([group, title], index) => {
    const isOpen = /under|begun/.test(states[index][0]);
    const words = later[index] && isOpen ? ['implied'] : states[index];
    return [group, words.map((word) => `${title} ${SIGNS[word]} ${word}`)];
  });
}

const leaves = (value, path = '') =>
  Object.entries(value).flatMap(([member, inner]) =>
    inner && typeof inner == 'object' ? leaves(inner, `${path}${member}.`) : [[path + member, inner]],
  );

function day(date, year) {
  const [own, month, number] = date.split('-').map(Number);
  const short = 'JanFebMarAprMayJunJulAugSepOctNovDec'.slice(month * 3 - 3, month * 3);
  return `${number} ${short}${own == year ? '' : ` ${own}`}`;
}

const isNumbered = ({ line1 }) => /^\d/.test(line1);
const join = (...parts) => parts.filter(Boolean).join(', ');
const name = (address) => join(address.line1, !isNumbered(address) && address.line2) || place(address);
const place = (address) =>
  join(isNumbered(address) && address.line2, address.line3, address.line4, `${address.postTown} ${address.postcode}`.trim());

function read() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const written = (element) => element.textContent.replace(/\s+/g, ' ').trim();
  const split = ({ dataset }) => dataset.folded.trim().split(' ');
  return {
    year: document.getElementById('year').textContent,
    homes: all('[data-home],[data-folded]').flatMap((one) => one.dataset.home ?? split(one)),
    folded: all('[data-folded]').flatMap(split),
    rows: all('[data-row]').map(({ dataset }) => dataset.row),
    facts: all('[data-at]').map((one) => ({ at: one.dataset.at, text: written(one) })),
    rest: all('[data-signed]').map((region) => {
      const copy = region.cloneNode(true);
      copy.querySelectorAll('[data-at],[data-own],form').forEach((one) => one.remove());
      return written(copy);
    }),
  };
}

async function load(address, options) {
  const answer = await fetch(address, options);
  demand(answer.ok, `${address} answers ${answer.status}`);
  return answer.text();
}

// Checks the page and says the result in `status`. The button's data name the addresses.
export async function verify({ answer, keys, copy }, status) {
  status.className = '';
  status.textContent = 'Checking …';
  try {
    const text = await load(answer);
    let from = `the published key set ${keys}`;
    const keySet = await load(keys, { credentials: 'omit' }).catch(() => {
      from = `this site’s own copy, because ${keys} is out of reach`;
      return load(copy);
    });
    const { data } = await prove(text, JSON.parse(keySet));
    const shown = read();
    const count = compare(data[0], shown);
    const folded = shown.folded.length ? ` The ladder leaves out ${shown.folded.length} homes: show them to check all.` : '';
    status.className = 'true';
    status.textContent = `✓ True: the signature fits, and the ${count} facts on this page are those signed.${folded} The key is from ${from}. Forecasts and remarks are not signed.`;
  } catch (error) {
    status.className = 'false';
    status.textContent = `✕ False: ${error.message}. If the chain just changed, load the page again.`;
  }
}
