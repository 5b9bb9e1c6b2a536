/**
 * Parley away from its sources: the npm package, the single executable, and the layout of the container, each started where nothing
 * else lies. They are made here, once.
 *
 * @needs client
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { freePort } from '#testing/free-port'
import { administrator, type Program, type ProgramOptions, startProgram } from '#testing/program/program'
import { isDeep } from '#testing/sample'

const root = join(import.meta.dir, '..')
const mebibyte = 1024 * 1024
const patience = 240_000
const folders: string[] = []

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-packaged-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** What a task prints last: the file that it made. */
async function made(task: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, join(root, 'tasks', task), ...words], { cwd: root, stdout: 'pipe', stderr: 'pipe' })
  const [printed, complaint, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  if (code !== 0) throw new Error(`${task} ended with ${code}: ${complaint}${printed}`)
  return join(root, 'dist', (printed.trim().split('/').at(-1) ?? '').trim())
}

/** Ready, with pages and a working demo model. */
async function expectServing({ url, printed }: Pick<Program, 'url' | 'printed'>): Promise<void> {
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' })
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<title>Parley')
  for (const [name, title] of [
    ['losses', '# What is converted'],
    ['changelog', '# Changelog'],
  ] as const)
    expect(await (await fetch(`${url}/docs/${name}.md`)).text()).toStartWith(title)
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${printed('PARLEY_KEY')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect([answer.status, await answer.json()]).toMatchObject([200, { choices: [{ finish_reason: 'stop' }] }])
}

/** Starts it, looks at it, and stops it. */
async function expectWhole(options: ProgramOptions): Promise<void> {
  const program = await startProgram({ ...options, env: { ...administrator, ...options.env } })
  try {
    await expectServing(program)
  } finally {
    expect((await program.stop()).code).toBe(0)
  }
}

// A machine that has Bun alone has no `npm pack` that could go wrong.
test.skipIf(Bun.which('npm') === null)(
  'npm run pack runs, and npm pack of the sources says what to do instead',
  async () => {
    const npm = async (...words: string[]) => {
      const child = Bun.spawn(['npm', ...words], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
      const [printed, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      return { code: await child.exited, text: printed + complaint }
    }
    // What npm runs before `npm run pack`, by its name.
    expect(await npm('run', 'prepack')).toMatchObject({ code: 0 })
    const refused = await npm('pack', '--dry-run')
    expect(refused.text).toContain('use npm run pack.')
    expect(refused.code).not.toBe(0)
  },
  60_000,
)

test(
  'the npm package is small and serves from an empty folder',
  async () => {
    const archive = await made('pack.mjs')
    expect(statSync(archive).size).toBeLessThan(10 * mebibyte)
    const folder = emptyFolder()
    const modules = join(folder, 'node_modules')
    const installed = join(modules, 'parley')
    await new Bun.Archive(await Bun.file(archive).bytes()).extract(folder)
    mkdirSync(modules)
    const { dependencies, bin } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
    // What an installation would put beside it, without asking a registry.
    for (const name of [...Object.keys(dependencies), '@oven']) link(join(modules, name), join(root, 'node_modules', name))
    expect(Bun.spawnSync(['mv', join(folder, 'package'), installed]).exitCode).toBe(0)
    await expectWhole({ folder, shell: `exec '${process.execPath}' '${join(installed, bin.parley)}'` })
  },
  patience,
)

function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

describe('the single executable', () => {
  let executable = ''
  beforeAll(async () => {
    executable = await made('executable.mjs')
  }, patience)

  test(
    'is under 150 MB and serves from an empty folder, where it makes its database',
    async () => {
      expect(statSync(executable).size).toBeLessThan(150_000_000)
      const folder = emptyFolder()
      copyFileSync(executable, join(folder, 'parley'))
      await expectWhole({ folder, makesDatabase: true, shell: 'exec ./parley' })
      const verify = Bun.spawnSync(['./parley', 'db', 'verify', 'data'], { cwd: folder })
      expect([verify.exitCode, verify.stdout.toString()]).toEqual([0, expect.stringContaining('users')])
    },
    patience,
  )

  // Packing takes ten seconds, so only deep runs do it; tasks/offline.test.ts looks at what goes in. Namespaces are Linux's.
  test.if(isDeep && process.platform === 'linux' && process.getuid?.() === 0)(
    'out of the archive for machines without a network, on a machine without one',
    async () => {
      const archive = await made('offline.mjs', '--from', relative(root, executable))
      const folder = emptyFolder()
      expect(Bun.spawnSync(['tar', '-xzf', archive, '-C', folder, '--strip-components=1']).exitCode).toBe(0)
      const start = `ip link set lo up && exec '${process.execPath}' '${join(root, 'e2e/support/start-alone.ts')}' '${folder}'`
      const alone = Bun.spawnSync(['unshare', '--net', 'sh', '-c', start], { cwd: root })
      expect(alone.stderr.toString()).toBe('')
      expect(JSON.parse(alone.stdout.toString())).toEqual({ title: true, status: 200, outside: 'unreachable', code: 0 })
    },
    patience,
  )

  // Only root may make such a place, and only on Linux; a container runtime itself is not needed.
  test.if(process.platform === 'linux' && process.getuid?.() === 0)(
    'in the layout of the container, as its user, with nothing to write to but /data',
    async () => {
      const { user, entrypoint, env, healthcheck } = containerfile()
      const folder = emptyFolder()
      chmodSync(folder, 0o755)
      const data = join(folder, 'data')
      for (const path of ['usr/local/bin', 'proc', 'data']) mkdirSync(join(folder, path), { recursive: true })
      copyFileSync(executable, join(folder, 'usr/local/bin/parley'))
      for (const library of librariesOf(executable)) {
        mkdirSync(dirname(join(folder, library)), { recursive: true })
        copyFileSync(library, join(folder, library))
      }
      await putEmbeddedDatabase(data)
      expect(Bun.spawnSync(['chown', '-R', user, data]).exitCode).toBe(0)
      chmodSync(data, 0o700)
      const port = String(await freePort())
      const inside = `mount --rbind /proc '${folder}/proc' && exec chroot --userspec=${user} '${folder}' ${entrypoint.join(' ')}`
      const shell = `exec unshare --mount sh -c "${inside}"`
      const program = await startProgram({ folder: emptyFolder(), shell, env: { ...administrator, ...env, PARLEY_PORT: port } })
      try {
        await expectServing({ url: `http://127.0.0.1:${port}`, printed: program.printed })
        const checked = Bun.spawnSync([executable, ...healthcheck.slice(1)], { env: { ...env, PARLEY_PORT: port } })
        expect(checked.exitCode).toBe(0)
        expect(existsSync(join(data, 'journal'))).toBe(true)
      } finally {
        expect((await program.stop()).code).toBe(0)
      }
    },
    patience,
  )
})

/** What the container is started with, from the last stage of the Containerfile. */
function containerfile() {
  const text = readFileSync(join(root, 'Containerfile'), 'utf8').replace(/\\\n\s*/g, '')
  const stage = text.slice(text.lastIndexOf('\nFROM '))
  const words = (instruction: RegExp): string[] => JSON.parse(instruction.exec(stage)?.[1] ?? '[]')
  const pairs = (/^ENV (.*)$/m.exec(stage)?.[1] ?? '').split(' ').map((pair) => pair.split('='))
  return {
    user: /^USER (\d+:\d+)$/m.exec(stage)?.[1] ?? '',
    entrypoint: words(/^ENTRYPOINT (.*)$/m),
    healthcheck: words(/^HEALTHCHECK .* CMD (.*)$/m),
    env: Object.fromEntries(pairs) as Record<string, string>,
  }
}

/** The shared libraries that the base of the container has. */
function librariesOf(executable: string): string[] {
  const printed = Bun.spawnSync(['ldd', executable]).stdout.toString()
  return [...printed.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
}
