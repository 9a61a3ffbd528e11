import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { VERSION } from "onward-client";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

interface Table {
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly pairs: Readonly<Record<string, string>>;
  readonly typescript_only: Readonly<Record<string, string>>;
}

const table = JSON.parse(readFileSync(`${PACKAGE}../names.json`, "utf8")) as Table;
const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

// The fields and methods that this library gives a class or an interface.
function membersOf(checker: ts.TypeChecker, symbol: ts.Symbol): string[] {
  const types = [checker.getDeclaredTypeOfSymbol(symbol)];
  if ((symbol.flags & ts.SymbolFlags.Class) !== 0) types.push(checker.getTypeOfSymbol(symbol));
  return types.flatMap((type) => checker.getPropertiesOfType(type))
    .filter(({ name, declarations = [] }) => name !== "prototype" && !name.includes("#")
      && declarations.some((declaration) => declaration.getSourceFile().fileName.includes("/dist/")))
    .map(({ name }) => name);
}

function publicNames(): string[] {
  const file = `${PACKAGE}dist/index.d.ts`;
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022,
    strict: true, types: ["node"],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  assert.ok(module);
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    // An alias of an object type, such as UnknownEvent, has members too.
    const hasMembers = (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0
      || checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).length > 0;
    const members = hasMembers && table.typescript_only[exported.name] === undefined ? membersOf(checker, symbol) : [];
    return [exported.name, ...members.map((member) => `${exported.name}.${member}`)];
  });
}

test("the public names are those of clients/names.json", () => {
  const pair = (name: string): string => table.pairs[name] ?? camelCase(name);
  const names = Object.entries(table.names).flatMap(([name, members]) =>
    [pair(name), ...members.map((member) => `${pair(name)}.${camelCase(member)}`)]);
  const expected = new Set([...names, ...Object.values(table.pairs), ...Object.keys(table.typescript_only)]);
  const found = new Set(publicNames());
  const missing = [...expected].filter((name) => !found.has(name));
  const unexpected = [...found].filter((name) => !expected.has(name));
  assert.deepEqual({ missing, unexpected }, { missing: [], unexpected: [] });
});

test("the version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(`${PACKAGE}package.json`, "utf8")) as { version: string };
  assert.equal(VERSION, version);
});
