// The pure parts of `assets/verify.js` against the pages and documents of the snapshots.
// Run by `tests/it/scripts.rs`, or by hand: node --test tests/verify.mjs

import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { canonical, compare, prove } from '../assets/verify.js';

const { subtle } = webcrypto;
const CHAINS = ['five', 'split', 'shared', 'alone', 'all_types', 'folded'];
const snapshots = new URL('it/snapshots/', import.meta.url);

const snapshot = (name) => readFileSync(new URL(`it__pages__${name}.snap`, snapshots), 'utf8').replace(/^---\n[^]*?\n---\n/, '');
const documentOf = (name) => snapshot(`chain_${name}_document`).trim();
const chainOf = (name) => JSON.parse(documentOf(name)).data[0];

// What `read` finds in a browser, from the text of a page.
function shownBy(html) {
  const shown = { homes: [], folded: [], rows: [], facts: [], rest: [] };
  const open = [];
  const decode = (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)).replace(/&nbsp;/g, ' ').replace(/&amp;/g, '&');
  for (const [, end, tag, attributes, text] of html.matchAll(/<(\/?)([a-z0-9]+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>|([^<]+)/g)) {
    if (text) {
      const isApart = open.some(({ at, isOwn }) => at || isOwn);
      for (const one of open) {
        if (one.at) one.text += decode(text);
        if (one.isSigned && !isApart) one.rest += decode(text);
        if (one.isYear) shown.year = text;
      }
    } else if (end) {
      const closed = open.pop();
      assert.equal(closed.tag, tag);
      if (closed.at) shown.facts.push({ at: closed.at, text: tidy(closed.text) });
      if (closed.isSigned) shown.rest.push(tidy(closed.rest));
    } else if (!['input', 'meta', 'link'].includes(tag)) {
      const value = (name) => attributes.match(new RegExp(` ${name}(?:="([^"]*)")?`));
      const folded = value('data-folded')?.[1].trim().split(' ') ?? [];
      shown.folded.push(...folded);
      shown.homes.push(...folded, ...(value('data-home')?.slice(1) ?? []));
      shown.rows.push(...(value('data-row')?.slice(1) ?? []));
      const isOwn = Boolean(value('data-own')) || tag == 'form';
      open.push({ tag, at: value('data-at')?.[1], isOwn, isSigned: value('data-signed'), isYear: value('id')?.[1] == 'year', text: '', rest: '' });
    }
  }
  return shown;
}
const tidy = (text) => text.replace(/\s+/g, ' ').trim();

for (const name of CHAINS) {
  test(`chain_${name} shows what is signed`, () => {
    const shown = shownBy(snapshot(`chain_${name}`));
    assert.ok(shown.homes.length > 0 && shown.rest.length > 0 && shown.year == 2026);
    assert.equal(compare(chainOf(name), shown), shown.facts.length);
  });
}

// [what is wrong, the page or document that lies, the complaint]
const LIES = [
  ['a date', (page) => page.replace('24\u00a0Aug', '25\u00a0Aug'), /shows “✓ 25 Aug” as searches.localAuthority.completed of 16 Chapel Hill, but “✓ 24 Aug” is signed/],
  ['a sign', (page) => page.replace('<b>✓</b>&nbsp;6', '&nbsp;6'), /shows “6 Aug” as searches.started/],
  ['an expected date as completed', (page) => page.replace('"date">18', '"date"><b>✓</b>&nbsp;18'), /shows “✓ 18 Dec” as exchangeOfContracts.expected/],
  ['a year', (page) => page.replace('"year">2026', '"year">2025'), /shows “✓ 19 Dec 2025” as listed.completed/],
  ['an address', (page) => page.replace('>Lincoln LN3 5LF<', '>Lincoln LN3 6LF<'), /shows “Lincoln LN3 6LF” as place of 16 Chapel Hill/],
  ['a name in the heading', (page) => page.replace('"title">Chain of 5: 12', '"title">Chain of 5: 13'), /as title/],
  ['a UPRN', (page) => page.replace('"text">100012345605', '"text">100012345606'), /shows “100012345606” as uprn/],
  ['a firm', (page) => page.replace('"text">Quill &#38; Co<', '"text">Quill &#38; Cie<'), /shows “Quill & Cie” as participants.sellerConveyancer/],
  ['an end', (page) => page.replace('>Top closed<', '>Top not confirmed<'), /shows “Top not confirmed”/],
  ['a link', (page) => page.replace('"homes">15 Station Road', '"homes">12 Queen Way'), /as connections.buyersSale of 16 Chapel Hill/],
  ['a stage', (page) => page.replace('◐ under way', '✓ done'), /shows “Exchange ✓ done” as exchangeOfContracts of 16 Chapel Hill/],
  ['a cash buyer', (page) => page.replace(/<td[^>]*isCashBuyer[^>]*>/, '<td data-own>'), /does not show “✓ yes”, the signed funding.isCashBuyer of 16 Chapel Hill/],
  ['a date left out', (page) => page.replace(/<td[^>]*100012345602\/searches.started.*?<\/td>/, '<td></td>'), /does not show “✓ 12 Aug”/],
  ['a date that is not signed', (page) => page.replace('<td></td>', '<td data-at="100012345605/enquiries.closed" data-as="date">✓ 3 Nov</td>'), /which is not signed/],
  ['a date without a mark', (page) => page.replace('<td></td>', '<td>✓ 3 Nov</td>'), /shows “✓3Nov” among the signed facts/],
  ['a home left out', (page) => page.replace('data-home="100012345603"', ''), /ladder does not show Flat 2, 14 Mill Lane/],
  ['a home twice', (page) => page.replace('data-row="100012345603"', 'data-row="100012345603" data-home="100012345603"'), /ladder shows Flat 2, 14 Mill Lane, which is not signed/],
  ['a home of another chain', (page) => page.replace('data-row="100012345603"', 'data-row="100012345603" data-home="7"'), /ladder shows UPRN 7, which is not signed/],
  ['the order', (page) => page.replace('data-home="100012345603"', 'data-home="x"').replace('data-home="100012345604"', 'data-home="100012345603"').replace('data-home="x"', 'data-home="100012345604"'), /another order/],
];

for (const [what, lie, complaint] of LIES) {
  test(`a page that lies about ${what} is caught`, () => {
    const page = snapshot('chain_five');
    const lying = lie(page);
    assert.notEqual(lying, page);
    assert.throws(() => compare(chainOf('five'), shownBy(lying)), complaint);
  });
}

test('characters that mislead readers are compared by their numbers', () => {
  const document = documentOf('five').replaceAll('Quill & Co', 'Quill \u202e& x\u0301\u0302\u0303\u{e0041}');
  const page = snapshot('chain_five').replaceAll('Quill &#38; Co', 'Quill U+202E&#38; x\u0301\u0302U+0303U+E0041');
  const chain = JSON.parse(document).data[0];
  const shown = shownBy(page);
  assert.equal(compare(chain, shown), shown.facts.length);
  assert.throws(() => compare(chain, shownBy(snapshot('chain_five'))), /Quill U\+202E/);
});

test('signed links that disagree are caught', () => {
  const chain = chainOf('five');
  chain.properties[0].connections.onwardPurchase = [chain.properties[2].uprn];
  assert.throws(() => compare(chain, shownBy(snapshot('chain_five'))), /links disagree/);
});

async function signedEnvelope(data, kid = 'k1') {
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  const { publicKey, privateKey } = await subtle.generateKey(rsa, true, ['sign', 'verify']);
  const bytes = new TextEncoder().encode(data);
  const encode = (buffer) => Buffer.from(buffer).toString('base64url');
  const provenance = {
    alg: 'RS256',
    kid,
    payloadHash: { alg: 'SHA-256', value: encode(await subtle.digest('SHA-256', bytes)) },
    signature: encode(await subtle.sign('RSASSA-PKCS1-v1_5', privateKey, bytes)),
    signedAt: '2026-11-22T10:16:00Z',
  };
  const keySet = { keys: [{ ...(await subtle.exportKey('jwk', publicKey)), kid: 'k1' }] };
  return { text: `{"data":${data},"provenance":${JSON.stringify(provenance)}}`, keySet };
}

test('a signed answer is proved', async () => {
  const { text, keySet } = await signedEnvelope(documentOf('five'));
  assert.deepEqual(await prove(text, keySet, subtle), JSON.parse(documentOf('five')));
});

test('an answer that was changed is refused', async () => {
  const { text, keySet } = await signedEnvelope(documentOf('five'));
  const refused = (changed, complaint, keys = keySet) => assert.rejects(prove(changed, keys, subtle), complaint);
  await refused(text.replace('"IN_CHAIN"', '"IN_CHAIM"'), /digest/);
  await refused(text.replace('{"data":', '{"data": '), /canonical/);
  await refused(text.replace('"data":[{"chainId"', '"data":[{"chainId":"x","chainId"'), /canonical/);
  await refused(text.replace('"alg":"RS256"', '"alg":"none"'), /RS256/);
  await refused(text.replace('"kid":"k1"', '"kid":"k2"'), /no key k2/);
  await refused(text.replace(/"signature":"..../, '"signature":"AAAA'), /does not fit/);
  const other = await signedEnvelope(documentOf('five'));
  await refused(text, /does not fit/, other.keySet);
});

test('canonical JSON is that of RFC 8785', (context) => {
  assert.equal(canonical({ b: [1e21, -0, 'é\u2028'], a: { '\u20ac': null, '\r': true } }), '{"a":{"\\r":true,"€":null},"b":[1e+21,0,"é\u2028"]}');
  // Known answers beside the repository.
  const vectors = new URL('../../../../shared/data/vectors/jcs/', import.meta.url);
  if (!existsSync(vectors)) return context.diagnostic('The known answers are absent.');
  for (const name of readdirSync(new URL('input/', vectors))) {
    const read = (folder) => readFileSync(new URL(`${folder}/${name}`, vectors), 'utf8');
    assert.equal(canonical(JSON.parse(read('input'))), read('output').trimEnd(), name);
  }
});
