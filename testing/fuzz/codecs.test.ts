import { expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeep, runSeed } from '#testing/sample'
import { type FuzzCase, faultOf, fuzzCase } from './codecs.ts'

const count = isDeep ? 50_000 : 1_500

test(`${count} damaged bodies are read or refused, and those that pass are unambiguous`, () => {
  for (let seed = runSeed * 1_000_000; seed < runSeed * 1_000_000 + count; seed++) {
    const one = fuzzCase(seed)
    expect({ seed, ...one, fault: faultOf(one) }).toEqual({ seed, ...one, fault: undefined })
  }
}, 120_000)

test.each(globSync('finds/*.json', { cwd: import.meta.dir }))('%s, found before', (name) => {
  const one: FuzzCase = JSON.parse(readFileSync(join(import.meta.dir, name), 'utf8'))
  expect(faultOf(one)).toBeUndefined()
})
