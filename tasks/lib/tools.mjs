/** What tests need besides packages: a browser, and PostgreSQL's programs (not a running server). */
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './processes.mjs'
import { TaskError, tell } from './project.mjs'

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const elsewhere = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

/** The path of Chromium or Chrome; installed with apt-get where possible. Throws TaskError when there is none. */
export async function bringChromium() {
  const found = findChromium()
  if (found !== undefined) return found
  await aptInstall('Chromium', ['chromium', 'fonts-liberation'])
  const brought = findChromium()
  if (brought === undefined)
    throw new TaskError('The browser tests need Chromium or Google Chrome: install one, or set PARLEY_CHROMIUM to its path.')
  return brought
}

const findChromium = () => process.env.PARLEY_CHROMIUM ?? browsers.map(onPath).find(Boolean) ?? elsewhere.find((path) => existsSync(path))

/** Installs PostgreSQL's programs where possible; without them the tests use only the embedded database. */
export async function bringPostgres() {
  if (process.env.PARLEY_TEST_DATABASE_URL || hasPostgres()) return
  await aptInstall('PostgreSQL', ['postgresql'])
  if (!hasPostgres()) tell('PostgreSQL was not found: the database tests run on the embedded database only.')
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
  const updated = await run('apt-get', ['update', '-q'], { env })
  const installed = await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...packages], { env })
  if (installed.code !== 0) tell(`${updated.output}${installed.output}`)
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
