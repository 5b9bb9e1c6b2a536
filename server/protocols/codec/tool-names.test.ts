import { expect, test } from 'bun:test'
import type { ConversationRequest, Tool } from '#canonical/conversation'
import { conversation } from '#testing/conversions/conversation'
import { threadNow } from '#testing/thread-time'
import { clientName, toolNames } from './tool-names.ts'
import { unwrapInput, wrapInput } from './wrapped-tool.ts'

const request = (names: [string, string?][]): ConversationRequest =>
  conversation({
    dialect: 'responses',
    tools: names.map(
      ([name, namespace]): Tool => ({ kind: 'function', name, parameters: {}, ...(namespace !== undefined && { namespace }) }),
    ),
  })
const rules = { foreign: /[^a-z_0-9]/g, longest: 16 }

test('names that fit stay; others are changed, cut and numbered, and all are read back', () => {
  const given: [string, string?][] = [
    ['a'],
    ['a.b'],
    ['a_b'],
    ['a-b'],
    ['run', 'web'],
    ['run'],
    ['x'.repeat(40)],
    [`${'x'.repeat(40)}y`],
    [''],
    ['__proto__'],
  ]
  const names = toolNames(request(given), rules)
  const out = given.map(([name, namespace]) => names.out(name, namespace))
  expect(out).toEqual(['a', 'a_b', 'a_b_2', 'a_b_3', 'web__run', 'run', 'xxxxxxxx_2', 'xxxxxxxx_3', '_', '__proto__'])
  const memo = { ...names.memo(), wrappedTools: [] }
  for (const [at, [name, namespace]] of given.entries()) {
    expect(clientName(memo, out[at] ?? '')).toEqual({ name, ...(namespace !== undefined && { namespace }) })
  }
  expect(clientName(memo, 'constructor')).toEqual({ name: 'constructor' })
})

test('a tool that only the history names gets a free name', () => {
  const names = toolNames(request([['a_b']]), rules)
  expect([names.out('a.b'), names.out('a.b'), names.out('a_b')]).toEqual(['a_b_2', 'a_b_2', 'a_b'])
})

test('two of one name are refused, in different namespaces not', () => {
  expect(() => toolNames(request([['a'], ['a']]), rules)).toThrow(expect.objectContaining({ code: 'unsupported_value', param: 'tools' }))
  expect(() => toolNames(request([['a', 'x'], ['a', 'y'], ['a']]), rules)).not.toThrow()
})

test('fifty thousand names that all become the same take no time', () => {
  const start = threadNow()
  const names = toolNames(
    request(Array.from({ length: 50_000 }, (_, at) => [`${'-'.repeat(20)}${String.fromCodePoint(0x4e00 + (at % 20_000))}${at}`])),
    { foreign: /[^a-z]/g, longest: 16 },
  )
  expect(Object.keys(names.memo().toolNames)).toHaveLength(50_000)
  expect(threadNow() - start).toBeLessThan(10_000)
})

test('free text is wrapped and unwrapped; what is no wrapping stays', () => {
  for (const text of ['', 'a "b"\n', '{"input":"x"}']) expect(unwrapInput(wrapInput(text))).toBe(text)
  for (const text of ['', 'x', '5', 'null', '{"input":5}', '{"other":"x"}']) expect(unwrapInput(text)).toBe(text)
})
