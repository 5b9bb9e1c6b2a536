/** Which test files the words after `npm test --` choose, and what these files need from the machine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './project.mjs'

const outside = new Set(['node_modules', 'dist', 'fixtures', 'test-results'])

/** What a file says it needs: `@needs postgresql` in a comment. Whatever imports it, directly or not, needs the same. */
const declared = /^\s*(?:\/\*\*|\*|\/\/).*?@needs ([a-z]+)/gm
/** Module names and the paths of programs that a file starts; a type import counts too, which provides a little too much. */
const named = /(['"`])((?:\.{1,2}\/|#)[\w./-]+|playwright(?:\/\w+)?)\1/g

/**
 * Splits the words at the first option: what stands before it are parts of paths, as `bun test` takes them (none: every
 * test), the rest goes to the runners as it is.
 */
export function readWords(words) {
  const at = words.findIndex((word) => word.startsWith('-'))
  return at === -1 ? { paths: words, options: [] } : { paths: words.slice(0, at), options: words.slice(at) }
}

/** The chosen test files, from the root and in order: those that `bun test` runs, and those that a browser runs. */
export function select(paths, files = testFiles()) {
  const wanted = paths.map((path) => path.replace(/^\.\//, ''))
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((path) => file.includes(path)))
  return { units: chosen.filter((file) => !isBrowser(file)), browser: chosen.filter(isBrowser) }
}

const isBrowser = (file) => file.endsWith('.e2e.ts')
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
 * What the files need: a set of `postgresql`, `agents`, `chromium` and `client` (the built one). `read` gives the text of a
 * file, or undefined when there is none.
 */
export function needsOf(files, read = textOf) {
  const needs = new Set()
  const seen = new Set(files)
  const aliases = aliasesOf(JSON.parse(read('package.json')))
  // A set may grow while it is walked.
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

/** Prefix to folder and ending, as `#wire/` to `server/wire/` and `.ts`. */
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
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
