/** The lock file is one that `npm ci` accepts on every platform, and it names no registry. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Package {
  version?: string
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const lock: { packages: Record<string, Package> } = JSON.parse(readFileSync(join(import.meta.dir, '../package-lock.json'), 'utf8'))
const { packages } = lock

/** The package that `from` would import as `name`: the nearest one in its own or an outer node_modules. */
function found(from: string, name: string): Package | undefined {
  const inside = packages[`${from === '' ? '' : `${from}/`}node_modules/${name}`]
  if (inside !== undefined || from === '') return inside
  const outer = from.lastIndexOf('node_modules/')
  return found(from.slice(0, Math.max(0, outer - 1)), name)
}

test('has every dependency of every package, also the ones for other platforms', () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => found(path, name) === undefined),
  )
  expect(missing).toEqual([])
})

test('names no registry', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
