/** Installing: packages from a registry must match package-lock.json, and no install script runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'parley-bootstrap-'))
const marker = join(folder, 'a script of the registry ran')
const pinned: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.bun

/** A package of this name whose executable and install script leave a mark. */
function forged(name: string): Uint8Array {
  const place = join(folder, 'forged', name, 'package')
  mkdirSync(join(place, 'bin'), { recursive: true })
  const mark = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ name, version: pinned, scripts: { postinstall: `node -e "${mark.replaceAll('"', "'")}"` } }),
  )
  for (const file of ['bun', 'bun.exe'])
    writeFileSync(join(place, 'bin', file), `#!/bin/sh\ntouch '${marker}'\necho ${pinned}\n`, { mode: 0o755 })
  const { stdout, exitCode } = Bun.spawnSync(['tar', 'czf', '-', '-C', join(place, '..'), 'package'])
  if (exitCode !== 0) throw new Error('tar failed')
  return stdout
}

/** A registry that has another package under every name, correctly described by itself. */
const registry = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ url }) {
    const { pathname, origin } = new URL(url)
    const name = decodeURIComponent(pathname.slice(1)).replace(/\/-\/.*$/, '')
    const tarball = forged(name)
    if (pathname.includes('/-/')) return new Response(new Uint8Array(tarball))
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `${origin}/${name}/-/package.tgz`, integrity }
    const version = { name, version: pinned, dist, hasInstallScript: true, scripts: { postinstall: 'true' } }
    return Response.json({ name, 'dist-tags': { latest: pinned }, versions: { [pinned]: version } })
  },
})

beforeAll(async () => {
  for (const name of ['tasks', 'package.json', 'package-lock.json']) await cp(join(root, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  for (const tool of ['node', 'npm', 'sh', 'touch']) {
    const path = Bun.which(tool)
    if (path) symlinkSync(path, join(folder, 'bin', tool))
  }
})
afterAll(() => {
  registry.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

test('another package under the pinned name and version is refused, and nothing of it runs', async () => {
  const script =
    'import("./tasks/lib/bun.mjs").then(({ bringBun }) => bringBun()).then((path) => console.log("brought", path), (error) => console.log("refused", error.message))'
  const child = Bun.spawn(['node', '-e', script], {
    stdout: 'pipe',
    stderr: 'pipe',
    cwd: folder,
    env: {
      PATH: join(folder, 'bin'),
      HOME: folder,
      npm_config_registry: registry.url.href,
      npm_config_cache: join(folder, 'cache'),
      npm_config_fetch_retries: '0',
    },
  })
  const said = (await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])).join('')
  expect(said).toContain('refused')
  expect(said).toContain('EINTEGRITY')
  expect(existsSync(marker)).toBe(false)
  expect(existsSync(join(folder, '.bun/node_modules'))).toBe(false)
}, 60_000)
