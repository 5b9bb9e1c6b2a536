/** Starting, failing to start, and stopping, as an operator sees it: output, exit codes, and what is left behind. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { type Exit, type Program, runToExit, startProgram } from '#testing/program/program'

const root = join(import.meta.dir, '..')
const patience = 90_000

/** One line on standard error with `what`, exit code 1, and no line that says it is listening. */
function expectRefusal(exit: Exit, what: RegExp): void {
  expect(exit.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(exit.stderr).toMatch(what)
  expect(exit.code).toBe(1)
  expect(exit.stdout).not.toContain('listening')
}

describe('a fault at start is one clear line and exit code 1', () => {
  test('a variable that makes no sense', async () => {
    expectRefusal(await runToExit({ env: { PARLEY_PORT: 'eighty' } }), /PARLEY_PORT must be a whole number/)
  })

  test(
    'a port in use',
    async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const address = server.address()
      const port = typeof address === 'object' ? String(address?.port) : ''
      expectRefusal(await runToExit({ env: { PARLEY_PORT: port } }), new RegExp(`127.0.0.1:${port} is already in use.*PARLEY_PORT`))
      const metrics = await runToExit({ env: { PARLEY_METRICS: `127.0.0.1:${port}` } })
      expect(metrics.stderr).toMatch(new RegExp(`127.0.0.1:${port} is already in use; set PARLEY_METRICS`))
      server.close()
    },
    patience,
  )

  test(
    'a broken parley.yaml, with line and column',
    async () => {
      expectRefusal(await runToExit({ config: 'groups:\n  default: { ratoi: 1 }\n' }), /parley\.yaml:2:1\d: /)
    },
    patience,
  )

  test(
    'a parley.yaml that is not UTF-8, with its line',
    async () => {
      const config = Buffer.from('users:\n  - { name: Zo\u00eb }\n', 'latin1')
      expectRefusal(await runToExit({ config }), /parley\.yaml is not UTF-8: line 2/)
    },
    patience,
  )

  test(
    'a configuration file that is not there',
    async () => {
      expectRefusal(await runToExit({ env: { PARLEY_CONFIG: './nowhere.yaml' } }), /nowhere\.yaml/)
    },
    patience,
  )

  test('a database that does not answer, without its password', async () => {
    const exit = await runToExit({ env: { DATABASE_URL: 'postgres://parley:hush-hush@127.0.0.1:9/parley' } })
    expectRefusal(exit, /127\.0\.0\.1:9/)
    expect(exit.stderr + exit.stdout).not.toContain('hush')
  }, 60_000)

  test(
    'a data folder that another Parley uses; the other goes on',
    async () => {
      await withFolder(async (folder) => {
        const first = await startProgram({ folder })
        expectRefusal(await runToExit({ folder }), /used by another Parley/)
        expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
        await first.stop()
      })
    },
    2 * patience,
  )
})

describe('the whole life, from outside', () => {
  test(
    'ready once it says so, ended by SIGTERM with code 0, and back within two seconds',
    async () => {
      await withFolder(async (folder) => {
        const first = await startProgram({ folder, makesDatabase: true })
        expect(await (await fetch(`${first.url}/readyz`)).json()).toEqual({ status: 'ready' })
        expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
        expect(first.output()).toMatch(/^Parley setup token: \S+$/m)
        expect((await first.stop()).code).toBe(0)

        const before = performance.now()
        const second = await startProgram({ folder })
        // The promise is two seconds on a quiet machine; the tests may share theirs.
        expect(performance.now() - before).toBeLessThan(40_000)
        expect((await second.stop()).code).toBe(0)
      })
    },
    2 * patience,
  )

  test(
    'npm start: SIGTERM to npm alone ends the whole tree',
    async () => {
      await withFolder(async (folder) => {
        await putEmbeddedDatabase(folder)
        const program = await startByScript(folder)
        const tree = descendants(program.pid)
        expect(tree.length).toBeGreaterThan(1)
        process.kill(program.pid, 'SIGTERM')
        await until(() => [program.pid, ...tree].every((pid) => !isRunning(pid)))
        await until(() => refusesConnections(program.url))
      })
    },
    2 * patience,
  )
})

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-start-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The program by way of the README's command, with whatever this machine has: npm, else Bun. */
async function startByScript(folder: string): Promise<Pick<Program, 'url' | 'pid'>> {
  const command = Bun.which('npm') === null ? [process.execPath, 'run', 'start'] : ['npm', 'start']
  const env = { ...process.env, PARLEY_PORT: '0', PARLEY_DATA: folder, PARLEY_CONFIG: '', DATABASE_URL: '' }
  const child = Bun.spawn(command, { cwd: root, env, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  let printed = ''
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  while (true) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`it ended before it listened:\n${printed}`)
    printed += value
    const url = /^Parley listening on (\S+)$/m.exec(printed)?.[1]
    if (url !== undefined) return { url, pid: child.pid }
  }
}

/** Every process below `pid`, from the kernel's own lists. */
function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** A process that ended but was not waited for counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function refusesConnections(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return
    await Bun.sleep(50)
  }
  throw new Error('it did not come to be within ten seconds')
}
