/**
 * What a built Parley consists of, put together in a folder of its own: the bundled server, the pages, the migrations, the table of
 * losses, the changelog, and single files of packages that are read as they are. The npm package, the single executable and the container have this
 * layout; sources, tests and the packages that only builds need stay behind.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildClient } from './client.mjs'
import { root } from './project.mjs'
import { bundleServer } from './server.mjs'

/** Packages with files of their own that the npm package installs beside it; the executable brings them inside. */
const beside = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs']
/** Only Deno loads it. */
const unused = ['@node-rs/argon2']
const singleFiles = ['gpt-tokenizer/data/o200k_base.tiktoken']
const copied = ['dist/client', 'docs/losses.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'README.zh.md']
/** The start of the npm package. */
const starters = ['tasks/parley.mjs', ...['bun', 'processes', 'project'].map((name) => `tasks/lib/${name}.mjs`)]

/** The manifest of this project. */
export const manifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * Puts a built Parley into the folder (relative to the root), replacing what is there. With `whole` it needs no package beside it,
 * the embedded database included. Throws TaskError.
 */
export async function stage(bun, folder, { whole }) {
  const to = (path) => join(root, folder, path)
  rmSync(to(''), { recursive: true, force: true })
  await Promise.all([
    buildClient(bun),
    bundleServer(bun, { folder: `${folder}/dist/server`, apart: whole ? unused : [...beside, ...unused] }),
  ])
  for (const path of [...copied, ...(whole ? [] : starters)]) cpSync(join(root, path), to(path), { recursive: true })
  for (const path of singleFiles) copyFile(join(root, 'node_modules', path), to(`dist/packages/${path}`))
  for (const name of ['meta/_journal.json', ...readdirSync(join(root, 'db/migrations')).filter((name) => name.endsWith('.sql'))])
    copyFile(join(root, 'db/migrations', name), to(`db/migrations/${name}`))
  if (whole) bringDatabase(to)
  writeFileSync(to('package.json'), `${JSON.stringify(manifestOf(whole), null, 2)}\n`)
}

/** The files that the packages of the embedded database look for beside the scripts that they were bundled into. */
function bringDatabase(to) {
  const [engine, prepared] = beside.map((name) => join(root, 'node_modules', name, 'dist'))
  for (const name of ['pglite.wasm', 'pglite.data', 'initdb.wasm']) copyFile(join(engine, name), to(`dist/server/${name}`))
  copyFile(join(prepared, 'prepopulatedfs.tgz'), to('dist/server/store/dist/prepopulatedfs.tgz'))
}

function copyFile(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}

/** What a package manager is told: exact versions of the few packages that are not bundled. */
function manifestOf(whole) {
  const { name, version, description, license, type, engines, dependencies } = manifest()
  const kept = Object.fromEntries(['bun', ...beside].map((one) => [one, dependencies[one]]))
  const about = { name, version, description, license, type, engines }
  return whole ? about : { ...about, bin: { parley: './tasks/parley.mjs' }, dependencies: kept }
}
