import { expect, test } from 'bun:test'
import { elementsOf } from './json-elements.ts'

const encoder = new TextEncoder()

async function elements(text: string, size: number, most = 1000): Promise<unknown> {
  async function* pieces() {
    const bytes = encoder.encode(text)
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  try {
    const found: string[] = []
    for await (const element of elementsOf(pieces(), { path: [['requests']] }, most)) found.push(new TextDecoder().decode(element).trim())
    return found
  } catch (thrown) {
    return (thrown as { code?: string }).code
  }
}

test.each([
  ['{"requests":[{"a":1},{"b":[2,{"c":"},]"}]}]}', ['{"a":1}', '{"b":[2,{"c":"},]"}]}']],
  [' { "x" : ["no"], "requests" : [ 1 , "a\\",b" , null ] , "y": {"requests":[9]} } ', ['1', '"a\\",b"', 'null']],
  ['{"requests":[]}', []],
  ['{"re\\u0071uests":["é"]}', ['"é"']],
  ['{"a":1}', []],
  ['{}', []],
  ['{"requests":[1],"requests":[2]}', 'invalid_json'],
  ['{"requests":[1]', 'invalid_json'],
  ['{"requests":[1]}}', 'invalid_json'],
  ['[1]', []],
  [`{"${'x'.repeat(5000)}":[1],"requests":[2]}`, ['2']],
  [`{"x":"${'y\\\\'.repeat(700)}","requests":["\\\\",2]}`, ['"\\\\"', '2']],
  ['x', 'invalid_json'],
  ['', 'invalid_json'],
  [`{"requests":["${'x'.repeat(2000)}"]}`, 'request_too_large'],
])('%#', async (text, wanted) => {
  for (const size of [1, 3, 1000]) expect([size, await elements(text, size)]).toEqual([size, wanted as never])
})

test.each([
  [
    '{"batch":{"name":"x","input":{"requests":{"requests":[1,{"requests":[2]}]}}}}',
    ['1', '{"requests":[2]}'],
    '{"batch":{"name":"x","input":{"requests":{"requests":[]}}}}',
  ],
  [
    '{"batch":{"in_put":{"requests":{"requests":[ "]" ]},"y":1}},"z":[3]}',
    [' "]" '],
    '{"batch":{"in_put":{"requests":{"requests":[]},"y":1}},"z":[3]}',
  ],
  ['{"input":{"requests":{"requests":[1]}}}', [], '{"input":{"requests":{"requests":[1]}}}'],
  ['{"batch":[{"input":{"requests":{"requests":[1]}}}]}', [], '{"batch":[{"input":{"requests":{"requests":[1]}}}]}'],
  ['{"batch":{"x":{"input":{"requests":{"requests":[1]}}}}}', [], '{"batch":{"x":{"input":{"requests":{"requests":[1]}}}}}'],
])('a list that lies deeper, and what is around it: %#', async (text, wanted, rest) => {
  const bytes = encoder.encode(text)
  for (const size of [1, 5, 1000]) {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const around: string[] = []
    const found: string[] = []
    const place = {
      path: [['batch'], ['input', 'in_put'], ['requests'], ['requests']],
      around: (piece: Uint8Array) => void around.push(new TextDecoder().decode(piece)),
    }
    for await (const element of elementsOf(pieces(), place, 100)) found.push(new TextDecoder().decode(element))
    expect([found, around.join('')]).toEqual([wanted, rest])
  }
})
