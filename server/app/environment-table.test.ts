import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { environmentTable, withBlock } from './environment-table.ts'

const page = `${import.meta.dir}/../../docs/operations.md`

test('the environment table in docs/operations.md is the one of config.ts (PARLEY_UPDATE_DOCS=1 rewrites it)', () => {
  const written = readFileSync(page, 'utf8')
  const fresh = withBlock(written, 'environment', environmentTable())
  if (process.env.PARLEY_UPDATE_DOCS) writeFileSync(page, fresh)
  else expect(written).toBe(fresh)
})

test('withBlock replaces what stands between its comments and nothing else', () => {
  const document = 'a\n<!-- x -->\nold\nolder\n<!-- /x -->\nb\n'
  expect(withBlock(document, 'x', 'new')).toBe('a\n<!-- x -->\nnew\n<!-- /x -->\nb\n')
  expect(() => withBlock(document, 'y', 'new')).toThrow('no block')
})
