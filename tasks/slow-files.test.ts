import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { firstTimings, namedFiles } from './lib/slow-files.mjs'

test('slow files exist, and come before all others', () => {
  expect(namedFiles.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual([])
  const { files } = firstTimings(['a.test.ts', ...namedFiles])
  expect(Object.keys(files)).toHaveLength(namedFiles.length + 1)
  for (const file of namedFiles) expect(files[file]).toBeGreaterThan(files['a.test.ts'] ?? 0)
})
