import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { O200K_TOKEN_SPLIT_REGEX as words } from 'gpt-tokenizer/encodingParams/constants'
import { readFromPackage } from '#runtime/package-file'
import { isDeep } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { createEncoding } from './encoding.ts'
import { loadEncoding } from './tokenizer.ts'

const root = join(import.meta.dir, '../../..')
const table = readFromPackage('gpt-tokenizer/data/o200k_base.tiktoken')
/** Code points from the first up to the second. */
type Kind = readonly [number, number]
const kinds: readonly [Kind, ...Kind[]] = [
  [0, 0x80],
  [0x20, 0x7f],
  [0x80, 0x250],
  [0x300, 0x370],
  [0x400, 0x700],
  [0x2000, 0x2070],
  [0x4e00, 0x9fff],
  [0xd800, 0xe000],
  [0xfe00, 0xff00],
  [0x1f300, 0x1f700],
  [0, 0x110000],
]
/** The package's own counting passes over it inside a word, though it is in the table. */
const byteOrderMark = /\uFEFF/g

/** In a process of its own, so that its half a second and seventy megabytes are not ours. */
async function countedByPackage(texts: readonly string[]): Promise<number[]> {
  const script = `
    import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
    const options = { disallowedSpecial: new Set() }
    const texts = await Bun.stdin.json()
    console.log(JSON.stringify(texts.map((text) => countTokens(text, options))))`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: root, stdin: 'pipe', stdout: 'pipe' })
  child.stdin.write(JSON.stringify(texts))
  child.stdin.end()
  return JSON.parse(await new Response(child.stdout).text())
}

function randomTexts(count: number): string[] {
  const random = seeded(7)
  const character = (kind: Kind) => String.fromCodePoint(kind[0] + random.below(kind[1] - kind[0]))
  return Array.from({ length: count }, () => {
    const kind = random.pick(kinds)
    const letters = Array.from({ length: 1 + random.below(24) }, () => character(random.below(3) > 0 ? kind : random.pick(kinds)))
    return letters.join('').replace(byteOrderMark, '')
  })
}

const file = (tokens: readonly string[]) => Buffer.from(tokens.map((token, rank) => `${btoa(token)} ${rank}\n`).join(''))

describe('the encoding', () => {
  test('counts every text as the package that the table is from', async () => {
    const tokensOf = loadEncoding()
    const real = ['ARCHITECTURE.md', 'CHANGELOG.md', 'server/relay/pipeline/stream.ts', 'db/migrations/meta/_journal.json']
    const made = ['', ' ', '\n\n\n', '<|endoftext|>', '1234567', "don't WE'LL", 'x'.repeat(700), 'ab '.repeat(200), '人工智能'.repeat(90)]
    const texts = [...real.map((path) => readFileSync(join(root, path), 'utf8')), ...made, ...randomTexts(isDeep ? 20_000 : 2_000)]
    const theirs = await countedByPackage(texts)
    expect(theirs).toHaveLength(texts.length)
    const unlike = texts.flatMap((text, at) => (tokensOf(text) === theirs[at] ? [] : [[text, tokensOf(text), theirs[at]]]))
    expect(unlike).toEqual([])
  }, 60_000)

  test('a text that grows is counted as a whole, and no word but the last two is looked at again', () => {
    const tokensOf = loadEncoding()
    const random = seeded(11)
    const joining = ['don', "'", 't', ' ', '\n', '\r', '  ', '/', '...', '12', 'A', 'b', "'l", 'é', '\t', '人', '\u{1F600}'] as const
    const made = Array.from({ length: 500 }, () => Array.from({ length: 1 + random.below(20) }, () => random.pick(joining)).join(''))
    for (const text of [...made, ...randomTexts(500)]) {
      let [settled, tokens] = [0, 0]
      const characters = [...text]
      for (let at = 1; at <= characters.length; at += 1 + random.below(3)) {
        const sofar = characters.slice(0, at).join('')
        const more = tokensOf.settled(sofar.slice(settled))
        settled += more.chars
        tokens += more.tokens
        const rest = sofar.slice(settled)
        expect([sofar, tokens + tokensOf(rest)]).toEqual([sofar, tokensOf(sofar)])
        expect(rest.match(words)?.length ?? 0).toBeLessThanOrEqual(2)
      }
    }
  })

  test('a byte order mark is the token that the table has for it', () => {
    expect(loadEncoding()('\uFEFF')).toBe(1)
  })

  test('joins what ranks first, wherever it stands', () => {
    const tokensOf = createEncoding(file(['a', 'b', 'c', 'bc', 'ab', 'abc', 'aa']), /\S+/g)
    // bc before ab, so a+bc, which is no word of its own but a token: joined again.
    expect(tokensOf('abc')).toBe(1)
    expect(tokensOf('abcabc')).toBe(2)
    // a+ab, not aa+b: ab ranks before aa.
    expect(tokensOf('aab')).toBe(2)
    expect(tokensOf('aabab aa')).toBe(4)
    expect(tokensOf('ababc')).toBe(2)
    expect(tokensOf('')).toBe(0)
  })

  test('is there in thirty milliseconds', () => {
    // The best of three: a machine that does something else meanwhile says nothing about the encoding.
    const times = [1, 2, 3].map(() => {
      const began = threadNow()
      createEncoding(table, words)
      return threadNow() - began
    })
    const took = Math.min(...times)
    console.log(`the encoding: ${took.toFixed(0)} ms`)
    expect(took).toBeLessThan(20 * 30)
  })

  test('no word that a sample can hold takes long', () => {
    const tokensOf = loadEncoding()
    const began = threadNow()
    for (const word of ['x', 'ab', 'qzjxkv', '人', '\u{1F9FF}']) tokensOf(word.repeat(512 / Buffer.byteLength(word)))
    const took = threadNow() - began
    console.log(`five words of 512 bytes: ${took.toFixed(1)} ms`)
    expect(took).toBeLessThan(20 * 5)
  })
})
