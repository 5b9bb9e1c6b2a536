/** Every message of the client is shown somewhere, and each language has the same ones. */
import { expect, test } from 'bun:test'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'

const root = join(import.meta.dir, '../..')
const sources = globSync('{client,shared}/**/*.{ts,tsx}', { cwd: root }).filter((path) => !path.includes('.test.'))
const isTexts = (path: string) => /\/(en|zh)\.ts$/.test(path)

/** What a file imports, the texts in its quotes, and the ends of its templates between which something is inserted. */
interface Words {
  imports: string[]
  quoted: Set<string>
  composed: RegExp[]
}

const wordsOf = new Map(sources.filter((path) => !isTexts(path)).map((path) => [path, wordsIn(path)]))

function wordsIn(path: string): Words {
  const words: Words = { imports: [], quoted: new Set(), composed: [] }
  const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'))
  JSON.stringify(program, (_, node) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') words.quoted.add(node.value)
    if (node?.type === 'TemplateLiteral') {
      const ends: string[] = node.quasis.map(({ value }: { value: { cooked: string } }) => value.cooked)
      // Something of the key must be in the template: `${from} ${to}` could be anything.
      if (/^[\w.-]{2,}$/.test(ends.join(''))) words.composed.push(new RegExp(`^${ends.map(RegExp.escape).join('.+')}$`))
    }
    if (/^(Import|Export\w*)Declaration$/.test(node?.type) && node.source) words.imports.push(fileOf(path, node.source.value))
    return typeof node === 'bigint' ? undefined : node
  })
  return words
}

function fileOf(from: string, name: string): string {
  const alias = name.startsWith('#client/') ? name.slice(1) : name.startsWith('#shared/') ? `${name.slice(1)}.ts` : undefined
  return alias ?? join(dirname(from), name)
}

const translators = sources.filter((path) => path.endsWith('messages.ts') && existsSync(join(root, dirname(path), 'en.ts')))

/** The files that may name a message: those that import the translator, those beside it, and what these import. */
function readersOf(translator: string): Words[] {
  const folder = dirname(translator).replace(/\/messages$/, '')
  const near = [...wordsOf].filter(([path, { imports }]) => path.startsWith(`${folder}/`) || imports.includes(translator))
  const further = near.flatMap(([, { imports }]) => imports.flatMap((path) => wordsOf.get(path) ?? []))
  return [...near.map(([, words]) => words), ...further]
}

test('there are translators and messages', () => {
  expect(translators.length).toBeGreaterThan(25)
})

test.each(translators)('%s', async (translator) => {
  const { en } = await import(join(root, dirname(translator), 'en.ts'))
  const { zh } = await import(join(root, dirname(translator), 'zh.ts'))
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort())
  const readers = readersOf(translator)
  // The texts of actions in the audit trail are checked in client/features/audit/words.test.ts.
  const keys = Object.keys(en).filter((key) => !/^\w+\.\w+$/.test(key))
  expect(keys.filter((key) => !readers.some(({ quoted, composed }) => quoted.has(key) || composed.some((form) => form.test(key))))).toEqual(
    [],
  )
})
