/** What tests need besides packages: a browser, and the programs of PostgreSQL and MariaDB (not running servers). */
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './processes.mjs'
import { TaskError, tell } from './project.mjs'

/** Debian's Chromium without windows: a page of it takes a third of the processor time, and a test opens at least one. */
const windowless = 'chromium-headless-shell'
const browsers = [windowless, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const elsewhere = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

/**
 * The path of Chromium or Chrome, without windows if there is a choice; installed with apt-get where possible, beside another one too.
 * Throws TaskError when there is none.
 */
export async function bringChromium() {
  if (process.env.PARLEY_CHROMIUM) return process.env.PARLEY_CHROMIUM
  const found = findChromium()
  if (onPath(windowless) === undefined && (found === undefined || (await isOffered(windowless))))
    await aptInstall('Chromium', [windowless, 'fonts-liberation'])
  if (findChromium() === undefined) await aptInstall('Chromium', ['chromium', 'fonts-liberation'])
  const brought = findChromium()
  if (brought === undefined)
    throw new TaskError('The browser tests need Chromium or Google Chrome: install one, or set PARLEY_CHROMIUM to its path.')
  return brought
}

const findChromium = () => browsers.map(onPath).find(Boolean) ?? elsewhere.find((path) => existsSync(path))

/** Whether this machine's lists of packages have it; asks nobody. */
async function isOffered(name) {
  if (onPath('apt-cache') === undefined) return false
  return (await run('apt-cache', ['show', '--quiet', name])).code === 0
}

/** Installs PostgreSQL's programs where possible; without them the tests use only the embedded database. */
export async function bringPostgres() {
  if (process.env.PARLEY_TEST_DATABASE_URL || hasPostgres()) return
  await aptInstall('PostgreSQL', ['postgresql'])
  if (!hasPostgres()) tell('PostgreSQL was not found: the database tests run on the embedded database only.')
}

/** Installs MariaDB's server where possible; without it nothing is imported from one. */
export async function bringMariadb() {
  const isThere = () => ['/usr/sbin/mariadbd', '/usr/bin/mariadbd'].some((path) => existsSync(path)) || onPath('mariadbd') !== undefined
  if (isThere()) return
  await aptInstall('MariaDB', ['mariadb-server-core', 'mariadb-client-core'])
  if (!isThere()) tell('MariaDB was not found: nothing is imported from it.')
}

function hasPostgres() {
  const versioned = '/usr/lib/postgresql'
  const versions = existsSync(versioned) ? readdirSync(versioned) : []
  return onPath('initdb') !== undefined || versions.some((version) => existsSync(join(versioned, version, 'bin/initdb')))
}

/** Installs Debian packages when running as root; does nothing elsewhere. */
async function aptInstall(name, packages) {
  if (process.getuid?.() !== 0 || onPath('apt-get') === undefined) return
  tell(`Installing ${name}...`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const attempt = () => run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...packages], { env })
  // The lists of packages may be missing, or out of date.
  if ((await attempt()).code === 0) return
  const updated = await run('apt-get', ['update', '-q'], { env })
  const installed = await attempt()
  if (installed.code !== 0) tell(`${updated.output}${installed.output}`)
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
