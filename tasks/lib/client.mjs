/** Builds the client into dist/client, with compressed copies next to the files. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { run } from './processes.mjs'
import { root, TaskError, tell, unlessDone } from './project.mjs'

const output = 'dist/client'
const stamp = 'dist/.client'
const sources = ['client', 'shared', 'vite.config.ts', 'package.json', 'package-lock.json', 'tasks/lib/client.mjs']

/** Builds the client if its sources changed since the last build. Throws TaskError. */
export async function buildClient(bun) {
  await unlessDone(stamp, sources, async () => {
    tell('Building the client...')
    const { code, output: printed } = await run(bun, ['--bun', 'node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error'], {
      env: { NODE_ENV: 'production' },
    })
    if (code !== 0) throw new TaskError(`${printed}\nThe client could not be built.`)
    await compressAll(join(root, output))
  })
}

/** Writes .br and .gz copies of every text file that becomes smaller; the server serves them as they are. */
async function compressAll(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  const texts = files.filter((path) => /\.(js|css|html|svg|json|txt|wasm)$/.test(path) && statSync(path).size > 1024)
  await Promise.all(texts.map(compress))
}

async function compress(path) {
  const plain = readFileSync(path)
  const brotli = promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } })
  const zipped = promisify(gzip)(plain, { level: 9 })
  for (const [ending, packed] of [
    ['br', await brotli],
    ['gz', await zipped],
  ]) {
    if (packed.length < plain.length) writeFileSync(`${path}.${ending}`, packed)
  }
}
