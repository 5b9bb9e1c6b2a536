import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

interface Component {
  name: string
  version: string
  purl: string
  hashes?: { alg: string; content: string }[]
}

function sbom(...args: string[]): Component[] {
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, 'tasks/sbom.mjs', ...args], { cwd: root })
  expect(exitCode).toBe(0)
  const document = JSON.parse(stdout.toString())
  expect(document).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'parley' } } })
  return document.components
}

test('the bill of materials has every package that is installed, with version and digest, and those of tests only when asked', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [shipped, everything] = [sbom(), sbom('--dev')]
  for (const [name, version] of Object.entries(dependencies)) expect(shipped).toContainEqual(expect.objectContaining({ name, version }))
  for (const { purl, hashes } of shipped) {
    expect(purl).toMatch(/^pkg:npm\/[^@]+@\d/)
    expect([purl, hashes?.[0]?.content.length]).toEqual([purl, 128])
  }
  expect(shipped.some(({ name }) => name === 'playwright')).toBe(false)
  expect(everything).toContainEqual(expect.objectContaining({ name: 'playwright', version: devDependencies.playwright }))
  expect(new Set(everything.map(({ purl }) => purl)).size).toBe(everything.length)
})
