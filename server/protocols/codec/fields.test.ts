import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { type FieldRules, readBody } from './fields.ts'

interface Shape {
  model: string
  n?: number
  stop?: string | string[]
  stream?: boolean
  options?: { usage?: boolean }
  messages?: { role: string; content?: string | { type: string; text?: string }[] }[]
  schema?: unknown
}

const read = (raw: Record<string, unknown>, rules?: FieldRules) => readBody<Shape>(raw, rules)

function refusal(work: () => unknown): { code: string; param: string | undefined } {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { code: thrown.code, param: thrown.param }
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('what was not looked at', () => {
  test('is reported by its path, at every depth', () => {
    const { fields, unread } = read({
      model: 'm',
      later: 1,
      options: { usage: true, more: 1 },
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', extra: {} }], tag: 'x' }],
    })
    fields.needText('model')
    fields.object('options')?.flag('usage')
    for (const message of fields.objects('messages')) {
      message.word('role', ['user'])
      for (const part of message.objects('content')) {
        part.needText('type')
        part.text('text')
      }
    }
    expect(unread()).toEqual(['later', 'options.more', 'messages[0].tag', 'messages[0].content[0].extra'])
  })

  test('is nothing where a value was taken as it is, ignored, or null', () => {
    const { fields, unread } = read({ model: 'm', schema: { a: { b: 1 } }, options: { x: 1 }, stream: false, n: null, other: null })
    fields.text('model')
    fields.json('schema')
    fields.object('options')?.whole()
    fields.ignore('stream')
    expect(unread()).toEqual([])
  })

  test('a name that the caller made up is not repeated', () => {
    expect(read({ 'sk-secret key': 1, fine_name: 2 }).unread()).toEqual(['*', 'fine_name'])
  })
})

test('what is left of an object can be taken, or named', () => {
  const { fields, unread } = read({ model: 'm', later: 1, nothing: null, options: { usage: true, more: {} } })
  fields.text('model')
  const options = fields.object('options')
  expect(options?.unread()).toEqual(['options.usage', 'options.more'])
  expect(options?.rest()).toEqual({ usage: true, more: {} })
  expect(unread()).toEqual(['later'])
})

test('what comes from an upstream is read without refusing anything', () => {
  const { fields } = read({ options: 'x', messages: [{ role: 'user' }, 5], stop: { a: 1 } })
  expect(fields.objectIf('options')).toBeUndefined()
  expect(fields.objectsIf('messages').map(({ path }) => path)).toEqual(['messages[0]'])
  expect(fields.objectsIf('n')).toEqual([])
  expect(fields.textIf('stop')).toBeUndefined()
})

test('a wrong value is refused with its path', () => {
  const { fields } = read({ n: 1.5, stream: 'yes', stop: [1], messages: [{ role: 5 }, 'x'], options: [] })
  expect(refusal(() => fields.needText('model'))).toEqual({ code: 'missing_field', param: 'model' })
  expect(refusal(() => fields.integer('n', 1))).toEqual({ code: 'invalid_value', param: 'n' })
  expect(refusal(() => fields.flag('stream'))).toEqual({ code: 'invalid_value', param: 'stream' })
  expect(refusal(() => fields.texts('stop'))).toEqual({ code: 'invalid_value', param: 'stop' })
  expect(refusal(() => fields.objects('messages'))).toEqual({ code: 'invalid_value', param: 'messages[1]' })
  expect(refusal(() => fields.object('options'))).toEqual({ code: 'invalid_value', param: 'options' })
  const one = read({ messages: [{ role: 5 }] }).fields.objects('messages')[0]
  expect(refusal(() => one?.word('role', ['user']))).toEqual({ code: 'invalid_value', param: 'messages[0].role' })
})

test('a family can have two spellings, numbers in text and lone objects', () => {
  const rules: FieldRules = {
    snake: (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    number: (value) => (typeof value === 'string' ? Number(value) : typeof value === 'number' ? value : undefined),
    loneInList: true,
  }
  const { fields, unread } = readBody<{ topP?: number; someParts?: { x?: number }[] }>({ top_p: '0.5', some_parts: { x: 1, y: 2 } }, rules)
  expect(fields.number('topP', 0, 1)).toBe(0.5)
  expect(fields.objects('someParts').map((part) => part.integer('x', 0))).toEqual([1])
  expect(unread()).toEqual(['some_parts.y'])
  expect(refusal(() => readBody<{ topP?: number }>({ top_p: 'x' }, rules).fields.number('topP'))).toEqual({
    code: 'invalid_value',
    param: 'top_p',
  })
})
