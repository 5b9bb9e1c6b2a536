import { describe, expect, test } from 'bun:test'
import type { ChatBody } from '../reply/body.ts'
import { pythonValue, snippet } from './snippets.ts'

const nasty = `it's "quoted" \\ $HOME \`x\` 行 😀\n\u2028end`
const body: ChatBody = {
  group: 'vip',
  model: 'gpt-5',
  messages: [{ role: 'user', content: nasty }],
  temperature: 0.5,
  stop: [],
  nested: { yes: true, no: false, none: null, list: [1, 'two'] },
}

describe('snippets', () => {
  test('curl survives the shell with every character', async () => {
    const text = snippet('curl', body, 'http://h').replace(/^curl .*\n.*\n.*\n {2}-d /, 'printf %s ')
    const shown = await new Response(Bun.spawn(['sh', '-c', text]).stdout).text()
    const { group: _, ...sent } = body
    expect(JSON.parse(shown)).toEqual(sent)
  })

  test('Parley’s own field and any key stay out, in every language', () => {
    for (const language of ['curl', 'python', 'typescript'] as const) {
      for (const stream of [false, true]) {
        const text = snippet(language, { ...body, stream }, 'http://h')
        expect(text).not.toContain('vip')
        expect(text).not.toContain('sk-')
        expect(text).toContain('API_KEY')
        expect(text).toContain('http://h/v1')
      }
    }
  })

  test('TypeScript is a program', () => {
    const transpiler = new Bun.Transpiler({ loader: 'ts' })
    for (const stream of [false, true])
      expect(() => transpiler.transformSync(snippet('typescript', { ...body, stream }, 'http://h'))).not.toThrow()
  })

  test('Python has its own words for JSON’s', () => {
    expect(pythonValue({ a: true, b: null, c: [false, 1.5] })).toBe(
      '{\n    "a": True,\n    "b": None,\n    "c": [\n        False,\n        1.5,\n    ],\n}',
    )
    expect(pythonValue([])).toBe('[]')
    expect(pythonValue('\u2028')).toBe('"\\u2028"')
  })
})
