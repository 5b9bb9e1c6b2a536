import { describe, expect, test } from 'bun:test'
import { threadNow } from '#testing/thread-time'
import { asCode, createBlockStream, definitionsOf, splitBlocks } from './blocks.ts'

const sample = `First paragraph
goes on.

# Title

\`\`\`go
func a() {

}
\`\`\`
After without blank.

- one

- two
  still two

  deeper

1. other

$$
a

b
$$

| a | b |
|---|---|
| 1 | 2 |

Last`

describe('splitting', () => {
  test('cuts at blank lines outside fences, lists and math', () => {
    expect(splitBlocks(sample)).toEqual([
      'First paragraph\ngoes on.',
      '# Title',
      '```go\nfunc a() {\n\n}\n```',
      'After without blank.',
      '- one\n\n- two\n  still two\n\n  deeper\n\n1. other',
      '$$\na\n\nb\n$$',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      'Last',
    ])
  })

  test('every chunking gives the blocks that the whole text gives', () => {
    for (const size of [1, 2, 3, 7, 64]) {
      const stream = createBlockStream()
      const seen: string[] = []
      for (let end = size; end < sample.length + size; end += size) {
        stream.push(sample.slice(0, end))
        // Complete blocks never change.
        expect(stream.done.slice(0, seen.length)).toEqual(seen)
        seen.splice(0, seen.length, ...stream.done)
      }
      expect([...stream.done, stream.tail()]).toEqual(splitBlocks(sample))
    }
  })

  test('nothing is lost when a long paragraph is cut early', () => {
    const words = Array.from({ length: 9_000 }, (_, index) => `word${index}`).join(' ')
    const stream = createBlockStream()
    stream.push(words)
    expect(stream.tail().length).toBeLessThanOrEqual(4_096)
    expect([...stream.done, stream.tail()].join(' ').split(/\s+/)).toEqual(words.split(' '))
    expect(splitBlocks(words)).toEqual([words])
  })

  test('a fence may be as long as it likes and is never cut', () => {
    const code = `\`\`\`\n${'x\n\n'.repeat(10_000)}`
    const stream = createBlockStream()
    stream.push(code)
    expect(stream.done).toEqual([])
    expect(stream.tail()).toBe(code)
  })

  test('a longer fence is not closed by a shorter one', () => {
    expect(splitBlocks('````md\n```js\n1\n```\n````\n\nend')).toEqual(['````md\n```js\n1\n```\n````', 'end'])
  })

  test('pushing a long text costs time in proportion to it', () => {
    const text = 'A line of text that goes on.\n\n'.repeat(20_000)
    const started = threadNow()
    const stream = createBlockStream()
    for (let end = 0; end < text.length; end += 997) stream.push(text.slice(0, end))
    expect(threadNow() - started).toBeLessThan(5_000)
    expect(stream.done.length).toBeGreaterThan(19_000)
  })
})

test('code blocks are taken apart', () => {
  expect(asCode('```ts title="a"\nlet a\n```')).toEqual({ language: 'ts', code: 'let a', closed: true })
  expect(asCode('~~~\nopen')).toEqual({ language: '', code: 'open', closed: false })
  expect(asCode('```')).toEqual({ language: '', code: '', closed: false })
  expect(asCode('text')).toBeUndefined()
  expect(asCode('``` not `code`')).toBeUndefined()
})

test('link definitions are found, footnotes are not', () => {
  expect(definitionsOf('a\n[x]: http://x.example\n[^1]: note\n [y]: /y "t"')).toBe('[x]: http://x.example\n [y]: /y "t"')
})
