/**
 * One PostgreSQL server per test run, from the distribution's binaries, in a temporary folder on a free loopback port. A guardian shell
 * watches this process and stops the server when the run ends, however it ends.
 *
 * @needs postgresql
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import postgres from 'postgres'
import { systemClock, systemRandom } from '#runtime/clock'
import { openStore } from '#store/engine/open'
import { freePort } from '#testing/free-port'
import { madeOnce } from './made-once.ts'

const versioned = '/usr/lib/postgresql'

/** The folder of the server binaries, or undefined. The distribution's own come first: those on the PATH may be client-only. */
export function findPostgres(): string | undefined {
  const releases = existsSync(versioned) ? readdirSync(versioned).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...releases.map((release) => join(versioned, release, 'bin')), ...(process.env.PATH ?? '').split(delimiter)]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** A database and how to remove it. */
export interface NewDatabase {
  url: string
  drop(): Promise<void>
}

let server: Promise<{ url: URL; template: string }> | undefined

/** The address of the run's server. */
let address: Promise<URL> | undefined

/** Creates a database with this build's schema, copied from a template on the run's server. */
export async function newPostgresDatabase(): Promise<NewDatabase> {
  server ??= start()
  const { url, template } = await server
  return create(url, `template ${template}`)
}

/** Creates a database on the run's server and fills it with these statements, such as `pg_dump --inserts` writes. */
export async function restoredPostgresDatabase(statements: string): Promise<NewDatabase> {
  address ??= serverAddress()
  const database = await create(await address, 'template template0')
  await command(new URL(database.url), statements)
  return database
}

async function create(url: URL, options: string): Promise<NewDatabase> {
  const name = `parley_test_${randomBytes(6).toString('hex')}`
  await command(url, `create database ${name} ${options}`)
  return { url: at(url, name), drop: () => command(url, `drop database if exists ${name} with (force)`) }
}

const serverAddress = async () => new URL(process.env.PARLEY_TEST_DATABASE_URL ?? (await launch(await emptyCluster())))

async function start(): Promise<{ url: URL; template: string }> {
  address ??= serverAddress()
  const url = await address
  const template = `parley_template_${randomBytes(6).toString('hex')}`
  await command(url, `create database ${template}`)
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'))
  const store = await openStore({ databaseUrl: at(url, template), dataFolder: folder, clock: systemClock, random: systemRandom })
  await store.close()
  spawnSync('rm', ['-rf', folder])
  return { url, template }
}

const at = (url: URL, database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href

async function command(url: URL, statement: string): Promise<void> {
  const client = postgres(url.href, { max: 1, onnotice: () => {} })
  try {
    await client.unsafe(statement)
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** A server that only one test uses. */
export interface OwnServer {
  /** The address of an empty database. */
  url: string
  /** Copies everything committed so far to another server, and answers that server's address. */
  copy(): Promise<string>
  /** Starts an asynchronous standby that follows the server at this address, which may be a proxy of it; answers its own address. */
  standby(through: string): Promise<string>
}

/** Makes a standby a primary; resolves when it takes writes. */
export const promote = (url: string): Promise<void> => command(new URL(url), 'select pg_promote()')

/** Starts a server for one test; it ends with the run. Undefined if the run uses a given server instead of binaries. */
export async function ownPostgresServer(): Promise<OwnServer | undefined> {
  if (findPostgres() === undefined) return undefined
  const url = await launch(await emptyCluster())
  const copied = (from: string) =>
    `$AS_SERVER "$BINARIES/pg_basebackup" -h 127.0.0.1 -p ${new URL(from).port} -U parley -D data -X stream -c fast --no-sync`
  return { url, copy: () => launch(copied(url)), standby: (through) => launch(`${copied(through)} --write-recovery-conf`) }
}

/** The server refuses to run as root, so root runs it as the distribution's own user for it. */
const asServer = process.getuid?.() === 0 ? 'setpriv --reuid=postgres --regid=postgres --clear-groups' : ''
const initdb = '$AS_SERVER "$BINARIES/initdb" -D data -U parley -A trust -E UTF8 --locale=C --no-sync'

/** The parameters of the scripts below. */
function surroundings(folder: string) {
  const binaries = findPostgres()
  if (binaries === undefined) throw new Error('no PostgreSQL server binaries')
  return { ...process.env, BINARIES: binaries, AS_SERVER: asServer, FOLDER: folder }
}

/** The command that creates an empty cluster: a copy of one that is made once and kept between runs, since `initdb` takes 0.7 s of CPU. */
async function emptyCluster(): Promise<string> {
  const of = createHash('sha256').update(`${findPostgres()} ${process.getuid?.()} ${initdb}`).digest('hex').slice(0, 16)
  const ready = join(import.meta.dirname, '../../node_modules/.cache/parley-test', `postgres-${of}`)
  await madeOnce(ready, async (made) => {
    // The distribution's user may not enter the folders of this project.
    const folder = mkdtempSync(join(tmpdir(), 'parley-pg-'))
    chmodSync(folder, 0o777)
    const script = `cd "$FOLDER" && ${initdb} && cp -a data "$MADE"`
    const { status, stderr } = spawnSync('sh', ['-c', script], { env: { ...surroundings(folder), MADE: made }, encoding: 'utf8' })
    rmSync(folder, { recursive: true, force: true })
    if (status !== 0) throw new Error(`PostgreSQL made no cluster: ${stderr}`)
  })
  return `cp -a '${ready}' data`
}

/** `make`: the command that creates the folder `data`. */
async function launch(make: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pg-'))
  chmodSync(folder, 0o777)
  const port = await freePort()
  const script = `
    cd "$FOLDER"
    ${make} >log 2>&1 || exit
    $AS_SERVER "$BINARIES/postgres" -D data -k "$FOLDER" -p ${port} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 >>log 2>&1 &
    server=$!
    while kill -0 ${process.pid} && kill -0 "$server"; do sleep 1; done
    kill -INT "$server"
    wait
    rm -rf "$FOLDER"`
  // Two shells: the outer one exits at once, so that the test runner, which kills a test's remaining children, does not know the inner one.
  const outer = spawn('sh', ['-c', '(exec sh -c "$SCRIPT") >/dev/null 2>&1 </dev/null &'], {
    stdio: 'ignore',
    detached: true,
    env: { ...surroundings(folder), SCRIPT: script },
  })
  await new Promise((resolve) => outer.once('exit', resolve))
  const url = `postgres://parley@127.0.0.1:${port}/postgres`
  await answering(url, folder)
  return url
}

async function answering(url: string, folder: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await command(new URL(url), 'select 1')
    } catch (thrown) {
      if (tries > 1_200) throw new Error(`PostgreSQL did not start; see ${folder}/log`, { cause: thrown })
      await systemClock.sleep(100)
    }
  }
}
