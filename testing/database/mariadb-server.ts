/**
 * A MariaDB or MySQL server for one test file, from the distribution's binaries, in a temporary folder on a free loopback port.
 *
 * @needs mariadb
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { systemClock } from '#runtime/clock'
import { freePort } from '#testing/free-port'

const folders = ['/usr/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
const find = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path))

/** Whether this machine has the server's programs. */
export const hasMariadb = (): boolean => find('mariadbd') !== undefined && find('mariadb-install-db') !== undefined

/** Whether this machine has a MySQL server that is not MariaDB under its old name. */
export const hasMysql = (): boolean => {
  const program = find('mysqld')
  return (
    program !== undefined && !/MariaDB/.test(spawnSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' }).stdout ?? 'MariaDB')
  )
}

/** A server. */
export interface MariadbServer {
  /** `mysql://...` of a new database with these tables. */
  newDatabase(name: string, statements: string): Promise<string>
  close(): Promise<void>
}

/** Starts MariaDB; it ends with `close`, or with this process. */
export const mariadbServer = (): Promise<MariadbServer> =>
  serverOf('mariadbd', ['mariadb-install-db', '--auth-root-authentication-method=normal', '--skip-test-db'])

/** Starts MySQL; it ends with `close`, or with this process. */
export const mysqlServer = (): Promise<MariadbServer> => serverOf('mysqld', ['mysqld', '--initialize-insecure'])

async function serverOf(program: string, [maker = '', ...making]: string[]): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mariadb-'))
  const own = ['--no-defaults', `--datadir=${folder}/data`]
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  const made = spawnSync(find(maker) ?? '', [...own, ...user, ...making], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`${program} made no data folder: ${made.stdout}${made.stderr}`)
  const port = await freePort()
  // MySQL refuses to start without the folder of its package, and opens a second port.
  const ofMysql = program === 'mysqld' ? ['--secure-file-priv=NULL', '--mysqlx=OFF'] : []
  const options = [...ofMysql, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${folder}/socket`, `--pid-file=${folder}/pid`]
  const server = spawn(find(program) ?? '', [...own, ...user, ...options, '--skip-log-bin', '--innodb-flush-log-at-trx-commit=0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000)
  })
  const orphan = () => void server.kill('SIGKILL')
  process.once('exit', orphan)
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  const urlOf = (database: string) => `mysql://root@127.0.0.1:${port}/${database}`

  async function run(database: string, statements: string): Promise<void> {
    const connection = await createConnection({ uri: urlOf(database), multipleStatements: true })
    try {
      await connection.query(statements)
    } finally {
      await connection.end()
    }
  }
  for (let tries = 0; ; tries++) {
    try {
      await run('', 'select 1')
      break
    } catch (thrown) {
      if (tries > 600 || server.exitCode !== null) throw new Error(`${program} did not start:\n${said}`, { cause: thrown })
      await systemClock.sleep(100)
    }
  }
  return {
    async newDatabase(name, statements) {
      await run('', `create database \`${name}\` character set utf8mb4`)
      await run(name, statements)
      return urlOf(name)
    },
    async close() {
      process.off('exit', orphan)
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
