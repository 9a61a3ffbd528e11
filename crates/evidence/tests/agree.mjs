// Applies each edit, change and note of examples/vectors/evidence, and counts the packs that the script of verify.html
// accepts.
// tests/it/vectors.rs runs it, with Node 20 or later.

import { readFileSync } from 'node:fs';

const examples = new URL('../../../examples/', import.meta.url);
const read = (name) => readFileSync(new URL(`vectors/evidence/${name}`, examples));
const page = readFileSync(new URL('web/verify.html', examples), 'utf8');
const script = /<script>([^]*)<\/script>/.exec(page)[1];
// Signatures and digests are remembered, because most edits leave most of them alone.
const { canonical, verify } = new Function('remember', `${script};
  [sha256, verifyEd25519, verifyRs256] = [sha256, verifyEd25519, verifyRs256].map(remember);
  return { canonical, verify };`)(remember);

const policy = read('policy.txt').toString();
const pack = read('pack.json');

function remember(answer) {
  const known = new Map();
  return (...values) => {
    const key = JSON.stringify(values.map((value) => (ArrayBuffer.isView(value) ? Buffer.from(value).toString('latin1') : value)));
    if (!known.has(key)) known.set(key, answer(...values));
    return known.get(key);
  };
}

function edit(line) {
  const [kind, place, byte] = line.split(' ').map((word, index) => (index ? Number(word) : word));
  const added = kind == 'd' ? [] : [byte];
  return Buffer.concat([pack.subarray(0, place), Buffer.from(added), pack.subarray(place + (kind == 'i' ? 0 : 1))]);
}

function change({ at, set }) {
  const value = JSON.parse(pack);
  const words = at.split('/').slice(1);
  const name = words.pop();
  const target = words.reduce((parent, word) => parent[word], value);
  if (set === undefined) delete target[name];
  else target[name] = set;
  return Buffer.from(canonical(value));
}

function note({ add, escape = '' }) {
  const value = JSON.parse(pack);
  value.states[0].proof += add.map(([text, times]) => text.repeat(times)).join('');
  return Buffer.from(canonical(value).replaceAll('\ue000', escape));
}

async function count(packs) {
  let accepted = 0;
  for (const one of packs) {
    accepted += await verify(new Uint8Array(one), policy).then(() => 1, () => 0);
  }
  return accepted;
}

// The page shows of each good pack what the other verifiers print.
const { reports } = JSON.parse(read('manifest.json'));
for (const [name, report] of Object.entries(reports)) {
  const lines = await verify(new Uint8Array(read(name)), policy);
  if (`${lines.join('\n')}\n` !== report) throw new Error(`${name}: ${lines.join('\n')}`);
}

const edits = read('edits.txt').toString().trim().split('\n').map(edit);
const good = await count(['pack.json', 'pack-one-property.json', 'pack-without-states.json'].map(read));
const changes = JSON.parse(read('changes.json')).map(change);
const notes = JSON.parse(read('notes.json'));
let right = 0;
for (const one of notes) right += (await count([note(one)])) == ('why' in one ? 0 : 1);
console.log(`accepted ${good} packs, ${await count(edits)} of ${edits.length} edits and ${await count(changes)} of ${changes.length} changes, and judged ${right} of ${notes.length} notes as stated`);
