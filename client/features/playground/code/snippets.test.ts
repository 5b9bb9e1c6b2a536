import { describe, expect, test } from 'bun:test'
import { endpointOf } from '#client/features/playground/dialects/endpoint.ts'
import { previewDialects } from '#client/features/playground/dialects/rewritten-request.ts'
import type { Call } from './call.ts'
import { pythonValue } from './python.ts'
import { languages, snippet } from './snippets.ts'

const nasty = `it's "quoted" \\ $HOME \`x\` 行 😀\n\u2028end`
const body = {
  model: 'gpt-5',
  messages: [{ role: 'user', content: nasty }],
  temperature: 0.5,
  stop: [],
  nested: { yes: true, no: false, none: null, list: [1, 'two'] },
}
const call: Call = { dialect: 'chat', model: 'gpt-5', stream: false, body, origin: 'http://h' }
const gemini: Call = {
  ...call,
  dialect: 'gemini',
  body: { contents: [{ role: 'user', parts: [{ text: nasty }] }], tools: [], generationConfig: { temperature: 0.5 } },
}

describe('snippets', () => {
  test('curl survives the shell with every character', async () => {
    const text = snippet('curl', call).replace(/^curl .*\n.*\n.*\n {2}-d /, 'printf %s ')
    const shown = await new Response(Bun.spawn(['sh', '-c', text]).stdout).text()
    expect(JSON.parse(shown)).toEqual(body)
  })

  test('every dialect in every language names this server and never a real key', () => {
    for (const dialect of previewDialects) {
      for (const language of languages) {
        for (const stream of [false, true]) {
          const text = snippet(language, { ...call, dialect, stream })
          expect(text).not.toContain('sk-')
          expect(text).toContain('API_KEY')
          expect(text).toContain('http://h')
        }
      }
    }
  })

  test('TypeScript is a program', () => {
    const transpiler = new Bun.Transpiler({ loader: 'ts' })
    for (const dialect of previewDialects)
      for (const stream of [false, true])
        expect(() => transpiler.transformSync(snippet('typescript', { ...call, dialect, stream }))).not.toThrow()
  })

  test('an address survives the shell whatever the model is called', async () => {
    expect(endpointOf(gemini)).toBe('/v1beta/models/gpt-5:generateContent')
    const odd = snippet('curl', { ...gemini, model: `vendor/it's a?b`, stream: true }).replace(/^curl --no-buffer/, 'printf %s')
    const [line = ''] = odd.split(' \\\n')
    const shown = await new Response(Bun.spawn(['sh', '-c', line]).stdout).text()
    expect(shown).toBe(`http://h/v1beta/models/vendor/it's%20a%3Fb:streamGenerateContent?alt=sse`)
  })

  test('Google’s libraries take one flat config', () => {
    expect(snippet('python', gemini)).toContain('    config={\n        "tools": [],\n        "temperature": 0.5,\n    },\n')
    expect(snippet('typescript', { ...gemini, body: { contents: [] } })).not.toContain('config')
  })

  test('Python has its own words for JSON’s', () => {
    expect(pythonValue({ a: true, b: null, c: [false, 1.5] })).toBe(
      '{\n    "a": True,\n    "b": None,\n    "c": [\n        False,\n        1.5,\n    ],\n}',
    )
    expect(pythonValue([])).toBe('[]')
    expect(pythonValue('\u2028')).toBe('"\\u2028"')
  })
})
