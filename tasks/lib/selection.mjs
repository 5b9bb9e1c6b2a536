/** Which test files the arguments of `npm test --` select, and what these files need to be installed. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './project.mjs'

const outside = new Set(['node_modules', 'dist', 'fixtures', 'test-results'])

/** A file declares a need as `@needs postgresql` in a comment. Files that import it, directly or indirectly, need the same. */
const declared = /^\s*(?:\/\*\*|\*|\/\/).*?@needs ([a-z]+)/gm
/** Imports, and paths of programs that a file starts. Type imports match too, so slightly too much may be set up. */
const named = /(['"`])((?:\.{1,2}\/|#)[\w./-]+|playwright(?:\/\w+)?)\1/g

/**
 * Splits the arguments at the first option: those before it are parts of paths, as `bun test` accepts them (none: every test), the
 * rest is passed to the runners.
 */
export function readWords(words) {
  const at = words.findIndex((word) => word.startsWith('-'))
  return at === -1 ? { paths: words, options: [] } : { paths: words.slice(0, at), options: words.slice(at) }
}

/**
 * The selected test files, relative to the root and in order: unit tests, which lie beside what they test; integration tests in `e2e`, which
 * start whole programs; and those for the browser.
 */
export function select(paths, files = testFiles()) {
  const wanted = paths.map((path) => path.replace(/^\.\//, ''))
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((path) => file.includes(path)))
  const ofKind = (kind) => chosen.filter((file) => kindOf(file) === kind)
  return { unit: ofKind('unit'), integration: ofKind('integration'), browser: ofKind('browser') }
}

function kindOf(file) {
  if (file.endsWith('.e2e.ts')) return 'browser'
  return file.startsWith('e2e/') ? 'integration' : 'unit'
}

const isTest = (name) => /\.(test\.tsx?|e2e\.ts)$/.test(name)

function testFiles(folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && !outside.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return testFiles(path)
      return isTest(entry.name) ? [path] : []
    })
}

/**
 * What the files need: a set of `postgresql`, `mariadb`, `agents`, `chromium`, and `client` and `server` (the built ones). `read` returns the text of a file,
 * or undefined when it does not exist.
 */
export function needsOf(files, read = textOf) {
  const needs = new Set()
  const seen = new Set(files)
  const aliases = aliasesOf(JSON.parse(read('package.json')))
  // A set may grow while it is iterated.
  for (const file of seen) {
    const text = read(file) ?? ''
    for (const [, need] of text.matchAll(declared)) needs.add(need)
    for (const [, , name] of text.matchAll(named)) {
      if (name.startsWith('playwright')) needs.add('chromium').add('client')
      else {
        const path = resolve(aliases, file, name)
        if (path !== undefined && !seen.has(path) && read(path) !== undefined) seen.add(path)
      }
    }
  }
  return needs
}

/** Import aliases: `#wire/` maps to the folder `server/wire/` and the extension `.ts`. */
function aliasesOf({ imports }) {
  return Object.entries(imports).map(([alias, target]) => {
    const [folder, ending] = target.replace(/^\.\//, '').split('*')
    return { prefix: alias.replace('*', ''), folder, ending }
  })
}

function resolve(aliases, from, name) {
  if (name.startsWith('.')) return /\.tsx?$/.test(name) ? join(dirname(from), name) : undefined
  const alias = aliases.find(({ prefix }) => name.startsWith(prefix))
  return alias && `${alias.folder}${name.slice(alias.prefix.length)}${alias.ending}`
}

function textOf(path) {
  const file = join(root, path)
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : undefined
}
