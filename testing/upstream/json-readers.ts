/**
 * How upstreams in other languages read the same JSON text, as their documentation says. Go's `encoding/json` prefers an exact match of a
 * struct's field but accepts one without regard to case, and each further match replaces the value (pkg.go.dev/encoding/json#Unmarshal);
 * Python's `json` and JavaScript's `JSON.parse` match exactly and keep the last of duplicates (docs.python.org/3/library/json.html,
 * ECMA-262 25.5.1). Some C and Rust readers keep the first.
 */
type Entries = [name: string, value: Value][]
type Value = { entries: Entries } | { items: Value[] } | string | number | boolean | null

/** Reads a field by its path in the text; undefined when it is not there. */
export type JsonReader = (text: string, path: readonly (string | number)[]) => unknown

/** The readers by name. */
export const jsonReaders: Readonly<Record<string, JsonReader>> = {
  go: readerOf((entries, name) => entries.findLast(([one]) => foldGo(one) === foldGo(name))),
  python: readerOf((entries, name) => entries.findLast(([one]) => one === name)),
  javascript: readerOf((entries, name) => entries.findLast(([one]) => one === name)),
  first: readerOf((entries, name) => entries.find(([one]) => one === name)),
}

/** The two letters outside ASCII that Unicode's simple folding takes for ones inside, as Go's `foldName` does. */
const foldGo = (name: string): string => name.replaceAll('\u017f', 's').replaceAll('\u212a', 'k').toLowerCase()

function readerOf(find: (entries: Entries, name: string) => Entries[number] | undefined): JsonReader {
  return (text, path) => {
    let at: Value | undefined = parseKeepingAll(text)
    for (const step of path) {
      if (typeof at !== 'object' || at === null) return undefined
      if (typeof step === 'number') at = 'items' in at ? at.items[step] : undefined
      else at = 'entries' in at ? find(at.entries, step)?.[1] : undefined
    }
    return at
  }
}

const token = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/gy

/** A JSON text with every field, duplicates too, in order. */
function parseKeepingAll(text: string): Value {
  const tokens = [...text.matchAll(token)].map(([, found = '']) => found)
  let at = 0
  const expect = (wanted: string) => {
    if (tokens[at++] !== wanted) throw new Error(`expected ${wanted}`)
  }
  function list<Item>(end: string, item: () => Item): Item[] {
    const items: Item[] = []
    at++
    while (tokens[at] !== end) {
      items.push(item())
      if (tokens[at] !== end) expect(',')
    }
    at++
    return items
  }
  function value(): Value {
    if (tokens[at] === '[') return { items: list(']', value) }
    if (tokens[at] !== '{') return JSON.parse(tokens[at++] ?? '')
    return {
      entries: list('}', (): Entries[number] => {
        const name: string = JSON.parse(tokens[at++] ?? '')
        expect(':')
        return [name, value()]
      }),
    }
  }
  return value()
}
