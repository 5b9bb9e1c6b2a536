import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TextListener } from '#canonical/token-estimator'
import { threadNow } from '#testing/thread-time'
import { createSample } from './text-sample.ts'
import { countTokens, createTokenEstimator, loadEncoding, tokensOfRequest } from './tokenizer.ts'

const root = join(import.meta.dir, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const chinese = '人工智能的发展正在改变我们的生活方式，许多公司都在使用大型语言模型来提高效率。'.repeat(300)
const texts = {
  prose: read('ARCHITECTURE.md'),
  code: read('server/relay/pipeline/stream.ts') + read('server/relay/conversation/converted.ts'),
  data: read('package-lock.json').slice(0, 60_000),
  Chinese: chinese,
}
const noRequest = () => ({ body: '', bytes: 0, hasFiles: false })

/** In the pieces of a stream. */
const heardBy = (estimator: TextListener, text: string) => estimator.addText(text, Buffer.byteLength(text))

function addText(text: string, model = 'gpt-5') {
  const estimator = createTokenEstimator(model, noRequest)
  for (let at = 0; at < text.length; at += 5) heardBy(estimator, text.slice(at, at + 5))
  return estimator
}

describe('tokens', () => {
  test('known counts', () => {
    expect(countTokens(['hello world'], 'gpt-5')).toBe(2)
    expect(countTokens(['12345678'], 'gpt-5')).toBe(3)
    expect(countTokens([], 'gpt-5')).toBe(0)
  })

  test('what looks like a mark of a dialogue is a text like any other', () => {
    expect(countTokens(['<|endoftext|>'], 'gpt-5')).toBeGreaterThan(1)
  })

  test('models whose maker publishes no tokenizer take a factor', () => {
    const [openai, claude, gemini] = ['gpt-5', 'anthropic.claude-sonnet-4-5', 'gemini-2.5-pro'].map((model) =>
      countTokens([texts.prose], model),
    )
    expect(claude).toBe(Math.ceil((openai ?? 0) * 1.17))
    expect(gemini).toBe(Math.ceil((openai ?? 0) * 1.08))
  })

  test.each(Object.entries(texts))('%s: a stream is counted by a sample, within a tenth', (_, text) => {
    const exact = countTokens([text], 'gpt-5')
    const estimate = addText(text).output(Buffer.byteLength(text))
    expect(Math.abs(estimate / exact - 1)).toBeLessThan(0.1)
  })

  test('an answer that fits the sample is counted whole, and repeated text counts once', () => {
    const estimator = addText('12345678')
    heardBy(estimator, '12345678')
    expect(estimator.output(8)).toBe(3)
    expect(estimator.output(0)).toBe(0)
    expect(createTokenEstimator('gpt-5', noRequest).output(8)).toBe(2)
  })

  test('nothing is counted twice, however often is asked: the request once, of an answer what is new', () => {
    const encoding = loadEncoding()
    const counted = { bytes: 0, requests: 0 }
    const add = (text: string) => {
      counted.bytes += Buffer.byteLength(text)
      return text
    }
    const watching = Object.assign((text: string) => encoding(add(text)), {
      settled(text: string) {
        const { tokens, chars } = encoding.settled(text)
        add(text.slice(0, chars))
        return { tokens, chars }
      },
    })
    const request = () => {
      counted.requests += 1
      return { body: texts.prose, bytes: texts.prose.length, hasFiles: false }
    }
    const estimator = createTokenEstimator('gpt-5', request, { load: () => watching })
    const sample = createSample()
    let bytes = 0
    let asked = 0
    for (let at = 0; at < texts.code.length; at += 19) {
      const text = texts.code.slice(at, at + 19)
      bytes += Buffer.byteLength(text)
      heardBy(estimator, text)
      sample.take(text)
      estimator.input(texts.prose.length)
      const stretches = sample.stretches()
      const all = stretches.reduce((sum, stretch) => sum + Buffer.byteLength(stretch), 0)
      expect(estimator.output(bytes)).toBe(Math.ceil((bytes * countTokens(stretches, 'gpt-5')) / all))
      asked += 1
    }
    expect(counted.requests).toBe(1)
    // Eight places of the request, each byte of the sample, and each time two words.
    expect(counted.bytes).toBeLessThan(8 * 512 + 512 * 30 + asked * 24)
  })

  test.each(Object.entries(texts))('%s: a request is counted by samples of its body, within a tenth', (_, text) => {
    const exact = countTokens([text], 'gpt-5')
    const sized = { body: text, bytes: Buffer.byteLength(text), hasFiles: false }
    expect(Math.abs(tokensOfRequest(sized, 'gpt-5') / exact - 1)).toBeLessThan(0.1)
  })

  test('a file inside a request is taken for a picture, not for its bytes', () => {
    const words = '{"role":"user","content":"What is this?"}'
    const body = `${words}"data:image/png;base64,${'iVBORw0KGgoA'.repeat(100_000)}"`
    const tokens = tokensOfRequest({ body, bytes: body.length, hasFiles: true }, 'gpt-5')
    expect(tokens).toBeGreaterThan(1600)
    expect(tokens).toBeLessThan(1640)
  })

  test('notes of the client and what upstreams sealed are no prompt', () => {
    const ask = { model: 'gpt-5', input: [{ role: 'user', content: 'say what {"metadata":{"a":"b"}} means' }] as object[] }
    const tokensOf = (request: object) => {
      const body = JSON.stringify(request, null, 1)
      return tokensOfRequest({ body, bytes: Buffer.byteLength(body), hasFiles: false }, 'gpt-5')
    }
    const sealed = { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABo-_x+/'.repeat(200) }
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`note ${at}`, 'Zoë wrote "this" down, '.repeat(20)]))
    const noted = { ...ask, metadata, prompt_cache_key: 'key \\" '.repeat(30), input: [sealed, ...ask.input] }
    expect(tokensOf(noted) - tokensOf(ask)).toBeLessThan(30)
    const told = { ...ask, input: [{ role: 'user', content: `${JSON.stringify({ metadata })} ${'signature":"'}${'A'.repeat(80)}` }] }
    expect(tokensOf(told) - tokensOf(ask)).toBeGreaterThan(1_500)
  })

  test('a request is counted by its text, however its client escapes letters', () => {
    const said = { prose: texts.prose, Chinese: `${chinese}\u{1F600}`, German: 'Größe, Übermut und „Anführung“ überall. '.repeat(200) }
    for (const text of Object.values(said)) {
      const plain = JSON.stringify({ messages: [{ role: 'user', content: text }] })
      const ascii = plain.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      expect(JSON.parse(ascii)).toEqual(JSON.parse(plain))
      const [one, other] = [plain, ascii].map((body) => tokensOfRequest({ body, bytes: Buffer.byteLength(body), hasFiles: false }, 'gpt-5'))
      expect(other).toBe(one ?? 0)
      expect(Math.abs((one ?? 0) / countTokens([text], 'gpt-5') - 1)).toBeLessThan(0.1)
    }
  })

  test('texts that are made to take long do not', () => {
    const began = threadNow()
    for (const text of ['x'.repeat(1_000_000), ' '.repeat(1_000_000), 'ab'.repeat(500_000)]) {
      addText(text).output(text.length)
      tokensOfRequest({ body: text, bytes: text.length, hasFiles: false }, 'gpt-5')
    }
    const took = threadNow() - began
    console.log(`three texts of a megabyte: ${took.toFixed(0)} ms`)
    expect(took).toBeLessThan(20 * 150)
  })
})

describe('a sample', () => {
  test('is the text itself while that is short', () => {
    const sample = createSample()
    for (const piece of ['Grüße', ' aus ', '北京']) sample.take(piece)
    expect(sample.stretches()).toEqual(['Grüße aus 北京'])
    expect(createSample().stretches()).toEqual([])
  })

  test('holds no more than six kilobytes, whatever comes, and cuts no character', () => {
    for (const size of [1, 7, 4000]) {
      const sample = createSample()
      const characters = [...chinese, ...chinese]
      for (let at = 0; at < characters.length; at += size) sample.take(characters.slice(at, at + size).join(''))
      const stretches = sample.stretches()
      expect(stretches.length).toBeLessThanOrEqual(12)
      for (const stretch of stretches) expect(Buffer.byteLength(stretch)).toBeLessThanOrEqual(512)
      expect(stretches.join('')).not.toContain('\uFFFD')
      expect(stretches.every((stretch) => (chinese + chinese).includes(stretch))).toBe(true)
    }
  })
})
