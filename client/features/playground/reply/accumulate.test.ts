import { describe, expect, test } from 'bun:test'
import { accumulate, emptyAccumulation } from './accumulate.ts'

const delta = (change: unknown, finish: string | null = null) => ({
  model: 'm-1',
  choices: [{ index: 0, delta: change, finish_reason: finish }],
})

describe('a reply out of chunks', () => {
  test('text, reasoning and refusal are kept apart', () => {
    const into = emptyAccumulation()
    expect(accumulate(into, delta({ role: 'assistant', content: '' }))).toBe(false)
    expect(accumulate(into, delta({ reasoning_content: 'hm' }))).toBe(true)
    expect(accumulate(into, delta({ content: 'Hel' }))).toBe(true)
    accumulate(into, delta({ content: 'lo' }, 'stop'))
    accumulate(into, { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })
    expect(into).toMatchObject({
      text: 'Hello',
      reasoning: 'hm',
      refusal: '',
      finish: 'stop',
      answeredBy: 'm-1',
      tokens: { in: 3, out: 2 },
    })
  })

  test('parallel tool calls grow side by side', () => {
    const into = emptyAccumulation()
    accumulate(into, delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }] }))
    accumulate(into, delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'two', arguments: '{}' } }] }))
    accumulate(into, delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'))
    expect(into.calls).toEqual([
      { id: 'a', name: 'one', arguments: '{"x":1}' },
      { id: 'b', name: 'two', arguments: '{}' },
    ])
  })

  test('a whole answer is read like one chunk', () => {
    const into = emptyAccumulation()
    accumulate(into, {
      model: 'm',
      choices: [{ message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish_reason: 'length' }],
    })
    expect(into).toMatchObject({ text: 'Hi', finish: 'length' })
  })

  test('malformed chunks do not break it', () => {
    const into = emptyAccumulation()
    for (const odd of [
      null,
      1,
      'x',
      [],
      {},
      { choices: 5 },
      { choices: [null] },
      { choices: [{ delta: 3 }] },
      delta({ tool_calls: [null, 4] }),
    ]) {
      expect(() => accumulate(into, odd)).not.toThrow()
    }
    accumulate(into, delta({ tool_calls: [{ index: 1e9, id: 'x' }] }))
    expect(into.calls.length).toBeLessThanOrEqual(128)
  })
})
